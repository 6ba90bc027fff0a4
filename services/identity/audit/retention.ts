import type { ServiceBroker } from 'moleculer';
import { day, fromNow } from '../../../lib/clock.ts';
import { isError } from '../../../lib/errors.ts';
import { noteDays } from '../../../lib/kept-days.ts';
import { limitsOf } from '../../../lib/plan-limits.ts';
import { maxStatement } from '../../../lib/remove-up-to.ts';
import { pagesById, type Sweep, sweepItems, tenantsOf } from '../../../lib/sweep.ts';
import { type AuditRecordDocument, AuditRecordModel, platformLog } from '../../../models/identity/audit-record.ts';
import { AuditRetentionModel } from '../../../models/identity/audit-retention.ts';

/** Days that the platform's own log and those of deleted organizations are kept. */
const platformDays = 7 * 365;

/**
 * Removes the audit records that are older than the plan of their organization keeps them (`auditDays`). While billing
 * cannot be reached nothing is removed.
 */
export async function sweepAuditRecords(broker: ServiceBroker, sweep: Sweep): Promise<void> {
  await sweepItems(sweep, tenantsOf([AuditRecordModel]), 1, async ({ orgId }) => {
    const days = await daysKept(broker, orgId);
    if (days !== null) await removeUntil(orgId, fromNow(-days * day), sweep.signal);
  });
}

/** How many days are kept; null where it is not known now. */
async function daysKept(broker: ServiceBroker, orgId: string): Promise<number | null> {
  if (orgId === platformLog) return platformDays;
  try {
    const limits = await limitsOf(broker, orgId);
    return limits === 'unknown' ? null : await noteDays(AuditRetentionModel, orgId, limits.auditDays);
  } catch (error) {
    if (!isError(error, 'NOT_FOUND')) throw error;
    await AuditRetentionModel.deleteOne({ _id: orgId, orgId });
    return platformDays;
  }
}

type Dated = Pick<AuditRecordDocument, '_id' | 'orgId' | 'createdAt'>;

/** The ids of records are in the order of their time, so the first page without an old one is the last to be read. */
async function removeUntil(orgId: string, until: Date, signal: AbortSignal): Promise<void> {
  for await (const page of pagesById<Dated>(AuditRecordModel, { orgId }, maxStatement, { orgId: 1, createdAt: 1 })) {
    const old = page.filter(({ createdAt }) => createdAt <= until).map(({ _id }) => _id);
    if (old.length > 0) await AuditRecordModel.deleteMany({ orgId, _id: { $in: old } });
    if (old.length === 0 || signal.aborted) return;
  }
}
