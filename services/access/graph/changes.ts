import type { SystemRole } from '../../../lib/contract/authorize.ts';
import { emptyTables, type GraphTables, kindOf, type Stamp } from './values.ts';

/**
 * Applies a change to the tables. The writer of a change has validated it, so the following never happens, but it has
 * the same result on every node if it does:
 * - a role is stored without permissions and includes that do not exist, or that lead back to it;
 * - system roles and the platform's permissions cannot be changed;
 * - an assignment of a role that does not exist, or of a system role to an application, is invalid: the one with its id
 *   is removed, and nothing is stored;
 * - a membership never expires, and replaces another that its user has;
 * - a suspension of someone who is not a member, or is suspended, does nothing; it ends with the membership;
 * - a removal of something that does not exist does nothing.
 */
export function applyChange(tables: GraphTables, change: Change, stamp: Stamp): void {
  const { permissions, roles, assignments, suspensions } = tables;
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
    case 'memberSuspended':
      if (!suspensions.has(change.subject)) suspensions.set(change.subject, stamp.at);
      break;
    case 'memberRestored':
      suspensions.delete(change.subject);
      break;
    case 'closed':
      Object.assign(tables, emptyTables());
      break;
  }
  for (const subject of suspensions.keys()) {
    if (!assignments.membershipOf(subject)) suspensions.delete(subject);
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

/** A holder of permissions: a user (`usr_…`) or an application (`app_…`). */
export type SubjectId = string;

export type SystemRoleId = `role_${SystemRole}`;

/**
 * A permission that an organization registered. The graph keeps the key; `store/descriptions.ts` keeps the description.
 */
export type PermissionValue = { key: string; description: string };

/** A role that an organization defined. `includes` are ids of other roles of it, whose permissions it has too. */
export type RoleValue = {
  id: string;
  name: string;
  description: string;
  permissions: string[];
  /** The permissions that services declare. */
  declared?: string[];
  includes: string[];
};

/**
 * That a subject has a role. A membership is the user's assignment of a system role: a user has at most one in an
 * organization, and keeps its id when the role changes. `expiresAt` in milliseconds since 1970, null for never.
 */
export type AssignmentValue = { id: string; subject: SubjectId; roleId: string; expiresAt: number | null };

/**
 * One change of an organization's access, with absolute values: what it makes of a graph depends on nothing but the
 * graph before it, so that every node that applies the same changes in order has the same graph.
 *
 * - `founded`: the first change of every organization; its first owner.
 * - `permissionsRegistered`: adds keys, and replaces the descriptions of existing ones.
 * - `roleStored`: a new role, or the new values of an existing one.
 * - `roleRemoved`: also removes its assignments, and the role from the roles that include it.
 * - `assignmentStored`: a new assignment, or the new values of the one with this id.
 * - `subjectRemoved`: removes all assignments of a subject: it left, or was deleted.
 * - `memberSuspended`: keeps all assignments of a member and puts them out of force, until `memberRestored`.
 * - `closed`: the organization is being deleted; empties the graph, and no change follows.
 */
export type Change =
  | { kind: 'founded'; owner: AssignmentValue }
  | { kind: 'permissionsRegistered'; permissions: PermissionValue[] }
  | { kind: 'roleStored'; role: RoleValue }
  | { kind: 'roleRemoved'; roleId: string }
  | { kind: 'assignmentStored'; assignment: AssignmentValue }
  | { kind: 'assignmentRemoved'; assignmentId: string }
  | { kind: 'subjectRemoved'; subject: SubjectId }
  | { kind: 'memberSuspended'; subject: SubjectId }
  | { kind: 'memberRestored'; subject: SubjectId }
  | { kind: 'closed' };

const kinds: Record<Change['kind'], true> = {
  founded: true,
  permissionsRegistered: true,
  roleStored: true,
  roleRemoved: true,
  assignmentStored: true,
  assignmentRemoved: true,
  subjectRemoved: true,
  memberSuspended: true,
  memberRestored: true,
  closed: true,
};

/**
 * Whether this version can apply a change. A newer version may write other kinds: a change that this version would
 * misread has a new kind, or is in a snapshot of another version.
 */
export function isKnownKind({ kind }: { kind: string }): boolean {
  return Object.hasOwn(kinds, kind);
}

/**
 * A change at its place in the organization's log: `founded` has revision 1, each further change the next. `at` in
 * milliseconds.
 */
export type NumberedChange = { revision: number; at: number; change: Change };
