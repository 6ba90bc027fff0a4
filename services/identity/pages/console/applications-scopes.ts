import { call } from '../../../../lib/contract/context.ts';
import { orNull } from '../../../../lib/contract/errors.ts';
import { covers, namespaceOf, platformPermission, platformPermissions } from '../../../../lib/contract/permissions.ts';
import { type Box, renderCheckGroups } from '../../../../web/check-groups.ts';
import type { FieldErrors } from '../../../../web/fields.ts';
import type { Html } from '../../../../web/html.ts';
import { readAllPages } from '../../../../web/list-query.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import { permissionGroupName, permissionWords } from '../../../../web/scope-words.ts';
import { texts } from '../texts.ts';

type Permission = { key: string; description: string };

type ScopesField = {
  label: string;
  hint: string;
  /** Whether the scopes of OpenID Connect are among them. */
  hasOpenid: boolean;
};

/**
 * Renders the scopes to choose from, the groups first and then by namespace, each with what it opens. Those that the
 * user lacks are off.
 */
export async function renderScopes(
  visit: OrganizationVisit,
  { label, hint, hasOpenid }: ScopesField,
  ticked: readonly string[],
  errors: FieldErrors = {},
): Promise<Html> {
  const t = texts().consoleApplications.scopes;
  const permissions = await readPermissions(visit);
  // One that is ticked stays on: a box that is off is not sent, and saving would take the scope away unseen.
  const box = (value: string, words: string): Box =>
    covers(visit.scopes, value) || ticked.includes(value)
      ? { value, words }
      : { value, words: t.notHeld(words), isOff: true };
  const namespaces = [...new Set(permissions.map(({ key }) => namespaceOf(key)))];
  const openid = Object.entries(t.openid).map(([value, words]) => ({ value, words }));
  const groups = [
    ...(hasOpenid ? [{ legend: t.openidTitle, boxes: openid }] : []),
    { legend: t.groupsTitle, boxes: Object.entries(t.groups).map(([value, words]) => box(value, words)) },
    ...namespaces.map((namespace) => ({
      legend: permissionGroupName(namespace),
      isFolded: true,
      boxes: permissions
        .filter(({ key }) => namespaceOf(key) === namespace)
        .map(({ key, description }) => box(key, permissionWords(key, description))),
    })),
  ];
  return renderCheckGroups({ name: 'scopes', label, hint, groups }, ticked, errors);
}

/** The permissions of the platform, and the organization's own where the member may read them. */
async function readPermissions({ ctx }: OrganizationVisit): Promise<Permission[]> {
  const read = readAllPages<Permission>((query) => call(ctx, 'access.permissions.list', { query }));
  const all = await orNull(read, 'PERMISSION_DENIED');
  return all ?? platformPermissions().map((key) => ({ key, description: platformPermission(key)?.description ?? '' }));
}
