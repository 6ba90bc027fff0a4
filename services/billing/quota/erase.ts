import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { CounterModel } from '../../../models/billing/counter.ts';
import { TakeModel } from '../../../models/billing/take.ts';

/** Deletes up to `limit` of an organization's counters and key records; returns the count. Idempotent. */
export async function eraseQuotas(orgId: string, limit: number): Promise<number> {
  const removed = (await CounterModel.deleteMany({ orgId })).deletedCount;
  const own = { orgId, _id: { $gte: `${orgId}:`, $lt: `${orgId};` } };
  return removed + (await deleteInBatches(TakeModel, own, limit - removed));
}
