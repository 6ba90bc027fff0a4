import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { priceOf } from '../plans/plans.ts';
import { beginGrace } from './payments.ts';
import { endOf } from './periods.ts';
import { ordinaryEnd } from './proration.ts';
import {
  changed,
  downgradeToFree,
  endings,
  expiredFor,
  isPaid,
  isRunning,
  later,
  mailOf,
  maxCollectionTime,
  outstandingUsage,
  providerOf,
  type Transition,
  termsOf,
  titleOf,
  unchanged,
} from './transition.ts';

/** The period is over: a cancelled subscription ends, a scheduled plan begins, and the next period is due. */
export function endPeriod(subscription: Subscription, at: Date): Transition {
  const { status, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  if (at < currentPeriodEnd) return unchanged(subscription);
  if (cancelAtPeriodEnd && (isRunning(subscription) || status === 'past_due')) {
    return downgradeToFree(
      subscription,
      at,
      isPaid(subscription) ? leftovers(subscription) : endings(subscription, 'uncollectible'),
      currentPeriodEnd,
    );
  }
  if (!isRunning(subscription)) return unchanged(subscription);
  const renewed = beginNext(subscription);
  const period = { start: renewed.currentPeriodStart, end: renewed.currentPeriodEnd };
  if (subscription.provider === null) return changed(subscription, renewed, at);
  const isInvoicedHere = subscription.collection === 'platform';
  const changes = {
    ...renewed,
    status: 'active' as const,
    invoicedUntil: isInvoicedHere ? period.end : subscription.invoicedUntil,
    // From now on, not from the period's start: a customer without a payment request in time has not failed to pay.
    deadline: later(at, maxCollectionTime),
  };
  return changed(subscription, changes, at, isInvoicedHere ? collecting(renewed, period) : reading(renewed));
}

/** The deadline of the status has come. */
export function endGrace(subscription: Subscription, at: Date): Transition {
  const { status, deadline, cancelAtPeriodEnd } = subscription;
  if (deadline === null || at < deadline) return unchanged(subscription);
  if (isRunning(subscription)) return beginGrace(subscription, at);
  if (status === 'past_due' && !cancelAtPeriodEnd) return expire(subscription, deadline, at);
  return downgradeToFree(subscription, at, endings(subscription, 'uncollectible'), deadline);
}

/** Nothing works from now on; after 30 days the organization falls back to the free plan. */
export function expire(subscription: Subscription, since: Date, at: Date): Transition {
  const deadline = later(since, expiredFor);
  const { plan, version } = subscription;
  const unpaidUse = outstandingUsage(subscription, since);
  return changed(subscription, { status: 'expired', deadline, unpaidUse }, at, [
    mailOf('subscription-expired', { plan: titleOf(plan, version), freeFrom: deadline.toISOString() }),
  ]);
}

/** Periods keep the anchor's day; after a lengthened one the anchor is the day on which that ended. */
function beginNext(subscription: Subscription): Subscription {
  const { scheduled, currentPeriodEnd: start } = subscription;
  const terms = scheduled ?? termsOf(subscription);
  const anchorDay = start > ordinaryEnd(subscription) ? start.getUTCDate() : subscription.anchorDay;
  const end = endOf(start, terms.billingCycle, anchorDay);
  return { ...subscription, ...terms, scheduled: null, currentPeriodStart: start, currentPeriodEnd: end, anchorDay };
}

/** Handles periods invoiced concurrently, of which a later one may be paid and an earlier one never. */
function leftovers(subscription: Subscription): Effect[] {
  const names = providerOf(subscription);
  const isInvoicedHere = subscription.collection === 'platform';
  return names && isInvoicedHere ? [{ kind: 'giveUpInvoices', ...names, status: 'uncollectible' }] : [];
}

function collecting(subscription: Subscription, period: Period): Effect[] {
  const names = providerOf(subscription);
  const { currency } = subscription;
  if (!names || !currency) return [];
  const terms = termsOf(subscription);
  const amount = priceOf(terms, currency);
  return [
    {
      kind: 'issueInvoice',
      ...names,
      reason: 'renewed',
      terms,
      formerTerms: null,
      period,
      amount,
      currency,
      isPaid: false,
    },
    { kind: 'charge', ...names, period, amount, currency },
  ];
}

function reading(subscription: Subscription): Effect[] {
  const names = providerOf(subscription);
  return names ? [{ kind: 'readProvider', ...names }] : [];
}
