import type { AssignmentRecord } from './assignment-table.ts';
import type { Assignment, Permission, Role } from './values.ts';

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
