import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import type { Operation } from '../../../lib/operation.ts';
import type { AssignmentValue } from '../graph/changes.ts';
import type { Assignment } from '../graph/org-graph.ts';
import { systemRoleOf, toInstant } from './assignments.ts';

/** The result of an operation on an assignment. `before` is unknown to a retry. */
type Stored = { orgId: string; before?: Assignment | undefined; after: AssignmentValue };

/** Records that an assignment was created or changed; for a system role also the member's new role. */
export async function recordStored(ctx: Ctx, operation: Operation, { orgId, before, after }: Stored): Promise<void> {
  const isNew = after.id === operation.newId('asg');
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: isNew ? 'assignment.created' : 'assignment.updated',
    orgId,
    target: { type: 'assignment', id: after.id },
    ...(before && { before: describe(before) }),
    after: describe(after),
  });
  const role = systemRoleOf(after.roleId);
  if (!role || isNew) return;
  await recordAuditEvent(ctx, {
    id: operation.newId('aud', 'member'),
    action: 'member.updated',
    orgId,
    target: { type: 'user', id: after.subject },
    ...(before && { before: { role: systemRoleOf(before.roleId) } }),
    after: { role },
  });
}

/** Records that an assignment was removed; for a system role also that the membership ended. */
export async function recordRemoved(ctx: Ctx, orgId: string, before: Assignment): Promise<void> {
  await recordAuditEvent(ctx, {
    action: 'assignment.deleted',
    orgId,
    target: { type: 'assignment', id: before.id },
    before: describe(before),
  });
  const role = systemRoleOf(before.roleId);
  if (!role) return;
  await recordAuditEvent(ctx, {
    action: 'member.removed',
    orgId,
    target: { type: 'user', id: before.subject },
    before: { role },
  });
}

function describe({ subject, roleId, expiresAt }: AssignmentValue): Record<string, unknown> {
  return { subject, roleId, expiresAt: toInstant(expiresAt) };
}
