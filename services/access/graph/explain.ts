import { type AssignmentRecord, isInForce } from './assignment-table.ts';
import { hasBit } from './bits.ts';
import type { SubjectId } from './changes.ts';
import { type RoleNode, shortestPath } from './role-table.ts';
import type { GraphTables } from './tables.ts';
import { type Explanation, kindOf, type Missing, type Reason } from './values.ts';

const maxSuggestedRoles = 20;

/** Why a subject holds a permission at an instant, or what it lacks: `OrgGraph.check` with reasons. */
export function explain(tables: GraphTables, subject: SubjectId, permission: string, at: number): Explanation {
  const index = tables.permissions.placeOf(permission);
  const records = tables.assignments.of(subject);
  const granting = index === undefined ? [] : records.filter((record) => hasBit(record.role.effective, index));
  const because = granting
    .filter((record) => isInForce(record, at))
    .map((record) => reasonOf(record, permission, index ?? -1));
  if (because.length > 0) return { allowed: true, because, missing: null };
  const roles = index === undefined ? [] : rolesGranting(tables, index);
  return { allowed: false, because, missing: { ...refusal(subject, records, granting, index), roles } };
}

function reasonOf({ id, role }: AssignmentRecord, permission: string, index: number): Reason {
  const path = shortestPath([role], (node) => hasBit(node.own, index)) ?? [role];
  const through = path.slice(1).map((node) => node.value.id);
  return { assignmentId: id, roleId: role.value.id, permission, through };
}

function rolesGranting(tables: GraphTables, index: number): string[] {
  const granting = tables.roles.sorted().filter((node: RoleNode) => hasBit(node.effective, index));
  return granting.slice(0, maxSuggestedRoles).map((node) => node.value.id);
}

function refusal(
  subject: SubjectId,
  records: readonly AssignmentRecord[],
  expired: readonly AssignmentRecord[],
  index: number | undefined,
): Omit<Missing, 'roles'> {
  const kind = kindOf(subject);
  if (records.length === 0) {
    return { reason: 'SUBJECT_UNKNOWN', message: `The ${kind} has no role in this organization.` };
  }
  if (index === undefined) {
    return { reason: 'PERMISSION_UNKNOWN', message: 'No permission of this key is registered in the organization.' };
  }
  const [latest] = expired.toSorted((left, right) => (right.expiresAt ?? 0) - (left.expiresAt ?? 0));
  if (!latest) return { reason: 'NOT_GRANTED', message: `None of the roles of the ${kind} grants this permission.` };
  const until = new Date(latest.expiresAt ?? 0).toISOString();
  return { reason: 'EXPIRED', message: `The assignment ${latest.id} of ${latest.role.value.id} expired at ${until}.` };
}
