import { covers, namespaceOf } from '../../../lib/contract/permissions.ts';
import type { Refusal } from '../../../web/attempt.ts';
import { type Box, renderCheckGroups } from '../../../web/check-groups.ts';
import type { Form } from '../../../web/define-page.ts';
import { renderFields } from '../../../web/fields.ts';
import { type Html, html } from '../../../web/html.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { pickFields, pickTicked } from '../../../web/pick.ts';
import { permissionGroupName } from '../../../web/scope-words.ts';
import { descriptionOfRole, nameOfRole, type Permission, type Role, readPermissions, readRoles } from './roles-page.ts';
import { texts } from './texts.ts';

export type RoleValues = Pick<Role, 'name' | 'description' | 'permissions' | 'includes'>;

export const roleFields = ['name', 'description', 'permissions', 'includes'] as const;

export const emptyRole: RoleValues = { name: '', description: '', permissions: [], includes: [] };

/** Reads the form of a role. `revision`: of the role that the form was made from; empty for a new one. */
export function readRoleForm(form: Form): { values: RoleValues; revision: string } {
  const { ticked: permissions, rest } = pickTicked(form, 'permissions');
  const { ticked: includes, rest: others } = pickTicked(rest, 'includes');
  const { revision, ...typed } = pickFields(others, 'name', 'description', 'revision');
  return { values: { ...typed, permissions, includes }, revision };
}

type RoleForm = { id: string | null; revision: string; values: RoleValues; refusal?: Refusal | undefined };

/** Renders the fields of a role: its name, and what it allows as boxes by namespace. */
export async function renderRoleFields(
  visit: OrganizationVisit,
  { id, revision, values, refusal }: RoleForm,
): Promise<Html> {
  const t = texts().form;
  const errors = refusal?.errors ?? {};
  const [roles, permissions] = await Promise.all([readRoles(visit), readPermissions(visit)]);
  const others = roles.filter((role) => role.id !== id);
  return html`<input type="hidden" name="revision" value="${revision}">
${renderFields(
  [
    { name: 'name', label: t.name, autocomplete: 'off', value: values.name, isRequired: true, maxLength: 100 },
    {
      name: 'description',
      label: t.description,
      autocomplete: 'off',
      lines: 2,
      value: values.description,
      maxLength: 1000,
    },
  ],
  errors,
)}
${renderCheckGroups(
  {
    name: 'permissions',
    label: t.permissions,
    hint: t.permissionsHint,
    groups: groupsOf(permissions, (one) => boxOf(visit, one, values.permissions)),
  },
  values.permissions,
  errors,
)}
${renderCheckGroups(
  {
    name: 'includes',
    label: t.includes,
    hint: t.includesHint,
    groups: [{ legend: t.includesLegend, boxes: others.map(boxOfRole) }],
  },
  values.includes,
  errors,
)}`;
}

function groupsOf(permissions: readonly Permission[], toBox: (permission: Permission) => Box) {
  const namespaces = [...new Set(permissions.map(({ key }) => namespaceOf(key)))];
  return namespaces.map((namespace) => ({
    legend: permissionGroupName(namespace),
    boxes: permissions.filter(({ key }) => namespaceOf(key) === namespace).map(toBox),
  }));
}

/** A box that is ticked stays on: one that is off is not sent, and saving would take the permission away unseen. */
function boxOf(
  { scopes }: OrganizationVisit,
  { key, description, isSystem }: Permission,
  ticked: readonly string[],
): Box {
  const isOff = isSystem && !covers(scopes, key) && !ticked.includes(key);
  return { value: key, words: isOff ? texts().form.notHeld(description) : html`<bdi>${description}</bdi>`, isOff };
}

function boxOfRole(role: Role): Box {
  return {
    value: role.id,
    label: html`<bdi>${nameOfRole(role)}</bdi>`,
    words: html`<bdi>${descriptionOfRole(role)}</bdi>`,
  };
}
