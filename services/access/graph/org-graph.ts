import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemRoles } from '../../../lib/contract/authorize.ts';
import { type AssignmentRecord, isInForce, viewOf } from './assignment-table.ts';
import { applyChange, isKnownKind, type NumberedChange, type SubjectId } from './changes.ts';
import { isPlatformPlace } from './permission-table.ts';
import { type Bits, bitsOf, hasBit, placesOf, type RoleNode, shortestPath, unionOf } from './role-table.ts';
import { partsOf, type SnapshotPart, SnapshotReader } from './snapshot.ts';
import {
  type Assignment,
  type Explanation,
  emptyTables,
  type GraphTables,
  kindOf,
  type Member,
  type Membership,
  type Missing,
  type Permission,
  type Reason,
  type Role,
  type Sizes,
  type SubjectKind,
} from './values.ts';

const maxSuggestedRoles = 20;

/** Why a subject holds a permission at an instant, or what it lacks: `OrgGraph.check` with reasons. */
export function explain(tables: GraphTables, subject: SubjectId, permission: string, at: number): Explanation {
  const suspendedAt = tables.suspensions.get(subject);
  if (suspendedAt !== undefined) return { allowed: false, because: [], missing: suspension(suspendedAt) };
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

/** No role would help. */
function suspension(at: number): Missing {
  const message = `The user's membership has been suspended since ${new Date(at).toISOString()}.`;
  return { reason: 'SUSPENDED', message, roles: [] };
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

/** A page of subjects: after one, and at most `limit`. */
export type SubjectRange = { after?: SubjectId | null; limit?: number };

const nothing = bitsOf([]);
/** Takes a millisecond or two, after which other work gets a turn. */
const subjectsInOneTurn = 2000;

/** Whether a subject holds a permission. The hot path: unlike the rest of this file, it allocates no objects. */
export function isHeld(tables: GraphTables, subject: SubjectId, permission: string, at: number): boolean {
  const index = tables.permissions.placeOf(permission);
  if (index === undefined || tables.suspensions.has(subject)) return false;
  let record = tables.assignments.firstOf(subject) ?? null;
  for (; record; record = record.next) {
    if (hasBit(record.role.effective, index) && isInForce(record, at)) return true;
  }
  return false;
}

/** The union of the permissions of a subject's assignments in force; none for a suspended member. */
export function heldBy(
  { assignments, suspensions }: GraphTables,
  subject: SubjectId,
  at: number,
  counts: (record: AssignmentRecord) => boolean,
): Bits {
  let granted = nothing;
  if (suspensions.has(subject)) return granted;
  let record = assignments.firstOf(subject) ?? null;
  for (; record; record = record.next) {
    if (isInForce(record, at) && counts(record)) granted = unionOf(granted, [record.role.effective]);
  }
  return granted;
}

/** All subjects after one in order, or `backwards`, in pages; the graph may change in between. */
export function* subjectPages(
  tables: GraphTables,
  after: SubjectId | null,
  backwards = false,
): Generator<SubjectId[], void> {
  let page = tables.assignments.subjects(after, subjectsInOneTurn, backwards);
  while (page.length > 0) {
    yield page;
    page = tables.assignments.subjects(page.at(-1) ?? null, subjectsInOneTurn, backwards);
  }
}

type EdgeRequest = SubjectRange & { permission: string; at: number; kind: SubjectKind };

/** The subjects of a kind that hold a permission, sorted, in pages. */
export function* holdersOf(tables: GraphTables, request: EdgeRequest): Generator<SubjectId[], void> {
  const { permission, at, kind, after = null, limit = Number.POSITIVE_INFINITY } = request;
  let remaining = limit;
  for (const page of subjectPages(tables, after)) {
    const holders = page.filter((subject) => kindOf(subject) === kind && isHeld(tables, subject, permission, at));
    yield holders.slice(0, remaining);
    remaining -= holders.length;
    if (remaining <= 0) return;
  }
}

export type { SnapshotPart } from './snapshot.ts';
export type * from './values.ts';

const entitiesInOnePart = 4000;

/**
 * The access graph of an organization at a revision: the result of its changes in order, and of nothing else. It does
 * no I/O and reads no clock: `at` is an instant in milliseconds since 1970.
 */
export class OrgGraph {
  readonly orgId: string;
  /** The number of the last change; 0 before the first. */
  revision = 0;
  /** Whether the organization is closed. It is empty then, and further changes have no effect. */
  isClosed = false;
  readonly #tables: GraphTables;

  constructor(orgId: string, tables: GraphTables = emptyTables()) {
    this.orgId = orgId;
    this.#tables = tables;
  }

  /**
   * Applies the next change, by `applyChange`. Throws an Error when it is not the next, or of an unknown kind.
   */
  apply({ revision, at, change }: NumberedChange): void {
    if (revision !== this.revision + 1) {
      throw new Error(`Revision ${revision} of ${this.orgId} does not follow ${this.revision}.`);
    }
    if (!isKnownKind(change)) throw new Error(`Revision ${revision} is of the unknown kind ${change.kind}.`);
    this.revision = revision;
    if (this.isClosed) return;
    this.isClosed = change.kind === 'closed';
    applyChange(this.#tables, change, { revision, at });
  }

  /** The graph with the permissions that services declare now, including those declared after it was built. */
  withDeclared(): this {
    this.#tables.permissions.refresh();
    this.#tables.roles.refresh();
    return this;
  }

  /** Whether a subject holds a permission; false for unknown subjects and permissions. */
  check(subject: SubjectId, permission: string, at: number): boolean {
    return isHeld(this.#tables, subject, permission, at);
  }

  /** The result of `check` with its reasons. */
  explain(subject: SubjectId, permission: string, at: number): Explanation {
    return explain(this.#tables, subject, permission, at);
  }

  /** All permissions of a subject, sorted. */
  permissionsOf(subject: SubjectId, at: number): string[] {
    return this.#keysOf(heldBy(this.#tables, subject, at, () => true));
  }

  /** The platform's permissions that a subject holds by roles other than their system role. */
  systemPermissionsOf(subject: SubjectId, at: number): string[] {
    const extra = heldBy(this.#tables, subject, at, (record) => !record.role.systemRole);
    if (extra.length === 0) return [];
    const member = this.#tables.assignments.membershipOf(subject)?.role.effective ?? nothing;
    const places = placesOf(extra).filter((index) => isPlatformPlace(index) && !hasBit(member, index));
    return places.flatMap((index) => this.#tables.permissions.keyAt(index) ?? []);
  }

  /** The next instant at which an assignment of a subject expires: until then only changes affect their permissions. */
  nextExpiryOf(subject: SubjectId, at: number): number | null {
    let next: number | null = null;
    let record = this.#tables.assignments.firstOf(subject) ?? null;
    for (; record; record = record.next) {
      const { expiresAt } = record;
      if (expiresAt !== null && expiresAt > at && (next === null || expiresAt < next)) next = expiresAt;
    }
    return next;
  }

  /** All subjects of a kind that hold a permission, sorted. */
  subjectsWith(permission: string, at: number, kind: SubjectKind, range: SubjectRange = {}): string[] {
    const found: string[] = [];
    for (const holders of holdersOf(this.#tables, { permission, at, kind, ...range })) found.push(...holders);
    return found;
  }

  /**
   * {@link subjectsWith} in time slices, so that the event loop is not blocked. The result includes every subject that
   * held the permission throughout the call, and none that never held it.
   */
  async subjectsWithSliced(
    permission: string,
    at: number,
    kind: SubjectKind,
    range: SubjectRange = {},
  ): Promise<string[]> {
    const found: string[] = [];
    for (const holders of holdersOf(this.#tables, { permission, at, kind, ...range })) {
      found.push(...holders);
      await nextTurn();
    }
    return found;
  }

  /** The system roles, then the organization's by id. */
  roles(): Role[] {
    return this.#tables.roles.sorted().map((node) => node.value);
  }

  role(id: string): Role | undefined {
    return this.#tables.roles.get(id)?.value;
  }

  /** The permissions of a role and of all roles it includes, sorted; empty for an unknown role. */
  permissionsOfRole(id: string): string[] {
    return this.#keysOf(this.#tables.roles.get(id)?.effective ?? nothing);
  }

  /** The platform's and the organization's, sorted by key. */
  permissions(): Permission[] {
    return this.#tables.permissions.sorted();
  }

  permission(key: string): Permission | undefined {
    return this.#tables.permissions.get(key);
  }

  /** A subject's assignments by id, also those that expired. */
  assignments(subject: SubjectId): Assignment[] {
    return this.#tables.assignments.of(subject).map(viewOf);
  }

  /**
   * The assignments of a role by subject, also those that expired, in time slices: {@link subjectsWithSliced}. A subject
   * has a role at most once.
   */
  async assignmentsOfRoleSliced(roleId: string, { after = null, limit }: SubjectRange & { limit: number }) {
    const found: Assignment[] = [];
    for (const page of subjectPages(this.#tables, after)) {
      const assigned = page.flatMap((subject) => this.assignments(subject).filter((one) => one.roleId === roleId));
      found.push(...assigned.slice(0, limit - found.length));
      if (found.length === limit) return found;
      await nextTurn();
    }
    return found;
  }

  assignment(id: string): Assignment | undefined {
    const record = this.#tables.assignments.get(id);
    return record && viewOf(record);
  }

  /** The ids of at most `limit` assignments that expired at an instant or before, the first to expire first. */
  expired(at: number, limit: number): string[] {
    return this.#tables.assignments.expired(at, limit);
  }

  /** A user's assignment of a system role, also while it is suspended. */
  membership(userId: string): Membership | undefined {
    const record = this.#tables.assignments.membershipOf(userId);
    const role = record?.role.systemRole;
    if (!record || !role) return undefined;
    return { assignment: viewOf(record), role, suspendedAt: this.#tables.suspensions.get(userId) ?? null };
  }

  /** The members after one by user id, or `backwards`; the organization may change while they are iterated. */
  *members(after: string | null = null, backwards = false): Iterable<Member> {
    for (const page of subjectPages(this.#tables, after, backwards)) {
      for (const userId of page) {
        const membership = this.membership(userId);
        if (membership) yield { userId, ...membership };
      }
    }
  }

  /** The number of owners who are not suspended. */
  owners(): number {
    const { roles, assignments, suspensions } = this.#tables;
    const isOwner = (userId: SubjectId) => assignments.membershipOf(userId)?.role.systemRole === 'owner';
    const suspended = [...suspensions.keys()].filter(isOwner).length;
    return (roles.get('role_owner')?.assigned ?? 0) - suspended;
  }

  /** The shortest cycle if a role included others: ids from the role to itself; null when there is none. */
  findCycle(roleId: string, includes: readonly string[]): string[] | null {
    return this.#tables.roles.findCycle(roleId, includes);
  }

  sizes(): Sizes {
    const { permissions, roles, assignments } = this.#tables;
    const memberships = systemRoles.map((role) => roles.get(`role_${role}`)?.assigned ?? 0);
    return {
      roles: roles.size,
      permissions: permissions.size,
      assignments: assignments.size,
      members: memberships.reduce((sum, assigned) => sum + assigned, 0),
      subjects: assignments.subjectCount,
    };
  }

  /** The graph as parts of about `maxEntities`, as of the call: later changes are not in them. */
  toSnapshot(maxEntities: number = entitiesInOnePart): Iterable<SnapshotPart> {
    return partsOf(this.#tables, this.isClosed, maxEntities);
  }

  /** The graph of a snapshot's parts at a revision, in their order. Throws an Error when they are incomplete. */
  static fromSnapshot(orgId: string, revision: number, parts: Iterable<SnapshotPart>): OrgGraph {
    const reader = new SnapshotReader();
    for (const part of parts) reader.add(part);
    return OrgGraph.fromReader(orgId, revision, reader);
  }

  /** Builds the graph from a reader of streamed snapshot parts, so that not all parts are in memory. */
  static fromReader(orgId: string, revision: number, reader: SnapshotReader): OrgGraph {
    const { tables, isClosed } = reader.finish();
    const graph = new OrgGraph(orgId, tables);
    graph.isClosed = isClosed;
    graph.revision = revision;
    return graph;
  }

  #keysOf(bits: Bits): string[] {
    const keys = placesOf(bits).flatMap((index) => this.#tables.permissions.keyAt(index) ?? []);
    return [...new Set(keys)].sort();
  }
}
