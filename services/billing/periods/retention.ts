import { UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { now } from '../clock.ts';

/** So long the history of usage goes back: a year, and the month that is compared with. */
const keptMonths = 13;
const statementMax = 500;

/** Removes what was archived of periods that ended more than 13 months ago, of every organization. */
export async function sweepUsageHistory(): Promise<void> {
  const oldest = now();
  oldest.setUTCMonth(oldest.getUTCMonth() - keptMonths);
  await UsagePeriodModel.deleteMany({ periodEnd: { $lte: oldest } }, { acrossTenants: true });
}

/** Removes up to so many archived periods of an organization, and says how many it were. May be repeated. */
export async function eraseUsageHistory(orgId: string, most: number): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const some = await UsagePeriodModel.find({ orgId }, { _id: 1 }).limit(statementMax).lean<{ _id: string }[]>();
    if (some.length === 0) break;
    removed += (await UsagePeriodModel.deleteMany({ orgId, _id: { $in: some.map(({ _id }) => _id) } })).deletedCount;
  }
  return removed;
}
