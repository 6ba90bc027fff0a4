import { findMoney } from './amounts.ts';
import { lengths } from './bounds.ts';
import { isAfter } from './dates.ts';
import { addMoney, emptyTotals } from './money.ts';
import { firstInstant, firstText, hasTrue, type Source } from './payload.ts';
import type { SubscriptionEntry, SubscriptionStatus } from './state.ts';
import type { Meaning } from './vocabulary/events.ts';
import { namesOf } from './vocabulary/fields.ts';
import { planFrom, planLabel, reasonFrom } from './wording.ts';

/** An event as a subscription reads it. */
export type Step = { meaning: Meaning<'subscription'> | 'updated'; at: string; sources: Source[] };

/** A subscription at its first event. One of a trial without an earlier start is of a subscription on trial. */
export function beginEntry(id: string, { meaning, at, sources }: Step, isTrialOnly: boolean): SubscriptionEntry {
  const isTrial = meaning.startsWith('trial') || isNewTrial({ meaning, at, sources }) || isTrialOnly;
  const isStartSeen = meaning === 'started' || meaning === 'activated' || meaning === 'trialing';
  return {
    ...{ id, trialId: '', isTrialOnly, hadTrial: isTrial, isStartSeen, open: true, firstPlan: '', plan: '' },
    ...{ status: isTrial ? 'trialing' : 'active', startedAt: at, paidSince: null, convertedAt: null, changedAt: at },
    ...{ cancelledAt: null, reason: '', lastBreak: null, endsAt: null },
    ...{ renewed: 0, lastRenewedAt: null, renewals: emptyTotals(), upgraded: 0, downgraded: 0, switched: 0 },
    lastChange: null,
  };
}

/** The subscription after an event: its status, its plan and what it was paid for. */
export function nextEntry(before: SubscriptionEntry, step: Step): SubscriptionEntry {
  const moved = withPlan(withMeaning(before, step), before, step);
  const isPaid = moved.status === 'active' || !(moved.hadTrial || moved.status === 'trialing');
  if (!isPaid || moved.paidSince || isFree(moved, step.sources) || isIncomplete(step.sources)) return moved;
  return { ...moved, paidSince: step.at, convertedAt: moved.hadTrial ? step.at : null };
}

/** A payment for a subscription that was past due, or on a trial that is over. */
export function payEntry(entry: SubscriptionEntry, at: string): SubscriptionEntry {
  const isTrialOver = entry.status === 'trialing' && entry.endsAt !== null && !isAfter(entry.endsAt, at);
  if (isTrialOver) return { ...withStatus(entry, 'active', at), paidSince: at, convertedAt: at };
  return entry.status === 'past_due' ? withStatus(entry, 'active', at) : entry;
}

function withMeaning(entry: SubscriptionEntry, step: Step): SubscriptionEntry {
  const { meaning, at, sources } = step;
  const endsAt = firstInstant(sources, namesOf('trialEnd', 'cancelAt', 'end')) ?? null;
  if (isLeaving(step)) return cancel(entry, step, endsAt);
  switch (meaning) {
    case 'started':
    case 'activated':
      if (isIncomplete(sources)) return withStatus(entry, 'past_due', at);
      return isStartOfTrial(entry, step)
        ? withStatus(entry, 'trialing', at, endsAt ?? entry.endsAt)
        : withStatus(entry, 'active', at);
    case 'renewed':
      return renew(withStatus(entry, 'active', at), step);
    case 'trialing':
      return withStatus(entry, 'trialing', at, endsAt ?? entry.endsAt);
    case 'trial_ending':
      return { ...entry, endsAt: endsAt ?? entry.endsAt };
    case 'trial_over':
      return entry.status === 'trialing' ? withStatus(entry, 'expired', at) : entry;
    case 'past_due':
    case 'paused':
      return withStatus(entry, meaning, at);
    case 'cancelled':
      return cancel(entry, step, endsAt);
    case 'ended':
      return end(entry, step);
    default:
      return entry;
  }
}

/** A new subscription that names the end of a trial begins with it. */
function isNewTrial({ meaning, at, sources }: Step): boolean {
  if (meaning !== 'started' && meaning !== 'activated') return false;
  const trialEndsAt = firstInstant(sources, namesOf('trialEnd'));
  const status = firstText(sources, namesOf('status'), lengths.plan).toLowerCase();
  return status === 'trialing' || (status !== 'active' && trialEndsAt !== undefined && isAfter(trialEndsAt, at));
}

/** A trial that is reported twice, as one and as a subscription, is still one. */
function isStartOfTrial(entry: SubscriptionEntry, step: Step): boolean {
  const isStart = entry.startedAt === step.at || step.meaning === 'started';
  return isStart && entry.paidSince === null && isNewTrial(step);
}

