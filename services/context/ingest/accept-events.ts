import type { QuotaCaller } from '../../../lib/clients/quota.ts';
import { isPrefetched, withQuotaAllocation } from '../../../lib/clients/quota-batches.ts';
import { type QuotaRefusal, unavailable } from '../../../lib/clients/quota-refusal.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type EventDocument, EventModel, eventKey } from '../../../models/context/event.ts';
import { applyBackpressure } from './backpressure.ts';
import type { EventInput } from './event-input.ts';
import { compareWithStored, mapInParts, type Outcome, storeEvent, storeEvents } from './store-events.ts';

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
        if (granted === 0) return { result: { refused: refusal ?? unavailable }, charged: 0 };
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
        for (const index of newIndexes.slice(granted)) outcomes.set(index, { refused: refusal ?? unavailable });
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
