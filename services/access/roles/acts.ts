import { cutText } from '../../../lib/graphemes.ts';
import type { RoleValue } from '../graph/changes.ts';
import type { Role } from '../graph/org-graph.ts';

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
