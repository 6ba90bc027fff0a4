import { type EventContent, type Position, positionAt, type StoredEvent } from './event.ts';
import { meaningOf, type Occurrence, toOccurrence } from './occurrence.ts';
import { type Source, sourcesFor } from './payload.ts';
import { isLeaving } from './subscription-entry.ts';
import { lookUp } from './vocabulary/events.ts';
import { wrappers } from './vocabulary/fields.ts';
import { type RankedFamily, ranks, resumptions } from './vocabulary/ranks.ts';

/** More than there are ranks. With the nanoseconds of a millisecond, a tiebreaker is a 32-bit integer. */
const rankLimit = 16;

/** The position of an event in its customer's history. */
export function positionOf(event: StoredEvent): Position {
  return positionAt(event.occurredAt, event.tiebreaker ?? tiebreakerOf(event), event.eventId);
}

/** Orders events of one millisecond: by the nanoseconds within it, then by what they say of a thing. */
export function tiebreakerOf(event: EventContent): number {
  return nanosecondsOf(event.occurredAt) * rankLimit + rankOf(event);
}

/** The digits of an instant after its milliseconds. */
function nanosecondsOf(occurredAt: string | Date): number {
  if (typeof occurredAt !== 'string') return 0;
  const [, digits = ''] = /\.\d{3}(\d{1,6})/.exec(occurredAt) ?? [];
  return Number(digits.padEnd(6, '0'));
}

function rankOf(event: EventContent): number {
  const occurrence = toOccurrence(event, '');
  const { family, action } = occurrence;
  if (!family || family === 'message' || family === 'page') return 0;
  if (family === 'subscription') return rankOfSubscription(event, occurrence);
  const meaning = lookUp(family, action) ?? meaningOf(occurrence, family, sourcesOf(family, occurrence));
  return rankIn(family, meaning);
}

function rankOfSubscription({ occurredAt }: EventContent, occurrence: Occurrence): number {
  const sources = sourcesOf('subscription', occurrence);
  const meaning = meaningOf(occurrence, 'subscription', sources);
  const at = new Date(occurredAt).toISOString();
  if (meaning && isLeaving({ meaning, at, sources })) return ranks.subscription.cancelled;
  return resumptions.includes(occurrence.action) ? ranks.subscription.resumed : rankIn('subscription', meaning);
}

function rankIn(family: RankedFamily, meaning: string | undefined): number {
  const ranksOfFamily: Record<string, number> = ranks[family];
  return meaning === undefined ? 0 : (ranksOfFamily[meaning] ?? 0);
}

function sourcesOf(family: RankedFamily, { payload }: Occurrence): Source[] {
  return sourcesFor(payload, ...wrappers[family]);
}
