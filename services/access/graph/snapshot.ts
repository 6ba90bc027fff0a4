import type { AssignmentRecord } from './assignment-table.ts';
import type { RoleNode } from './role-table.ts';
import { type Assignment, emptyTables, type GraphTables, type Permission, type Role } from './values.ts';

/** A number is a place among the organization's own in the order of the snapshot, a text a name of the platform's. */
export type Reference = number | string;

/**
 * `description` is empty: descriptions are stored separately. An earlier release wrote them here, and no `describedIn`.
 */
export type PermissionRow = [
  key: string,
  description: string,
  createdAt: number,
  updatedAt: number,
  describedIn?: number,
];

export type RoleRow = [
  id: string,
  name: string,
  description: string,
  permissions: Reference[],
  includes: Reference[],
  revision: number,
  createdAt: number,
  updatedAt: number,
];

/** `updatedAt` is null when equal to `createdAt`; trailing nulls are omitted. */
export type AssignmentRow = [
  id: string,
  subject: string,
  role: Reference,
  revision: number,
  createdAt: number,
  updatedAt?: number | null,
  expiresAt?: number,
];

/** A suspended member, and when they were suspended. */
export type SuspensionRow = [subject: string, suspendedAt: number];

/** Finds the reference for a name, and the name for a reference. */
export class References {
  readonly #names: string[] = [];
  readonly #places = new Map<string, number>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.#names.length;
  }

  add(name: string): void {
    this.#places.set(name, this.#names.length);
    this.#names.push(name);
  }

  to(name: string): Reference {
    return this.#places.get(name) ?? name;
  }

  /** Throws an Error for a place that nothing has. */
  from(reference: Reference): string {
    const name = typeof reference === 'number' ? this.#names[reference] : reference;
    if (name === undefined) throw new Error(`The snapshot refers to place ${reference} of ${this.size}.`);
    return name;
  }
}

export function permissionRow({ key, createdAt, updatedAt, describedIn }: Permission): PermissionRow {
  return [key, '', createdAt, updatedAt, describedIn];
}

export function permissionOf([key, , createdAt, updatedAt, describedIn = 0]: PermissionRow): Permission {
  return { key, isSystem: false, describedIn, createdAt, updatedAt };
}

export function roleRow(role: Role, keys: References, ids: References): RoleRow {
  const permissions = role.permissions.map((key) => keys.to(key));
  const includes = role.includes.map((id) => ids.to(id));
  return [role.id, role.name, role.description, permissions, includes, role.revision, role.createdAt, role.updatedAt];
}

/** The role of a row without its includes, and with the permissions that were found for it. */
export function roleOf([id, name, description, , , revision, createdAt, updatedAt]: RoleRow, keys: string[]): Role {
  const values = { id, name, description, revision, createdAt, updatedAt };
  return { ...values, isSystem: false, permissions: keys, includes: [] };
}

export function assignmentRow(record: AssignmentRecord, ids: References): AssignmentRow {
  const { id, subject, role, revision, createdAt, updatedAt, expiresAt } = record;
  const row: AssignmentRow = [id, subject, ids.to(role.value.id), revision, createdAt];
  if (updatedAt !== createdAt || expiresAt !== null) row.push(updatedAt === createdAt ? null : updatedAt);
  if (expiresAt !== null) row.push(expiresAt);
  return row;
}

export function assignmentOf(row: AssignmentRow): Omit<Assignment, 'roleId'> {
  const [id, subject, , revision, createdAt, updatedAt = null, expiresAt = null] = row;
  return { id, subject, expiresAt, revision, createdAt, updatedAt: updatedAt ?? createdAt };
}

type Totals = { permissions: number; roles: number; assignments: number; suspensions?: number };

/**
 * A part of a graph as plain data for JSON: first all permissions, then all roles, all assignments and all suspensions.
 * One JSON text is smaller in a database, and faster to read, than arrays. The first part describes the whole. Version
 * 2 has suspensions: a release that would ignore them cannot read it. Without any, the version is 1.
 */
export type SnapshotPart = {
  first?: { version: 1 | 2; isClosed: boolean; totals: Totals };
  permissions: PermissionRow[];
  roles: RoleRow[];
  assignments: AssignmentRow[];
  suspensions?: SuspensionRow[];
};

/**
 * A graph as parts of at most `maxEntities` rows, where each name in a role counts as a row; a part has at least one
 * row if there are any. They are as of the call: later changes are not in them.
 */
export function partsOf(tables: GraphTables, isClosed: boolean, maxEntities: number): Iterable<SnapshotPart> {
  const permissions = [...tables.permissions.own()];
  const roles = tables.roles.all().flatMap(({ value }) => (value.isSystem ? [] : value));
  const assignments = tables.assignments.all();
  const suspensions = [...tables.suspensions];
  const totals = { permissions: permissions.length, roles: roles.length, assignments: assignments.length };
  const adders = addersOf(permissions, roles, assignments, suspensions);
  const first: SnapshotPart['first'] =
    suspensions.length === 0
      ? { version: 1, isClosed, totals }
      : { version: 2, isClosed, totals: { ...totals, suspensions: suspensions.length } };
  return packed(adders, first, maxEntities);
}

