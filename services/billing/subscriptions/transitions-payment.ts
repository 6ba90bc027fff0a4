import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf, priceOf } from '../plans/plans.ts';
import { keepsPeriod, lengthen } from './proration.ts';
import {
  type CheckoutCompleted,
  changed,
  endings,
  endOf,
  grace,
  isPaid,
  isRunning,
  later,
  mailOf,
  owes,
  type PaymentFailed,
  type PaymentRecovered,
  periodOf,
  providerOf,
  type Renewed,
  remember,
  type Transition,
  termsOf,
  titleOf,
  unchanged,
  unpaidSince,
  unpaidUseAt,
} from './transition.ts';

/** Applies the purchased plan immediately: in the paid period if the cycle stays, otherwise in a new period. */
export function completeCheckout(subscription: Subscription, event: CheckoutCompleted, at: Date): Transition {
  const { checkoutId, provider, gatewaySubscriptionId, collection, currency } = event;
  if (subscription.checkouts.includes(checkoutId)) return unchanged(subscription);
  const period = periodBought(subscription, event, at);
  const changes = {
    ...event.terms,
    status: 'active' as const,
    provider,
    gatewaySubscriptionId,
    collection,
    currency,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    anchorDay: anchorOf(subscription, event, period, at),
    paidUntil: period.end,
    invoicedUntil: period.end,
    cancelAtPeriodEnd: false,
    cancelReason: null,
    scheduled: null,
    deadline: null,
    unpaidUse: null,
    checkouts: remember(subscription.checkouts, checkoutId),
    endedIds: remember(
      subscription.endedIds,
      isReplaced(subscription, event) ? subscription.gatewaySubscriptionId : null,
    ),
  };
  return changed(subscription, changes, at, [
    ...settling(subscription, event),
    ...invoicing(subscription, event, period),
  ]);
}

/**
 * The period after a purchase. Unpaid use is a part of it: while a payment is overdue it begins when the unpaid period
 * began. The quoted price holds, however long the payer took: it buys the rest of the present period if that continues,
 * otherwise a whole new one. The credit of the previous period is computed as of now, because the plan was used until
 * now; where credit and payment exceed the price, the new period is longer. So it is never shorter than quoted, and
 * never worth more than the payment and the credit at the time of the quote.
 */
function periodBought(subscription: Subscription, event: CheckoutCompleted, at: Date): Period {
  if (event.period) return event.period;
  if (goesOn(subscription, event, at)) return periodOf(subscription);
  const start = unpaidStart(subscription, at);
  const ordinary = { start, end: endOf(start, event.terms.billingCycle, anchorOf(subscription, event, { start }, at)) };
  return lengthen(ordinary, subscription, event, at);
}

/** Now, or earlier by the unpaid use. */
function unpaidStart(subscription: Subscription, at: Date): Date {
  return later(at, -(unpaidUseAt(subscription, at)?.milliseconds ?? 0));
}

/** Whether the period continues. The payment of another subscription at the provider begins a new period. */
function goesOn(subscription: Subscription, event: CheckoutCompleted, at: Date): boolean {
  return !isReplaced(subscription, event) && keepsPeriod(subscription, event, at);
}

/**
 * A continuing period keeps its anchor day, even if it began earlier in a short month; a new period has the day of its
 * start.
 */
function anchorOf(
  subscription: Subscription,
  event: CheckoutCompleted,
  { start }: Pick<Period, 'start'>,
  at: Date,
): number {
  const isSame = subscription.provider !== null && start.getTime() === subscription.currentPeriodStart.getTime();
  const isOverdue = unpaidSince(subscription)?.getTime() === start.getTime();
  const isKept = event.period ? isSame : isOverdue || goesOn(subscription, event, at);
  return isKept ? subscription.anchorDay : start.getUTCDate();
}

function isReplaced({ gatewaySubscriptionId }: Subscription, event: CheckoutCompleted): boolean {
  return gatewaySubscriptionId !== null && gatewaySubscriptionId !== event.gatewaySubscriptionId;
}

/** Prevents a double payment: a replaced subscription is ended at its provider, and open invoices are voided. */
function settling(subscription: Subscription, event: CheckoutCompleted): Effect[] {
  const names = providerOf(subscription);
  if (!names) return [];
  if (isReplaced(subscription, event)) return endings(subscription, 'void');
  return owes(subscription) ? [{ kind: 'giveUpInvoices', ...names, status: 'void' }] : [];
}

/** Invoices the purchase, unless its payment event arrived before its checkout event. */
function invoicing(subscription: Subscription, event: CheckoutCompleted, period: Period): Effect[] {
  const { provider, gatewaySubscriptionId, terms, amount, currency } = event;
  const isSame = !isReplaced(subscription, event) && directionOf(subscription, terms) === 'same';
  const { paidUntil, invoicedUntil } = subscription;
  if (isSame && paidUntil !== null && paidUntil >= period.end) return [];
  const isUpgrade = invoicedUntil !== null;
  return [
    {
      kind: 'issueInvoice',
      provider,
      gatewaySubscriptionId,
      reason: isUpgrade ? 'upgraded' : 'subscribed',
      terms,
      formerTerms: isUpgrade ? termsOf(subscription) : null,
      period,
      amount,
      currency,
      isPaid: true,
    },
  ];
}

