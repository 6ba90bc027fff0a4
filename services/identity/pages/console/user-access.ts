import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { orNull } from '../../../../lib/contract/errors.ts';
import { submitForm } from '../../../../web/attempt.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { type OrganizationVisit, organizationPage, pathOf } from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderAvatar, renderBanner } from '../../../../web/states.ts';
import { renderEmpty, renderPager } from '../../../../web/table.ts';
import { renderDay } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { readUserInPath, rejectWithout, renderUser, type User, userPath } from './users-page.ts';

/** The page of the permissions and roles of a user in the organization. */
export const userAccessPages = {
  'pages.console.users.access': organizationPage('users', {
    rest: 'GET /:userId/access',
    summary: 'Show what a user may do, and why',
    handler: renderAccess,
  }),
};

type Assignment = CallOutput<'access.assignments.list-of-user'>['data'][number];
type Explanation = CallOutput<'access.explain'>;

const maxPermissions = '100';
const maxAssignments = '100';

async function renderAccess(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, query, orgId } = visit;
  const user = await readUserInPath(visit);
  const refusal = rejectWithout(visit, 'console.access.read');
  if (refusal) return renderUser(visit, { tab: 'access', user, refusal, body: null });
  const path = { userId: user.id };
  const { cursor } = query;
  const permission = typeof query.permission === 'string' ? query.permission.trim() : '';
  const [assignments, permissions, asked] = await Promise.all([
    call(ctx, 'access.assignments.list-of-user', { path, query: { limit: maxAssignments } }),
    call(ctx, 'access.users.list-permissions', {
      path,
      query: { limit: maxPermissions, ...(typeof cursor === 'string' && { cursor }) },
    }),
    permission === ''
      ? null
      : submitForm(['permission'], () =>
          call(ctx, 'access.explain', { body: { ...path, permission, context: { orgId } } }),
        ),
  ]);
  const answer = asked && !asked.refusal ? asked.answer : null;
  const roles = await namesOfRoles(visit, [...assignments.data.map(({ roleId }) => roleId), ...rolesIn(answer)]);
  const here = userPath(visit, user.id, ['access']);
  const t = texts().people.user.access;
  return renderUser(visit, {
    tab: 'access',
    user,
    refusal: asked?.refusal,
    body: html`${user.suspendedAt !== undefined && renderBanner({ tone: 'warn', icon: 'alert', words: html`<p>${t.suspended}</p>` })}
<div class="split"><div class="stack">
${renderPermissions(user, here, permissions.data)}
${renderPager({
  next: permissions.nextCursor && withQuery(here, { cursor: permissions.nextCursor }),
  first: typeof cursor === 'string' ? here : null,
})}
</div><aside class="stack">
${renderQuestion(user, here, permission, answer && renderAnswer(user, permission, answer, roles))}
${renderAssignments(visit, assignments.data, roles)}
</aside></div>`,
  });
}

/** The roles that an explanation names. */
function rolesIn(answer: Explanation | null): string[] {
  if (!answer) return [];
  return [...answer.because.flatMap(({ roleId, through }) => [roleId, ...through]), ...(answer.missing?.roles ?? [])];
}

/** The names of roles by id. A role that was deleted since is not among them. */
async function namesOfRoles({ ctx }: OrganizationVisit, ids: string[]): Promise<Map<string, string>> {
  const { roles } = texts().people;
  const system = Object.entries(roles).map(([role, name]) => [`role_${role}`, name] as const);
  const names = new Map<string, string>(system);
  const others = [...new Set(ids)].filter((id) => !names.has(id));
  const read = others.map(async (id) => {
    const role = await orNull(call(ctx, 'access.roles.read', { path: { id } }), 'NOT_FOUND');
    if (role) names.set(id, role.name);
  });
  await Promise.all(read);
  return names;
}

