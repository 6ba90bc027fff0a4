import { spellings } from '../payload.ts';
import type { Family } from './events.ts';

/**
 * The payload fields that stories read, the most specific first, in camel case; each is read in snake case too.
 * `docs/events.md` lists them, and a test compares the two.
 */
export const fieldNames = {
  orderId: ['orderId', 'id', 'orderNumber', 'number', 'reference'],
  paymentId: ['paymentId', 'chargeId', 'transactionId', 'paymentIntentId', 'id'],
  refundId: ['refundId'],
  id: ['id'],
  forOrder: ['orderId'],
  forInvoice: ['invoiceId'],
  forSubscription: ['subscriptionId'],
  trialId: ['trialId'],
  ticketId: ['ticketId', 'caseId', 'id', 'ticketNumber', 'number'],
  total: [
    ...['totalAmount', 'amountTotal', 'grandTotal', 'orderTotal', 'totalPrice', 'total', 'amount', 'value', 'price'],
    'revenue',
  ],
  received: ['amountPaid', 'paidAmount', 'amountReceived', 'amountCaptured'],
  due: ['amountDue', 'amountRemaining', 'balanceDue'],
  amount: ['amount'],
  refund: ['refundAmount', 'refund'],
  refundTotal: ['amountRefunded', 'refundedAmount', 'refundTotal'],
  minorUnits: ['amountCents', 'amountInCents', 'totalCents', 'totalInCents', 'amountMinor', 'amountInMinorUnits'],
  currency: ['currency', 'currencyCode'],
  items: ['items', 'lineItems', 'products', 'lines'],
  itemName: ['name', 'productName', 'title', 'sku'],
  itemPrice: ['unitPrice', 'price', 'amount'],
  itemQuantity: ['quantity', 'qty', 'count'],
  plan: ['newPlan', 'toPlan', 'plan', 'planName', 'planId', 'tier', 'productName', 'product'],
  formerPlan: ['previousPlan', 'oldPlan', 'fromPlan'],
  trialEnd: ['trialEndsAt', 'trialEnd'],
  cancelAt: ['cancelAt'],
  end: ['endsAt', 'effectiveAt', 'accessUntil'],
  periodEnd: ['currentPeriodEnd', 'periodEnd'],
  cancelLater: ['cancelAtPeriodEnd', 'atPeriodEnd'],
  reason: ['cancellationReason', 'cancelReason', 'cancellationFeedback', 'reason', 'feedback', 'comment'],
  status: ['status', 'newStatus', 'state'],
  paymentStatus: ['paymentStatus'],
  subject: ['subject', 'title', 'topic'],
  direction: ['direction'],
  channel: ['channel', 'medium'],
  address: ['path', 'url', 'pageUrl', 'href'],
  pageTitle: ['title', 'pageTitle', 'name', 'page'],
  fullName: ['name', 'fullName', 'displayName'],
  givenName: ['firstName', 'givenName'],
  familyName: ['lastName', 'familyName'],
  email: ['email'],
  company: ['company', 'companyName', 'organization'],
  personPlan: ['plan', 'planName', 'tier'],
  customerName: ['customerName'],
  customerEmail: ['email', 'customerEmail'],
  label: ['name', 'title', 'subject', 'label', 'topic'],
  detail: [
    ...['feature', 'product', 'plan', 'item', 'sku', 'code', 'coupon', 'answer', 'score', 'rating', 'reason'],
    ...['status', 'type', 'category', 'format', 'method', 'quantity', 'count', 'result', 'version', 'country', 'city'],
  ],
} as const satisfies Record<string, readonly string[]>;

/** Where a payload may hold an entity's fields, in addition to `data.object`, `data` and the payload itself. */
export const wrappers: Record<Family | 'other', readonly string[]> = {
  order: ['order'],
  payment: ['payment', 'charge', 'invoice', 'refund', 'transaction', 'checkout'],
  subscription: ['subscription', 'trial'],
  ticket: ['ticket', 'case'],
  message: ['message'],
  // An account's name may be a company's, so it is read after the payload.
  person: ['customer', 'user', 'contact', 'profile', 'traits', 'account'],
  page: ['page', 'properties', 'screen'],
  other: ['properties'],
};

/** The fields that are read only of Stripe's objects, in Stripe's spelling. */
export const billingFields = {
  /** Whole numbers of minor units. */
  amounts: [
    ...['amount', 'amount_paid', 'amount_due', 'amount_remaining', 'amount_received', 'amount_captured'],
    ...['amount_refunded', 'amount_total', 'total', 'unit_amount'],
  ],
  /** Links to a payment. */
  payments: ['charge', 'latest_charge', 'payment_intent'],
  invoice: ['invoice'],
  subscription: ['subscription', 'parent.subscription_details.subscription'],
  /** The names of a price or a plan. */
  plan: ['nickname', 'lookup_key'],
  reason: ['cancellation_details.comment', 'cancellation_details.feedback', 'cancellation_details.reason'],
} as const;

export type FieldPurpose = keyof typeof fieldNames;

/** Each list is made once: many are read for every event. */
const spelled = new Map<string, string[]>();

/** Both spellings of each name for the purposes, in order. */
export function namesOf(...purposes: FieldPurpose[]): string[] {
  const key = purposes.join();
  const cached = spelled.get(key);
  if (cached) return cached;
  const names = purposes.flatMap((purpose) => spellings(...fieldNames[purpose]));
  spelled.set(key, names);
  return names;
}
