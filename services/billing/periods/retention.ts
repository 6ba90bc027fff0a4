import { addMonths } from '../../../lib/clock.ts';
import { deleteInBatches, removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { now } from '../clock.ts';

/** How long the usage history goes back: a year, and the month to compare with. */
const keptMonths = 13;

/** Removes what was archived of periods that ended more than 13 months ago, of every organization. */
export async function sweepUsageHistory(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(UsagePeriodModel, { periodEnd: { $lte: addMonths(now(), -keptMonths) } }, signal);
}

/** Removes up to `most` archived periods of an organization and returns how many. May be repeated. */
export function eraseUsageHistory(orgId: string, most: number): Promise<number> {
  return deleteInBatches(UsagePeriodModel, { orgId }, most);
}
