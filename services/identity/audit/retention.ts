import type { ServiceBroker } from 'moleculer';
import { limitsOf } from '../../../lib/clients/plan-limits.ts';
import { recordRetentionChange } from '../../../lib/clients/retention-days.ts';
import type { CallContext } from '../../../lib/contract/context.ts';
import { day, fromNow } from '../../../lib/data/clock.ts';
import { maxBatchSize } from '../../../lib/data/collection.ts';
import { type Sweep, sweepInTurns, tenantsOf } from '../../../lib/data/sweep.ts';
import { AuditRecordModel } from '../../../models/identity/audit-record.ts';
import { AuditRetentionModel } from '../../../models/identity/audit-retention.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';

/** The days for which the platform's own log and the logs of deleted organizations are kept. */
const platformDays = 7 * 365;

/**
 * Removes audit records that are older than the retention of their organization's plan (`auditDays`). Removes nothing
 * of an organization while billing cannot be reached.
 */
export async function sweepAuditRecords(broker: ServiceBroker, sweep: Sweep): Promise<void> {
  await sweepInTurns(sweep, tenantsOf([AuditRecordModel]), 1, async (tenant, again) => {
    const days = await auditDaysOf(broker, tenant.orgId);
    if (days !== null && !(await removeSome(tenant.orgId, fromNow(-days * day)))) again(tenant);
  });
}

/** The retention of an organization's audit log in days; null while it is unknown. */
export async function auditDaysOf(ctx: CallContext, orgId: string): Promise<number | null> {
  if (!(await OrganizationModel.exists({ _id: orgId, status: 'active' }))) return platformDays;
  const limits = await limitsOf(ctx, orgId);
  return limits === 'unknown' ? null : await recordRetentionChange(AuditRetentionModel, orgId, limits.auditDays);
}

/**
 * Removes one batch of the oldest records until an instant, and returns whether it was the last. Ids of records sort by
 * time.
 */
async function removeSome(orgId: string, until: Date): Promise<boolean> {
  const first = await AuditRecordModel.find({ orgId }, { createdAt: 1 }).sort({ _id: 1 }).limit(maxBatchSize).lean();
  const old = first.filter(({ createdAt }) => createdAt <= until).map(({ _id }) => _id);
  if (old.length > 0) await AuditRecordModel.deleteMany({ orgId, _id: { $in: old } });
  return old.length < maxBatchSize;
}
