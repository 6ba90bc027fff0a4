import { type SystemPermission, systemPermissions } from '../../../lib/permissions.ts';
import type { PermissionValue } from './changes.ts';
import type { Permission } from './values.ts';

/** A permission with its place in the table, which stands for it in the bits of roles. */
type Entry = { place: number; value: Permission };

export const systemKeys = Object.keys(systemPermissions) as SystemPermission[];

const systemEntries = new Map<string, Entry>(systemKeys.map((key, place) => [key, { place, value: builtIn(key) }]));

function builtIn(key: SystemPermission): Permission {
  return { key, description: systemPermissions[key].description, isSystem: true, createdAt: 0, updatedAt: 0 };
}

/** The permissions of an organization: the platform's own, and those it registered, which are never removed. */
export class PermissionTable {
  readonly #own = new Map<string, Entry>();
  readonly #keys: string[] = [];
  #sorted: Permission[] | null = null;

  /** How many the organization registered. */
  get size(): number {
    return this.#keys.length;
  }

  /** Adds a permission, or replaces the description of a known one; those of the platform stay as they are. */
  register({ key, description }: PermissionValue, at: number): void {
    const known = this.#own.get(key);
    if (known?.value.description === description) return;
    const createdAt = known?.value.createdAt ?? at;
    this.restore({ key: known?.value.key ?? key, description, isSystem: false, createdAt, updatedAt: at });
  }

  /** Puts a permission of the organization as it is into the table, unless the platform has one of this key. */
  restore(value: Permission): void {
    if (systemEntries.has(value.key)) return;
    this.#sorted = null;
    const known = this.#own.get(value.key);
    if (known) {
      known.value = value;
      return;
    }
    this.#own.set(value.key, { place: systemKeys.length + this.#keys.length, value });
    this.#keys.push(value.key);
  }

  placeOf(key: string): number | undefined {
    return (this.#own.get(key) ?? systemEntries.get(key))?.place;
  }

  keyAt(place: number): string | undefined {
    return place < systemKeys.length ? systemKeys[place] : this.#keys[place - systemKeys.length];
  }

  get(key: string): Permission | undefined {
    return (systemEntries.get(key) ?? this.#own.get(key))?.value;
  }

  /** The organization's own, in the order in which they came. */
  *own(): Iterable<Permission> {
    for (const { value } of this.#own.values()) yield value;
  }

  /** All of them, the platform's too, sorted by key. */
  sorted(): Permission[] {
    this.#sorted ??= [...systemEntries.values(), ...this.#own.values()]
      .map(({ value }) => value)
      .sort((left, right) => (left.key < right.key ? -1 : 1));
    return [...this.#sorted];
  }
}
