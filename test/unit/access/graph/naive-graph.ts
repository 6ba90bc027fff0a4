import { scopesOf, systemRoles } from '../../../../lib/contract/authorize.ts';
import { allows, systemPermissions } from '../../../../lib/contract/permissions.ts';
import type { AssignmentValue, NumberedChange, RoleValue } from '../../../../services/access/graph/changes.ts';
import type { Assignment, Missing, Permission, Role } from '../../../../services/access/graph/org-graph.ts';

const systemKeys = Object.keys(systemPermissions) as (keyof typeof systemPermissions)[];
const builtInRoles: Role[] = systemRoles.map((name) => ({
  id: `role_${name}`,
  name,
  description: '',
  isSystem: true,
  permissions: systemKeys.filter((key) => allows(scopesOf(name), key)).sort(),
  includes: [],
  revision: 0,
  createdAt: 0,
  updatedAt: 0,
}));

const isSystemRole = (id: string): boolean => builtInRoles.some((role) => role.id === id);

/** The rules of the graph once more, in lists that are searched from the beginning for each answer. */
export class NaiveGraph {
  isClosed = false;
  ownPermissions: Permission[] = [];
  ownRoles: Role[] = [];
  held: Assignment[] = [];
  suspended: Record<string, number> = Object.create(null);
  /** What roles grant, remembered until the next change. */
  #granted = new Map<string, string[]>();

  apply({ revision, at, change }: NumberedChange): void {
    if (this.isClosed) return;
    this.#granted.clear();
    if (change.kind === 'founded') this.#assign(change.owner, revision, at);
    if (change.kind === 'assignmentStored') this.#assign(change.assignment, revision, at);
    if (change.kind === 'assignmentRemoved') this.held = this.held.filter(({ id }) => id !== change.assignmentId);
    if (change.kind === 'subjectRemoved') this.held = this.held.filter(({ subject }) => subject !== change.subject);
    if (change.kind === 'roleStored') this.#store(change.role, revision, at);
    if (change.kind === 'roleRemoved') this.#removeRole(change.roleId, revision, at);
    if (change.kind === 'memberSuspended') this.suspended[change.subject] ??= at;
    if (change.kind === 'memberRestored') delete this.suspended[change.subject];
    for (const subject of Object.keys(this.suspended)) if (!this.membership(subject)) delete this.suspended[subject];
    if (change.kind === 'closed') Object.assign(this, new NaiveGraph(), { isClosed: true });
    if (change.kind !== 'permissionsRegistered') return;
    for (const { key } of change.permissions) {
      const known = this.permissions().find((permission) => permission.key === key);
      if (known?.isSystem) continue;
      const times = { createdAt: known?.createdAt ?? at, updatedAt: at };
      const permission = { key, isSystem: false, describedIn: revision, ...times };
      this.ownPermissions = [...this.ownPermissions.filter((other) => other !== known), permission];
    }
  }

  permissions(): Permission[] {
    const builtIn = systemKeys.map((key) => ({ key, isSystem: true, describedIn: 0, createdAt: 0, updatedAt: 0 }));
    return [...builtIn, ...this.ownPermissions].sort((left, right) => (left.key < right.key ? -1 : 1));
  }

  roles(): Role[] {
    return [...builtInRoles, ...this.ownRoles.toSorted((left, right) => (left.id < right.id ? -1 : 1))];
  }

  role(id: string): Role | undefined {
    return this.roles().find((role) => role.id === id);
  }

