import {
  declaredKeys,
  permissionsGeneration,
  platformPermission,
  type SystemPermission,
  systemPermissions,
} from '../../../lib/permissions.ts';
import type { PermissionValue } from './changes.ts';
import type { Permission, Stamp } from './values.ts';

/** A permission with its place in the table, which stands for it in the bits of roles. */
type Entry = { place: number; value: Permission };

const systemKeys = Object.keys(systemPermissions) as SystemPermission[];
const systemPlaces = new Map<string, number>(systemKeys.map((key, place) => [key, place]));

/**
 * The places after those are for the permissions that services declare, and equal in all organizations. A role may name
 * a permission that this node does not know yet: it has its place already, and takes effect once the service is known.
 */
const declaredPlaces = new Map<string, number>();
const maxDeclared = 256;
const firstOwnPlace = systemKeys.length + maxDeclared;

/** The place of a permission of the platform; undefined where there are too many. */
export function platformPlace(key: string): number | undefined {
  const known = systemPlaces.get(key) ?? declaredPlaces.get(key);
  if (known !== undefined) return known;
  if (declaredPlaces.size === maxDeclared) return undefined;
  const place = systemKeys.length + declaredPlaces.size;
  declaredPlaces.set(key, place);
  return place;
}

/** Whether a place is of a permission of the platform, not of one that an organization registered. */
export function isPlatformPlace(place: number): boolean {
  return place < firstOwnPlace;
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

  /** How many the organization registered. */
  get size(): number {
    return this.#keys.length;
  }

  /** Drops what was computed from former declarations of services. */
  refresh(): void {
    if (this.#generation === permissionsGeneration()) return;
    this.#generation = permissionsGeneration();
    this.#sorted = null;
  }

  /** Adds a permission, or notes a new description of a known one; those of the platform stay as they are. */
  register({ key }: PermissionValue, { revision, at }: Stamp): void {
    const known = this.#own.get(key);
    const createdAt = known?.value.createdAt ?? at;
    this.restore({ key: known?.value.key ?? key, isSystem: false, describedIn: revision, createdAt, updatedAt: at });
  }

  /** Inserts a stored permission of the organization unchanged, unless the platform has one of this key. */
  restore(value: Permission): void {
    if (systemPlaces.has(value.key)) return;
    this.#sorted = null;
    const known = this.#own.get(value.key);
    if (known) {
      known.value = value;
      return;
    }
    this.#own.set(value.key, { place: firstOwnPlace + this.#keys.length, value });
    this.#keys.push(value.key);
  }

  placeOf(key: string): number | undefined {
    return this.#own.get(key)?.place ?? systemPlaces.get(key) ?? declaredPlaces.get(key);
  }

  keyAt(place: number): string | undefined {
    if (!isPlatformPlace(place)) return this.#keys[place - firstOwnPlace];
    return systemKeys[place] ?? [...declaredPlaces.keys()][place - systemKeys.length];
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
