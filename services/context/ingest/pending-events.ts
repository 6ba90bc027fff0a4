import { chunk } from '../../../lib/concurrency/concurrently.ts';
import { hour, leaseFromNow, leaseNow, minute } from '../../../lib/data/clock.ts';
import { insertManyUnordered, maxBatchSize, nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type EventDocument, EventModel } from '../../../models/context/event.ts';
import { type PendingEventDocument, PendingEventModel } from '../../../models/context/pending-event.ts';

/** How long a work item without its event is kept: an insert that was sent before it may still arrive. */
export const orphanTtl = hour;
const maxBackoff = 5 * minute;
/** The first retry delay in milliseconds; short, because the insert of the event may be in flight. */
const firstBackoff = 100;

/** The fields of an event that its work item copies; `workFields` is the projection. */
type Work = Pick<EventDocument, '_id' | 'orgId' | 'identifiers' | 'receivedAt'>;

export const workFields = { orgId: 1, identifiers: 1, receivedAt: 1 } as const;

export function newPendingEvent({ _id, orgId, identifiers, receivedAt }: Work): PendingEventDocument {
  return {
    _id: newId('pnd'),
    orgId,
    event: _id,
    identifiers,
    receivedAt,
    attempts: 0,
    nextAttemptAt: leaseNow(),
    leaseOwner: null,
  };
}

export async function insertPending(items: PendingEventDocument[]): Promise<void> {
  await insertManyUnordered(nativeCollection<PendingEventDocument>(PendingEventModel), items);
}

/**
 * Leases work items of an organization to a worker, so that other workers skip them for a while, and returns those it
 * got. Leases save duplicate work; correctness does not depend on them.
 */
export async function leasePending(
  items: PendingEventDocument[],
  leaseOwner: string,
  lease: number,
): Promise<PendingEventDocument[]> {
  const [first] = items;
  if (!first) return [];
  const own = { orgId: first.orgId, _id: { $in: idsOf(items) } };
  const free = { $or: [{ leaseOwner: null }, { leaseOwner }, { nextAttemptAt: { $lte: leaseNow() } }] };
  const leased = { $set: { leaseOwner, nextAttemptAt: leaseFromNow(lease) } };
  const { matchedCount } = await PendingEventModel.updateMany({ ...own, ...free }, leased);
  if (matchedCount === items.length) return items;
  const mine = await PendingEventModel.find({ ...own, leaseOwner }, { _id: 1 }).lean();
  const ids = new Set(mine.map(({ _id }) => _id));
  return items.filter(({ _id }) => ids.has(_id));
}

/** Whether no worker has leased a work item, or its lease is over. */
export function isFree({ leaseOwner, nextAttemptAt }: PendingEventDocument): boolean {
  return leaseOwner === null || nextAttemptAt <= leaseNow();
}

/** Ends the leases of unfinished work: any worker may take it immediately. */
export async function releasePending(items: PendingEventDocument[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  const own = { orgId: first.orgId, _id: { $in: idsOf(items) } };
  await PendingEventModel.updateMany(own, { $set: { leaseOwner: null, nextAttemptAt: leaseNow() } });
}

/** Postpones the next attempt with backoff; once for all workers that postpone the same attempt. */
export async function postponePending(items: PendingEventDocument[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  for (const [attempts, batch] of Map.groupBy(items, (item) => item.attempts)) {
    const nextAttemptAt = leaseFromNow(Math.min(firstBackoff * 2 ** attempts, maxBackoff));
    const released = { $set: { nextAttemptAt, leaseOwner: null }, $inc: { attempts: 1 } };
    await PendingEventModel.updateMany({ orgId: first.orgId, _id: { $in: idsOf(batch) }, attempts }, released);
  }
}

/** Removes work items, of any organizations. */
export async function removePending(items: PendingEventDocument[]): Promise<void> {
  const collection = nativeCollection<PendingEventDocument>(PendingEventModel);
  for (const [orgId, theirs] of Map.groupBy(items, (item) => item.orgId)) {
    await collection.deleteMany({ orgId, _id: { $in: idsOf(theirs) } });
  }
}

/** Removes the work items of events that are tombstones, because they name identifiers of a person who was erased. */
export async function removePendingOfTombstones(orgId: string, identifiers: string[]): Promise<void> {
  const items: PendingEventDocument[] = [];
  for (const batch of chunk(identifiers, maxBatchSize)) {
    const theirs = PendingEventModel.find({ orgId, identifiers: { $in: batch } });
    items.push(...(await theirs.lean<PendingEventDocument[]>()));
  }
  for (const part of chunk(items, maxBatchSize)) {
    const _id = { $in: part.map(({ event }) => event) };
    const tombstones = await EventModel.find({ orgId, _id, stubUntil: { $ne: null } }, { _id: 1 }).lean();
    const tombstoneIds = new Set(tombstones.map(({ _id: id }) => id));
    await removePending(part.filter(({ event }) => tombstoneIds.has(event)));
  }
}

const idsOf = (items: PendingEventDocument[]): string[] => items.map(({ _id }) => _id);
