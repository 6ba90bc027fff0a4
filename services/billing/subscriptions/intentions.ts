import type { PlanName, Terms } from '../../../models/billing/sold-version.ts';
import type { Effect, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf } from '../plans/plans.ts';
import { monthOf } from './periods.ts';
import {
  changed,
  complimentarySubscription,
  downgradeToFree,
  endings,
  isRunning,
  mailOf,
  periodOf,
  providerOf,
  remember,
  type Transition,
  termsOf,
  titleOf,
  unchanged,
} from './transition.ts';

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
