import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { priceOf } from '../plans/plans.ts';
import type { PaymentFailed, PaymentRecovered, Renewed } from './events.ts';
import {
  changed,
  grace,
  isPaid,
  isRunning,
  later,
  mailOf,
  periodOf,
  providerOf,
  type Transition,
  termsOf,
  titleOf,
  unchanged,
} from './transition.ts';

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
