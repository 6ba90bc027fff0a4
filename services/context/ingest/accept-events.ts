import type { QuotaRefusal } from '../../../lib/clients/plan-limits.ts';
import type { QuotaCaller } from '../../../lib/clients/quota.ts';
import { isPrefetched, type QuotaBatch, withQuotaAllocation } from '../../../lib/clients/quota-batches.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { chunk, once } from '../../../lib/concurrency/for-each-concurrently.ts';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { nextTick, yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { parseJson } from '../../../lib/data/exact-json.ts';
import { canonicalJson } from '../../../lib/security/api-key.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type EventDocument, EventModel, eventKey } from '../../../models/context/event.ts';
import { wakeComposer } from '../compose/composer.ts';
import { identifierKey, identifiersOf } from '../story/identifiers.ts';
import { tiebreakerOf } from '../story/tiebreaker.ts';
import { applyBackpressure } from './backpressure.ts';
import type { EventInput } from './create-events.ts';
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
 * A stub has only the id, so a repetition cannot be distinguished from a conflict and counts as repeated.
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

const meter = 'context.eventsPerDay';
const maxBatchSize = 200;

/** An event that was not stored, because the plan refused the quota. */
export type Refused = { refused: QuotaRefusal };

/**
 * Stores an event if it is new and the organization's plan leaves room for one more today. A repetition is not charged.
 */
export async function acceptEvent(
  ctx: QuotaCaller,
  orgId: string,
  event: EventInput,
  operation?: Operation,
): Promise<Outcome | Refused> {
  // Waits before units are reserved, so that other requests do not wait for reserved units too.
  await applyBackpressure(orgId, 1);
  const key = keyOf(operation);
  const id = eventKey(orgId, event.eventId.toLowerCase());
  return await oneOfId(id, async () => {
    const request = { orgId, meter, amount: 1 } as const;
    // With prefetched units the insert is the check: a repetition that holds a unit for a moment does not cause the
    // refusal of another event.
    if (!isPrefetched(request) && (await isStored(orgId, id))) return compareWithStored(orgId, event, key);
    const outcome = await withQuotaAllocation<Outcome | Refused>(
      ctx,
      request,
      async ({ quotaBatch, granted, refusal }) => {
        if (granted === 0) return { result: { refused: refusal ?? 'unavailable' }, charged: 0 };
        const result = await storeEvent(orgId, event, { quotaBatch, operation: key });
        return { result, charged: result === 'accepted' ? 1 : 0 };
      },
    );
    // Another node may have stored it concurrently, with the last unit.
    if (typeof outcome === 'object' && (await isStored(orgId, id))) return compareWithStored(orgId, event, key);
    return outcome;
  });
}

/** Stores the new events of a batch in order, as many as the plan has room for. */
export async function acceptEvents(
  ctx: QuotaCaller,
  orgId: string,
  events: EventInput[],
  operation?: Operation,
): Promise<(Outcome | Refused)[]> {
  if (events.length === 0) return [];
  await applyBackpressure(orgId, events.length);
  const key = keyOf(operation);
  const ids = events.map(({ eventId }) => eventKey(orgId, eventId.toLowerCase()));
  const isKnown = await Promise.all(ids.map((id) => isStored(orgId, id)));
  const firstIndexes = new Map(ids.map((id, index) => [id, index] as const).toReversed());
  const newIndexes = ids.flatMap((id, index) => (isKnown[index] || firstIndexes.get(id) !== index ? [] : [index]));
  const outcomes = new Map<number, Outcome | Refused>();
  if (newIndexes.length > 0) {
    await withQuotaAllocation(
      ctx,
      { orgId, meter, amount: newIndexes.length },
      async ({ quotaBatch, granted, refusal }) => {
        const admitted = newIndexes.slice(0, granted);
        const admittedEvents = admitted.flatMap((index) => events[index] ?? []);
        const stored = await storeEvents(orgId, admittedEvents, { quotaBatch, operation: key });
        for (const [position, index] of admitted.entries()) outcomes.set(index, stored[position] ?? 'accepted');
        for (const index of newIndexes.slice(granted)) outcomes.set(index, { refused: refusal ?? 'unavailable' });
        return { result: undefined, charged: stored.filter((outcome) => outcome === 'accepted').length };
      },
    );
  }
  // The rest repeats an earlier event, or another of this batch, which may have been refused.
  return await mapInParts<EventInput, Outcome | Refused>(events, (event, index) => {
    const firstIndex = firstIndexes.get(ids[index] ?? '') ?? index;
    const first = outcomes.get(firstIndex);
    const origin = firstIndex === index ? key : undefined;
    return outcomes.get(index) ?? (typeof first === 'object' ? first : compareWithStored(orgId, event, origin));
  });
}

function keyOf(operation: Operation | undefined): string | undefined {
  return operation?.isKeyed ? operation.key : undefined;
}

/** Whether an event was accepted before; concurrent calls share one query. */
const isStored = createBatcher(maxBatchSize, async (ids: string[], orgId: string) => {
  const events = nativeCollection<EventDocument>(EventModel);
  const found = await events.find({ orgId, _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
  const stored = new Set(found.map(({ _id }) => _id));
  return ids.map((id) => stored.has(id));
});

/** Equal events that this process receives concurrently are processed one after the other. */
const oneOfId = createKeyedMutex();
