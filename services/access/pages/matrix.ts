import { namespaceOf } from '../../../lib/contract/permissions.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { type OrganizationVisit, pathOf, renderOrganizationPage } from '../../../web/organization-page.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { permissionGroupName } from '../../../web/scope-words.ts';
import { renderTabs } from '../../../web/states.ts';
import { renderEmpty, renderName, renderPager, renderTable } from '../../../web/table.ts';
import { flashMessage } from '../../../web/user-page.ts';
import { renderCheck, renderWhoCan } from './check-access.ts';
import {
  descriptionOfRole,
  nameOfRole,
  type Permission,
  type Role,
  readPermissions,
  readRoles,
  readSubjects,
} from './roles-page.ts';
import { texts } from './texts.ts';

/** Columns of one page of the matrix, and rows that it shows at most. */
const maxColumns = 8;
const maxRows = 200;

/** Renders the matrix of roles and permissions, with the panels that answer who can and why. */
export async function renderMatrixPage(visit: OrganizationVisit): Promise<PageAnswer> {
  const { query } = visit;
  const t = texts();
  const [roles, permissions, { subjects }] = await Promise.all([
    readRoles(visit),
    readPermissions(visit),
    readSubjects(visit),
  ]);
  const [check, whoCan] = await Promise.all([
    renderCheck(visit, { roles, permissions, subjects }),
    renderWhoCan(visit, { permissions, subjects }),
  ]);
  return renderOrganizationPage(visit, {
    title: t.title,
    head: renderRolesHead(visit, roles.length),
    notice: flashMessage(visit, t.notices),
    body: html`${renderViews(visit, 'matrix')}
<div class="split access"><section aria-labelledby="h-matrix"><h2 id="h-matrix" class="vh">${t.tabs.matrix}</h2>
${renderMatrixKey(visit)}
${renderMatrix(visit, { roles, permissions, filter: textOf(query.filter), after: textOf(query.after) })}</section>
<aside class="stack">${check}${whoCan}</aside></div>`,
  });
}

const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');

function renderRolesHead(visit: OrganizationVisit, count: number): Html {
  const t = texts();
  const create = html`<div class="acts"><a class="btn primary" href="${pathOf(visit, 'roles', ['new'])}">${renderIcon('plus')}${t.create}</a></div>`;
  return html`<header class="head"><div><h1>${t.title} <span class="n">${count}</span></h1><p>${t.lead}</p></div>
${visit.mayChange && create}</header>`;
}

function renderViews(visit: OrganizationVisit, current: 'matrix' | 'list'): Html {
  const { label, ...tabs } = texts().tabs;
  const views = [
    ['matrix', pathOf(visit, 'roles'), tabs.matrix],
    ['list', pathOf(visit, 'roles', ['list']), tabs.list],
  ] as const;
  return renderTabs(label, views, current);
}

function renderMatrixKey(visit: OrganizationVisit): Html {
  const t = texts().matrix;
  const filter = textOf(visit.query.filter);
  return html`<form method="get" action="${pathOf(visit, 'roles')}" role="search" class="row wrap between matrix-key"><span class="row small quiet"><span class="has">${renderIcon('check', 'sm')}</span>${t.own}</span><span class="row small quiet"><span class="has inh">${renderIcon('check', 'sm')}</span>${t.included}</span><div class="wrap-input">${renderIcon('search', 'sm')}<input type="search" name="filter" value="${filter}" aria-label="${t.filter}" placeholder="${t.filter}" autocomplete="off" maxlength="200"></div></form>`;
}

type Matrix = { roles: readonly Role[]; permissions: readonly Permission[]; filter: string; after: string };

