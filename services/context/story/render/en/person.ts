import { joinWithAnd } from '../../text.ts';
import type { Since, Standing } from '../standing.ts';
import { countOf, dayOf, monthOf, numberOf, reasonOf, timesOf } from './words.ts';

const standings: Record<Standing['kind'], string> = {
  closed: 'account closed in',
  loyal: 'loyal customer since',
  returning: 'returning customer since',
  new: 'new customer since',
  customer: 'customer since',
  former: 'former customer, first bought in',
  trial: 'trial user since',
  registered: 'registered user since',
  user: 'user since',
  contact: 'contact since',
  visitor: 'visitor since',
  known: 'known since',
};

/** `loyal customer since March 2025`; the month of a first purchase that is not on record is the latest it can be. */
function standingSince(kind: Standing['kind'], { at, isExact }: Since): string {
  const month = monthOf(at);
  if (isExact) return `${standings[kind]} ${month}`;
  return kind === 'former' ? `${standings[kind]} ${month} or before` : `${standings[kind]} at least ${month}`;
}

/** The parts of a title after the name. */
export const title = {
  standing: standingSince,
  back: (at: string) => ` (back since ${monthOf(at)})`,
  pastDue: 'subscription past due',
  failed: (count: number) => countOf(count, 'failed payment'),
  overdue: (count: number) => countOf(count, 'overdue payment'),
  tickets: (count: number) => countOf(count, 'open ticket'),
  orders: (count: number) => countOf(count, 'open order'),
  paused: 'subscription paused',
  ending: (at: string | null) => (at ? `subscription ending on ${dayOf(at)}` : 'subscription ending'),
  trial: (at: string, isAnother: boolean) => `${isAnother ? 'another trial ends' : 'trial ends'} on ${dayOf(at)}`,
};

/** The words of the opening, after the name. */
export const person = {
  unnamed: 'Unnamed customer',
  plan: (plan: string) => `${plan} plan`,
  closed: (at: string, reason: string, since: Since | null) =>
    `closed their account on ${dayOf(at)}${reasonOf(reason)}${since ? `, having been a customer since ${since.isExact ? '' : 'at least '}${dayOf(since.at)}` : ''}`,
  formerSince: ({ at, isExact }: Since) =>
    `is a former customer who first bought on${isExact ? '' : ' or before'} ${dayOf(at)}`,
  formerUntil: (until: string) => `was a customer until ${dayOf(until)}`,
  former: ({ at, isExact }: Since, until: string) =>
    `was a customer from ${dayOf(at)}${isExact ? '' : ' or before'} to ${dayOf(until)}`,
  formerWithBreak: (since: string, gap: { from: string; to: string }, until: string) =>
    `was a customer from ${dayOf(since)} to ${dayOf(gap.from)} and from ${dayOf(gap.to)} to ${dayOf(until)}`,
  formerWithBreaks: (since: string, until: string, count: number) =>
    `was a customer from ${dayOf(since)} to ${dayOf(until)}, with ${numberOf(count)} breaks`,
  bought: (kind: 'loyal' | 'returning', { at, isExact }: Since, returns: string[]) =>
    `is a ${kind} customer who ${joinWithAnd([`first bought on${isExact ? '' : ' or before'} ${dayOf(at)}`, ...returns])}`,
  customer: ({ at, isExact }: Since) => `has been a customer since ${isExact ? '' : 'at least '}${dayOf(at)}`,
  new: ({ at, isExact }: Since) => `became a customer on${isExact ? '' : ' or before'} ${dayOf(at)}`,
  trial: (at: string) => `has been on a trial since ${dayOf(at)}`,
  registered: (at: string) => `registered on ${dayOf(at)}`,
  user: (at: string) => `has been a user since ${dayOf(at)}`,
  contact: (at: string) => `first got in touch on ${dayOf(at)}`,
  visitor: (at: string) => `is a visitor first seen on ${dayOf(at)}`,
  known: (at: string) => `was first seen on ${dayOf(at)}`,
  left: (at: string) => `left on ${dayOf(at)}`,
  stopped: (at: string) => `stopped buying after ${dayOf(at)}`,
  back: (at: string) => `came back on ${dayOf(at)}`,
  leftAndBack: (count: number, at: string) => `left and came back ${timesOf(count)}, most recently on ${dayOf(at)}`,
};
