import type { SystemRole } from '../../../lib/contract/authorize.ts';
import { AssignmentTable } from './assignment-table.ts';
import type { SubjectId } from './changes.ts';
import { PermissionTable } from './permission-table.ts';
import { RoleTable } from './role-table.ts';

/**
 * The tables of a graph. They refer only to each other's entries. `suspensions`: the members whose assignments are not
 * in force, each with when they were suspended, in milliseconds.
 */
export type GraphTables = {
  permissions: PermissionTable;
  roles: RoleTable;
  assignments: AssignmentTable;
  suspensions: Map<SubjectId, number>;
};

export function emptyTables(): GraphTables {
  const [permissions, roles, assignments] = [new PermissionTable(), new RoleTable(), new AssignmentTable()];
  return { permissions, roles, assignments, suspensions: new Map() };
}

/** When and by which revision something changed. */
export type Stamp = { revision: number; at: number };

/**
 * A role as readers see it. Permissions are sorted and its own only; `includes` are roles that exist. Times in
 * milliseconds since 1970. The system roles are of revision 0, and their times are 0.
 */
export type Role = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isSystem: boolean;
  readonly permissions: readonly string[];
  readonly includes: readonly string[];
  /** The revision of the organization that changed the role last. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** A role of a subject, until `expiresAt` exclusively (null: never expires). Times in milliseconds since 1970. */
export type Assignment = {
  readonly id: string;
  readonly subject: SubjectId;
  readonly roleId: string;
  readonly expiresAt: number | null;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/**
 * A permission key that roles of an organization can name. Its description is read from the database when it is shown.
 * The numbers of the platform's own are 0.
 */
export type Permission = {
  readonly key: string;
  readonly isSystem: boolean;
  /** The revision of the organization that described it last; 0 when it is no longer known. */
  readonly describedIn: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/**
 * Why one of a subject's assignments allows a permission. `roleId` is the assigned role, `through` the included roles
 * on the shortest way to the one that names the permission: empty when the assigned role does.
 */
export type Reason = { assignmentId: string; roleId: string; permission: string; through: string[] };

/** Why a subject was denied, and the ids of at most 20 roles that would grant the permission. */
export type Missing = {
  reason: 'SUBJECT_UNKNOWN' | 'SUSPENDED' | 'PERMISSION_UNKNOWN' | 'NOT_GRANTED' | 'EXPIRED';
  message: string;
  roles: string[];
};

/** `because` has one reason for each assignment that allows; `missing` is null when any does. */
export type Explanation = { allowed: boolean; because: Reason[]; missing: Missing | null };

/** `suspendedAt` in milliseconds since 1970; null for a member whose assignments are in force. */
export type Membership = { assignment: Assignment; role: SystemRole; suspendedAt: number | null };
export type Member = Membership & { userId: string };

export type SubjectKind = 'user' | 'application';

export function kindOf(subject: SubjectId): SubjectKind {
  return subject.startsWith('app_') ? 'application' : 'user';
}

/**
 * Sizes of what an organization made itself: the system's permissions and roles are not counted. `assignments` are all
 * of them, with the memberships, which `members` counts.
 */
export type Sizes = { roles: number; permissions: number; assignments: number; members: number; subjects: number };
