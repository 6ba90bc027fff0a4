import type { PlanName, Terms } from '../../../models/billing/sold-version.ts';
import type { Effect, OfProvider, Period, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf, priceOf } from '../plans/plans.ts';
import { ordinaryEnd } from './proration.ts';
import {
  type CheckoutCompleted,
  changed,
  complimentarySubscription,
  downgradeToFree,
  endings,
  endOf,
  expiredFor,
  isPaid,
  isRunning,
  later,
  mailOf,
  maxCollectionTime,
  monthOf,
  outstandingUsage,
  type ProviderStateRead,
  periodOf,
  providerOf,
  remember,
  type Transition,
  termsOf,
  titleOf,
  unchanged,
} from './transition.ts';
import { beginGrace } from './transitions-payment.ts';

/**
 * Refunds a payment for a deleted organization and ends the subscription at the provider. A purchase that was completed
 * before the deletion stays paid.
 */
export function refundPayments(subscription: Subscription, event: CheckoutCompleted, at: Date): Transition {
  const { checkoutId, provider, gatewaySubscriptionId, amount, currency } = event;
  const { checkouts } = subscription;
  if (checkouts.includes(checkoutId)) return unchanged(subscription);
  return changed(subscription, { checkouts: remember(checkouts, checkoutId), ...ended(subscription, event) }, at, [
    ...endings({ ...subscription, provider, gatewaySubscriptionId }, 'void'),
    { kind: 'refundAtProvider', provider, gatewaySubscriptionId, checkoutId, amount, currency },
  ]);
}

/** Ends a subscription that began for a deleted organization, before its payment completes. */
export function cancelOrphanedSubscription(subscription: Subscription, event: ProviderStateRead, at: Date): Transition {
  const { provider, gatewaySubscriptionId, state } = event;
  if (state.status === 'canceled' || subscription.endedIds.includes(gatewaySubscriptionId)) {
    return unchanged(subscription);
  }
  const effects = endings({ ...subscription, provider, gatewaySubscriptionId }, 'void');
  return changed(subscription, ended(subscription, event), at, effects);
}

/** Remembers the subscription's id, so that a later payment event is recognised as the organization's. */
function ended({ endedIds }: Subscription, { gatewaySubscriptionId }: OfProvider): Pick<Subscription, 'endedIds'> {
  const isKnown = endedIds.includes(gatewaySubscriptionId);
  return { endedIds: isKnown ? endedIds : remember(endedIds, gatewaySubscriptionId) };
}

/** Ends the subscription with its period, or immediately when it no longer or not yet grants anything. */
export function requestCancel(subscription: Subscription, reason: string | null, at: Date): Transition {
  const { status, plan, version, cancelAtPeriodEnd } = subscription;
  if (plan === 'free' || status === 'canceled') return unchanged(subscription);
  if (status === 'expired' || status === 'incomplete') {
    return downgradeToFree(subscription, at, endings(subscription, 'uncollectible'));
  }
  if (cancelAtPeriodEnd) return unchanged(subscription);
  const { start, end } = boundsOf(subscription, at);
  const changes = {
    currentPeriodStart: start,
    currentPeriodEnd: end,
    cancelAtPeriodEnd: true,
    cancelReason: reason,
    scheduled: null,
  };
  const names = providerOf(subscription);
  const telling: Effect[] = names ? [{ kind: 'cancelAtProvider', ...names, reason }] : [];
  const mail = mailOf('subscription-canceled', { plan: titleOf(plan, version), endsAt: end.toISOString() });
  return changed(subscription, changes, at, [...telling, mail]);
}

/** Revokes a cancellation. */
export function resume(subscription: Subscription, at: Date): Transition {
  if (!subscription.cancelAtPeriodEnd) return unchanged(subscription);
  const changes = { cancelAtPeriodEnd: false, cancelReason: null };
  return changed(subscription, changes, at, resuming(subscription));
}

/** Schedules a plan for the end of the period, which takes back a cancellation. A change to free is a cancellation. */
export function schedulePlan(subscription: Subscription, terms: Terms | null, at: Date): Transition {
  if (terms?.plan === 'free') return requestCancel(subscription, null, at);
  const to = terms && directionOf(subscription, terms) === 'same' ? null : terms;
  if (subscription.plan === 'free' || !(isRunning(subscription) || subscription.status === 'past_due')) {
    return unchanged(subscription);
  }
  const isSame = JSON.stringify(to) === JSON.stringify(subscription.scheduled && termsOf(subscription.scheduled));
  if (isSame && !(to && subscription.cancelAtPeriodEnd)) return unchanged(subscription);
  const { start, end } = boundsOf(subscription, at);
  const changes = {
    currentPeriodStart: start,
    currentPeriodEnd: end,
    scheduled: to && termsOf(to),
    ...(to && { cancelAtPeriodEnd: false, cancelReason: null }),
  };
  const names = providerOf(subscription);
  const changing: Effect[] = names ? [{ kind: 'changePlanAtProvider', ...names, to: termsOf(to ?? subscription) }] : [];
  const isTakenBack = to !== null && subscription.cancelAtPeriodEnd;
  return changed(subscription, changes, at, [...(isTakenBack ? resuming(subscription) : []), ...changing]);
}

/** Grants a plan without payment, immediately. A paid subscription ends. */
export function give(subscription: Subscription, plan: PlanName, at: Date): Transition {
  const { status, provider, cancelAtPeriodEnd } = subscription;
  if (status === 'canceled') return unchanged(subscription);
  if (subscription.plan === plan && provider === null && !cancelAtPeriodEnd) return unchanged(subscription);
  const { checkouts, endedIds, gatewaySubscriptionId } = subscription;
  const history = { checkouts, endedIds: remember(endedIds, gatewaySubscriptionId) };
  return {
    subscription: { ...complimentarySubscription(plan, at), ...history },
    effects: endings(subscription, 'void'),
  };
}

/** Closes the subscription of a deleted organization: nothing further is charged, and no subscription begins. */
export function close(subscription: Subscription, at: Date): Transition {
  if (subscription.status === 'canceled') return unchanged(subscription);
  const { checkouts, endedIds, gatewaySubscriptionId } = subscription;
  const history = { checkouts, endedIds: remember(endedIds, gatewaySubscriptionId) };
  const closed = { ...complimentarySubscription('free', at), ...history, status: 'canceled' as const };
  return { subscription: closed, effects: endings(subscription, 'void') };
}

/** The period that a cancellation ends with; without payment, the calendar month of the request. */
function boundsOf(subscription: Subscription, at: Date) {
  return subscription.provider === null ? monthOf(at) : periodOf(subscription);
}

function resuming(subscription: Subscription): Effect[] {
  const names = providerOf(subscription);
  return names ? [{ kind: 'resumeAtProvider', ...names }] : [];
}

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
