import type { mongo } from 'mongoose';
import { leaseNow } from '../../lib/clock.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { maxBatchSize } from '../../lib/remove-up-to.ts';
import { indexNames } from '../../mixins/mongo-indexes.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { type EventDocument, EventModel, storyOrder } from '../../models/context/event.ts';
import { insertPending, newPendingEvent, workFields } from './pending-events.ts';

/** An event of a database from before decision 0049, which was its own work item. */
type FormerEvent = EventDocument & { pending?: boolean };

/** Its story was to be composed from the first event. */
type FormerCustomer = CustomerDocument & { rebuild?: boolean };

/** The index of the stories' order, and its name in a database without partial indexes. */
const storyOrders = [storyOrder, 'orgId_1_customer_1_occurredAt_1_tiebreaker_1_eventId_1'];
/** Those from before decision 0080, the first of all events. */
const formerStoryOrders = ['orgId_1_customer_1_occurredAt_1_eventId_1', 'story_order'];
const formerIndex = 'pending_1_nextAttemptAt_1';
const formerIdentifiersIndex = 'orgId_1_identifiers_1_pending_1';

/**
 * Brings a database of an earlier version forward. It may be interrupted, and run by several nodes at once.
 */
export async function migrateFolds(): Promise<void> {
  const events = nativeCollection<FormerEvent>(EventModel);
  const names = await indexNames(events);
  const former = formerStoryOrders.filter((name) => names.includes(name));
  if (storyOrders.some((name) => names.includes(name))) for (const name of former) await drop(events, name);
  if (names.includes(formerIndex)) await migratePendingWork(events, names);
}

/**
 * Makes work items of the pending events of a database from before decision 0049, marks the customers whose stories were
 * to be rebuilt, and drops the indexes that found the events. Without the index nothing is left to do.
 */
async function migratePendingWork(events: mongo.Collection<FormerEvent>, names: (string | undefined)[]): Promise<void> {
  for (;;) {
    const some = await events.find({ pending: true }, { projection: workFields }).limit(maxBatchSize).toArray();
    if (some.length === 0) break;
    await insertPending(some.map(newPendingEvent));
    const _id = { $in: some.map((event) => event._id) };
    await events.updateMany({ _id }, { $set: { pending: false } });
  }
  const customers = nativeCollection<FormerCustomer>(CustomerModel);
  const again = { foldState: null, checkpoints: [], composeAt: leaseNow() };
  await customers.updateMany({ rebuild: true }, { $set: again, $unset: { rebuild: 1 }, $inc: { revision: 1 } });
  if (names.includes(formerIdentifiersIndex)) await drop(events, formerIdentifiersIndex);
  // Last, because it says that work is left.
  await drop(events, formerIndex);
}

async function drop(events: mongo.Collection<FormerEvent>, index: string): Promise<void> {
  try {
    await events.dropIndex(index);
  } catch (error) {
    const { codeName } = error as { codeName?: unknown };
    // Another node was first, or an index is being built: then a later start drops this one.
    if (codeName !== 'IndexNotFound' && codeName !== 'BackgroundOperationInProgressForNamespace') throw error;
  }
}
