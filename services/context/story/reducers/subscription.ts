import { findMoney, totalNames } from '../amounts.ts';
import { isAfter } from '../dates.ts';
import { addMoney } from '../money.ts';
import { meaningOf, type Occurrence, vocabulary } from '../occurrence.ts';
import { firstInstant, firstText, hasTrue, type Source, sourcesFor, spellings } from '../payload.ts';
import {
  bounds,
  lengths,
  type StoryState,
  type SubscriptionEntry,
  type SubscriptionFacts,
  type SubscriptionStatus,
} from '../state.ts';
import { capitalize, humanize } from '../text.ts';
import { findTracked, track } from '../tracked.ts';

const meanings = vocabulary({
  started: [
    'created',
    'started',
    'activated',
    'subscribed',
    'active',
    'resumed',
    'reactivated',
    'converted',
    'trial_converted',
    'recovered',
    'payment_succeeded',
    'paid',
  ],
  trialing: ['trial_started', 'trial_created', 'trialing', 'trial'],
  trial_ending: ['trial_will_end', 'trial_ending', 'trial_extended'],
  trial_over: ['trial_ended', 'trial_expired', 'trial_cancelled', 'trial_canceled'],
  renewed: ['renewed', 'renewal_succeeded'],
  upgraded: ['upgraded'],
  downgraded: ['downgraded'],
  changed: ['plan_changed', 'switched'],
  past_due: ['past_due', 'payment_failed', 'unpaid', 'overdue', 'renewal_failed'],
  paused: ['paused', 'suspended'],
  cancelled: ['cancelled', 'canceled', 'cancel_requested', 'cancellation_scheduled'],
  expired: ['expired', 'ended', 'terminated', 'deleted', 'incomplete_expired'],
});

type Meaning = typeof meanings extends Map<string, infer Word> ? Word : never;

const planNames = spellings('newPlan', 'toPlan', 'plan', 'planName', 'planId', 'tier', 'productName', 'product');
const formerPlanNames = spellings('previousPlan', 'oldPlan', 'fromPlan');
const endNames = spellings('trialEndsAt', 'trialEnd', 'cancelAt', 'endsAt', 'effectiveAt', 'accessUntil');

/** `subscription.*` and `trial.*`: one entry a subscription, its plan, its status and since when. */
export function reduceSubscription(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, 'subscription');
  const meaning = meaningOf(occurrence, meanings, sources);
  if (!meaning) return undefined;
  const id = firstText(sources, spellings('subscriptionId', 'id'), lengths.id);
  const known = findTracked(state.subscriptions.tracked, id);
  const before = known ?? begin(id, meaning, occurrence.at);
  const plan = capitalize(humanize(firstText(sources, planNames, lengths.plan))) || before.plan;
  const after = { ...next(before, meaning, occurrence.at, sources), plan };
  const isPaying = after.status !== 'trialing' && (before.status !== 'trialing' || after.status === 'active');
  const facts = {
    ...state.subscriptions,
    started: state.subscriptions.started + (known ? 0 : 1),
    paidSince: state.subscriptions.paidSince ?? (isPaying ? occurrence.at : null),
    tracked: track(state.subscriptions.tracked, after, bounds.subscriptions),
  };
  return { ...state, subscriptions: withHistory(facts, { meaning, before, after, at: occurrence.at, sources }) };
}

/** A received payment heals the subscription it was for. */
export function markSubscriptionPaid(state: StoryState, id: string, at: string): StoryState {
  const entry = findTracked(state.subscriptions.tracked, id);
  if (entry?.status !== 'past_due') return state;
  const tracked = track(state.subscriptions.tracked, withStatus(entry, 'active', at), bounds.subscriptions);
  return { ...state, subscriptions: { ...state.subscriptions, tracked } };
}

/** An event of a trial without an earlier start is of a subscription on trial. */
function begin(id: string, meaning: string, at: string): SubscriptionEntry {
  const status = meaning.startsWith('trial') ? 'trialing' : 'active';
  return { id, open: true, plan: '', status, startedAt: at, changedAt: at, endsAt: null };
}

