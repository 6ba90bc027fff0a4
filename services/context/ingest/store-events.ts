import type { QuotaBatch } from '../../../lib/clients/quota-batches.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { chunk } from '../../../lib/concurrency/concurrently.ts';
import { once } from '../../../lib/concurrency/once.ts';
import { nextTick, yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { canonicalJson } from '../../../lib/data/canonical-json.ts';
import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { parseJson } from '../../../lib/data/exact-json.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type EventDocument, EventModel, eventKey } from '../../../models/context/event.ts';
import { wakeComposer } from '../compose/composer.ts';
import { identifierKey, identifiersOf } from '../story/identifiers.ts';
import { tiebreakerOf } from '../story/tiebreaker.ts';
import type { EventInput } from './event-input.ts';
import { insertBatch, insertEvent } from './insert-events.ts';
import { insertPending, newPendingEvent } from './pending-events.ts';

/**
 * `repeated`: the event was accepted before; `conflicting`: another event has its id. An event that an earlier run of
 * the same operation stored is `accepted`.
 */
export type Outcome = 'accepted' | 'repeated' | 'conflicting';

/** The batch of units that an event is charged to, and the key of the operation that sends it. */
export type Origin = { quotaBatch?: QuotaBatch | undefined; operation?: string | undefined };

/**
 * Stores an event durably unless its id is taken. The insert is the check, so of concurrent calls one is accepted.
 *
 * @throws UNAVAILABLE the quota that it is charged to is no longer reserved.
 */
export async function storeEvent(orgId: string, event: EventInput, from: Origin = {}): Promise<Outcome> {
  const document = toDocument(orgId, event, from);
  if (!(await insertEvent(document, from.quotaBatch?.isHeld ?? always))) return compareWithFormer(document);
  if (document.identifiers.length > 0) wakeComposer();
  return 'accepted';
}

/**
 * Stores the events of a batch individually: a repeated event does not affect the others.
 *
 * @throws UNAVAILABLE the quota that they are charged to is no longer reserved.
 */
export async function storeEvents(orgId: string, events: EventInput[], from: Origin = {}): Promise<Outcome[]> {
  // A refused quota is not held, and there is nothing to store.
  if (events.length === 0) return [];
  const documents = await toDocuments(orgId, events, from);
  // Checked once for all: the quota of a batch is released as a whole.
  const isHeld = once(from.quotaBatch?.isHeld ?? always);
  const outcomes = await insertBatch(
    orgId,
    documents.map((document) => ({ document, isHeld })),
  );
  if (outcomes.includes('released')) throw apiError('UNAVAILABLE');
  if (outcomes.includes('inserted')) wakeComposer();
  return await mapInParts(documents, async (document, index) =>
    outcomes[index] === 'inserted' ? 'accepted' : await compareWithFormer(document),
  );
}

/** Prepares in time slices: other requests wait for less than it takes to prepare a batch. */
async function toDocuments(orgId: string, events: EventInput[], from: Origin): Promise<EventDocument[]> {
  const documents: EventDocument[] = [];
  await nextTick();
  let startedAt = performance.now();
  for (const event of events) {
    documents.push(toDocument(orgId, event, from));
    startedAt = await yieldIfSliceOver(startedAt);
  }
  return documents;
}

const always = (): boolean => true;

/**
 * Maps the events of a batch to outcomes, some by a comparison with stored events: in parts, so that others can run.
 */
export async function mapInParts<T, R>(
  events: T[],
  outcomeOf: (event: T, index: number) => Promise<R> | R,
): Promise<R[]> {
  const outcomes: R[] = [];
  let startedAt = performance.now();
  for (const part of chunk(events, comparisonBatchSize)) {
    const from = outcomes.length;
    outcomes.push(...(await Promise.all(part.map((event, index) => outcomeOf(event, from + index)))));
    startedAt = await yieldIfSliceOver(startedAt);
  }
  return outcomes;
}

/** Compares an event with the stored one of its id. */
export function compareWithStored(orgId: string, event: EventInput, operation?: string): Promise<Outcome> {
  return compareWithFormer(toDocument(orgId, event, { operation }));
}

/**
 * Compares an event with the stored one of its id. If no worker has found the customer of the stored event yet, its
 * insert may have failed halfway, without a work item: it gets one now.
 *
 * A tombstone has only the id, so a repetition cannot be distinguished from a conflict and counts as repeated.
 */
async function compareWithFormer(document: EventDocument): Promise<Outcome> {
  const { orgId, _id } = document;
  const stored = await findStored(orgId, _id);
  // All repetitions share this id, so that they add one work item at most.
  if (stored && isWithoutCustomer(stored)) await insertPending([{ ...newPendingEvent(stored), _id }]);
  if (document.operation !== undefined && stored?.operation === document.operation) return 'accepted';
  return stored?.payload === undefined || contentOf(stored) === contentOf(document) ? 'repeated' : 'conflicting';
}

/** The number of events that are compared with stored ones together: all of them are in memory, of any size. */
const comparisonBatchSize = 20;

/** The stored event of an id; undefined when there is none. Concurrent callers share one query. */
const findStored = createBatcher(comparisonBatchSize, async (ids: string[], orgId: string) => {
  const found = await nativeCollection<EventDocument>(EventModel)
    .find({ orgId, _id: { $in: ids } })
    .toArray();
  const stored = new Map(found.map((event) => [event._id, event]));
  return ids.map((id) => stored.get(id));
});

const isWithoutCustomer = ({ customer, identifiers }: EventDocument): boolean => !customer && identifiers.length > 0;

/** All fields of the client's choice, as one text. */
function contentOf({ schemaVersion, eventName, occurredAt, actor, source, payload = '{}' }: EventDocument): string {
  return canonicalJson({ schemaVersion, eventName, occurredAt, actor, source, payload: parseJson(payload) });
}

function toDocument(orgId: string, event: EventInput, { quotaBatch, operation }: Origin): EventDocument {
  const eventId = event.eventId.toLowerCase();
  const occurredAt = new Date(event.occurredAt);
  const identifiers = identifiersOf(event, settings.DEFAULT_COUNTRY).map(identifierKey);
  const receivedAt = quotaBatch?.receivedAt ?? now();
  return {
    _id: eventKey(orgId, eventId),
    orgId,
    eventId,
    schemaVersion: event.schemaVersion,
    eventName: event.eventName,
    occurredAt,
    tiebreaker: tiebreakerOf(event),
    actor: event.actor,
    source: event.source,
    payload: JSON.stringify(event.payload),
    identifiers,
    receivedAt,
    ...(quotaBatch && { lot: quotaBatch.key }),
    ...(operation !== undefined && { operation }),
  };
}
