import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { type Refusal, submitForm } from '../../../../web/attempt.ts';
import { type Hidden, hiddenIn } from '../../../../web/columns.ts';
import { downloadOf, renderExport } from '../../../../web/download.ts';
import { renderFilters, withQuery } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderAvatar, renderBadge } from '../../../../web/states.ts';
import { type Column, type Columns, renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import { flashMessage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { type BulkList, bulkPages, renderBulkActs } from './bulk.ts';
import { userPages } from './user.ts';
import { userAccessPages } from './user-access.ts';
import { userAuditPages } from './user-audit.ts';
import { userMessagesPages } from './user-messages.ts';
import { userSessionsPages } from './user-sessions.ts';
import { may, openUsersFlow, readUser, rejectUsersForm, renderUserState, type User, userPath } from './users-page.ts';

const bulkList: BulkList<User> = {
  area: 'users',
  parameters: ['search', 'sort', 'order', 'cursor', 'hide'],
  acts: {
    suspend: { icon: 'lock', isDangerous: true, work: (visit, { id }) => changeSuspension(visit, 'suspend', id) },
    restore: { icon: 'undo', work: (visit, { id }) => changeSuspension(visit, 'restore', id) },
  },
  words: () => texts().people.bulk.users,
  find: (visit, id) => readUser(visit.ctx, id),
  nameOf: nameOfUser,
  openFlow: openUsersFlow,
  reject: (visit) => rejectUsersForm(visit, 'console.orgs.write'),
  renderList: renderUsers,
};

function changeSuspension(
  { ctx, organization }: OrganizationVisit,
  act: 'suspend' | 'restore',
  userId: string,
): Promise<unknown> {
  return call(ctx, `identity.members.${act}`, { path: { slug: organization.slug, userId } });
}

const bulk = bulkPages(bulkList);

/** The users of an organization, and the pages of each. */
export const consoleUsersPages = {
  'pages.console.users.list': organizationPage('users', {
    rest: 'GET',
    summary: 'Show the users of an organization, or search them',
    handler: (visit) => renderUsers(visit),
  }),
  'pages.console.users.bulk': bulk.ask,
  'pages.console.users.bulk-confirm': bulk.confirm,
  ...userPages,
  ...userAccessPages,
  ...userSessionsPages,
  ...userMessagesPages,
  ...userAuditPages,
};

const pageSize = '50';

type Sort = 'createdAt' | 'lastLoginAt';
type Order = 'asc' | 'desc';
/** The parameters of the list. `sort` and `order` have no effect on a search, whose results have the order of their keys. */
type ListQuery = { search: string; sort: Sort; order: Order; cursor: string };

async function renderUsers(visit: OrganizationVisit, refusal?: Refusal): Promise<PageAnswer> {
  const listQuery = listQueryOf(visit);
  const { search, cursor } = listQuery;
  const found = await submitForm([], () => readUsers(visit, listQuery));
  const input = { query: whichOf(listQuery) };
  const list = { name: texts().people.list.file, action: 'identity.users.list', input } as const;
  const file = found.refusal ? null : downloadOf(visit, list);
  if (file) return file;
  const { data, nextCursor } = found.refusal ? { data: [], nextCursor: null } : found.answer;
  const action = pathOf(visit, 'users');
  const kept = keptOf(listQuery);
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf(visit, listQuery, hidden);
  const here = { ...kept, ...hidden, search };
  const isAlone = data.length === 1 && nextCursor === null && search === '' && cursor === '';
  // The rows of a page can all be of former members.
  const isLater = cursor !== '' || (data.length === 0 && nextCursor !== null);
  const changes = may(visit, 'console.orgs.write');
  const t = texts().people.list;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: html`${renderExport(action, { ...kept, search })}${renderInvite(visit)}`,
    notice: flashMessage(visit, t.notices),
    refusal: refusal ?? found.refusal,
    body: html`${renderFilters({
      action,
      search: { name: 'search', label: t.search, value: search, placeholder: t.placeholder },
      kept,
      columns: { columns, hidden, cursor },
    })}
${renderTable<User>({
  label: t.label,
  rows: data,
  columns,
  hidden,
  ...(changes && { choice: { idOf: ({ id }) => id, nameOf: nameOfUser } }),
  empty: renderEmpty({ icon: 'search', title: t.none.title, words: t.none.words(search) }),
  pager: {
    next: nextCursor && withQuery(action, { ...here, cursor: nextCursor }),
    first: isLater ? withQuery(action, here) : null,
  },
})}
${changes && data.length > 0 && renderBulkActs(visit, bulkList)}
${isAlone && renderAlone(visit)}`,
  });
}

