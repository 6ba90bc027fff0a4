import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { submitForm } from '../../../../web/attempt.ts';
import { type Hidden, hiddenIn } from '../../../../web/columns.ts';
import { renderFilters } from '../../../../web/filters.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { singleValues } from '../../../../web/list-query.ts';
import {
  type OperatorVisit,
  operatedPath,
  operatorPage,
  operatorPath,
  renderOperatorPage,
} from '../../../../web/operator-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderAvatar, renderBadge } from '../../../../web/states.ts';
import { type Columns, renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen } from '../../../../web/time.ts';
import { texts } from '../texts.ts';

type Users = CallOutput<'identity.operator.users.list'>;
type User = Users['data'][number];

const pageSize = '50';
const shownOrganizations = 3;
const noUsers: Users = { data: [], nextCursor: null };

/** The users of the platform. */
export const operatorUsersPages = {
  'pages.operator.users': operatorPage('users', {
    rest: 'GET',
    summary: 'Find a user of the platform',
    handler: renderUsers,
  }),
};

async function renderUsers(visit: OperatorVisit): Promise<PageAnswer> {
  const { search, cursor } = singleValues(visit.query, ['search', 'cursor']);
  const query = { limit: pageSize, ...(search && { search }), ...(cursor && { cursor }) };
  const { refusal, ...found } = await submitForm([], () => call(visit.ctx, 'identity.operator.users.list', { query }));
  const list = 'answer' in found ? found.answer : noUsers;
  const t = texts().operatorConsole.users;
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf();
  const filter = { name: 'search', label: t.search, placeholder: t.placeholder, value: search ?? '' };
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    refusal,
    body: html`${renderFilters({ action: operatorPath('users'), search: filter, columns: { columns, hidden, cursor } })}
${!refusal && renderList(list, { search: search ?? '', cursor, columns, hidden })}`,
  });
}

type Place = { search: string; cursor: string | undefined; columns: Columns<User>; hidden: Hidden };

function renderList({ data, nextCursor }: Users, { search, cursor, columns, hidden }: Place): Html {
  const t = texts().operatorConsole.users;
  const kept = { search, ...hidden };
  return renderTable<User>({
    label: search ? t.captions.found : t.captions.newest,
    height: 'tall',
    columns,
    hidden,
    rows: data,
    empty: renderEmpty(search ? t.notFound : t.none),
    pager: {
      next: nextCursor && operatorPath('users', [], { ...kept, cursor: nextCursor }),
      nextWords: t.next,
      first: cursor ? operatorPath('users', [], kept) : null,
    },
  });
}

function columnsOf(): Columns<User> {
  const t = texts().operatorConsole.users;
  const { columns } = t;
  return [
    { heading: columns.user, cell: renderUserName },
    { heading: columns.organizations, key: 'organizations', cell: renderOrganizations },
    {
      heading: columns.state,
      cell: ({ isOperator }) => (isOperator ? renderBadge(t.operator, 'accent') : renderBadge(t.user)),
      isState: true,
    },
    {
      heading: columns.lastLogin,
      key: 'login',
      cell: ({ lastLoginAt }) => (lastLoginAt ? renderWhen(lastLoginAt) : t.never),
      isNumber: true,
      isMinor: true,
    },
    {
      heading: columns.created,
      key: 'created',
      cell: ({ createdAt }) => renderWhen(createdAt),
      isNumber: true,
      isMinor: true,
    },
  ];
}

function renderUserName({ id, name, email, organizations }: User): Html {
  return renderName({
    name: html`<bdi>${name ?? email}</bdi>`,
    detail: name === null ? id : email,
    summary: organizations[0]?.name ?? texts().operatorConsole.users.noOrganizations,
    picture: renderAvatar({ name: name ?? email, id }),
  });
}

function renderOrganizations({ organizations }: User): Content {
  const t = texts().operatorConsole.users;
  if (organizations.length === 0) return html`<span class="quiet">${t.noOrganizations}</span>`;
  const more = organizations.length - shownOrganizations;
  return html`${organizations
    .slice(0, shownOrganizations)
    .map(
      (one) => html`<a class="link over" href="${operatedPath(one, 'overview')}"><bdi>${one.name}</bdi></a> `,
    )}${more > 0 && html`<span class="quiet">${t.more(more)}</span>`}`;
}
