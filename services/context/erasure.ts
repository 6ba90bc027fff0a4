import { day, fromNow } from '../../lib/data/clock.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { CustomerErasureModel } from '../../models/context/customer-erasure.ts';
import { CustomerMergeModel } from '../../models/context/customer-merge.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { discardedWithCustomer } from './compose/progress.ts';
import { removePendingOfTombstones } from './ingest/pending-events.ts';

/** How long the id of a removed event is still recognised as a repetition, in milliseconds. */
export const tombstoneTtl = 30 * day;

/** The update that removes all of an event but its ids. */
export function toTombstone(): Record<string, Record<string, unknown>> {
  return {
    $set: { identifiers: [], stubUntil: fromNow(tombstoneTtl) },
    $unset: {
      schemaVersion: 1,
      eventName: 1,
      occurredAt: 1,
      tiebreaker: 1,
      actor: 1,
      source: 1,
      payload: 1,
      customer: 1,
      expired: 1,
    },
  };
}

/** The fields of a customer whose events are not composed. */
export const nothingComposed = { foldState: null, checkpoints: [], composeAt: null };

/** Marks a customer as being erased, which survives a crash, and erases them; false when they were merged first. */
export async function eraseCustomer(orgId: string, customer: string): Promise<boolean> {
  const { matchedCount } = await CustomerModel.updateOne(
    { orgId, _id: customer, mergedInto: null },
    { $set: { erasing: true, ...nothingComposed }, $unset: discardedWithCustomer, $inc: { revision: 1 } },
  );
  if (matchedCount === 1) await completeErasure(orgId, customer);
  return matchedCount === 1;
}

/**
 * Erases a customer and those merged into them, whose events may still be moving, until no merged customer remains.
 * Each step may be repeated; the customer's own record goes last, because it marks that work remains.
 */
export async function completeErasure(orgId: string, customer: string): Promise<void> {
  for (let person = [customer]; person.length > 0; ) {
    const merged = await CustomerModel.find({ orgId, mergedInto: customer }, { _id: 1 }).lean();
    person = merged.map(({ _id }) => _id);
    const everybody = { $in: [customer, ...person] };
    await EventModel.updateMany({ orgId, customer: everybody }, toTombstone());
    const pointers = await IdentifierModel.find({ orgId, customer: everybody }, { key: 1 }).lean();
    const keys = pointers.map(({ key }) => key);
    await removePendingOfTombstones(orgId, keys);
    await CustomerMergeModel.deleteMany({ orgId, identifiers: { $in: keys } });
    // A customer may have been merged into this one after its erasure was stored: other services erase both.
    await CustomerErasureModel.updateMany(
      { orgId, customers: customer },
      { $addToSet: { identifiers: { $each: keys } } },
    );
    await IdentifierModel.deleteMany({ orgId, customer: everybody });
    await CustomerModel.deleteMany({ orgId, _id: { $in: person } });
  }
  await CustomerModel.deleteOne({ orgId, _id: customer });
}

/** Completes the erasures that a crash interrupted. */
export async function sweepErasures(): Promise<void> {
  const unfinished = await CustomerModel.find({ erasing: true }, { orgId: 1 })
    .setOptions({ acrossTenants: true })
    .lean();
  for (const { orgId, _id } of unfinished) await completeErasure(orgId, _id);
}
