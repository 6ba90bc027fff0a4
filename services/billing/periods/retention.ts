import { addMonths } from '../../../lib/clock.ts';
import { removeUpTo } from '../../../lib/remove-up-to.ts';
import { UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { now } from '../clock.ts';

/** So long the history of usage goes back: a year, and the month that is compared with. */
const keptMonths = 13;

/** Removes what was archived of periods that ended more than 13 months ago, of every organization. */
export async function sweepUsageHistory(): Promise<void> {
  await UsagePeriodModel.deleteMany({ periodEnd: { $lte: addMonths(now(), -keptMonths) } }, { acrossTenants: true });
}

/** Removes up to so many archived periods of an organization, and says how many it were. May be repeated. */
export function eraseUsageHistory(orgId: string, most: number): Promise<number> {
  return removeUpTo(UsagePeriodModel, { orgId }, most);
}
