import { bounds } from '../bounds.ts';
import { daysBetween, isAfter } from '../dates.ts';
import { meaningOf, type Occurrence } from '../occurrence.ts';
import { firstId, type Source, sourcesFor } from '../payload.ts';
import type { StoryState, SubscriptionEntry, SubscriptionFacts } from '../state.ts';
import { beginEntry, isLeaving, nextEntry, payEntry, type Step } from '../subscription-entry.ts';
import { noteSubscription } from '../tenure.ts';
import { findTracked, openEntries, track } from '../tracked.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';

/** A subscription that follows a trial within this many days is the converted trial. */
const conversionDays = 30;

type Ids = { id: string; trialId: string };

/** `subscription.*` and `trial.*`: one entry a subscription with the trial it began with, its plan and its status. */
export function reduceSubscription(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, ...wrappers.subscription);
  const meaning = meaningOf(occurrence, 'subscription', sources);
  if (!meaning) return undefined;
  const step: Step = { meaning, at: occurrence.at, sources };
  const ids = idsOf(occurrence, sources);
  const existing = find(state.subscriptions, ids, step);
  const isTrialOnly = occurrence.entity === 'trial' && ids.id === ids.trialId;
  const before = existing ? renamed(existing, ids) : { ...beginEntry(ids.id, step, isTrialOnly), trialId: ids.trialId };
  const after = nextEntry(before, step);
  const { tracked } = state.subscriptions;
  // Subscriptions without an id share one; the one before keeps a name that no sender's id can be.
  const withUniqueId = (entry: SubscriptionEntry) =>
    entry.id === '' ? { ...entry, id: `\n${state.eventCount}` } : entry;
  const entries = existing ? tracked.entries.filter((entry) => entry !== existing) : tracked.entries;
  const others = { ...tracked, entries: after.id === '' ? entries.map(withUniqueId) : entries };
  return withEntry(state, after, occurrence.at, others, existing ? 0 : 1);
}

/** A received payment heals the subscription it was for, and proves that its trial became one. */
export function markSubscriptionPaid(state: StoryState, id: string, at: string): StoryState {
  const entry = id ? findTracked(state.subscriptions.tracked, id) : undefined;
  const paid = entry && payEntry(entry, at);
  return paid && paid !== entry ? withEntry(state, paid, at, state.subscriptions.tracked, 0) : state;
}

/** Until when the person had a paid subscription, as of `at`, which it is for one that still runs; null without one. */
export function subscribedUntil({ tracked }: SubscriptionFacts, at: string): string | null {
  const ends = tracked.entries.filter(({ paidSince }) => paidSince !== null).map((entry) => endOf(entry, at));
  return ends.reduce<string | null>((latest, end) => (latest && isAfter(latest, end) ? latest : end), null);
}

function endOf(entry: SubscriptionEntry, at: string): string {
  const planned = entry.status === 'ending' && entry.endsAt && !isAfter(entry.endsAt, at) ? entry.endsAt : null;
  return planned ?? (entry.open ? at : entry.changedAt);
}

function withEntry(
  state: StoryState,
  after: SubscriptionEntry,
  at: string,
  others: SubscriptionFacts['tracked'],
  started: number,
): StoryState {
  const { subscriptions, tenure } = state;
  const until = subscribedUntil(subscriptions, at);
  const isRunning = after.status === 'active' && after.paidSince !== null;
  const next = {
    started: subscriptions.started + started,
    paidSince: subscriptions.paidSince ?? after.paidSince,
    firstAt: subscriptions.firstAt ?? at,
    tracked: track(others, after, bounds.subscriptions),
  };
  return { ...state, subscriptions: next, tenure: isRunning ? noteSubscription(tenure, at, until) : tenure };
}

/** An event of a trial may have the trial's id alone. */
function idsOf({ entity }: Occurrence, sources: Source[]): Ids {
  const own = firstId(sources, namesOf('id'));
  const stated = firstId(sources, namesOf('forSubscription'));
  const trialId = firstId(sources, namesOf('trialId')) || (entity === 'trial' && !stated ? own : '');
  return { id: stated || (entity === 'trial' ? trialId : own), trialId };
}

function find({ tracked }: SubscriptionFacts, ids: Ids, step: Step): SubscriptionEntry | undefined {
  const { id, trialId } = ids;
  const byId = findTracked(tracked, id) ?? tracked.entries.find((entry) => trialId !== '' && entry.trialId === trialId);
  const isStarting = step.meaning === 'started';
  if (byId && !(isStarting && id === '' && !byId.open)) return byId;
  if (isStarting || step.meaning === 'activated') return findConverted(tracked.entries, step);
  return id === '' && step.meaning !== 'trialing' ? openEntries(tracked).at(-1) : undefined;
}

/** The trial that a subscription under another id continues: one still running, or over not long ago. */
function findConverted(entries: SubscriptionEntry[], step: Step): SubscriptionEntry | undefined {
  const isRecent = (entry: SubscriptionEntry) =>
    daysBetween(entry.endsAt ?? entry.changedAt, step.at) <= conversionDays;
  const trials = entries.filter((entry) => entry.isTrialOnly && entry.status !== 'cancelled' && isRecent(entry));
  return isLeaving(step) ? undefined : trials.at(-1);
}

function renamed(entry: SubscriptionEntry, { id, trialId }: Ids): SubscriptionEntry {
  const isNamed = id !== '' && id !== trialId;
  if (!isNamed || !entry.isTrialOnly) return { ...entry, trialId: entry.trialId || trialId };
  return { ...entry, id, trialId: entry.trialId || trialId || entry.id, isTrialOnly: false };
}
