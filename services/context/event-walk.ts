import { chunk } from '../../lib/concurrency/concurrently.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import type { KeptEvent } from './stories.ts';

/** A place in a list of events, newest first: an instant, a rank within it (null: the last), and an event's id. */
export type Place = { at: Date; rank: number | null; eventId: string };

/** The fields of an event that its place is made of. */
type Keys = Pick<EventDocument, '_id' | 'eventId' | 'receivedAt' | 'tiebreaker'> & { occurredAt: Date };

const keyFields = { eventId: 1, receivedAt: 1, occurredAt: 1, tiebreaker: 1 } as const;

/** An order of an organization's events, newest first, and the conditions that the listed ones meet. */
export type EventOrder = {
  placeOf: (keys: Keys) => Place;
  /** The next events after a place, none before `lowest`. */
  findAfter: (place: Place | null, lowest: Date, limit: number) => Promise<Keys[]>;
  /** The instant of the event at a distance after the place, counted without the conditions; null beyond the end. */
  findFloor: (place: Place | null, distance: number) => Promise<Date | null>;
  /** Whether there are conditions that no index finds. */
  isFiltered: boolean;
};

type Filter = Record<string, unknown>;

const earliest = new Date(0);
const listable = { expired: { $ne: true } };

/** The driver's collection, because Mongoose does not cast a condition on a field of `actor` or `source`. */
const collection = () => nativeCollection<KeptEvent>(EventModel);

async function findKeys(filter: Filter & { orgId: string }, sort: Record<string, -1>, limit: number): Promise<Keys[]> {
  if (limit <= 0) return [];
  const found = collection().find({ ...filter, ...listable }, { projection: keyFields, batchSize: limit });
  return await found.sort(sort).limit(limit).toArray();
}

async function skip(filter: Filter & { orgId: string }, sort: Record<string, -1>, count: number): Promise<Keys | null> {
  const found = collection().find(filter, { projection: keyFields }).sort(sort).skip(count).limit(1);
  return (await found.toArray())[0] ?? null;
}

/**
 * All events by the time of receipt, then by id. The index of retention has the time alone, so the events of the last
 * instant of a part are read by a separate query: an instant has the events of a few batches at most.
 */
export function byReceipt(
  orgId: string,
  { filter, from = earliest, to }: { filter: Filter; from?: Date | undefined; to?: Date | undefined },
): EventOrder {
  const kept = { orgId, stubUntil: null };
  const before = (place: Place | null, lowest: Date) => {
    const end = place?.at ?? to;
    return { receivedAt: { $gte: lowest > from ? lowest : from, ...(end && { $lt: end }) } };
  };
  const findAt = (receivedAt: Date, ids: Filter, limit: number) =>
    findKeys({ ...kept, ...filter, receivedAt, ...ids }, { eventId: -1 }, limit);

  return {
    placeOf: ({ receivedAt, eventId }) => ({ at: receivedAt, rank: null, eventId }),
    isFiltered: Object.keys(filter).length > 0,
    async findFloor(place, distance) {
      const found = await skip({ ...kept, ...before(place, earliest) }, { receivedAt: -1 }, distance);
      return found?.receivedAt ?? null;
    },
    async findAfter(place, lowest, limit) {
      const tied = place ? await findAt(place.at, { eventId: { $lt: place.eventId } }, limit) : [];
      const missing = limit - tied.length;
      const earlier = await findKeys({ ...kept, ...filter, ...before(place, lowest) }, { receivedAt: -1 }, missing);
      const last = earlier.at(-1)?.receivedAt;
      if (!last || earlier.length < missing) return [...tied, ...inOrder(earlier)];
      const whole = earlier.filter(({ receivedAt }) => receivedAt > last);
      return [...tied, ...inOrder(whole), ...(await findAt(last, {}, missing - whole.length))];
    },
  };
}

function inOrder(events: Keys[]): Keys[] {
  return events.toSorted(
    (left, right) => +right.receivedAt - +left.receivedAt || (left.eventId < right.eventId ? 1 : -1),
  );
}

