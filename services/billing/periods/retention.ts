import { addMonths } from '../../../lib/clock.ts';
import { deleteInBatches, removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { now } from '../clock.ts';

/** The retention of the usage history: a year, and the month to compare with. */
const keptMonths = 13;

/** Deletes archived periods that ended more than 13 months ago, of every organization. */
export async function sweepUsageHistory(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(UsagePeriodModel, { periodEnd: { $lte: addMonths(now(), -keptMonths) } }, signal);
}

/** Deletes up to `limit` archived periods of an organization; returns the count. Idempotent. */
export function eraseUsageHistory(orgId: string, limit: number): Promise<number> {
  return deleteInBatches(UsagePeriodModel, { orgId }, limit);
}
