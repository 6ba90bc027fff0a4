import { appendAuditRecord } from './append-audit-record.ts';
import { describeAudit, recordCommand } from './console.ts';
import { listAuditRecords } from './list-audit-records.ts';

export { sweepAuditWindows } from './strangers.ts';

export const auditActions = {
  'audit.append': appendAuditRecord,
  'audit.list': listAuditRecords,
  'console.record': recordCommand,
  'console.audit': describeAudit,
};
