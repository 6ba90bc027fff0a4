import type { Logger } from 'moleculer';
import type { Collection, Document } from 'mongodb';
import { leaseNow } from '../../lib/data/clock.ts';
import { maxBatchSize, nativeCollection } from '../../lib/data/collection.ts';
import { pagesById } from '../../lib/data/sweep.ts';
import { indexNames } from '../../mixins/mongo-indexes.ts';
import { type CustomerDocument, CustomerModel, lastEventOrder } from '../../models/context/customer.ts';
import { type EventDocument, EventModel, storyOrder } from '../../models/context/event.ts';
import type { Composer } from './compose/composer.ts';
import { currentFold, isNewer, storedListing } from './compose/progress.ts';
import { insertPending, newPendingEvent, workFields } from './ingest/pending-events.ts';

/** An event of a database from before decision 0004, in which an event was its own work item. */
type FormerEvent = EventDocument & { pending?: boolean };

/** A customer whose story was to be composed from the first event. */
type FormerCustomer = CustomerDocument & { rebuild?: boolean };

/** The index of the stories' order, and its name in a database without partial indexes. */
const storyOrders = [storyOrder, 'orgId_1_customer_1_occurredAt_1_tiebreaker_1_eventId_1'];
/** The indexes from before decision 0050; the first covers all events. */
const formerStoryOrders = ['orgId_1_customer_1_occurredAt_1_eventId_1', 'story_order'];
const formerIndex = 'pending_1_nextAttemptAt_1';
/** Replaced by the index of the list of customers: as long as it exists, customers may be missing in the list. */
const formerMergeIndex = 'orgId_1_mergedInto_1';
const formerIdentifiersIndex = 'orgId_1_identifiers_1_pending_1';

/** Migrates a database of an earlier version. May be interrupted, and run by several nodes concurrently. */
export async function migrateFolds(): Promise<void> {
  const events = nativeCollection<FormerEvent>(EventModel);
  const names = await indexNames(events);
  const outdated = formerStoryOrders.filter((name) => names.includes(name));
  if (storyOrders.some((name) => names.includes(name))) for (const name of outdated) await drop(events, name);
  if (names.includes(formerIndex)) await migratePendingWork(events, names);
}

/**
 * Creates work items for the pending events of a database from before decision 0004, marks the customers whose stories
 * were to be rebuilt, and drops the indexes that found the events. Without the index nothing remains to do.
 */
async function migratePendingWork(events: Collection<FormerEvent>, names: (string | undefined)[]): Promise<void> {
  for (;;) {
    const batch = await events.find({ pending: true }, { projection: workFields }).limit(maxBatchSize).toArray();
    if (batch.length === 0) break;
    await insertPending(batch.map(newPendingEvent));
    const _id = { $in: batch.map((event) => event._id) };
    await events.updateMany({ _id }, { $set: { pending: false } });
  }
  const customers = nativeCollection<FormerCustomer>(CustomerModel);
  const again = { foldState: null, checkpoints: [], composeAt: leaseNow() };
  await customers.updateMany({ rebuild: true }, { $set: again, $unset: { rebuild: 1 }, $inc: { revision: 1 } });
  if (names.includes(formerIdentifiersIndex)) await drop(events, formerIdentifiersIndex);
  // Last, because it marks that work remains.
  await drop(events, formerIndex);
}

const listingBatchSize = 100;

/** Runs {@link listFormerCustomers} while the service runs. */
export function startListing(logger: Logger): Composer {
  const stopping = new AbortController();
  const running = listFormerCustomers(stopping.signal).catch((error) => {
    logger.warn('The customers of an earlier version were not added to the list; the next start continues', { error });
  });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Adds the customers of a database from before the list of customers to the list. May be interrupted and repeated. */
export async function listFormerCustomers(signal: AbortSignal): Promise<void> {
  const customers = nativeCollection<CustomerDocument>(CustomerModel);
  if (!(await indexNames(customers)).includes(formerMergeIndex)) return;
  const unlisted = { listing: null, mergedInto: null, erasing: false, foldState: { $ne: null } };
  const fields = { orgId: 1, revision: 1, composerVersion: 1, composeAt: 1, foldState: 1 } as const;
  for await (const page of pagesById<CustomerDocument>(CustomerModel, unlisted, listingBatchSize, fields)) {
    if (signal.aborted) return;
    const writes = page.flatMap((customer) => listWrite(customer) ?? []);
    if (writes.length > 0) await customers.bulkWrite(writes, { ordered: false });
  }
  // Last, because it marks that work remains.
  if ((await indexNames(customers)).includes(lastEventOrder)) await drop(customers, formerMergeIndex);
}

/**
 * The write that adds a customer to the list. A fold that is behind is listed when it is continued, so one of an older
 * version of the composer becomes due. A fold of a newer version is left to its nodes.
 */
function listWrite(customer: CustomerDocument) {
  const { orgId, _id, revision } = customer;
  const listing = storedListing(customer);
  const isOlder = !isNewer(customer) && currentFold(customer) === null && customer.composeAt == null;
  if (!listing && !isOlder) return null;
  const update = { $set: listing ? { listing } : { composeAt: leaseNow() } };
  return { updateOne: { filter: { orgId, _id, revision }, update } };
}

async function drop<T extends Document>(collection: Collection<T>, index: string): Promise<void> {
  try {
    await collection.dropIndex(index);
  } catch (error) {
    const { codeName } = error as { codeName?: unknown };
    // Another node was first, or an index is being built: then a later start drops this one.
    if (codeName !== 'IndexNotFound' && codeName !== 'BackgroundOperationInProgressForNamespace') throw error;
  }
}
