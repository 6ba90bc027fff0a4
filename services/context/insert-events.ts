import { setTimeout as wait } from 'node:timers/promises';
import { batched } from '../../lib/batched.ts';
import { now } from '../../lib/clock.ts';
import { fail } from '../../lib/errors.ts';
import { insertEach } from '../../lib/insert-each.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { insertPending, newPendingEvent, orphanLife, removePending } from './pending-events.ts';

/** An event to insert, and whether the quota that it is charged to is still reserved for this process. */
export type Insert = { document: EventDocument; isHeld: () => boolean };

/** `taken`: another event has the id; `released`: the quota was given back before the event was sent. */
export type InsertOutcome = 'inserted' | 'taken' | 'released';

const maxBatchSize = 200;
/** The longest that an insert may take: well below the time after which work items without an event are removed. */
const maxStall = orphanLife / 12;
/** After an insert, the time in which a client that sends one event after the other sends the next. */
export const pauseMilliseconds = 10;

let insertsUnderWay = 0;
let lastInsertAt = Number.NEGATIVE_INFINITY;

/**
 * Inserts an event and resolves when it is durable; false when its id was taken. Events that arrive while others are in
 * flight are batched into the next commands: under load that is most of what an insert costs. An event whose quota was
 * released, because this process had stalled, is not inserted.
 *
 * @throws UNAVAILABLE its quota is not reserved any more.
 */
export async function insertEvent(document: EventDocument, isHeld: () => boolean): Promise<boolean> {
  const outcome = await insertBatched('events', { document, isHeld });
  if (outcome === 'released') throw fail('UNAVAILABLE');
  return outcome === 'inserted';
}

const insertBatched = batched(maxBatchSize, insertEvents);

/**
 * Inserts each event on its own, and a work item beside each, by two commands at once, which share the database's next
 * commit. Both are stored when this returns. When it throws, an event may be stored without its work item: it was not
 * acknowledged, and `compareWithFormer` gives it one when it is sent again. The quota is checked right before the
 * events are sent.
 *
 * @throws UNAVAILABLE this process or the database stalled for longer than a work item waits for its event.
 */
export async function insertEvents(inserts: Insert[]): Promise<InsertOutcome[]> {
  const held = inserts.map(({ isHeld }) => isHeld());
  const sent = inserts.filter((_insert, place) => held[place]).map(({ document }) => document);
  // An event without a customer is in no story, so it is no work.
  const items = sent.map((document) => (document.identifiers.length > 0 ? newPendingEvent(document) : null));
  const startedAt = now().getTime();
  insertsUnderWay += 1;
  const [refused] = await Promise.all([
    insertEach(nativeCollection<EventDocument>(EventModel), sent),
    insertPending(items.flatMap((item) => item ?? [])),
  ]).finally(() => {
    insertsUnderWay -= 1;
    lastInsertAt = performance.now();
  });
  if (now().getTime() - startedAt > maxStall) throw fail('UNAVAILABLE');
  // The stored event of a taken id has a work item of its own.
  await removePending([...refused].flatMap((place) => items[place] ?? []));
  let next = 0;
  return held.map((isSent) => (isSent ? (refused.has(next++) ? 'taken' : 'inserted') : 'released'));
}

/** How many milliseconds ago this process last inserted events; 0 while some are on their way. */
export function sinceInserts(): number {
  return insertsUnderWay > 0 ? 0 : performance.now() - lastInsertAt;
}

/** Resolves when no client is sending events to this process, or when `signal` aborts. */
export async function pauseOfInserts(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const left = pauseMilliseconds - sinceInserts();
    if (left <= 0) return;
    await wait(left, undefined, { signal }).catch(() => undefined);
  }
}
