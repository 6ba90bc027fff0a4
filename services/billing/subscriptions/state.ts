import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { adoptState } from './provider-state.ts';
import { isRunning, monthOf, periodOf, type SubscriptionEvent, type Transition } from './transition.ts';
import { completeCheckout, failPayment, takePayment } from './transitions-payment.ts';
import {
  cancelOrphanedSubscription,
  close,
  endGrace,
  endPeriod,
  give,
  refundPayments,
  requestCancel,
  resume,
  schedulePlan,
} from './transitions-time.ts';

/**
 * The transition of a subscription by an event at an instant: its new state, and the effects elsewhere. Pure. Returns
 * the same object where nothing changes, as for every event that is repeated, late or of another subscription.
 */
export function next(subscription: Subscription, event: SubscriptionEvent, at: Date): Transition {
  switch (event.kind) {
    case 'checkoutCompleted':
      return subscription.status === 'canceled'
        ? refundPayments(subscription, event, at)
        : completeCheckout(subscription, event, at);
    case 'renewed':
    case 'paymentRecovered':
      return takePayment(subscription, event, at);
    case 'paymentFailed':
      return failPayment(subscription, event, at);
    case 'providerStateRead':
      return subscription.status === 'canceled'
        ? cancelOrphanedSubscription(subscription, event, at)
        : adoptState(subscription, event, at);
    case 'cancelRequested':
      return requestCancel(subscription, event.reason, at);
    case 'resumed':
      return resume(subscription, at);
    case 'planScheduled':
      return schedulePlan(subscription, event.to, at);
    case 'periodEnded':
      return endPeriod(subscription, at);
    case 'graceEnded':
      return endGrace(subscription, at);
    case 'planGiven':
      return give(subscription, event.plan, at);
    case 'organizationClosed':
      return close(subscription, at);
  }
}

export type Due = { at: Date; event: Extract<SubscriptionEvent, { kind: 'periodEnded' | 'graceEnded' }> };

/** The next event by time alone; null for none. */
export function nextDue(subscription: Subscription): Due | null {
  const { deadline, currentPeriodEnd } = subscription;
  const grace: Due | null = deadline && { at: deadline, event: { kind: 'graceEnded' } };
  const end: Due | null = endsByTime(subscription) ? { at: currentPeriodEnd, event: { kind: 'periodEnded' } } : null;
  if (!grace || !end) return grace ?? end;
  return end.at <= grace.at ? end : grace;
}

/**
 * Brings a subscription to an instant, period by period, as if each had ended in time. Deadlines for missing payments
 * count from now on: before this run the customer was not asked to pay.
 */
export function applyDueTransitions(subscription: Subscription, at: Date): Transition {
  let current = subscription;
  const effects: Effect[] = [];
  for (let due = nextDue(current); due && due.at <= at; due = nextDue(current)) {
    const step = next(current, due.event, at);
    if (step.subscription === current) throw new Error(`The event ${due.event.kind} is due and changes nothing.`);
    current = step.subscription;
    effects.push(...step.effects);
  }
  return { subscription: current, effects };
}

/** The period that contains an instant; the calendar month without payment. */
export function periodAt(subscription: Subscription, at: Date): Period {
  const isCalendar = subscription.provider === null && !endsByTime(subscription);
  return isCalendar ? monthOf(at) : periodOf(subscription);
}

/** Calendar months need no transition. */
function endsByTime(subscription: Subscription): boolean {
  const { status, provider, cancelAtPeriodEnd, scheduled } = subscription;
  if (status === 'past_due') return cancelAtPeriodEnd;
  if (!isRunning(subscription)) return false;
  return provider !== null || cancelAtPeriodEnd || scheduled !== null;
}
