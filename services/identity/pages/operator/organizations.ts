import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { capitalize } from '../../../../lib/format/capitalize.ts';
import { submitForm } from '../../../../web/attempt.ts';
import { type Hidden, hiddenIn } from '../../../../web/columns.ts';
import { renderFilters } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { singleValues } from '../../../../web/list-query.ts';
import { formatCount } from '../../../../web/numbers.ts';
import {
  type OperatorVisit,
  operatedPath,
  operatorPage,
  operatorPath,
  renderOperatorPage,
  renderStanding,
} from '../../../../web/operator-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderAvatar, renderBadge } from '../../../../web/states.ts';
import { type Columns, renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { texts as sharedTexts } from '../../../../web/texts.ts';
import { renderWhen } from '../../../../web/time.ts';
import { texts } from '../texts.ts';

type Organizations = CallOutput<'identity.operator.organizations.list'>;
type Organization = Organizations['data'][number];

const pageSize = '50';
const noOrganizations: Organizations = { data: [], nextCursor: null };

/** The organizations of the platform. */
export const operatorOrganizationsPages = {
  'pages.operator.organizations': operatorPage('organizations', {
    rest: 'GET',
    summary: 'Find an organization of the platform',
    handler: renderOrganizations,
  }),
};

async function renderOrganizations(visit: OperatorVisit): Promise<PageAnswer> {
  const { search = '', state = '', cursor } = singleValues(visit.query, ['search', 'state', 'cursor']);
  const chosen = isState(state) ? state : '';
  const query = {
    limit: pageSize,
    ...(search && { search }),
    ...(chosen && { state: chosen }),
    ...(cursor && { cursor }),
  };
  const { refusal, ...found } = await submitForm([], () =>
    call(visit.ctx, 'identity.operator.organizations.list', { query }),
  );
  const list = 'answer' in found ? found.answer : noOrganizations;
  const t = texts().operatorConsole.organizations;
  const field = { name: 'search', label: t.search, placeholder: t.placeholder, value: search };
  const options = states.map((one) => [one, t.states[one]] as const);
  const chip = { name: 'state', label: t.columns.state, value: chosen, options };
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf();
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    refusal,
    body: html`${renderFilters({ action: operatorPath('organizations'), search: field, chips: [chip], columns: { columns, hidden, cursor } })}
${!refusal && renderList(list, { search, state: chosen }, { cursor, columns, hidden })}`,
  });
}

const states = ['active', 'suspended'] as const;
type State = (typeof states)[number];

const isState = (text: string): text is State => states.some((state) => state === text);

type Filter = { search: string; state: State | '' };

type Place = { cursor: string | undefined; columns: Columns<Organization>; hidden: Hidden };

function renderList({ data, nextCursor }: Organizations, filter: Filter, { cursor, columns, hidden }: Place): Html {
  const t = texts().operatorConsole.organizations;
  const kept = { ...filter, ...hidden };
  const { search, state } = filter;
  return renderTable<Organization>({
    label: search || state ? t.captions.found : t.captions.newest,
    height: 'tall',
    columns,
    hidden,
    rows: data,
    empty: renderEmpty(state ? t.notFiltered : search ? t.notFound : t.none),
    pager: {
      next: nextCursor && operatorPath('organizations', [], { ...kept, cursor: nextCursor }),
      nextWords: t.next,
      first: cursor ? operatorPath('organizations', [], kept) : null,
    },
  });
}

function columnsOf(): Columns<Organization> {
  const { columns } = texts().operatorConsole.organizations;
  return [
    { heading: columns.name, cell: renderOrganizationName },
    { heading: columns.plan, key: 'plan', cell: ({ plan }) => renderBadge(planOf(plan)) },
    { heading: columns.members, key: 'members', cell: ({ members }) => formatCount(members), isNumber: true },
    { heading: columns.state, cell: renderStanding, isState: true },
    {
      heading: columns.created,
      key: 'created',
      cell: ({ createdAt }) => renderWhen(createdAt),
      isNumber: true,
      isMinor: true,
    },
  ];
}

function renderOrganizationName(organization: Organization): Html {
  const { id, name, slug, plan, members } = organization;
  const t = texts().operatorConsole.organizations;
  return renderName({
    href: operatedPath(organization, 'overview'),
    name,
    detail: slug,
    summary: t.summary(planOf(plan), t.members(members)),
    picture: renderAvatar({ name, id, isSquare: true }),
  });
}

/** The name of a plan as people read it: "Pro". */
export function planOf(plan: string | null): string {
  return plan === null ? sharedTexts().operator.unknown : capitalize(plan);
}