function renderMatrix(visit: OrganizationVisit, { roles, permissions, filter, after }: Matrix): Html {
  const t = texts().matrix;
  const matching = permissions.filter((permission) => matches(permission, filter));
  if (matching.length === 0) return renderEmpty(t.empty);
  const shown = matching.slice(0, maxRows);
  const start = roles.findIndex(({ id }) => id === after) + 1;
  const columns = roles.slice(start, start + maxColumns);
  const held = effectivePermissions(roles);
  const namespaces = [...new Set(shown.map(({ key }) => namespaceOf(key)))];
  const last = columns.at(-1);
  const kept: Record<string, string> = filter === '' ? {} : { filter };
  const hasMore = start + maxColumns < roles.length;
  return html`<div class="scroll-x" role="region" aria-label="${t.label}" tabindex="0">
<table class="table matrix"><caption class="vh">${t.caption}</caption>
<thead><tr><th scope="col">${t.permission}</th>${columns.map((role) => html`<th scope="col"><a href="${pathOf(visit, 'roles', [role.id])}"><bdi>${nameOfRole(role)}</bdi></a></th>`)}</tr></thead>
${namespaces.map(
  (
    namespace,
  ) => html`<tbody><tr class="grp"><th colspan="${columns.length + 1}" scope="rowgroup">${permissionGroupName(namespace)}</th></tr>
${shown.filter(({ key }) => namespaceOf(key) === namespace).map((permission) => renderRow(permission, columns, held))}</tbody>
`,
)}</table></div>
${shown.length < matching.length && html`<p class="hint">${t.capped(shown.length)}</p>`}
${
  roles.length > maxColumns &&
  renderPager({
    next: hasMore && last ? pathOf(visit, 'roles', [], { ...kept, after: last.id }) : null,
    nextWords: t.more,
    first: start > 0 ? pathOf(visit, 'roles', [], kept) : null,
    words: t.pages(start + 1, start + columns.length, roles.length),
  })
}`;
}

function matches({ key, description }: Permission, filter: string): boolean {
  const term = filter.trim().toLowerCase();
  return key.includes(term) || description.toLowerCase().includes(term);
}

function renderRow({ key, description }: Permission, columns: readonly Role[], held: Held): Html {
  return html`<tr><th scope="row"><code>${key}</code><span class="sub"><bdi>${description}</bdi></span></th>${columns.map((role) => html`<td>${renderCell(role, key, held)}</td>`)}</tr>
`;
}

function renderCell(role: Role, key: string, held: Held): Html {
  const t = texts().matrix;
  if (role.permissions.includes(key))
    return html`<span class="has">${renderIcon('check', 'sm')}<span class="vh">${t.yes}</span></span>`;
  if (held.get(role.id)?.has(key))
    return html`<span class="has inh">${renderIcon('check', 'sm')}<span class="vh">${t.yesIncluded}</span></span>`;
  return html`<span class="no"><span class="vh">${t.no}</span></span>`;
}

type Held = ReadonlyMap<string, ReadonlySet<string>>;

/** The permissions of each role, including the permissions of the roles that it includes. Roles form no cycle. */
export function effectivePermissions(roles: readonly Role[]): Held {
  const byId = new Map(roles.map((role) => [role.id, role]));
  const held = new Map<string, Set<string>>();
  const of = (id: string): Set<string> => {
    const known = held.get(id);
    if (known) return known;
    const role = byId.get(id);
    const keys = new Set([...(role?.permissions ?? []), ...(role?.includes ?? []).flatMap((one) => [...of(one)])]);
    held.set(id, keys);
    return keys;
  };
  for (const { id } of roles) of(id);
  return held;
}

/** Renders the roles one below the other. */
export async function renderRoleList(visit: OrganizationVisit): Promise<PageAnswer> {
  const t = texts();
  const roles = await readRoles(visit);
  const held = effectivePermissions(roles);
  const count = (role: Role): string => t.list.count(held.get(role.id)?.size ?? 0);
  return renderOrganizationPage(visit, {
    title: t.title,
    head: renderRolesHead(visit, roles.length),
    notice: flashMessage(visit, t.notices),
    body: html`${renderViews(visit, 'list')}
${renderTable({
  label: t.list.label,
  rows: roles,
  empty: '',
  columns: [
    {
      heading: t.list.columns.name,
      cell: (role) =>
        renderName({ href: pathOf(visit, 'roles', [role.id]), name: nameOfRole(role), summary: count(role) }),
    },
    { heading: t.list.columns.description, cell: (role) => html`<bdi>${descriptionOfRole(role)}</bdi>`, isMinor: true },
    { heading: t.list.columns.kind, cell: ({ isSystem }) => (isSystem ? t.system : t.list.own), isState: true },
    { heading: t.list.columns.permissions, cell: count, isNumber: true },
  ],
})}`,
  });
}