function next(
  entry: SubscriptionEntry,
  meaning: Meaning | 'updated',
  at: string,
  sources: Source[],
): SubscriptionEntry {
  const endsAt = firstInstant(sources, endNames) ?? null;
  switch (meaning) {
    case 'started':
      return isTrial(entry, at, sources) ? withStatus(entry, 'trialing', at, endsAt) : withStatus(entry, 'active', at);
    case 'renewed':
      return withStatus(entry, 'active', at);
    case 'trialing':
      return withStatus(entry, 'trialing', at, endsAt);
    case 'trial_ending':
      return { ...entry, endsAt: endsAt ?? entry.endsAt };
    case 'trial_over':
      return entry.status === 'trialing' ? withStatus(entry, 'expired', at) : entry;
    case 'past_due':
    case 'paused':
      return withStatus(entry, meaning, at);
    case 'cancelled':
      return cancel(entry, at, endsAt, sources);
    case 'expired':
      return withStatus(entry, entry.status === 'ending' || entry.status === 'cancelled' ? 'cancelled' : 'expired', at);
    default:
      return isCancelling(sources) ? cancel(entry, at, endsAt, sources) : entry;
  }
}

/** A new subscription that names the end of a trial begins with it. */
function isTrial(entry: SubscriptionEntry, at: string, sources: Source[]): boolean {
  const trialEndsAt = firstInstant(sources, spellings('trialEndsAt', 'trialEnd'));
  const status = firstText(sources, ['status'], lengths.plan).toLowerCase();
  const isNew = entry.startedAt === at;
  return (
    isNew && (status === 'trialing' || (status !== 'active' && trialEndsAt !== undefined && isAfter(trialEndsAt, at)))
  );
}

function cancel(entry: SubscriptionEntry, at: string, endsAt: string | null, sources: Source[]): SubscriptionEntry {
  const periodEnd = endsAt ?? firstInstant(sources, spellings('currentPeriodEnd', 'periodEnd')) ?? entry.endsAt;
  if (isCancelling(sources)) return withStatus(entry, 'ending', at, periodEnd);
  return endsAt && isAfter(endsAt, at) ? withStatus(entry, 'ending', at, endsAt) : withStatus(entry, 'cancelled', at);
}

function isCancelling(sources: Source[]): boolean {
  return hasTrue(sources, spellings('cancelAtPeriodEnd', 'atPeriodEnd'));
}

function withStatus(
  entry: SubscriptionEntry,
  status: SubscriptionStatus,
  at: string,
  endsAt: string | null = null,
): SubscriptionEntry {
  const changedAt = entry.status === status ? entry.changedAt : at;
  return { ...entry, status, open: status !== 'cancelled' && status !== 'expired', changedAt, endsAt };
}

type Change = {
  meaning: Meaning | 'updated';
  before: SubscriptionEntry;
  after: SubscriptionEntry;
  at: string;
  sources: Source[];
};

function withHistory(facts: SubscriptionFacts, { meaning, before, after, at, sources }: Change): SubscriptionFacts {
  if (meaning === 'renewed') {
    const renewals = addMoney(facts.renewals, findMoney(sources, totalNames));
    return { ...facts, renewed: facts.renewed + 1, lastRenewedAt: at, renewals };
  }
  const from = before.plan || capitalize(humanize(firstText(sources, formerPlanNames, lengths.plan)));
  const change = { from, to: after.plan, at };
  if (meaning === 'upgraded') {
    return { ...facts, upgraded: facts.upgraded + 1, lastChange: { kind: meaning, ...change } };
  }
  if (meaning === 'downgraded') {
    return { ...facts, downgraded: facts.downgraded + 1, lastChange: { kind: meaning, ...change } };
  }
  const isOtherPlan = before.plan !== '' && before.plan !== after.plan;
  return isOtherPlan || meaning === 'changed' ? { ...facts, lastChange: { kind: 'changed', ...change } } : facts;
}