/** Adds a row to a part; `weight` is what it counts. */
type Adder = { weight: number; addTo: (part: SnapshotPart) => void };

function* packed(
  adders: Iterable<Adder>,
  first: SnapshotPart['first'],
  maxEntities: number,
): Generator<SnapshotPart, void> {
  let part: SnapshotPart = { first, permissions: [], roles: [], assignments: [] };
  let weight = 0;
  for (const adder of adders) {
    if (weight > 0 && weight + adder.weight > maxEntities) {
      yield part;
      part = { permissions: [], roles: [], assignments: [] };
      weight = 0;
    }
    adder.addTo(part);
    weight += adder.weight;
  }
  yield part;
}

function* addersOf(
  permissions: readonly Permission[],
  roles: readonly Role[],
  assignments: readonly AssignmentRecord[],
  suspensions: readonly SuspensionRow[],
): Generator<Adder, void> {
  const keys = new References(permissions.map(({ key }) => key));
  const ids = new References(roles.map(({ id }) => id));
  for (const permission of permissions) {
    yield { weight: 1, addTo: (part) => part.permissions.push(permissionRow(permission)) };
  }
  for (const role of roles) {
    const weight = 1 + role.permissions.length + role.includes.length;
    yield { weight, addTo: (part) => part.roles.push(roleRow(role, keys, ids)) };
  }
  for (const record of assignments) {
    yield { weight: 1, addTo: (part) => part.assignments.push(assignmentRow(record, ids)) };
  }
  for (const row of suspensions) {
    yield { weight: 1, addTo: (part) => (part.suspensions = [...(part.suspensions ?? []), row]) };
  }
}

/** Builds a graph's tables from the parts of a snapshot, which are added in their order and need not be kept. */
export class SnapshotReader {
  readonly #tables = emptyTables();
  readonly #keys = new References();
  readonly #ids = new References();
  readonly #includes = new Map<RoleNode, Reference[]>();
  #first: SnapshotPart['first'];

  /** Throws an Error when the part refers to what no earlier one has, or is of an unknown version. */
  add(part: SnapshotPart): void {
    if (part.first) this.#first = part.first;
    if (this.#first?.version !== 1 && this.#first?.version !== 2)
      throw new Error('The snapshot does not begin with a part of a known version.');
    for (const row of part.permissions) {
      this.#keys.add(row[0]);
      this.#tables.permissions.restore(permissionOf(row));
    }
    for (const row of part.roles) this.#addRole(row);
    for (const row of part.assignments) this.#addAssignment(row);
    for (const [subject, suspendedAt] of part.suspensions ?? []) this.#tables.suspensions.set(subject, suspendedAt);
  }

  /** Throws an Error when parts are missing. */
  finish(): { tables: GraphTables; isClosed: boolean } {
    if (!this.#first) throw new Error('The snapshot has no parts.');
    const { roles, assignments, suspensions } = this.#tables;
    const includes = new Map<RoleNode, RoleNode[]>();
    for (const [node, references] of this.#includes) includes.set(node, this.#rolesAt(references));
    roles.restoreIncludes(includes);
    const [permissions, suspended] = [this.#keys.size, suspensions.size];
    const totals = { permissions, roles: roles.size, assignments: assignments.size, suspensions: suspended };
    for (const name of ['permissions', 'roles', 'assignments', 'suspensions'] as const) {
      const total = this.#first.totals[name] ?? 0;
      if (totals[name] !== total) throw new Error(`The snapshot has ${totals[name]} ${name} instead of ${total}.`);
    }
    return { tables: this.#tables, isClosed: this.#first.isClosed };
  }

  #addRole(row: RoleRow): void {
    // A key that is not the organization's own is the platform's, or of a service that may be unknown here yet.
    const keys = row[3].map((reference) => this.#keys.from(reference));
    const node = this.#tables.roles.restore(roleOf(row, keys.sort()), this.#tables.permissions);
    this.#ids.add(row[0]);
    this.#includes.set(node, row[4]);
  }

  #addAssignment(row: AssignmentRow): void {
    this.#tables.assignments.restore(assignmentOf(row), this.#roleAt(row[2]));
  }

  #rolesAt(references: readonly Reference[]): RoleNode[] {
    return references.map((reference) => this.#roleAt(reference));
  }

  #roleAt(reference: Reference): RoleNode {
    const id = this.#ids.from(reference);
    const node = this.#tables.roles.get(id);
    if (!node) throw new Error(`The snapshot has no role ${id}.`);
    return node;
  }
}
