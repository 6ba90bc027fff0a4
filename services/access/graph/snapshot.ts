import type { AssignmentRecord } from './assignment-table.ts';
import type { RoleNode } from './role-table.ts';
import {
  type AssignmentRow,
  assignmentOf,
  assignmentRow,
  type PermissionRow,
  permissionOf,
  permissionRow,
  type Reference,
  References,
  type RoleRow,
  roleOf,
  roleRow,
} from './snapshot-rows.ts';
import { emptyTables, type GraphTables } from './tables.ts';
import type { Permission, Role } from './values.ts';

type Totals = { permissions: number; roles: number; assignments: number };

/**
 * A part of a graph as plain data for JSON: first all permissions, then all roles, then all assignments. One JSON text
 * is smaller in a database, and faster to read, than arrays. The first part describes the whole.
 */
export type SnapshotPart = {
  first?: { version: 1; isClosed: boolean; totals: Totals };
  permissions: PermissionRow[];
  roles: RoleRow[];
  assignments: AssignmentRow[];
};

/**
 * A graph as parts of at most `maxEntities` rows, where each name in a role counts as a row; a part has at least one
 * row if there are any. They are as of the call: later changes are not in them.
 */
export function partsOf(tables: GraphTables, isClosed: boolean, maxEntities: number): Iterable<SnapshotPart> {
  const permissions = [...tables.permissions.own()];
  const roles = tables.roles.all().flatMap(({ value }) => (value.isSystem ? [] : value));
  const assignments = tables.assignments.all();
  const totals = { permissions: permissions.length, roles: roles.length, assignments: assignments.length };
  return packed(addersOf(permissions, roles, assignments), { version: 1, isClosed, totals }, maxEntities);
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
    if (this.#first?.version !== 1) throw new Error('The snapshot does not begin with a part of a known version.');
    for (const row of part.permissions) {
      this.#keys.add(row[0]);
      this.#tables.permissions.restore(permissionOf(row));
    }
    for (const row of part.roles) this.#addRole(row);
    for (const row of part.assignments) this.#addAssignment(row);
  }

  /** Throws an Error when parts are missing. */
  finish(): { tables: GraphTables; isClosed: boolean } {
    if (!this.#first) throw new Error('The snapshot has no parts.');
    const { roles, assignments } = this.#tables;
    const includes = new Map<RoleNode, RoleNode[]>();
    for (const [node, references] of this.#includes) includes.set(node, this.#rolesAt(references));
    roles.restoreIncludes(includes);
    const totals: Totals = { permissions: this.#keys.size, roles: roles.size, assignments: assignments.size };
    for (const name of ['permissions', 'roles', 'assignments'] as const) {
      const total = this.#first.totals[name];
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