async function readUsers({ ctx }: OrganizationVisit, listQuery: ListQuery): Promise<CallOutput<'identity.users.list'>> {
  const { cursor } = listQuery;
  return await call(ctx, 'identity.users.list', {
    query: { limit: pageSize, ...whichOf(listQuery), ...(cursor !== '' && { cursor }) },
  });
}

/** The search of the list, or its order. */
function whichOf({ search, sort, order }: ListQuery): { search: string } | { sort: Sort; order: Order } {
  return search === '' ? { sort, order } : { search };
}

function listQueryOf({ query }: OrganizationVisit): ListQuery {
  const textOf = (name: string): string => {
    const value = query[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    search: textOf('search'),
    sort: textOf('sort') === 'lastLoginAt' ? 'lastLoginAt' : 'createdAt',
    order: textOf('order') === 'asc' ? 'asc' : 'desc',
    cursor: textOf('cursor'),
  };
}

/** The order of the list, where it is not the usual one. */
function keptOf({ sort, order }: Pick<ListQuery, 'sort' | 'order'>): Record<string, string> {
  return { sort: sort === 'createdAt' ? '' : sort, order: order === 'desc' ? '' : order };
}

function columnsOf(visit: OrganizationVisit, listQuery: ListQuery, hidden: Hidden): Columns<User> {
  const t = texts().people.list;
  const { roles } = texts().people;
  return [
    { heading: t.columns.name, cell: (user) => renderUserName(visit, user) },
    {
      heading: t.columns.email,
      key: 'email',
      cell: ({ email }) => html`<span class="quiet clip-cell">${email}</span>`,
      isMinor: true,
    },
    { heading: t.columns.role, key: 'role', cell: ({ role }) => roles[role] },
    { heading: t.columns.state, cell: renderUserState, isState: true },
    {
      heading: t.columns.lastLogin,
      key: 'login',
      cell: ({ lastLoginAt }) =>
        lastLoginAt === null ? html`<span class="quiet">${t.never}</span>` : renderWhen(lastLoginAt),
      isNumber: true,
      ...sortBy(visit, listQuery, hidden, 'lastLoginAt'),
    },
    {
      heading: t.columns.created,
      key: 'created',
      cell: ({ createdAt }) => renderWhen(createdAt),
      isNumber: true,
      isMinor: true,
      ...sortBy(visit, listQuery, hidden, 'createdAt'),
    },
  ];
}

/** The link of a heading: the newest first, and the other direction where that is shown. */
function sortBy(
  visit: OrganizationVisit,
  { search, ...listQuery }: ListQuery,
  hidden: Hidden,
  sort: Sort,
): Pick<Column<User>, 'sort'> {
  if (search !== '') return {};
  const isSorted = listQuery.sort === sort;
  const order = isSorted && listQuery.order === 'desc' ? 'asc' : 'desc';
  const direction = listQuery.order === 'desc' ? 'descending' : 'ascending';
  const href = withQuery(pathOf(visit, 'users'), { ...keptOf({ sort, order }), ...hidden });
  return { sort: { href, direction: isSorted ? direction : null } };
}

function renderUserName(visit: OrganizationVisit, user: User): Html {
  const t = texts().people.list;
  const { id, role, lastLoginAt } = user;
  const name = nameOfUser(user);
  const seen = lastLoginAt === null ? t.neverLoggedIn : renderWhenWithin(lastLoginAt);
  return renderName({
    href: userPath(visit, id),
    name: id === visit.user.id ? html`${name} ${renderBadge(t.you)}` : name,
    summary: t.summary(texts().people.roles[role], seen),
    picture: renderAvatar({ name, id }),
  });
}

function renderInvite(visit: OrganizationVisit): Html | null {
  if (!may(visit, 'console.orgs.write')) return null;
  return html`<a class="btn primary" href="${pathOf(visit, 'invitations')}">${renderIcon('user-plus')}${texts().people.list.invite}</a>`;
}

function renderAlone(visit: OrganizationVisit): Html {
  const t = texts().people.list.alone;
  return renderEmpty({
    icon: 'users',
    title: t.title,
    words: t.words,
    code: [{ label: t.code, text: inviteByCurl(visit) }],
  });
}

/** A request that invites a person to the organization. */
export function inviteByCurl({ organization }: OrganizationVisit): string {
  return `curl -sS ${settings.PUBLIC_URL}/organizations/${organization.slug}/invitations \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"email":"grace@example.com","role":"member"}'`;
}
