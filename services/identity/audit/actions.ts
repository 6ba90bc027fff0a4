import { appendAuditRecord } from './append-audit-record.ts';
import { listAuditRecords } from './list-audit-records.ts';

export { sweepAuditWindows } from './strangers.ts';

export const auditActions = {
  'audit.append': appendAuditRecord,
  'audit.list': listAuditRecords,
};
