import { type SystemRole, scopesOf, systemRoles } from '../../../lib/contract/authorize.ts';
import { allows, permissionsGeneration, platformPermissions } from '../../../lib/contract/permissions.ts';
import type { RoleValue } from './changes.ts';
import { type PermissionTable, platformPlace } from './permission-table.ts';
import type { Role, Stamp } from './values.ts';

/**
 * Immutable bit sets: a role's permissions by their index in the organization's table. A thousand roles of ten thousand
 * permissions each take 1.2 MB instead of hundreds of MB as sets of keys.
 */
export type Bits = Uint32Array;

export function hasBit(bits: Bits, index: number): boolean {
  const word = index >>> 5;
  return word < bits.length && ((bits[word] ?? 0) & (1 << (index & 31))) !== 0;
}

export function bitsOf(places: Iterable<number>): Bits {
  const all = [...places];
  const size = all.reduce((minSize, index) => Math.max(minSize, index + 1), 0);
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (const bit of all) bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  return bits;
}

/** The union of sets; the first itself when the others add nothing. */
export function unionOf(first: Bits, others: readonly Bits[]): Bits {
  const added = others.filter((bits) => !isWithin(bits, first));
  if (added.length === 0) return first;
  const union = new Uint32Array(added.reduce((length, bits) => Math.max(length, bits.length), first.length));
  for (const bits of [first, ...added]) {
    for (let word = 0; word < bits.length; word += 1) union[word] = (union[word] ?? 0) | (bits[word] ?? 0);
  }
  return union;
}

export function areEqual(left: Bits, right: Bits): boolean {
  return left === right || (isWithin(left, right) && isWithin(right, left));
}

/** The numbers of a set, ascending. */
export function placesOf(bits: Bits): number[] {
  const places: number[] = [];
  for (let word = 0; word < bits.length; word += 1) {
    for (let rest = bits[word] ?? 0; rest !== 0; rest &= rest - 1) places.push(word * 32 + lowestBit(rest));
  }
  return places;
}

