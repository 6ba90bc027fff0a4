import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type EventDocument, EventModel } from '../../../models/context/event.ts';
import type { PendingEventDocument } from '../../../models/context/pending-event.ts';
import { removeIfUnused } from '../customers.ts';
import { toTombstone } from '../erasure.ts';
import { orphanTtl, postponePending, removePending } from '../ingest/pending-events.ts';
import { composeStories } from './compose.ts';
import { type Groups, groupByCustomer } from './group-events.ts';

type Settled = { settled: PendingEventDocument[]; left: PendingEventDocument[] };

/**
 * Folds pending events of one organization into their customers' stories: finds the customer of each, assigns it,
 * composes the story, and only then removes its work item. Idempotent: interrupted work is still pending and is
 * repeated, and two workers may do it concurrently.
 *
 * Work in `left`, because other workers changed the same customers concurrently, can be retried immediately. Work
 * without its event is in neither list: it is postponed, because the insert of the event may be in flight.
 */
export async function settlePending(orgId: string, items: PendingEventDocument[]): Promise<Settled> {
  if (items.length === 0) return { settled: [], left: [] };
  const events = await readEvents(orgId, items);
  await postponeOrphans(items.filter(({ event }) => !events.has(event)));
  const kept = [...events.values()].filter(({ stubUntil }) => !stubUntil);
  const groups: Groups = kept.length > 0 ? await groupByCustomer(orgId, kept) : new Map();
  const assigned = await assign(orgId, groups);
  for (const customer of groups.keys()) if (!assigned.has(customer)) await removeIfUnused(orgId, customer);
  const composed = assigned.size > 0 ? await composeStories(orgId, assigned) : assigned;
  await emptyExpired(orgId, composed);
  const settled = new Set([...composed.values()].flat().map(({ _id }) => _id));
  const isDone = ({ event }: PendingEventDocument) => settled.has(event) || events.get(event)?.stubUntil !== undefined;
  const byCompletion = Map.groupBy(
    items.filter(({ event }) => events.has(event)),
    isDone,
  );
  const done = byCompletion.get(true) ?? [];
  await removePending(done);
  return { settled: done, left: byCompletion.get(false) ?? [] };
}

async function readEvents(orgId: string, items: PendingEventDocument[]): Promise<Map<string, EventDocument>> {
  const _id = { $in: [...new Set(items.map(({ event }) => event))] };
  const collection = nativeCollection<EventDocument>(EventModel);
  const events = await collection.find({ orgId, _id }, { batchSize: items.length }).toArray();
  return new Map(events.map((event) => [event._id, event]));
}

/** Skips work that is not due, which was postponed or leased already: each read of a customer meets it again. */
async function postponeOrphans(items: PendingEventDocument[]): Promise<void> {
  const isOver = ({ receivedAt }: PendingEventDocument) => now().getTime() - receivedAt.getTime() > orphanTtl;
  await removePending(items.filter(isOver));
  await postponePending(items.filter((item) => !isOver(item) && item.nextAttemptAt <= now()));
}

/**
 * Assigns the events to their customers, in one command, and returns those that belong to them now. An event that
 * another worker assigned elsewhere since it was read keeps that customer.
 */
async function assign(orgId: string, groups: Groups): Promise<Groups> {
  const moves = [...groups].flatMap(([customer, theirs]) => {
    const fromOthers = theirs.filter((event) => event.customer !== customer);
    return [...Map.groupBy(fromOthers, (event) => event.customer ?? null)].map(([from, events]) => ({
      filter: { orgId, _id: { $in: events.map(({ _id }) => _id) }, customer: from, stubUntil: { $exists: false } },
      update: { $set: { customer } },
      count: events.length,
    }));
  });
  if (moves.length === 0) return groups;
  const writes = moves.map(({ filter, update }) => ({ updateMany: { filter, update } }));
  const { matchedCount } = await nativeCollection<EventDocument>(EventModel).bulkWrite(writes, { ordered: false });
  const isWhole = matchedCount === moves.reduce((sum, { count }) => sum + count, 0);
  return isWhole ? groups : await keepAssigned(orgId, groups);
}

async function keepAssigned(orgId: string, groups: Groups): Promise<Groups> {
  const _id = { $in: [...groups.values()].flat().map((event) => event._id) };
  const found = await EventModel.find({ orgId, _id }, { customer: 1 }).lean();
  const customerOf = new Map(found.map((event) => [event._id, event.customer]));
  const kept = [...groups].map(
    ([customer, theirs]) => [customer, theirs.filter((event) => customerOf.get(event._id) === customer)] as const,
  );
  return new Map(kept.filter(([, theirs]) => theirs.length > 0));
}

/** Turns expired events into tombstones, now that the stories are composed without them. */
async function emptyExpired(orgId: string, composed: Groups): Promise<void> {
  for (const [customer, theirs] of composed) {
    const expired = theirs.filter((event) => event.expired);
    if (expired.length === 0) continue;
    const _id = { $in: expired.map((event) => event._id) };
    await EventModel.updateMany({ orgId, _id, expired: true }, toTombstone());
    // A customer without events is removed, together with their addresses.
    await removeIfUnused(orgId, customer);
  }
}
