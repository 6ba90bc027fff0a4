import { keptDaysModel } from '../../lib/clients/retention-days.ts';

/** The retention of an organization's audit records, by the plan that the sweep last read. */
export const AuditRetentionModel = keptDaysModel('IdentityAuditRetention', 'identity_audit_retentions');