function isWithin(inner: Bits, outer: Bits): boolean {
  return inner.every((word, index) => (word & ~(outer[index] ?? 0)) === 0);
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/**
 * A role with its neighbours. `effective` has the permissions of the role and of all roles it includes, transitively.
 */
export type RoleNode = {
  value: Role;
  readonly systemRole: SystemRole | null;
  own: Bits;
  effective: Bits;
  includes: readonly RoleNode[];
  includedBy: readonly RoleNode[];
  /** The number of its assignments. */
  assigned: number;
};

const none: readonly RoleNode[] = [];

const descriptions: Record<SystemRole, string> = {
  owner: 'May do everything',
  admin: 'May do everything but change the billing or delete the organization',
  member: 'May read, and use the services',
};

type BuiltIn = { systemRole: SystemRole; value: Role; bits: Bits };

let computed: { generation: number; roles: BuiltIn[] } | undefined;

/** The system roles with the permissions known now: their values and bits are the same in every organization. */
function builtInRoles(): BuiltIn[] {
  if (computed?.generation !== permissionsGeneration()) {
    computed = { generation: permissionsGeneration(), roles: systemRoles.map(builtInRole) };
  }
  return computed.roles;
}

function builtInRole(systemRole: SystemRole): BuiltIn {
  const permissions = platformPermissions()
    .filter((key) => allows(scopesOf(systemRole), key))
    .sort();
  const value: Role = {
    id: `role_${systemRole}`,
    name: systemRole,
    description: descriptions[systemRole],
    isSystem: true,
    permissions,
    includes: [],
    revision: 0,
    createdAt: 0,
    updatedAt: 0,
  };
  return { systemRole, value, bits: bitsOf(permissions.flatMap((key) => platformPlace(key) ?? [])) };
}

/** The roles of an organization and their includes, without cycles. */
export class RoleTable {
  readonly #nodes = new Map<string, RoleNode>(
    builtInRoles().map(({ systemRole, value, bits }) => [value.id, nodeOf(value, systemRole, bits)]),
  );
  #generation = permissionsGeneration();

  /** Updates the system roles, and all roles that include them, with the permissions that services declare now. */
  refresh(): void {
    if (this.#generation === permissionsGeneration()) return;
    this.#generation = permissionsGeneration();
    const nodes = builtInRoles().flatMap(({ value, bits }) => {
      const node = this.#nodes.get(value.id);
      return node ? [Object.assign(node, { value, own: bits })] : [];
    });
    settle(inOrderOfInclusion(nodes));
  }

  /** The number of roles that the organization defined. */
  get size(): number {
    return this.#nodes.size - systemRoles.length;
  }

  get(id: string): RoleNode | undefined {
    return this.#nodes.get(id);
  }

  /** The system roles, then the organization's in the order in which they came. */
  all(): RoleNode[] {
    return [...this.#nodes.values()];
  }

  /** The system roles, then the organization's by id. */
  sorted(): RoleNode[] {
    const nodes = this.all();
    const own = nodes.slice(systemRoles.length).sort((left, right) => (left.value.id < right.value.id ? -1 : 1));
    return [...nodes.slice(0, systemRoles.length), ...own];
  }

  /**
   * Inserts or replaces a role. Drops permissions and included roles that do not exist, and included roles that would
   * form a cycle. Ignores system roles.
   */
  store({ id, name, description, ...names }: RoleValue, permissions: PermissionTable, { revision, at }: Stamp): void {
    const existing = this.#nodes.get(id);
    if (existing?.systemRole) return;
    const keys = knownKeys(names, permissions);
    const createdAt = existing?.value.createdAt ?? at;
    const shared = { id: existing?.value.id ?? id, name, description, isSystem: false, permissions: keys };
    const value: Role = { ...shared, includes: [], revision, createdAt, updatedAt: at };
    const node = existing ?? this.restore(value, permissions);
    const dependents = dependentsOf(node);
    const included = [...new Set(names.includes)].flatMap((includedId) => this.#nodes.get(includedId) ?? []);
    link(
      node,
      included.filter((candidate) => !dependents.includes(candidate)),
    );
    node.value = { ...value, includes: node.includes.map((role) => role.value.id) };
    node.own = bitsOf(placesIn(permissions, keys));
    settle(dependents);
  }

  /** Inserts a stored role of the organization unchanged; `restoreIncludes` completes it. */
  restore(value: Role, permissions: PermissionTable): RoleNode {
    const node = nodeOf(value, null, bitsOf(placesIn(permissions, value.permissions)));
    this.#nodes.set(value.id, node);
    return node;
  }

  /** Links all roles that were restored, given what each includes, and computes what they grant. */
  restoreIncludes(includes: ReadonlyMap<RoleNode, readonly RoleNode[]>): void {
    for (const [node, included] of includes) {
      link(node, included);
      node.value = { ...node.value, includes: included.map((role) => role.value.id) };
    }
    const roots = this.all().filter((node) => node.includes.length === 0);
    settle(inOrderOfInclusion(roots));
  }

  /** Removes a role, also from the roles that include it, which change by that; a system role stays. */
  remove(id: string, { revision, at }: Stamp): RoleNode | undefined {
    const node = this.#nodes.get(id);
    if (!node || node.systemRole) return undefined;
    const [, ...dependents] = dependentsOf(node);
    for (const parent of node.includedBy) {
      parent.includes = parent.includes.filter((role) => role !== node);
      const includes = parent.includes.map((role) => role.value.id);
      parent.value = { ...parent.value, includes, revision, updatedAt: at };
    }
    link(node, none);
    this.#nodes.delete(id);
    settle(dependents);
    return node;
  }

  /** The shortest cycle if a role included others: ids from the role to itself; null when there is none. */
  findCycle(id: string, includes: readonly string[]): string[] | null {
    if (includes.includes(id)) return [id, id];
    const included = includes.flatMap((includedId) => this.#nodes.get(includedId) ?? []);
    const path = shortestPath(included, (node) => node.value.id === id);
    return path && [id, ...path.map((node) => node.value.id)];
  }
}

/** The shortest path along includes from one of some roles to a target, including both. */
export function shortestPath(starts: readonly RoleNode[], isTarget: (node: RoleNode) => boolean): RoleNode[] | null {
  const cameFrom = new Map<RoleNode, RoleNode | null>(starts.map((node) => [node, null]));
  // A Map iterates over entries added during the iteration, which makes this a breadth-first search.
  for (const [node] of cameFrom) {
    if (isTarget(node)) return wayTo(node, cameFrom);
    for (const next of node.includes) if (!cameFrom.has(next)) cameFrom.set(next, node);
  }
  return null;
}

function wayTo(target: RoleNode, cameFrom: ReadonlyMap<RoleNode, RoleNode | null>): RoleNode[] {
  const way: RoleNode[] = [];
  for (let node: RoleNode | null = target; node; node = cameFrom.get(node) ?? null) way.unshift(node);
  return way;
}

function nodeOf(value: Role, systemRole: SystemRole | null, own: Bits): RoleNode {
  return { value, systemRole, own, effective: own, includes: none, includedBy: none, assigned: 0 };
}

/**
 * The permissions that exist, and the permissions that the writer of the change knew as declared by a service. Every
 * node must derive the same result from a change, even if it knows other services.
 */
function knownKeys(names: Pick<RoleValue, 'permissions' | 'declared'>, permissions: PermissionTable): string[] {
  const declared = new Set(names.declared?.filter((key) => platformPlace(key) !== undefined));
  const existingKeys = new Set(
    names.permissions.flatMap((key) => permissions.get(key)?.key ?? (declared.has(key) ? key : [])),
  );
  return [...existingKeys].sort();
}

function placesIn(permissions: PermissionTable, keys: readonly string[]): number[] {
  return keys.flatMap((key) => permissions.placeOf(key) ?? platformPlace(key) ?? []);
}

function link(node: RoleNode, includes: readonly RoleNode[]): void {
  for (const previous of node.includes) previous.includedBy = previous.includedBy.filter((role) => role !== node);
  for (const included of includes) included.includedBy = [...included.includedBy, node];
  node.includes = includes.length === 0 ? none : includes;
}

/** The role, then all that include it transitively, each after those it includes. */
function dependentsOf(node: RoleNode): RoleNode[] {
  return inOrderOfInclusion([node]);
}

function inOrderOfInclusion(roots: readonly RoleNode[]): RoleNode[] {
  const visited = new Set<RoleNode>(roots);
  const finished: RoleNode[] = [];
  const open = roots.map((node) => ({ node, next: 0 }));
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const dependent = top.node.includedBy[top.next];
    top.next += 1;
    if (!dependent) finished.push(...open.splice(-1).map(({ node }) => node));
    else if (!visited.has(dependent)) {
      visited.add(dependent);
      open.push({ node: dependent, next: 0 });
    }
  }
  return finished.reverse();
}

function settle(ordered: readonly RoleNode[]): void {
  for (const node of ordered) {
    const effective = unionOf(
      node.own,
      node.includes.map((role) => role.effective),
    );
    if (!areEqual(effective, node.effective)) node.effective = effective;
  }
}