function renderPermissions(user: User, here: string, permissions: { key: string }[]): Html {
  const t = texts().people.user.access;
  return html`<section aria-labelledby="h-permissions"><div class="sec-head"><h2 id="h-permissions">${t.permissions}</h2>${permissions.length > 0 && html`<p>${t.permissionsLead(nameIn(user))}</p>`}</div>
${
  permissions.length === 0
    ? renderEmpty(t.permissionsNone)
    : html`<ul class="cols">${permissions.map(
        ({
          key,
        }) => html`<li><a class="link" href="${withQuery(here, { permission: key })}"><code>${key}</code></a></li>
`,
      )}</ul>`
}</section>`;
}

const nameIn = (user: User): Html => html`<bdi>${nameOfUser(user)}</bdi>`;

function renderQuestion(user: User, here: string, permission: string, answer: Content): Html {
  const { ask } = texts().people.user.access;
  return html`<form class="panel" method="get" action="${here}" aria-labelledby="h-ask">
<header><h2 id="h-ask">${ask.title(nameIn(user))}</h2></header>
<div class="body stack">
<div class="field"><label for="permission">${ask.label}</label><input class="input" id="permission" name="permission" value="${permission}" placeholder="${ask.placeholder}" maxlength="256" autocomplete="off" autocapitalize="none" spellcheck="false"></div>
<div><button class="btn">${ask.submit}</button></div>
${answer}
</div></form>`;
}

function renderAnswer(user: User, permission: string, answer: Explanation, roles: ReadonlyMap<string, string>): Html {
  const t = texts().people.user.access;
  if (answer.allowed) {
    return html`<div class="answer good" role="status">${renderIcon('ok')}<b>${t.yes(nameIn(user), permission)}</b></div>
${answer.because.map(({ roleId, through }) => renderReason(user, permission, [roleId, ...through], roles))}`;
  }
  const would = (answer.missing?.roles ?? []).map((id) => roles.get(id) ?? id);
  return html`<div class="answer bad" role="status">${renderIcon('bad')}<div><b>${t.no(nameIn(user), permission)}</b><span class="sub-line">${reasonOf(answer)}</span></div></div>
${would.length > 0 && html`<p class="hint">${t.wouldGrant(would.join(', '))}</p>`}`;
}

function reasonOf({ missing }: Explanation): string | undefined {
  const known: Record<string, string | undefined> = texts().people.user.access.reasons;
  return missing ? (known[missing.reason] ?? missing.message) : undefined;
}

/** The way from the user to the permission: the assigned role, and the roles that it includes. */
function renderReason(
  user: User,
  permission: string,
  roleIds: readonly string[],
  roles: ReadonlyMap<string, string>,
): Html {
  const t = texts().people.user.access;
  const { id } = user;
  return html`<ol class="path"><li>${renderAvatar({ name: nameOfUser(user), id })}<span><b>${nameIn(user)}</b><span class="sub-line quiet">${t.member}</span></span></li>
${roleIds.map(
  (
    roleId,
    index,
  ) => html`<li><span class="ico">${renderIcon('shield', 'xs')}</span><span><b><bdi>${roles.get(roleId) ?? roleId}</bdi></b><span class="sub-line quiet">${index === 0 ? t.assigned : t.included}</span></span></li>
`,
)}<li><span class="ico">${renderIcon('key', 'xs')}</span><span><code>${permission}</code><span class="sub-line quiet">${t.granted}</span></span></li></ol>`;
}

function renderAssignments(
  visit: OrganizationVisit,
  assignments: Assignment[],
  roles: ReadonlyMap<string, string>,
): Html {
  const t = texts().people.user.access;
  return html`<section aria-labelledby="h-roles"><div class="sec-head"><h2 id="h-roles">${t.roles}</h2></div>
<ul class="list">${assignments.map(
    ({
      roleId,
      createdAt,
      expiresAt,
    }) => html`<li><span class="ico">${renderIcon('shield', 'xs')}</span><span class="grow"><a class="link" href="${pathOf(visit, 'roles', [roleId])}"><bdi>${roles.get(roleId) ?? roleId}</bdi></a><span class="quiet sub-line">${t.since(renderDay(createdAt))}${expiresAt !== null && html`, ${t.until(renderDay(expiresAt))}`}</span></span></li>
`,
  )}</ul></section>`;
}
