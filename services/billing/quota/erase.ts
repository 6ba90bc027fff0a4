import { CounterModel } from '../../../models/billing/counter.ts';
import { TakeModel } from '../../../models/billing/take.ts';

const statementMax = 500;

/** Removes up to so many of an organization's counters and remembered keys, and says how many it were. May be repeated. */
export async function eraseQuotas(orgId: string, most: number): Promise<number> {
  let removed = (await CounterModel.deleteMany({ orgId })).deletedCount;
  while (removed < most) {
    const own = { orgId, _id: { $gte: `${orgId}:`, $lt: `${orgId};` } };
    const some = await TakeModel.find(own, { _id: 1 }).limit(statementMax).lean();
    if (some.length === 0) break;
    removed += (await TakeModel.deleteMany({ orgId, _id: { $in: some.map(({ _id }) => _id) } })).deletedCount;
  }
  return removed;
}