/** A period was paid: a period that is not known yet begins, and an overdue status is cleared. */
export function takePayment(subscription: Subscription, event: Renewed | PaymentRecovered, at: Date): Transition {
  if (!isOf(subscription, event)) return settleUnpaidUse(subscription, event, at);
  const current = beginIfNew(subscription, event.period);
  const period = event.period ?? periodOf(current);
  const isInvoiced = current.invoicedUntil !== null && current.invoicedUntil >= period.end;
  const wasPaid = current.paidUntil !== null && current.paidUntil >= period.end;
  const isCurrent = period.end >= current.currentPeriodEnd;
  // When several periods are charged concurrently, an earlier one may be paid after a later one.
  if (isInvoiced && wasPaid)
    return unchanged(subscription, isCurrent ? [] : receipts(current, { period, amount: null, isInvoiced }));
  const paid = {
    ...current,
    paidUntil: latest(current.paidUntil, period.end),
    invoicedUntil: latest(current.invoicedUntil, period.end),
  };
  const amount = event.kind === 'renewed' ? event.amount : null;
  const effects = receipts(current, { period, amount, isInvoiced });
  if (isCurrent) return changed(paid, { status: 'active', deadline: null, unpaidUse: null }, at, effects);
  if (!isRevived(paid)) return changed(paid, {}, at, effects);
  const overdue = beginGrace({ ...paid, unpaidUse: null }, at);
  return { ...overdue, effects: [...effects, ...overdue.effects] };
}

/**
 * Whether only the present period of an expired subscription is unpaid. A provider that renews subscriptions may report
 * that period before the payment of the expired one; it gets a separate grace period, as if reported in order.
 */
function isRevived({ status, collection, paidUntil, currentPeriodStart }: Subscription): boolean {
  const isPaidBefore = paidUntil !== null && paidUntil >= currentPeriodStart;
  return status === 'expired' && collection === 'provider' && isPaidBefore;
}

/** A payment was refused: the plan keeps working during the grace period. */
export function failPayment(subscription: Subscription, event: PaymentFailed, at: Date): Transition {
  if (!isOf(subscription, event)) return unchanged(subscription);
  const current = beginIfNew(subscription, event.period);
  const isOwed = !isPaid(current) && (event.period === null || event.period.end >= current.currentPeriodEnd);
  if (!isOwed || !isRunning(current)) return unchanged(subscription);
  return beginGrace(current, at);
}

/** Begins the grace period after a missing payment, seven days from now on. */
export function beginGrace(subscription: Subscription, at: Date): Transition {
  const deadline = later(at, grace);
  const { plan, version } = subscription;
  return changed(subscription, { status: 'past_due', deadline }, at, [
    mailOf('payment-failed', { plan: titleOf(plan, version), graceUntil: deadline.toISOString() }),
  ]);
}

/** Clears the unpaid use of a previous subscription after a late payment, so that no purchase deducts it. */
function settleUnpaidUse(subscription: Subscription, event: Renewed | PaymentRecovered, at: Date): Transition {
  if (subscription.unpaidUse?.gatewaySubscriptionId !== event.gatewaySubscriptionId) return unchanged(subscription);
  return changed(subscription, { unpaidUse: null }, at);
}

function isOf(subscription: Subscription, { gatewaySubscriptionId }: { gatewaySubscriptionId: string }): boolean {
  return subscription.gatewaySubscriptionId === gatewaySubscriptionId && subscription.status !== 'canceled';
}

/** With the provider's period, where it renews before the platform's clock does. */
function beginIfNew(subscription: Subscription, period: Period | null): Subscription {
  if (period === null || period.start < subscription.currentPeriodEnd) return subscription;
  const bounds = { currentPeriodStart: period.start, currentPeriodEnd: period.end };
  return { ...subscription, ...subscription.scheduled, scheduled: null, ...bounds };
}

type Paid = { period: Period; amount: number | null; isInvoiced: boolean };

function receipts(subscription: Subscription, { period, amount, isInvoiced }: Paid): Effect[] {
  const names = providerOf(subscription);
  const { currency } = subscription;
  if (!names || !currency) return [];
  if (isInvoiced) return [{ kind: 'settleInvoice', ...names, period }];
  const terms = termsOf(subscription);
  return [
    {
      kind: 'issueInvoice',
      ...names,
      reason: subscription.invoicedUntil === null ? 'subscribed' : 'renewed',
      terms,
      formerTerms: null,
      period,
      amount: amount ?? priceOf(terms, currency),
      currency,
      isPaid: true,
    },
  ];
}

function latest(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}
