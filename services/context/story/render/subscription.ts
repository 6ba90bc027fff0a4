import { isSameDay } from '../dates.ts';
import { hasMoney, type Totals } from '../money.ts';
import type { StoryState, SubscriptionEntry } from '../state.ts';
import { shownReason } from '../wording.ts';
import { endOf, mainSubscription, statusOf } from './standing.ts';
import type { Writer } from './writer.ts';

const maxShown = 3;

/** Something that happened to a subscription, in the words that follow its name. */
type Verb = { text: string; at: string };

/** The name of a subscription: its plan, which may be `''`, and whether it began as a trial. */
export type Named = { plan: string; isTrial: boolean };

/** `known` is how many of the renewals have a known amount, `total` what those come to: null when that is nothing. */
export type Renewals = { count: number; known: number; total: Totals | null; at: string };

/** A change of plan; `from` and `to` are `''` when the plans are not known or the same. */
export type Change = { kind: 'upgraded' | 'downgraded' | 'changed'; from: string; to: string; at: string };
export type Changes = { counts: { kind: Change['kind']; count: number }[]; last: Change };

/** The subscriptions from the first one on, each with its own history; `''` without one. */
export function writeSubscriptions(state: StoryState, writer: Writer): string {
  const shown = chooseShown(state);
  const { started } = state.subscriptions;
  const clauses = shown.map((entry, index) => `${subjectOf(shown, index, writer)} ${describe(entry, state, writer)}`);
  const isWhole = started <= shown.length || shown.length === 0;
  return (isWhole ? clauses : [...clauses, writer.subscription.inAll(started)]).join('; ');
}

/** The first, the one that matters now, and the latest others: in the order in which they started. */
function chooseShown(state: StoryState): SubscriptionEntry[] {
  const entries = state.subscriptions.tracked.entries.toSorted(
    (left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt),
  );
  const candidates = new Set([entries[0], mainSubscription(state), ...entries.toReversed()]);
  const shown = new Set([...candidates].slice(0, maxShown));
  return entries.filter((entry) => shown.has(entry));
}

/** Another one where one before has the same name. */
function subjectOf(shown: SubscriptionEntry[], index: number, { subscription }: Writer): string {
  const names = shown.slice(0, index + 1).map(nameOf);
  const own = names[index] ?? { plan: '', isTrial: false };
  const isAnother = names.findIndex(({ plan, isTrial }) => plan === own.plan && isTrial === own.isTrial) < index;
  return subscription.subject(own, isAnother);
}

/** Named by the plan that was bought first. */
function nameOf({ hadTrial, paidSince, convertedAt, firstPlan, plan }: SubscriptionEntry): Named {
  return { plan: firstPlan || plan, isTrial: hadTrial && (paidSince === null || convertedAt !== null) };
}

function describe(entry: SubscriptionEntry, state: StoryState, writer: Writer): string {
  const { subscription, list } = writer;
  return list([
    entry.isStartSeen ? subscription.started(entry.startedAt) : subscription.onRecord(entry.startedAt),
    describeConversion(entry, writer),
    ...describeHistory(entry, writer),
    ...describeStatus(entry, state, writer),
  ]);
}

/** With the plan that the trial became, where that is another. */
function describeConversion(entry: SubscriptionEntry, { subscription }: Writer): string {
  if (!entry.convertedAt) return '';
  return subscription.converted(entry.convertedAt, isChangedByConversion(entry) ? (entry.lastChange?.to ?? '') : '');
}

function isChangedByConversion({ convertedAt, lastChange, upgraded, downgraded, switched }: SubscriptionEntry) {
  return (
    lastChange !== null &&
    lastChange.at === convertedAt &&
    lastChange.to !== '' &&
    upgraded + downgraded + switched === 1
  );
}

function describeHistory(entry: SubscriptionEntry, writer: Writer): string[] {
  const verbs = [describeChanges(entry, writer), describeRenewals(entry, writer), describeBreak(entry, writer)].filter(
    (verb) => verb !== undefined,
  );
  return verbs.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at)).map(({ text }) => text);
}

function describeStatus(entry: SubscriptionEntry, state: StoryState, { subscription }: Writer): string[] {
  const { changedAt, endsAt } = entry;
  const cancelledAt = entry.cancelledAt ?? changedAt;
  const reason = shownReason(entry.reason);
  switch (statusOf(entry, state)) {
    case 'trialing':
      return [subscription.running(endsAt)];
    case 'trial_over':
      return [subscription.ranOut(endOf(entry))];
    case 'active':
      return [subscription.active];
    case 'past_due':
      return [subscription.pastDue(changedAt)];
    case 'paused':
      return [subscription.paused(changedAt)];
    case 'ending':
      return [subscription.ending(cancelledAt, reason, endsAt)];
    case 'expired':
      return [
        entry.paidSince === null && entry.hadTrial ? subscription.ranOut(changedAt) : subscription.expired(changedAt),
      ];
    default:
      // When it ended, where that was later.
      return [
        subscription.cancelled(cancelledAt, reason),
        isSameDay(cancelledAt, endOf(entry)) ? '' : subscription.ended(endOf(entry)),
      ];
  }
}

function describeRenewals({ renewed, lastRenewedAt, renewals }: SubscriptionEntry, writer: Writer): Verb | undefined {
  if (renewed === 0 || !lastRenewedAt) return undefined;
  const total = hasMoney(renewals) ? renewals : null;
  const facts = { count: renewed, known: renewed - renewals.unknown, total, at: lastRenewedAt };
  return { text: writer.subscription.renewed(facts), at: lastRenewedAt };
}

function describeBreak({ lastBreak }: SubscriptionEntry, { subscription }: Writer): Verb | undefined {
  if (!lastBreak) return undefined;
  const { kind, from, to, reason } = lastBreak;
  const text = kind === 'paused' ? subscription.pause(from, to) : subscription.resumed(from, shownReason(reason), to);
  return { text, at: to };
}

function describeChanges(entry: SubscriptionEntry, { subscription }: Writer): Verb | undefined {
  const { upgraded, downgraded, switched, lastChange } = entry;
  if (!lastChange || isChangedByConversion(entry)) return undefined;
  const { kind, from, to, at } = lastChange;
  const isMove = from !== '' && to !== '' && from !== to;
  const last = { kind, from: isMove ? from : '', to: isMove ? to : '', at };
  const counts = [
    { kind: 'upgraded' as const, count: upgraded },
    { kind: 'downgraded' as const, count: downgraded },
    { kind: 'changed' as const, count: switched },
  ].filter(({ count }) => count > 0);
  const isOnce = upgraded + downgraded + switched === 1;
  return { text: isOnce ? subscription.changedOnce(last) : subscription.changed({ counts, last }), at };
}
