import { formatDay } from '../dates.ts';
import type { StoryState } from '../state.ts';
import { cleanText } from '../text.ts';
import { customerSince, endDay, mainSubscription, type Standing, standingOf } from './standing.ts';

const maxNameLength = 80;

/** The best known name, else the email, else the id. */
export function nameOf(customerId: string, { person }: StoryState): string {
  return person.name || cleanText(person.email || customerId, maxNameLength) || 'Unnamed customer';
}

/** Who it is and how they stand. */
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
  switch (kind) {
    case 'closed':
      return describeClosing(state, day);
    case 'former':
      return describeFormer(state, day);
    case 'loyal':
    case 'returning':
      return `is a ${kind} customer who first bought on ${day}`;
    case 'customer':
      return `has been a customer since ${day}`;
    case 'new':
      return `became a customer on ${day}`;
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
  const past = since ? `, having been a customer since ${formatDay(since)}` : '';
  return `closed their account on ${closedDay}${past}`;
}

function describeFormer(state: StoryState, sinceDay: string): string {
  const subscription = mainSubscription(state);
  const untilDay = subscription ? endDay(subscription) : sinceDay;
  return untilDay === sinceDay ? `was a customer on ${sinceDay}` : `was a customer from ${sinceDay} to ${untilDay}`;
}
