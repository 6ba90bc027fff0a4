import {
  declaredKeys,
  permissionsGeneration,
  platformPermission,
  type SystemPermission,
  systemPermissions,
} from '../../../lib/contract/permissions.ts';
import type { PermissionValue } from './changes.ts';
import type { Permission, Stamp } from './values.ts';

/** A permission with its place in the table, which stands for it in the bits of roles. */
type Entry = { place: number; value: Permission };

const systemKeys = Object.keys(systemPermissions) as SystemPermission[];
const systemPlaces = new Map<string, number>(systemKeys.map((key, index) => [key, index]));

/**
 * The places after those are for the permissions that services declare, and equal in all organizations. A role may name
 * a permission that this node does not know yet: it has its place already, and takes effect once the service is known.
 */
const declaredPlaces = new Map<string, number>();
const maxDeclared = 256;
const firstOwnPlace = systemKeys.length + maxDeclared;

/** The place of a permission of the platform; undefined where there are too many. */
export function platformPlace(key: string): number | undefined {
  const existing = systemPlaces.get(key) ?? declaredPlaces.get(key);
  if (existing !== undefined) return existing;
  if (declaredPlaces.size === maxDeclared) return undefined;
  const index = systemKeys.length + declaredPlaces.size;
  declaredPlaces.set(key, index);
  return index;
}

/** Whether a place is of a permission of the platform, not of one that an organization registered. */
export function isPlatformPlace(index: number): boolean {
  return index < firstOwnPlace;
}

function builtIn(key: string): Permission | undefined {
  return platformPermission(key) && { key, isSystem: true, describedIn: 0, createdAt: 0, updatedAt: 0 };
}

/**
 * The permissions of an organization: the platform's, and those it registered, which are never removed. One that it
 * registered before a service declared it keeps its meaning there, and grants no permission of the service.
 */
export class PermissionTable {
  readonly #own = new Map<string, Entry>();
  readonly #keys: string[] = [];
  #sorted: Permission[] | null = null;
  #generation = permissionsGeneration();

  /** The number of permissions that the organization registered. */
  get size(): number {
    return this.#keys.length;
  }

  /** Drops the caches computed from previous declarations of services. */
  refresh(): void {
    if (this.#generation === permissionsGeneration()) return;
    this.#generation = permissionsGeneration();
    this.#sorted = null;
  }

  /** Adds a permission, or records a new description of an existing one. Ignores platform permissions. */
  register({ key }: PermissionValue, { revision, at }: Stamp): void {
    const existing = this.#own.get(key);
    const createdAt = existing?.value.createdAt ?? at;
    this.restore({ key: existing?.value.key ?? key, isSystem: false, describedIn: revision, createdAt, updatedAt: at });
  }

  /** Inserts a stored permission of the organization unchanged, unless the platform has one of this key. */
  restore(value: Permission): void {
    if (systemPlaces.has(value.key)) return;
    this.#sorted = null;
    const existing = this.#own.get(value.key);
    if (existing) {
      existing.value = value;
      return;
    }
    this.#own.set(value.key, { place: firstOwnPlace + this.#keys.length, value });
    this.#keys.push(value.key);
  }

  placeOf(key: string): number | undefined {
    return this.#own.get(key)?.place ?? systemPlaces.get(key) ?? declaredPlaces.get(key);
  }

  keyAt(index: number): string | undefined {
    if (!isPlatformPlace(index)) return this.#keys[index - firstOwnPlace];
    return systemKeys[index] ?? [...declaredPlaces.keys()][index - systemKeys.length];
  }

  get(key: string): Permission | undefined {
    return this.#own.get(key)?.value ?? builtIn(key);
  }

  /** The organization's own, in the order in which they came. */
  *own(): Iterable<Permission> {
    for (const { value } of this.#own.values()) yield value;
  }

  /** All of them, the platform's too, sorted by key. */
  sorted(): Permission[] {
    const platform = [...systemKeys, ...declaredKeys()].filter((key) => !this.#own.has(key));
    this.#sorted ??= [...platform.flatMap((key) => builtIn(key) ?? []), ...this.own()].sort((left, right) =>
      left.key < right.key ? -1 : 1,
    );
    return [...this.#sorted];
  }
}
