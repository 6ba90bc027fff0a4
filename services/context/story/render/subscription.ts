import { formatDay } from '../dates.ts';
import { formatTotals, hasMoney } from '../money.ts';
import type { StoryState, SubscriptionEntry } from '../state.ts';
import { capitalize, countOf, groupThousands, joinWithAnd, timesOf } from '../text.ts';
import { writeReason } from '../wording.ts';
import { endDay, mainSubscription, statusOf } from './standing.ts';

const maxShown = 3;

/** Something that happened to a subscription, in the words that follow its name. */
type Verb = { text: string; at: string };

/** The subscriptions from the first one on, each with its own history; `''` without one. */
export function writeSubscriptions(state: StoryState): string {
  const shown = chooseShown(state);
  if (shown.length === 0) return '';
  const { started } = state.subscriptions;
  const clauses = [
    ...shown.map((entry, index) => `${possessiveOf(shown, index)} ${nameOf(entry)} ${describe(entry, state)}`),
    started > shown.length ? `they have had ${countOf(started, 'subscription')} in all` : '',
  ];
  return `${capitalize(clauses.filter(Boolean).join('; '))}.`;
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

/** `another` where one before has the same name. */
function possessiveOf(shown: SubscriptionEntry[], index: number): string {
  const names = shown.slice(0, index + 1).map(nameOf);
  return names.indexOf(names[index] ?? '') < index ? 'another' : 'their';
}

/** Named by the plan that was bought first. */
function nameOf({ hadTrial, paidSince, convertedAt, firstPlan, plan }: SubscriptionEntry): string {
  const isTrial = hadTrial && (paidSince === null || convertedAt !== null);
  return [firstPlan || plan, isTrial ? 'trial' : 'subscription'].filter(Boolean).join(' ');
}

function describe(entry: SubscriptionEntry, state: StoryState): string {
  const day = formatDay(entry.startedAt);
  return joinWithAnd([
    entry.isStartSeen ? `started on ${day}` : `has been on record since ${day}`,
    describeConversion(entry),
    ...describeHistory(entry),
    ...describeStatus(entry, state),
  ]);
}

/** With the plan that the trial became, where that is another. */
function describeConversion(entry: SubscriptionEntry): string {
  if (!entry.convertedAt) return '';
  const plan = isChangedByConversion(entry) ? `${entry.lastChange?.to} ` : '';
  return `became a paid ${plan}subscription on ${formatDay(entry.convertedAt)}`;
}

function isChangedByConversion({ convertedAt, lastChange, upgraded, downgraded, switched }: SubscriptionEntry) {
  return (
    lastChange !== null &&
    lastChange.at === convertedAt &&
    lastChange.to !== '' &&
    upgraded + downgraded + switched === 1
  );
}

function describeHistory(entry: SubscriptionEntry): string[] {
  const verbs = [describeChanges(entry), describeRenewals(entry), describeBreak(entry)].filter(
    (verb) => verb !== undefined,
  );
  return verbs.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at)).map(({ text }) => text);
}

function describeStatus(entry: SubscriptionEntry, state: StoryState): string[] {
  const changedDay = formatDay(entry.changedAt);
  switch (statusOf(entry, state)) {
    case 'trialing':
      return [entry.endsAt ? `runs until ${endDay(entry)}` : 'is still running'];
    case 'trial_over':
      return [`ran out on ${endDay(entry)}`];
    case 'active':
      return ['is active'];
    case 'past_due':
      return [`has been past due since ${changedDay}`];
    case 'paused':
      return [`has been paused since ${changedDay}`];
    case 'ending':
      return [
        `${describeCancellation(entry)}, to end ${entry.endsAt ? `on ${endDay(entry)}` : 'with the paid period'}`,
      ];
    case 'expired':
      return [entry.paidSince === null && entry.hadTrial ? `ran out on ${changedDay}` : `expired on ${changedDay}`];
    default:
      return describeEnd(entry);
  }
}

/** That it was cancelled, and when it ended where that was later. */
function describeEnd(entry: SubscriptionEntry): string[] {
  const cancelledDay = formatDay(entry.cancelledAt ?? entry.changedAt);
  const isLater = cancelledDay !== endDay(entry);
  return [describeCancellation(entry), isLater ? `ended on ${endDay(entry)}` : ''];
}

function describeCancellation({ cancelledAt, changedAt, reason }: SubscriptionEntry): string {
  return `was cancelled on ${formatDay(cancelledAt ?? changedAt)}${writeReason(reason)}`;
}

function describeRenewals({ renewed, lastRenewedAt, renewals }: SubscriptionEntry): Verb | undefined {
  if (renewed === 0 || !lastRenewedAt) return undefined;
  const worth = hasMoney(renewals) ? formatTotals(renewals) : '';
  const day = formatDay(lastRenewedAt);
  if (renewed === 1) return { text: `was renewed once on ${day}${worth && ` for ${worth}`}`, at: lastRenewedAt };
  const knownCount = renewed - renewals.unknown;
  const scope = renewals.unknown > 0 ? `for ${groupThousands(String(knownCount))} of them` : 'in total';
  return {
    text: `was renewed ${timesOf(renewed)} (${worth && `${worth} ${scope}, `}most recently on ${day})`,
    at: lastRenewedAt,
  };
}

function describeBreak({ lastBreak }: SubscriptionEntry): Verb | undefined {
  if (!lastBreak) return undefined;
  const { kind, from, to, reason } = lastBreak;
  const text =
    kind === 'paused'
      ? `was paused from ${formatDay(from)} to ${formatDay(to)}`
      : `was cancelled on ${formatDay(from)}${writeReason(reason)}, was resumed on ${formatDay(to)}`;
  return { text, at: to };
}

function describeChanges(entry: SubscriptionEntry): Verb | undefined {
  const { upgraded, downgraded, switched, lastChange } = entry;
  if (!lastChange || isChangedByConversion(entry)) return undefined;
  const { kind, from, to, at } = lastChange;
  const isMove = from !== '' && to !== '' && from !== to;
  const move = `${isMove ? `from ${from} to ${to} ` : ''}on ${formatDay(at)}`;
  const counts = { upgraded, downgraded, changed: switched };
  const verbs = Object.entries(counts).filter(([, count]) => count > 0);
  const [only] = verbs;
  if (verbs.length === 1 && only?.[1] === 1) return { text: `was ${kind} ${move}`, at };
  const times = joinWithAnd(verbs.map(([verb, count]) => `${verb} ${timesOf(count)}`));
  return { text: `was ${times} (most recently ${verbs.length === 1 ? '' : `${kind} `}${move})`, at };
}
