import { isSameDay } from '../dates.ts';
import type { StoryState } from '../state.ts';
import { cleanText } from '../text.ts';
import { shownReason } from '../wording.ts';
import {
  countGaps,
  customerSince,
  isFirstPurchaseSeen,
  leftAt,
  type Since,
  type Standing,
  standingOf,
} from './standing.ts';
import type { Writer } from './writer.ts';

const maxNameLength = 80;

/** The best known name, otherwise the email, otherwise the id. */
export function nameOf(customerId: string, { person }: StoryState, writer: Writer): string {
  return person.name || cleanText(person.email || customerId, maxNameLength) || writer.person.unnamed;
}

/** The name of the person and their standing. */
export function writeOpening(customerId: string, state: StoryState, writer: Writer): string {
  const { name, email, company, plan } = state.person;
  const isPlanTold = state.subscriptions.started > 0;
  const details = [name && email, company, plan && !isPlanTold && writer.person.plan(plan)].filter(Boolean).join(', ');
  const who = `${nameOf(customerId, state, writer)}${details && ` (${details})`}`;
  return `${who} ${describeStanding(standingOf(state), state, writer)}.`;
}

/** An instant of the one day the opening names, for what happened on it; null when it names none or two. */
export function openingDay(state: StoryState): string | null {
  const { kind, since } = standingOf(state);
  return kind === 'closed' || kind === 'former' ? null : since;
}

function describeStanding({ kind, since: at }: Standing, state: StoryState, writer: Writer): string {
  const { person } = writer;
  const since = { at, isExact: isFirstPurchaseSeen(state) };
  switch (kind) {
    case 'closed':
      return describeClosing(state, at, writer);
    case 'former':
      return describeFormer(state, since, writer);
    case 'loyal':
    case 'returning':
      return person.bought(kind, since, describeGaps(state, writer));
    case 'customer':
    case 'new':
      return person[kind](since);
    default:
      return person[kind](at);
  }
}

function describeClosing(state: StoryState, closedAt: string, { person }: Writer): string {
  const at = customerSince(state);
  const since = at ? { at, isExact: isFirstPurchaseSeen(state) } : null;
  return person.closed(closedAt, shownReason(state.person.closingReason), since);
}

function describeFormer(state: StoryState, since: Since, { person }: Writer): string {
  const until = leftAt(state);
  const gap = state.tenure.gaps.at(-1);
  // The subscriptions that were paid for are forgotten.
  if (until === null) return person.formerSince(since);
  if (isSameDay(until, since.at)) return person.formerUntil(until);
  if (!since.isExact || !gap) return person.former(since, until);
  if (countGaps(state) > 1) return person.formerWithBreaks(since.at, until, countGaps(state));
  return person.formerWithBreak(since.at, gap, until);
}

/** When they left and came back, or stopped buying for long; nothing without a gap. */
function describeGaps(state: StoryState, { person }: Writer): string[] {
  const last = state.tenure.gaps.at(-1);
  const count = countGaps(state);
  if (!last || count === 0) return [];
  if (count > 1) return [person.leftAndBack(count, last.to)];
  return [last.kind === 'left' ? person.left(last.from) : person.stopped(last.from), person.back(last.to)];
}
