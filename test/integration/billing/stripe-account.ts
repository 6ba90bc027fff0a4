import type Stripe from 'stripe';
import { endOf } from '../../../services/billing/subscriptions/transition.ts';

/** What an account at Stripe holds, as much of it as the platform asks for, under Stripe's own names. */
export type Price = Pick<Stripe.Price, 'id' | 'object' | 'active' | 'currency' | 'unit_amount' | 'lookup_key'> & {
  product: string;
  metadata: Record<string, string>;
  recurring: { interval: 'month' | 'year'; interval_count: number };
};
export type Item = Pick<Stripe.SubscriptionItem, 'id' | 'object' | 'current_period_start' | 'current_period_end'> & {
  price: Price;
  quantity: number;
};
export type Line = Pick<Stripe.InvoiceLineItem, 'id' | 'object' | 'amount' | 'period'> & {
  pricing: { type: 'price_details'; price_details: { price: string; product: string } };
  parent: {
    type: 'subscription_item_details';
    subscription_item_details: { proration: boolean; subscription: string };
  };
};
export type Invoice = Pick<
  Stripe.Invoice,
  'id' | 'object' | 'status' | 'billing_reason' | 'currency' | 'total' | 'hosted_invoice_url' | 'auto_advance'
> & {
  created: number;
  status_transitions: { paid_at: number | null };
  lines: { object: 'list'; data: Line[]; has_more: false; url: string };
  parent: {
    type: 'subscription_details';
    subscription_details: { subscription: string; metadata: Record<string, string> };
  };
};
export type Subscription = Pick<
  Stripe.Subscription,
  'id' | 'object' | 'status' | 'currency' | 'cancel_at' | 'cancel_at_period_end' | 'canceled_at' | 'ended_at'
> & {
  customer: string;
  metadata: Record<string, string>;
  cancellation_details: { comment: string | null };
  items: { object: 'list'; data: [Item]; has_more: false; url: string };
  latest_invoice: string | null;
  schedule: string | null;
  pending_update: { expires_at: number; subscription_items: { id: string; price: string }[] } | null;
};
export type Session = Pick<
  Stripe.Checkout.Session,
  'id' | 'object' | 'status' | 'payment_status' | 'url' | 'expires_at' | 'client_reference_id' | 'mode'
> & {
  customer: string;
  metadata: Record<string, string>;
  subscription: string | null;
  invoice: string | null;
};
export type Schedule = Pick<Stripe.SubscriptionSchedule, 'id' | 'object' | 'status' | 'end_behavior'> & {
  subscription: string | null;
  current_phase: { start_date: number; end_date: number };
  phases: { start_date: number; end_date: number; items: { price: string; quantity: number }[] }[];
};
export type Customer = { id: string; object: 'customer'; name: string; email: string | null; metadata: object };
export type Payment = Pick<Stripe.InvoicePayment, 'id' | 'object' | 'amount_paid' | 'status'> & {
  invoice: string;
  payment: Stripe.InvoicePayment.Payment;
};
export type Refund = Pick<Stripe.Refund, 'id' | 'object' | 'amount' | 'currency' | 'status'> & {
  payment_intent: string;
  metadata: Record<string, string>;
};
export type Product = { id: string; object: 'product'; name: string; active: boolean };

/** An event as it is sent: with what its object was when it happened. */
export type StripeEvent = { id: string; object: 'event'; type: string; created: number; data: { object: object } };

/** What becomes of a payment by the card of a customer. */
export type Card = 'pays' | 'declines' | 'processes';

export type StripeAccount = ReturnType<typeof createStripeAccount>;

/** A new account whose clock, in seconds, the test moves. */
export function createStripeAccount(clock: { seconds: number }) {
  let counter = 0;
  const id = (prefix: string): string => {
    counter += 1;
    return `${prefix}_${counter.toString().padStart(6, '0')}`;
  };
  const account = {
    clock,
    id,
    products: new Map<string, Product>(),
    prices: new Map<string, Price>(),
    customers: new Map<string, Customer>(),
    deletedCustomers: new Set<string>(),
    sessions: new Map<string, Session & { priceId: string; subscriptionMetadata: Record<string, string> }>(),
    subscriptions: new Map<string, Subscription>(),
    invoices: new Map<string, Invoice>(),
    payments: new Map<string, Payment>(),
    refunds: new Map<string, Refund>(),
    refundsEnd: 'succeeded',
    schedules: new Map<string, Schedule>(),
    /** By customer; every other card pays. */
    cards: new Map<string, Card>(),
    events: [] as StripeEvent[],
    tell(type: string, object: object): void {
      const event = { id: id('evt'), object: 'event' as const, type, created: clock.seconds };
      account.events.push({ ...event, data: { object: structuredClone(object) } });
    },
  };
  return account;
}

