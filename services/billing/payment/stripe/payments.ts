import type Stripe from 'stripe';
import type { Period } from '../../../../models/billing/subscription.ts';
import type { CheckoutCompleted, Renewed } from '../../subscriptions/transition.ts';
import { type Priced, priceKey } from './prices.ts';
import type { StripeApi } from './provider.ts';
import { idOf, toInstant } from './requests.ts';
import { itemOf, type Shown } from './subscriptions.ts';

/** Invoices that Stripe creates for a subscription by itself: for its first period, a further one, or a change. */
const reasons = new Set<Stripe.Invoice.BillingReason>([
  'subscription_create',
  'subscription_cycle',
  'subscription_update',
]);

/** The subscription that an invoice is of; null for any other invoice. */
export function subscriptionOf({ parent }: Stripe.Invoice): string | null {
  const subscription = parent?.subscription_details?.subscription;
  return subscription ? idOf(subscription) : null;
}

/** The payments since a known invoice, earliest first; without one, the last payment. */
export async function paymentsSince(
  api: StripeApi,
  subscription: Shown,
  knownInvoice: Stripe.Invoice | null,
): Promise<(CheckoutCompleted | Renewed)[]> {
  const { id, latest_invoice } = subscription;
  const isLate = knownInvoice !== null && knownInvoice.id !== latest_invoice?.id;
  const invoices = isLate ? await paidSince(api, id, knownInvoice.created) : [latest_invoice];
  const payments = await Promise.all(invoices.map((invoice) => invoice && paymentOf(api, invoice, subscription)));
  return payments.filter((payment) => payment !== null);
}

/** The checkout that the payment of an invoice completed; null for none. */
export async function completionOf(
  api: StripeApi,
  invoice: Stripe.Invoice,
  subscription: Shown,
): Promise<string | null> {
  const payment = await paymentOf(api, invoice, subscription);
  return payment?.kind === 'checkoutCompleted' ? payment.checkoutId : null;
}

async function paidSince({ stripe }: StripeApi, subscription: string, since: number): Promise<Stripe.Invoice[]> {
  const { data } = await stripe.invoices.list({ subscription, status: 'paid', created: { gte: since }, limit: 100 });
  // Stripe lists the newest first.
  return data.reverse();
}

/**
 * The event of an invoice's payment: a completed checkout or a paid period. Null for an invoice that was not paid, or
 * is of neither.
 */
async function paymentOf(
  api: StripeApi,
  invoice: Stripe.Invoice,
  subscription: Shown,
): Promise<CheckoutCompleted | Renewed | null> {
  const gatewaySubscriptionId = subscriptionOf(invoice);
  const { status, billing_reason, parent } = invoice;
  if (status !== 'paid' || !gatewaySubscriptionId || !billing_reason || !reasons.has(billing_reason)) return null;
  const line = mainLineOf(invoice);
  const priced = line && (await pricedIn(api, line));
  if (!priced) return null;
  const period = periodOf(line, subscription);
  // A negative total is a credit balance, which Stripe keeps for the customer.
  const amount = Math.max(0, invoice.total);
  const { checkoutId, terms: bought } = parent?.subscription_details?.metadata ?? {};
  const isBought = billing_reason !== 'subscription_cycle' && bought === priceKey(priced.terms, priced.currency);
  if (checkoutId && isBought) {
    const names = { provider: 'stripe', gatewaySubscriptionId, collection: 'provider' as const };
    return { kind: 'checkoutCompleted', checkoutId, ...names, ...priced, amount, period };
  }
  return isProration(line) ? null : { kind: 'renewed', gatewaySubscriptionId, period, amount };
}

/** The period that a line pays for; for a proration, the whole period that it is part of. */
function periodOf(line: Stripe.InvoiceLineItem, subscription: Shown): Period {
  const { current_period_start, current_period_end } = itemOf(subscription);
  const { start, end } = line.period;
  const isRest = isProration(line) && end === current_period_end;
  return { start: toInstant(isRest ? current_period_start : start), end: toInstant(end) };
}

/** The line of the present plan: a whole period, otherwise the charge of a proration, not its credit. */
function mainLineOf({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  const ofPlans = lines.data.filter(({ pricing }) => pricing?.price_details);
  const rank = (line: Stripe.InvoiceLineItem): number => (isProration(line) ? 1 : 0);
  return ofPlans.sort((one, other) => rank(one) - rank(other) || other.amount - one.amount)[0];
}

async function pricedIn({ prices }: StripeApi, { pricing }: Stripe.InvoiceLineItem): Promise<Priced | null> {
  const price = pricing?.price_details?.price;
  return price ? await prices.pricedBy(idOf(price)) : null;
}

function isProration({ parent }: Stripe.InvoiceLineItem): boolean {
  return parent?.subscription_item_details?.proration ?? parent?.invoice_item_details?.proration ?? false;
}
