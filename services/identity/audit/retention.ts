import type { ServiceBroker } from 'moleculer';
import { day, fromNow } from '../../../lib/clock.ts';
import { recordRetentionChange } from '../../../lib/kept-days.ts';
import { limitsOf } from '../../../lib/plan-limits.ts';
import { maxBatchSize } from '../../../lib/remove-up-to.ts';
import { type Sweep, sweepInTurns, tenantsOf } from '../../../lib/sweep.ts';
import { AuditRecordModel } from '../../../models/identity/audit-record.ts';
import { AuditRetentionModel } from '../../../models/identity/audit-retention.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';

/** Days that the platform's own log and those of deleted organizations are kept. */
const platformDays = 7 * 365;

/**
 * Removes the audit records that are older than the plan of their organization keeps them (`auditDays`). While billing
 * cannot be reached nothing is removed.
 */
export async function sweepAuditRecords(broker: ServiceBroker, sweep: Sweep): Promise<void> {
  await sweepInTurns(sweep, tenantsOf([AuditRecordModel]), 1, async (tenant, again) => {
    const days = await daysKept(broker, tenant.orgId);
    if (days !== null && !(await removeSome(tenant.orgId, fromNow(-days * day)))) again(tenant);
  });
}

/** How many days are kept; null where it is not known now. */
async function daysKept(broker: ServiceBroker, orgId: string): Promise<number | null> {
  if (!(await OrganizationModel.exists({ _id: orgId, status: 'active' }))) return platformDays;
  const limits = await limitsOf(broker, orgId);
  return limits === 'unknown' ? null : await recordRetentionChange(AuditRetentionModel, orgId, limits.auditDays);
}

/**
 * Removes some of the records until an instant, and returns whether none are left. The ids of records are in the order of
 * their time.
 */
async function removeSome(orgId: string, until: Date): Promise<boolean> {
  const first = await AuditRecordModel.find({ orgId }, { createdAt: 1 }).sort({ _id: 1 }).limit(maxBatchSize).lean();
  const old = first.filter(({ createdAt }) => createdAt <= until).map(({ _id }) => _id);
  if (old.length > 0) await AuditRecordModel.deleteMany({ orgId, _id: { $in: old } });
  return old.length < maxBatchSize;
}