/** Whether it will end at a later date; the rest of the event has no influence. */
export function isLeaving({ meaning, at, sources }: Step): boolean {
  const endsAt = firstInstant(sources, namesOf('cancelAt'));
  const isLater = endsAt !== undefined && isAfter(endsAt, at);
  return meaning !== 'ended' && (isLater || hasTrue(sources, namesOf('cancelLater')));
}

/** A billing provider's word for a subscription whose first payment has not come. */
function isIncomplete(sources: Source[]): boolean {
  return firstText(sources, namesOf('status'), lengths.plan).toLowerCase() === 'incomplete';
}

function isFree({ plan }: SubscriptionEntry, sources: Source[]): boolean {
  const money = findMoney(sources, ['received', 'total', 'minorUnits']);
  return money ? money.minor === '0' : /^free\b/i.test(plan);
}

function cancel(entry: SubscriptionEntry, step: Step, endsAt: string | null): SubscriptionEntry {
  const { at, sources } = step;
  const isLater = hasTrue(sources, namesOf('cancelLater'));
  const periodEnd = endsAt ?? firstInstant(sources, namesOf('periodEnd')) ?? entry.endsAt;
  const isEnding = isLater || (endsAt !== null && isAfter(endsAt, at));
  const ended = isEnding ? withStatus(entry, 'ending', at, periodEnd) : withStatus(entry, 'cancelled', at);
  return {
    ...ended,
    cancelledAt: entry.cancelledAt ?? at,
    reason: reasonFrom(sources) || entry.reason,
  };
}

/** A cancelled subscription ends as cancelled; one without a cancellation has expired, unless a reason is given. */
function end(entry: SubscriptionEntry, { at, sources }: Step): SubscriptionEntry {
  const status = firstText(sources, namesOf('status'), lengths.plan).toLowerCase();
  const reason = reasonFrom(sources) || entry.reason;
  if (entry.status === 'cancelled') return { ...entry, reason };
  const isCancelled = entry.cancelledAt !== null || status.startsWith('cancel') || reason !== '';
  const ended = withStatus(entry, isCancelled ? 'cancelled' : 'expired', at);
  return { ...ended, cancelledAt: isCancelled ? (entry.cancelledAt ?? at) : null, reason };
}

function withStatus(
  entry: SubscriptionEntry,
  status: SubscriptionStatus,
  at: string,
  endsAt: string | null = null,
): SubscriptionEntry {
  const changedAt = entry.status === status ? entry.changedAt : at;
  const isOpen = status !== 'cancelled' && status !== 'expired';
  const isStaying = status === 'active' || status === 'trialing';
  const leaving = isStaying ? { cancelledAt: null, reason: '', lastBreak: breakOf(entry, at) } : {};
  const hadTrial = entry.hadTrial || status === 'trialing';
  return { ...entry, ...leaving, hadTrial, status, open: isOpen, changedAt, endsAt };
}

/** The pause or cancellation from which a subscription resumes. */
function breakOf({ status, cancelledAt, changedAt, reason, lastBreak }: SubscriptionEntry, to: string) {
  if (cancelledAt) return { kind: 'cancelled' as const, from: cancelledAt, to, reason };
  return status === 'paused' ? { kind: 'paused' as const, from: changedAt, to, reason: '' } : lastBreak;
}

function renew(entry: SubscriptionEntry, { at, sources }: Step): SubscriptionEntry {
  const renewals = addMoney(entry.renewals, findMoney(sources, ['received', 'total', 'minorUnits']));
  return { ...entry, renewed: entry.renewed + 1, lastRenewedAt: at, renewals };
}

function withPlan(entry: SubscriptionEntry, before: SubscriptionEntry, { meaning, at, sources }: Step) {
  const formerPlan = planLabel(firstText(sources, namesOf('formerPlan'), lengths.plan));
  const plan = planFrom(sources) || entry.plan;
  const from = before.plan || formerPlan;
  const named = { ...entry, plan, firstPlan: entry.firstPlan || from || plan };
  const isOther = from !== '' && plan.toLowerCase() !== from.toLowerCase();
  const change = { from, to: plan, at };
  if (meaning === 'upgraded')
    return { ...named, upgraded: named.upgraded + 1, lastChange: { kind: meaning, ...change } };
  if (meaning === 'downgraded') {
    return { ...named, downgraded: named.downgraded + 1, lastChange: { kind: meaning, ...change } };
  }
  if (!isOther && meaning !== 'changed') return named;
  return { ...named, switched: named.switched + 1, lastChange: { kind: 'changed' as const, ...change } };
}
