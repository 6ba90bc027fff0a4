import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { CounterModel } from '../../../models/billing/counter.ts';
import { TakeModel } from '../../../models/billing/take.ts';

/** Removes up to `most` of an organization's counters and remembered keys and returns how many. May be repeated. */
export async function eraseQuotas(orgId: string, most: number): Promise<number> {
  const removed = (await CounterModel.deleteMany({ orgId })).deletedCount;
  const own = { orgId, _id: { $gte: `${orgId}:`, $lt: `${orgId};` } };
  return removed + (await deleteInBatches(TakeModel, own, most - removed));
}
