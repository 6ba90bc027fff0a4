import { now } from '../../lib/clock.ts';
import { concurrently } from '../../lib/concurrently.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { composeStories, composeStory } from './compose.ts';
import { findRoot, followUp, removeIfUnused } from './customers.ts';
import { toStub } from './erasure.ts';
import { type Groups, groupByCustomer } from './group-events.ts';

/** A worker's lease on events, so that other workers skip them for a while. */
export type Lease = { leaseOwner: string; leaseUntil: Date };

/** The concurrency for customers that are settled one by one, so that their writes share the database's commits. */
const customersAtOnce = 8;

/**
 * Brings pending events of one organization into their customers' stories: finds the customer of each, assigns it,
 * composes the story, and only then takes the event off the pending list. Interrupted work is still pending and is done
 * again; doing it twice, or by two workers at once, changes nothing. A background worker passes its lease and skips
 * events that another worker has leased; a reader, which cannot wait for others, passes none.
 */
export async function settleEvents(orgId: string, events: EventDocument[], lease?: Lease): Promise<void> {
  if (events.length === 0) return;
  const groups = await groupByCustomer(orgId, events);
  const isWhole = (await assign(orgId, groups, lease)) === events.length;
  // Some were erased, settled or leased by others meanwhile: the rest is settled customer by customer.
  const mine = isWhole || !lease ? groups : await keepLeased(orgId, groups, lease);
  for (const customer of groups.keys()) if (!mine.has(customer)) await removeIfUnused(orgId, customer);
  const together = isWhole ? await composeStories(orgId, groups) : new Set();
  const told = [...mine].filter(([customer]) => together.has(customer));
  const left = [...mine].filter(([customer]) => !together.has(customer));
  await concurrently(left, customersAtOnce, async ([found, theirs]) => {
    const customer = await tell(orgId, found, theirs);
    if (customer) told.push([customer, theirs]);
  });
  await takeOffPending(orgId, told);
}

/** Assigns the events to their customers, and leases them, in one command; returns how many were assigned. */
async function assign(orgId: string, groups: Groups, lease: Lease | undefined): Promise<number> {
  const free = lease && {
    $or: [{ leaseUntil: null }, { leaseUntil: { $lte: now() } }, { leaseOwner: lease.leaseOwner }],
  };
  const assignments = [...groups].map(([customer, theirs]) => ({
    updateMany: { filter: { ...pendingOf(orgId, theirs), ...free }, update: { $set: { customer, ...lease } } },
  }));
  const { matchedCount } = await nativeCollection<EventDocument>(EventModel).bulkWrite(assignments, { ordered: false });
  return matchedCount;
}

/** The events whose lease this worker got. */
async function keepLeased(orgId: string, groups: Groups, { leaseOwner }: Lease): Promise<Groups> {
  const events = [...groups.values()].flat();
  const leased = await EventModel.find({ ...pendingOf(orgId, events), leaseOwner }, { _id: 1 }).lean();
  const ids = new Set(leased.map(({ _id }) => _id));
  const kept = [...groups].map(([customer, theirs]) => [customer, theirs.filter(({ _id }) => ids.has(_id))] as const);
  return new Map(kept.filter(([, theirs]) => theirs.length > 0));
}

/**
 * Assigns the events to their customer and composes the story with them; retries with the present customer if that
 * changed. Returns the customer whose story holds them, null when others have settled or erased them.
 */
async function tell(orgId: string, found: string, events: EventDocument[]): Promise<string | null> {
  for (let customer: string | null = found; customer; customer = await findRoot(orgId, customer)) {
    const { matchedCount } = await EventModel.updateMany(pendingOf(orgId, events), { $set: { customer } });
    if (matchedCount === 0) {
      await removeIfUnused(orgId, customer);
      return null;
    }
    // False: the customer was merged or erased while the events were assigned.
    if (await composeStory(orgId, customer)) return customer;
  }
  // The customer is gone, and its identifiers are free for another.
  await settleEvents(orgId, events);
  return null;
}

/**
 * Takes events off the pending list as long as they belong to the customer whose story holds them. An event that
 * another worker assigned elsewhere meanwhile stays pending, and so does one that expired: the next round settles it.
 */
async function takeOffPending(orgId: string, told: [customer: string, events: EventDocument[]][]): Promise<void> {
  if (told.length === 0) return;
  const settled = { $set: { pending: false, leaseOwner: null, leaseUntil: null } };
  const writes = told.flatMap(([customer, events]) => [
    { updateMany: { filter: { ...pendingOf(orgId, events), customer, expired: { $ne: true } }, update: settled } },
    ...expiredAmong(events).map((expired) => ({
      updateMany: { filter: { ...pendingOf(orgId, expired), customer, expired: true }, update: toStub() },
    })),
  ]);
  const { matchedCount } = await nativeCollection<EventDocument>(EventModel).bulkWrite(writes, { ordered: false });
  const events = told.flatMap(([, theirs]) => theirs);
  const free = { $set: { leaseOwner: null, leaseUntil: null } };
  if (matchedCount < events.length) await EventModel.updateMany(pendingOf(orgId, events), free);
  await followUp(
    orgId,
    told.map(([customer]) => customer),
  );
  for (const [customer, theirs] of told) {
    // A customer without events is removed, together with their addresses.
    if (expiredAmong(theirs).length > 0) await removeIfUnused(orgId, customer);
  }
}

/** Returns no list instead of an empty one, so that no empty command is sent. */
function expiredAmong(events: EventDocument[]): EventDocument[][] {
  const expired = events.filter((event) => event.expired);
  return expired.length > 0 ? [expired] : [];
}

function pendingOf(orgId: string, events: EventDocument[]) {
  return { orgId, _id: { $in: events.map(({ _id }) => _id) }, pending: true };
}