  assignments(subject: string): Assignment[] {
    const all = this.held.filter((assignment) => assignment.subject === subject);
    return all.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /** All ways along includes from a role to others, each with the role at its end; none visits a role twice. */
  waysFrom(id: string, before: string[] = []): string[][] {
    const way = [...before, id];
    const next = (this.role(id)?.includes ?? []).filter((included) => !way.includes(included));
    return [way, ...next.flatMap((included) => this.waysFrom(included, way))];
  }

  permissionsOfRole(id: string): string[] {
    const remembered = this.#granted.get(id);
    if (remembered) return remembered;
    const keys = this.waysFrom(id).flatMap((way) => this.role(way.at(-1)!)?.permissions ?? []);
    const granted = [...new Set(keys)].sort();
    this.#granted.set(id, granted);
    return granted;
  }

  permissionsOf(subject: string, at: number): string[] {
    if (subject in this.suspended) return [];
    const counting = this.assignments(subject).filter(({ expiresAt }) => expiresAt === null || at < expiresAt);
    return [...new Set(counting.flatMap(({ roleId }) => this.permissionsOfRole(roleId)))].sort();
  }

  missing(subject: string, key: string): Omit<Missing, 'message'> {
    if (subject in this.suspended) return { reason: 'SUSPENDED', roles: [] };
    const all = this.assignments(subject);
    const roles = this.roles().filter(({ id }) => this.permissionsOfRole(id).includes(key));
    const ids = roles.map(({ id }) => id);
    const isKnown = this.permissions().some((permission) => permission.key === key);
    if (all.length === 0) return { reason: 'SUBJECT_UNKNOWN', roles: ids };
    if (!isKnown) return { reason: 'PERMISSION_UNKNOWN', roles: ids };
    return { reason: all.some(({ roleId }) => ids.includes(roleId)) ? 'EXPIRED' : 'NOT_GRANTED', roles: ids };
  }

  membership(subject: string): Assignment | undefined {
    return this.held.find((assignment) => assignment.subject === subject && isSystemRole(assignment.roleId));
  }

  /** A shortest circle's number of steps if a role included others. */
  shortestCycle(id: string, includes: readonly string[]): number | null {
    const ways = includes.flatMap((included) => (this.role(included) ? this.waysFrom(included) : []));
    const lengths = ways.filter((way) => way.at(-1) === id).map((way) => way.length);
    return includes.includes(id) ? 1 : lengths.length === 0 ? null : Math.min(...lengths);
  }

  #assign({ id, subject, roleId, expiresAt }: AssignmentValue, revision: number, at: number): void {
    const former = this.held.find((assignment) => assignment.id === id);
    this.held = this.held.filter((assignment) => assignment !== former);
    const isMembership = isSystemRole(roleId);
    if (!this.role(roleId) || (isMembership && subject.startsWith('app_'))) return;
    if (isMembership) this.held = this.held.filter((assignment) => assignment !== this.membership(subject));
    const times = { expiresAt: isMembership ? null : expiresAt, createdAt: former?.createdAt ?? at, updatedAt: at };
    this.held.push({ id, subject, roleId, revision, ...times });
  }

  #store({ permissions, includes, ...value }: RoleValue, revision: number, at: number): void {
    if (isSystemRole(value.id)) return;
    const former = this.role(value.id);
    const known = this.permissions().map(({ key }) => key);
    this.ownRoles = this.ownRoles.filter((role) => role !== former);
    this.ownRoles.push({
      ...value,
      isSystem: false,
      permissions: [...new Set(permissions)].filter((key) => known.includes(key)).sort(),
      includes: [...new Set(includes)].filter(
        (id) => id !== value.id && this.role(id) && !this.waysFrom(id).some((way) => way.includes(value.id)),
      ),
      revision,
      createdAt: former?.createdAt ?? at,
      updatedAt: at,
    });
  }

  #removeRole(roleId: string, revision: number, at: number): void {
    if (isSystemRole(roleId) || !this.role(roleId)) return;
    this.held = this.held.filter((assignment) => assignment.roleId !== roleId);
    this.ownRoles = this.ownRoles.flatMap((role) => {
      if (role.id === roleId) return [];
      if (!role.includes.includes(roleId)) return role;
      const includes = role.includes.filter((id) => id !== roleId);
      return { ...role, includes, revision, updatedAt: at };
    });
  }
}
