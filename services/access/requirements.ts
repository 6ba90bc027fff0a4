import type { Caller } from '../../lib/contract/context.ts';
import { type ErrorDetail, inputError } from '../../lib/contract/errors.ts';
import { cutText } from '../../lib/format/graphemes.ts';
import { requireGrantable } from './granting.ts';
import type { RoleValue } from './graph/changes.ts';
import type { OrgGraph, Role } from './graph/org-graph.ts';

type State = Record<string, unknown>;
type Described = Pick<Role, 'name' | 'description' | 'permissions' | 'includes'>;

/** Keeps a page of the audit log within one answer, also with large roles. */
const maxListed = 20;
const maxDescriptionLength = 100;

/** A role in the audit log. */
export function describeRole(role: Described): State {
  return {
    ...textsOf(role),
    ...listed('permissions', role.permissions),
    ...listed('includes', role.includes),
  };
}

/** A role's change in the audit log: texts before and after, and of the lists the removed and added entries. */
export function describeRoleChange(before: Role, after: RoleValue): { before: State; after: State } {
  const texts = Object.keys(textsOf(after)).filter(
    (name) => before[name as keyof Texts] !== after[name as keyof Texts],
  );
  const only = (role: Described): State =>
    Object.fromEntries(Object.entries(textsOf(role)).filter(([name]) => texts.includes(name)));
  return {
    before: {
      ...only(before),
      ...ifAny('permissions', without(before.permissions, after.permissions)),
      ...ifAny('includes', without(before.includes, after.includes)),
    },
    after: {
      ...only(after),
      ...ifAny('permissions', without(after.permissions, before.permissions)),
      ...ifAny('includes', without(after.includes, before.includes)),
    },
  };
}

type Texts = Pick<Role, 'name' | 'description'>;

function textsOf({ name, description }: Texts): Texts {
  return { name, description: cutText(description, maxDescriptionLength) };
}

function without(list: readonly string[], others: readonly string[]): string[] {
  const otherSet = new Set(others);
  return list.filter((name) => !otherSet.has(name));
}

function ifAny(name: string, list: readonly string[]): State {
  return list.length === 0 ? {} : listed(name, list);
}

function listed(name: string, list: readonly string[]): State {
  return { [name]: list.slice(0, maxListed), ...(list.length > maxListed && { [`${name}Total`]: list.length }) };
}

/** The lists of a role as sent; an absent list is not changed. */
export type SentLists = { permissions?: string[] | undefined; includes?: string[] | undefined };

/** Normalises a list for storage: sorted, without duplicates. */
export function unique(names: string[]): string[] {
  return [...new Set(names)].sort();
}

/**
 * Throws unless all names in a role exist, and it would not include itself.
 *
 * @throws INPUT_INVALID naming each unknown key or role by its place in the body, or the cycle.
 */
export function requireKnown(graph: OrgGraph, roleId: string, { permissions = [], includes = [] }: SentLists): void {
  const unknown = [
    ...unknownOf(
      permissions,
      'permissions',
      (key) => graph.permission(key),
      'There is no such permission. Register it first.',
    ),
    ...unknownOf(includes, 'includes', (id) => graph.role(id), 'There is no such role.'),
  ];
  if (unknown.length > 0) throw inputError(unknown);
  const cycle = graph.findCycle(roleId, includes);
  if (!cycle) return;
  const message = `The roles would form a cycle: ${cycle.join(' → ')}.`;
  throw inputError([{ path: 'body.includes', message }]);
}

function unknownOf(
  names: string[],
  field: keyof SentLists,
  find: (name: string) => unknown,
  message: string,
): ErrorDetail[] {
  return names.flatMap((name, index) => (find(name) ? [] : [{ path: `body.${field}.${index}`, message }]));
}

/**
 * Throws SCOPE_NOT_HELD unless the caller holds all permissions that a role gains: the added keys, and the permissions
 * of the added includes.
 */
export function requireGrantableAdditions(
  graph: OrgGraph,
  caller: Caller,
  before: Role | null,
  after: RoleValue,
): void {
  const [present, reached] = [new Set(before?.permissions), new Set(before?.includes)];
  const added = after.permissions.filter((key) => !present.has(key));
  const included = after.includes.filter((id) => !reached.has(id));
  requireGrantable(graph, caller, [...added, ...included.flatMap((id) => graph.permissionsOfRole(id))]);
}

/** Throws SCOPE_NOT_HELD unless the caller holds all permissions that a role loses, because its holders lose them. */
export function requireGrantableRemovals(graph: OrgGraph, caller: Caller, before: Role, after: RoleValue): void {
  const [kept, stillReached] = [new Set(after.permissions), new Set(after.includes)];
  const removed = before.permissions.filter((key) => !kept.has(key));
  const excluded = before.includes.filter((id) => !stillReached.has(id));
  requireGrantable(graph, caller, [...removed, ...excluded.flatMap((id) => graph.permissionsOfRole(id))]);
}