export function must<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`The test has no ${what}.`);
  return found;
}

const cycleOf = ({ recurring }: Price) => (recurring.interval === 'year' ? ('yearly' as const) : ('monthly' as const));

/** The end of a period that begins then; it keeps the day of the anchor. */
function endAfter(start: number, price: Price, anchor: number): number {
  const day = new Date(anchor * 1000).getUTCDate();
  return endOf(new Date(start * 1000), cycleOf(price), day).getTime() / 1000;
}

const anchors = new WeakMap<Item, number>();

type Sold = { price: Price; amount: number; start: number; end: number; proration: boolean };

export function makeInvoice(
  account: StripeAccount,
  subscription: Subscription,
  reason: Stripe.Invoice.BillingReason,
  sold: Sold[],
): Invoice {
  const invoiceId = account.id('in');
  const lines = sold.map(
    ({ price, amount, start, end, proration }): Line => ({
      id: account.id('il'),
      object: 'line_item',
      amount,
      period: { start, end },
      pricing: { type: 'price_details', price_details: { price: price.id, product: price.product } },
      parent: {
        type: 'subscription_item_details',
        subscription_item_details: { proration, subscription: subscription.id },
      },
    }),
  );
  const invoice: Invoice = {
    id: invoiceId,
    object: 'invoice',
    status: 'draft',
    billing_reason: reason,
    currency: subscription.currency,
    total: lines.reduce((sum, { amount }) => sum + amount, 0),
    hosted_invoice_url: `https://invoice.stripe.test/${invoiceId}`,
    auto_advance: true,
    created: account.clock.seconds,
    status_transitions: { paid_at: null },
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${invoiceId}/lines` },
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: { ...subscription.metadata } },
    },
  };
  account.invoices.set(invoiceId, invoice);
  return invoice;
}

/** The payer pays on the page of a session. With a card that processes, the outcome comes later by `settle`. */
export function payCheckout(account: StripeAccount, sessionId: string): Subscription {
  const session = must(account.sessions.get(sessionId), sessionId);
  if (session.status !== 'open') throw new Error(`The session is ${session.status}.`);
  const price = must(account.prices.get(session.priceId), session.priceId);
  const start = account.clock.seconds;
  const item: Item = {
    id: account.id('si'),
    object: 'subscription_item',
    price,
    quantity: 1,
    current_period_start: start,
    current_period_end: endAfter(start, price, start),
  };
  anchors.set(item, start);
  const subscription: Subscription = {
    id: account.id('sub'),
    object: 'subscription',
    status: 'active',
    currency: price.currency,
    customer: session.customer,
    metadata: session.subscriptionMetadata,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    cancellation_details: { comment: null },
    items: { object: 'list', data: [item], has_more: false, url: '/v1/subscription_items' },
    latest_invoice: null,
    schedule: null,
    pending_update: null,
  };
  account.subscriptions.set(subscription.id, subscription);
  const amount = price.unit_amount ?? 0;
  const end = item.current_period_end;
  const invoice = makeInvoice(account, subscription, 'subscription_create', [
    { price, amount, start, end, proration: false },
  ]);
  subscription.latest_invoice = invoice.id;
  const isPaid = account.cards.get(session.customer) !== 'processes';
  Object.assign(session, {
    status: 'complete',
    payment_status: isPaid ? 'paid' : 'unpaid',
    subscription: subscription.id,
    invoice: invoice.id,
  });
  invoice.status = 'open';
  account.tell('customer.subscription.created', subscription);
  if (isPaid) markPaid(account, invoice);
  account.tell('checkout.session.completed', session);
  return subscription;
}

/** The outcome of a first payment that took its time. */
export function settle(account: StripeAccount, sessionId: string, outcome: 'paid' | 'failed'): void {
  const session = must(account.sessions.get(sessionId), sessionId);
  const subscription = must(account.subscriptions.get(session.subscription ?? ''), 'subscription');
  const invoice = must(account.invoices.get(session.invoice ?? ''), 'invoice');
  if (outcome === 'paid') {
    session.payment_status = 'paid';
    markPaid(account, invoice);
    account.tell('checkout.session.async_payment_succeeded', session);
    return;
  }
  subscription.status = 'incomplete_expired';
  subscription.ended_at = account.clock.seconds;
  invoice.status = 'void';
  account.tell('checkout.session.async_payment_failed', session);
  account.tell('customer.subscription.updated', subscription);
}

export function expireSession(account: StripeAccount, sessionId: string): void {
  const session = must(account.sessions.get(sessionId), sessionId);
  session.status = 'expired';
  session.url = null;
  account.tell('checkout.session.expired', session);
}

function markPaid(account: StripeAccount, invoice: Invoice): void {
  invoice.status = 'paid';
  invoice.status_transitions.paid_at = account.clock.seconds;
  if (invoice.total > 0) notePayment(account, invoice);
  account.tell('invoice.paid', invoice);
}

function notePayment(account: StripeAccount, { id: invoice, total }: Invoice): void {
  const payment = { type: 'payment_intent' as const, payment_intent: account.id('pi') };
  const paid = { object: 'invoice_payment' as const, invoice, amount_paid: total, status: 'paid', payment };
  const id = account.id('inpay');
  account.payments.set(id, { id, ...paid });
}

/** What was given back of what was paid for a subscription. */
export function refundsOf(account: StripeAccount, subscriptionId: string): number[] {
  const isOf = ({ invoice }: Payment) =>
    account.invoices.get(invoice)?.parent.subscription_details.subscription === subscriptionId;
  const paid = new Set([...account.payments.values()].filter(isOf).map(({ payment }) => payment.payment_intent));
  return [...account.refunds.values()].filter((one) => paid.has(one.payment_intent)).map(({ amount }) => amount);
}

/** An item's price from now on; where the interval changes a new period begins. */
function changePrice(account: StripeAccount, subscription: Subscription, price: Price): void {
  const [item] = subscription.items.data;
  const isSameInterval = item.price.recurring.interval === price.recurring.interval;
  item.price = price;
  if (isSameInterval) return;
  const start = account.clock.seconds;
  anchors.set(item, start);
  item.current_period_start = start;
  item.current_period_end = endAfter(start, price, start);
}

/** A change of price with `always_invoice` and `pending_if_incomplete`. */
export function askForUpgrade(account: StripeAccount, subscription: Subscription, price: Price): void {
  const [item] = subscription.items.data;
  const at = account.clock.seconds;
  const { current_period_start: start, current_period_end: end } = item;
  const left = (end - at) / (end - start);
  const isSameInterval = item.price.recurring.interval === price.recurring.interval;
  const full = price.unit_amount ?? 0;
  const credit = -Math.round((item.price.unit_amount ?? 0) * left);
  const charge = isSameInterval
    ? { price, amount: Math.round(full * left), start: at, end, proration: true }
    : { price, amount: full, start: at, end: endAfter(at, price, at), proration: false };
  const invoice = makeInvoice(account, subscription, 'subscription_update', [
    { price: item.price, amount: credit, start: at, end, proration: true },
    charge,
  ]);
  voidPending(account, subscription);
  subscription.latest_invoice = invoice.id;
  invoice.status = 'open';
  const pays = invoice.total <= 0 || (account.cards.get(subscription.customer) ?? 'pays') === 'pays';
  if (pays) {
    changePrice(account, subscription, price);
    markPaid(account, invoice);
  } else {
    const expires_at = at + 23 * 3600;
    subscription.pending_update = { expires_at, subscription_items: [{ id: item.id, price: price.id }] };
    account.tell('invoice.payment_action_required', invoice);
  }
  account.tell('customer.subscription.updated', subscription);
}

function voidPending(account: StripeAccount, subscription: Subscription): void {
  const former = account.invoices.get(subscription.latest_invoice ?? '');
  if (subscription.pending_update && former?.status === 'open') former.status = 'void';
  subscription.pending_update = null;
}

export function expirePendingUpdate(account: StripeAccount, subscriptionId: string): void {
  const subscription = must(account.subscriptions.get(subscriptionId), subscriptionId);
  voidPending(account, subscription);
  account.tell('customer.subscription.pending_update_expired', subscription);
  account.tell('customer.subscription.updated', subscription);
}

/** Somebody pays an open invoice by hand, or Stripe's next attempt succeeds. */
export function payInvoice(account: StripeAccount, invoiceId: string): void {
  const invoice = must(account.invoices.get(invoiceId), invoiceId);
  if (invoice.status !== 'open') throw new Error(`The invoice is ${invoice.status}.`);
  const subscription = must(
    account.subscriptions.get(invoice.parent.subscription_details.subscription),
    'subscription of the invoice',
  );
  const [pending] = subscription.pending_update?.subscription_items ?? [];
  if (pending && subscription.latest_invoice === invoiceId) {
    changePrice(account, subscription, must(account.prices.get(pending.price), pending.price));
    subscription.pending_update = null;
  } else if (subscription.ended_at === null) {
    subscription.status = 'active';
  }
  markPaid(account, invoice);
  account.tell('customer.subscription.updated', subscription);
}

/** The period ends: the subscription ends with it, or the next one begins and is charged for. */
export function endPeriod(account: StripeAccount, subscriptionId: string): void {
  const subscription = must(account.subscriptions.get(subscriptionId), subscriptionId);
  const [item] = subscription.items.data;
  account.clock.seconds = Math.max(account.clock.seconds, item.current_period_end);
  if (subscription.cancel_at_period_end) {
    endNow(account, subscription);
    return;
  }
  const start = item.current_period_end;
  const schedule = account.schedules.get(subscription.schedule ?? '');
  const phase = schedule?.phases.find(({ start_date }) => start_date === start);
  const [planned] = phase?.items ?? [];
  const price = planned ? must(account.prices.get(planned.price), planned.price) : item.price;
  const isSameInterval = item.price.recurring.interval === price.recurring.interval;
  if (schedule && phase) schedule.current_phase = { start_date: phase.start_date, end_date: phase.end_date };
  if (!isSameInterval) anchors.set(item, start);
  item.price = price;
  item.current_period_start = start;
  item.current_period_end = endAfter(start, price, anchors.get(item) ?? start);
  const invoice = makeInvoice(account, subscription, isSameInterval ? 'subscription_cycle' : 'subscription_update', [
    { price, amount: price.unit_amount ?? 0, start, end: item.current_period_end, proration: false },
  ]);
  subscription.latest_invoice = invoice.id;
  account.tell('customer.subscription.updated', subscription);
  invoice.status = 'open';
  if ((account.cards.get(subscription.customer) ?? 'pays') === 'pays') {
    markPaid(account, invoice);
    return;
  }
  subscription.status = 'past_due';
  account.tell('invoice.payment_failed', invoice);
  account.tell('customer.subscription.updated', subscription);
}

/** Stripe stops trying. */
export function giveUpCollecting(account: StripeAccount, subscriptionId: string): void {
  const subscription = must(account.subscriptions.get(subscriptionId), subscriptionId);
  subscription.status = 'unpaid';
  account.tell('customer.subscription.updated', subscription);
}

/** Whether the first payment of an invoice is on its way, and cannot be called back. */
export function isProcessing(account: StripeAccount, { id, parent }: Invoice): boolean {
  const subscription = account.subscriptions.get(parent.subscription_details.subscription);
  const isFirst = [...account.sessions.values()].some((one) => one.invoice === id && one.payment_status === 'unpaid');
  return isFirst && account.cards.get(subscription?.customer ?? '') === 'processes';
}

export function endNow(account: StripeAccount, subscription: Subscription): void {
  subscription.status = 'canceled';
  subscription.ended_at = account.clock.seconds;
  const schedule = account.schedules.get(subscription.schedule ?? '');
  if (schedule) schedule.status = 'canceled';
  account.tell('customer.subscription.deleted', subscription);
}
