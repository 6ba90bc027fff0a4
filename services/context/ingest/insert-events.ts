import { setTimeout as wait } from 'node:timers/promises';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { now } from '../../../lib/data/clock.ts';
import { insertManyUnordered, nativeCollection } from '../../../lib/data/collection.ts';
import { type EventDocument, EventModel } from '../../../models/context/event.ts';
import type { PendingEventDocument } from '../../../models/context/pending-event.ts';
import { findKnownCustomers } from '../compose/group-events.ts';
import { insertPending, newPendingEvent, orphanTtl, removePending } from './pending-events.ts';

/** An event to insert, and whether the quota that it is charged to is still reserved for this process. */
export type Insert = { document: EventDocument; isHeld: () => boolean };

/** `taken`: another event has the id; `released`: the quota was released before the event was sent. */
export type InsertOutcome = 'inserted' | 'taken' | 'released';

const maxBatchSize = 200;
/** The maximum duration of an insert: well below the time after which work items without an event are removed. */
const maxStall = orphanTtl / 12;
/** The time after an insert within which a client that sends events one after the other sends the next. */
export const pauseMilliseconds = 10;

let insertsUnderWay = 0;
let lastInsertAt = Number.NEGATIVE_INFINITY;

/**
 * Inserts an event and resolves when it is durable; false when its id was taken. Events that arrive while others are in
 * flight are batched into the next commands: under load that is most of what an insert costs. An event whose quota was
 * released, because this process had stalled, is not inserted.
 *
 * @throws UNAVAILABLE its quota is no longer reserved.
 */
export async function insertEvent(document: EventDocument, isHeld: () => boolean): Promise<boolean> {
  const outcome = await insertBatched('events', { document, isHeld });
  if (outcome === 'released') throw apiError('UNAVAILABLE');
  return outcome === 'inserted';
}

const insertBatched = createBatcher(maxBatchSize, insertEvents);

/**
 * Inserts the events individually, and a work item for each, by two concurrent commands, which share the database's
 * next commit. Both are stored when this returns. When it throws, an event may be stored without its work item: it was
 * not acknowledged, and `compareWithFormer` adds the work item when the event is sent again. The quota is checked right
 * before the events are sent.
 *
 * @throws UNAVAILABLE this process or the database stalled for longer than a work item waits for its event.
 */
export async function insertEvents(inserts: Insert[]): Promise<InsertOutcome[]> {
  const held = inserts.map(({ isHeld }) => isHeld());
  const sent = inserts.filter((_insert, index) => held[index]).map(({ document }) => document);
  const items = inserts.map(({ document }, index) => (held[index] ? workOf(document) : []));
  const [refused] = await underWay(() =>
    Promise.all([insertManyUnordered(nativeCollection<EventDocument>(EventModel), sent), insertPending(items.flat())]),
  );
  return await keepWork(outcomesOf(held, refused), items);
}

/** The number of events of one customer from which a batch stores them with their customer. */
const manyOfSame = 100;

/**
 * Inserts the events of a batch as `insertEvents` does. Many events of one known customer are stored with their
 * customer, so that no later write assigns them. Such an event does not show whether it has a work item, so the work
 * items are stored before it.
 *
 * @throws UNAVAILABLE this process or the database stalled for longer than a work item waits for its event.
 */
export async function insertBatch(orgId: string, inserts: Insert[]): Promise<InsertOutcome[]> {
  const documents = inserts.map(({ document }) => document);
  const customers = await findKnownCustomers(orgId, ofSame(documents));
  if (customers.size === 0) return await insertEvents(inserts);
  const items = documents.map(workOf);
  const outcomes = await underWay(async () => {
    await insertPending(items.flat());
    const held = inserts.map(({ isHeld }) => isHeld());
    const sent = documents.filter((_document, index) => held[index]).map((one) => withCustomer(one, customers));
    return outcomesOf(held, await insertManyUnordered(nativeCollection<EventDocument>(EventModel), sent));
  });
  return await keepWork(outcomes, items);
}

/** The events with the same identifiers as many others. */
function ofSame(documents: EventDocument[]): EventDocument[] {
  const named = documents.filter(({ identifiers }) => identifiers.length > 0);
  const groups = Map.groupBy(named, ({ identifiers }) => identifiers.join('\n'));
  return [...groups.values()].filter(({ length }) => length >= manyOfSame).flat();
}

function withCustomer(document: EventDocument, customers: Map<string, string>): EventDocument {
  const customer = customers.get(document._id);
  return customer === undefined ? document : { ...document, customer };
}

/** The work item of an event. An event without identifiers belongs to no story and has none. */
function workOf(document: EventDocument): PendingEventDocument[] {
  return document.identifiers.length > 0 ? [newPendingEvent(document)] : [];
}

async function underWay<Result>(insert: () => Promise<Result>): Promise<Result> {
  const startedAt = now().getTime();
  insertsUnderWay += 1;
  const result = await insert().finally(() => {
    insertsUnderWay -= 1;
    lastInsertAt = performance.now();
  });
  if (now().getTime() - startedAt > maxStall) throw apiError('UNAVAILABLE');
  return result;
}

/** `refused` are indexes among the held events. */
function outcomesOf(held: boolean[], refused: Set<number>): InsertOutcome[] {
  let next = 0;
  return held.map((isSent) => (isSent ? (refused.has(next++) ? 'taken' : 'inserted') : 'released'));
}

/** Removes the work items of events that were not inserted: the stored event of a taken id has another one. */
async function keepWork(outcomes: InsertOutcome[], items: PendingEventDocument[][]): Promise<InsertOutcome[]> {
  await removePending(outcomes.flatMap((outcome, index) => (outcome === 'inserted' ? [] : (items[index] ?? []))));
  return outcomes;
}

/** The milliseconds since this process last inserted events; 0 while inserts are in flight. */
export function sinceInserts(): number {
  return insertsUnderWay > 0 ? 0 : performance.now() - lastInsertAt;
}

/** Resolves when no client is sending events to this process, or when `signal` aborts. */
export async function waitForInsertIdle(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const remaining = pauseMilliseconds - sinceInserts();
    if (remaining <= 0) return;
    await wait(remaining, undefined, { signal }).catch(() => undefined);
  }
}