/** The events of a customer in the order of the story, the last one first. */
export function byOccurrence(
  orgId: string,
  customer: string,
  { filter, from, to }: { filter: Filter; from?: Date | undefined; to?: Date | undefined },
): EventOrder {
  const own = { orgId, customer };
  const received = from || to ? { receivedAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } } : {};
  const sort = { occurredAt: -1, tiebreaker: -1, eventId: -1 } as const;
  const before = (place: Place | null, lowest: Date): Filter =>
    place
      ? { occurredAt: { $gte: lowest, $lte: place.at }, $or: alternatives(place) }
      : { occurredAt: { $gte: lowest } };

  return {
    placeOf: ({ occurredAt, tiebreaker = null, eventId }) => ({ at: occurredAt, rank: tiebreaker, eventId }),
    isFiltered: Object.keys({ ...filter, ...received }).length > 0,
    async findFloor(place, distance) {
      const found = await skip({ ...own, ...before(place, earliest) }, sort, distance);
      return found?.occurredAt ?? null;
    },
    findAfter: (place, lowest, limit) =>
      findKeys({ ...own, ...filter, ...received, ...before(place, lowest) }, sort, limit),
  };
}

/** The conditions of which an event after a place meets one. An event without a tiebreaker comes last in its instant. */
function alternatives({ at, rank, eventId }: Place): Filter[] {
  const sameRank = { occurredAt: at, tiebreaker: rank, eventId: { $lt: eventId } };
  const lowerRanks = [
    { occurredAt: at, tiebreaker: { $lt: rank } },
    { occurredAt: at, tiebreaker: null },
  ];
  return [{ occurredAt: { $lt: at } }, sameRank, ...(rank === null ? [] : lowerRanks)];
}

/** The maximum number of events that one page passes over by conditions that the database tests. */
const maxScanned = 10_000;
/** The maximum number of events that one page reads to test them. */
const maxRead = 1000;
/** The number of keys that are read together for events that are tested, of which a page may need many. */
const testedBatchSize = 250;
const readBatchSize = 25;

export type EventPage = { events: KeptEvent[]; next: Place | null };

/**
 * Reads a page of events. It may have fewer events than `limit`, or none, although more follow: where they are large,
 * or few meet the conditions. Only `next` shows whether there are more.
 *
 * @param maxBytes - of the payloads; a page has one event at least.
 * @param matches - a condition that the database cannot test.
 */
export async function readPage(
  orgId: string,
  order: EventOrder,
  {
    after,
    limit,
    maxBytes,
    matches,
  }: { after: Place | null; limit: number; maxBytes: number; matches: ((event: KeptEvent) => boolean) | null },
): Promise<EventPage> {
  const floor = order.isFiltered ? await order.findFloor(after, maxScanned) : null;
  const end = floor && { at: floor, rank: null, eventId: '' };
  const batchSize = matches ? testedBatchSize : limit + 1;
  const events: KeptEvent[] = [];
  let place = after;
  let remainingBytes = maxBytes;
  for (let read = 0; read < maxRead; ) {
    const found = await order.findAfter(place, floor ?? earliest, batchSize);
    for (const part of chunk(found, readBatchSize)) {
      const contents = await readContents(orgId, part);
      for (const keys of part) {
        const event = contents.get(keys._id);
        if (event && (matches?.(event) ?? true)) {
          if (events.length === limit || (remainingBytes <= 0 && events.length > 0)) return { events, next: place };
          events.push(event);
          remainingBytes -= Buffer.byteLength(event.payload);
        }
        place = order.placeOf(keys);
      }
    }
    read += found.length;
    if (found.length < batchSize) return { events, next: end };
  }
  return { events, next: place };
}

/** The events with their content, without those that were erased since their keys were read. */
async function readContents(orgId: string, part: Keys[]): Promise<Map<string, KeptEvent>> {
  const found = await collection()
    .find({ orgId, _id: { $in: part.map(({ _id }) => _id) } })
    .toArray();
  return new Map(found.filter(({ stubUntil }) => !stubUntil).map((event) => [event._id, event]));
}
