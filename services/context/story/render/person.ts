import { formatDay } from '../dates.ts';
import type { StoryState } from '../state.ts';
import { cleanText, joinWithAnd, timesOf } from '../text.ts';
import { writeReason } from '../wording.ts';
import { countGaps, customerSince, isFirstPurchaseSeen, leftAt, type Standing, standingOf } from './standing.ts';

const maxNameLength = 80;

/** The best known name, otherwise the email, otherwise the id. */
export function nameOf(customerId: string, { person }: StoryState): string {
  return person.name || cleanText(person.email || customerId, maxNameLength) || 'Unnamed customer';
}

/** The name of the person and their standing. */
export function writeOpening(customerId: string, state: StoryState): string {
  const { name, email, company, plan } = state.person;
  const isPlanTold = state.subscriptions.started > 0;
  const details = [name && email, company, plan && !isPlanTold && `${plan} plan`].filter(Boolean).join(', ');
  const who = details ? `${nameOf(customerId, state)} (${details})` : nameOf(customerId, state);
  return `${who} ${describeStanding(standingOf(state), state)}.`;
}

/** The one day the opening names, for what happened on it; `''` when it names none or two. */
export function openingDay(state: StoryState): string {
  const { kind, since } = standingOf(state);
  return kind === 'closed' || kind === 'former' ? '' : formatDay(since);
}

function describeStanding({ kind, since }: Standing, state: StoryState): string {
  const day = formatDay(since);
  const orBefore = isFirstPurchaseSeen(state) ? '' : ' or before';
  switch (kind) {
    case 'closed':
      return describeClosing(state, day);
    case 'former':
      return describeFormer(state, day);
    case 'loyal':
    case 'returning':
      return `is a ${kind} customer who ${joinWithAnd([`first bought on${orBefore} ${day}`, ...describeGaps(state)])}`;
    case 'customer':
      return `has been a customer since ${orBefore && 'at least '}${day}`;
    case 'new':
      return `became a customer on${orBefore} ${day}`;
    case 'trial':
      return `has been on a trial since ${day}`;
    case 'registered':
      return `registered on ${day}`;
    case 'user':
      return `has been a user since ${day}`;
    case 'contact':
      return `first got in touch on ${day}`;
    case 'visitor':
      return `is a visitor first seen on ${day}`;
    case 'known':
      return `was first seen on ${day}`;
  }
}

function describeClosing(state: StoryState, closedDay: string): string {
  const since = customerSince(state);
  const atLeast = isFirstPurchaseSeen(state) ? '' : 'at least ';
  const past = since ? `, having been a customer since ${atLeast}${formatDay(since)}` : '';
  return `closed their account on ${closedDay}${writeReason(state.person.closingReason)}${past}`;
}

function describeFormer(state: StoryState, sinceDay: string): string {
  const untilDay = formatDay(leftAt(state) ?? '');
  const gap = state.tenure.gaps.at(-1);
  if (untilDay === sinceDay) return `was a customer until ${untilDay}`;
  if (!isFirstPurchaseSeen(state)) return `was a customer from ${sinceDay} or before to ${untilDay}`;
  if (!gap) return `was a customer from ${sinceDay} to ${untilDay}`;
  if (countGaps(state) > 1) return `was a customer from ${sinceDay} to ${untilDay}, with ${countGaps(state)} breaks`;
  return `was a customer from ${sinceDay} to ${formatDay(gap.from)} and from ${formatDay(gap.to)} to ${untilDay}`;
}

/** When they left and came back, or stopped buying for long; nothing without a gap. */
function describeGaps(state: StoryState): string[] {
  const last = state.tenure.gaps.at(-1);
  const count = countGaps(state);
  if (!last || count === 0) return [];
  const back = `came back on ${formatDay(last.to)}`;
  if (count > 1) return [`left and came back ${timesOf(count)}, most recently on ${formatDay(last.to)}`];
  return [`${last.kind === 'left' ? 'left on' : 'stopped buying after'} ${formatDay(last.from)}`, back];
}
