import type { AssignmentValue, Change } from './changes.ts';
import { emptyTables, type GraphTables } from './tables.ts';
import { kindOf, type Stamp } from './values.ts';

/**
 * Applies a change to the tables. The writer of a change has validated it, so the following never happens, but it has
 * the same result on every node if it does:
 * - a role is stored without permissions and includes that do not exist, or that lead back to it;
 * - system roles and the platform's permissions cannot be changed;
 * - an assignment of a role that does not exist, or of a system role to an application, is invalid: the one with its id
 *   is removed, and nothing is stored;
 * - a membership never expires, and replaces another that its user has;
 * - a removal of something that does not exist does nothing.
 */
export function applyChange(tables: GraphTables, change: Change, stamp: Stamp): void {
  const { permissions, roles, assignments } = tables;
  switch (change.kind) {
    case 'founded':
      storeAssignment(tables, change.owner, stamp);
      break;
    case 'permissionsRegistered':
      for (const permission of change.permissions) permissions.register(permission, stamp);
      break;
    case 'roleStored':
      roles.store(change.role, permissions, stamp);
      break;
    case 'roleRemoved':
      removeRole(tables, change.roleId, stamp);
      break;
    case 'assignmentStored':
      storeAssignment(tables, change.assignment, stamp);
      break;
    case 'assignmentRemoved':
      assignments.remove(change.assignmentId);
      break;
    case 'subjectRemoved':
      assignments.removeSubject(change.subject);
      break;
    case 'closed':
      Object.assign(tables, emptyTables());
      break;
  }
}

function removeRole({ roles, assignments }: GraphTables, roleId: string, stamp: Stamp): void {
  const removed = roles.remove(roleId, stamp);
  if (removed) assignments.removeRole(removed);
}

function storeAssignment({ roles, assignments }: GraphTables, assignment: AssignmentValue, stamp: Stamp): void {
  const role = roles.get(assignment.roleId);
  if (!role || (role.systemRole && kindOf(assignment.subject) === 'application')) {
    assignments.remove(assignment.id);
    return;
  }
  if (!role.systemRole) {
    assignments.store(assignment, role, stamp);
    return;
  }
  const previous = assignments.membershipOf(assignment.subject);
  assignments.store({ ...assignment, expiresAt: null }, role, stamp);
  if (previous && previous.id !== assignment.id) assignments.remove(previous.id);
}
