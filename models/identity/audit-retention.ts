import { keptDaysModel } from '../../lib/kept-days.ts';

/** How long an organization's audit records are kept, by the plan that the sweep has last read. */
export const AuditRetentionModel = keptDaysModel('IdentityAuditRetention', 'identity_audit_retentions');
