import type { Subscription } from '../../../models/billing/subscription.ts';
import {
  changed,
  downgradeToFree,
  incompleteFor,
  later,
  type ProviderStateRead,
  type Transition,
  termsOf,
  unchanged,
} from './transition.ts';
import { beginGrace } from './transitions-payment.ts';
import { expire } from './transitions-time.ts';

/**
 * Adopts the state that the provider reports, in any order and any number of times. Keeps a change that was made here
 * after the query was sent.
 */
export function adoptState(subscription: Subscription, event: ProviderStateRead, at: Date): Transition {
  if (subscription.status === 'canceled') return unchanged(subscription);
  if (subscription.gatewaySubscriptionId === event.gatewaySubscriptionId) return follow(subscription, event, at);
  const isNew = subscription.provider === null && !subscription.endedIds.includes(event.gatewaySubscriptionId);
  const { status } = event.state;
  if (!isNew || status === 'canceled' || status === 'expired') return unchanged(subscription);
  return follow(begin(subscription, event), event, at);
}

/** Begins a subscription whose state arrives before its checkout. */
function begin(subscription: Subscription, event: ProviderStateRead): Subscription {
  const { provider, gatewaySubscriptionId, collection, state } = event;
  return {
    ...subscription,
    ...termsOf(state.terms),
    provider,
    gatewaySubscriptionId,
    collection,
    currency: state.currency,
    anchorDay: state.period.start.getUTCDate(),
    paidUntil: null,
    invoicedUntil: null,
  };
}

function follow(subscription: Subscription, event: ProviderStateRead, at: Date): Transition {
  const { state } = event;
  if (state.status === 'canceled') return downgradeToFree(subscription, at);
  const current = withFacts(subscription, event);
  switch (state.status) {
    case 'past_due':
      if (subscription.status === 'past_due' || subscription.status === 'expired') break;
      return beginGrace(current, at);
    case 'expired':
      if (subscription.status === 'expired') break;
      return expire(current, at, at);
    case 'incomplete':
      if (subscription.status === 'incomplete') break;
      return changed(current, { status: 'incomplete', deadline: later(at, incompleteFor) }, at);
    default:
      return settle(current, subscription, event, at);
  }
  return ifDifferent(subscription, current, at);
}

/**
 * The subscription is in force at the provider. Its payment event reports that a period was paid, except after an
 * overdue one, where the state itself does.
 */
function settle(current: Subscription, before: Subscription, { state }: ProviderStateRead, at: Date): Transition {
  const wasOverdue = before.status === 'past_due' || before.status === 'expired';
  const isSettled = wasOverdue && state.status === 'active';
  const settled = {
    ...current,
    status: state.status === 'trialing' ? ('trialing' as const) : ('active' as const),
    deadline: null,
    ...(isSettled && { paidUntil: state.period.end, unpaidUse: null }),
  };
  return ifDifferent(before, settled, at);
}

/** Copies the facts that the provider owns, and the desired state unless it was changed here after the query. */
function withFacts(subscription: Subscription, { state, readAt }: ProviderStateRead): Subscription {
  const { start, end } = state.period;
  const isOlder = end < subscription.currentPeriodEnd && subscription.provider !== null;
  const period = isOlder ? {} : { currentPeriodStart: start, currentPeriodEnd: end };
  if (readAt < subscription.changedAt) return { ...subscription, ...period };
  const terms = termsOf(state.terms);
  const isReached = JSON.stringify(terms) === JSON.stringify(subscription.scheduled && termsOf(subscription.scheduled));
  return {
    ...subscription,
    ...period,
    ...terms,
    scheduled: isReached ? null : subscription.scheduled,
    cancelAtPeriodEnd: state.cancelAtPeriodEnd,
    cancelReason: state.cancelAtPeriodEnd ? subscription.cancelReason : null,
  };
}

function ifDifferent(before: Subscription, after: Subscription, at: Date): Transition {
  if (JSON.stringify(before) === JSON.stringify(after)) return unchanged(before);
  return changed(after, {}, at);
}
