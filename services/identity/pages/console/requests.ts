import { type CallInput, type CallOutput, call } from '../../../../lib/contract/context.ts';
import { errorCatalogue } from '../../../../lib/contract/errors.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { type Attempt, refusalOfFilters, submitForm } from '../../../../web/attempt.ts';
import type { Code } from '../../../../web/code.ts';
import { type ColumnChoice, hiddenIn } from '../../../../web/columns.ts';
import { downloadOf, renderExport } from '../../../../web/download.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { instantsOfDays, rejectInvalidDays, singleValues } from '../../../../web/list-query.ts';
import { type LogFiltered, logFilters, logPath, renderLogFilters, renderLogTabs } from '../../../../web/logs.ts';
import { formatCount } from '../../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderEmpty, renderTable } from '../../../../web/table.ts';
import { texts as shared } from '../../../../web/texts.ts';
import { renderWhen } from '../../../../web/time.ts';
import { requestMethods } from '../../requests/requests.ts';
import { texts } from '../texts.ts';
import { type Names, readNames } from './audit-words.ts';
import {
  type FailedRequest,
  nameOfCaller,
  renderMethod,
  renderStatus,
  requestPath,
  requestShowPages,
} from './request.ts';

/** The refused and failed requests of an organization, with their filters in the address. */
export const requestPages = {
  'pages.console.logs.requests': organizationPage('logs', {
    rest: 'GET /requests',
    summary: 'Show the refused and failed requests of an organization',
    handler: renderRequests,
  }),
  ...requestShowPages,
};

type Filtered = LogFiltered & { method?: string };
type Requests = CallOutput<'identity.requests.list'>;
type RequestsInput = CallInput<'identity.requests.list'>;

const pageSize = '50';
/** The filters as the API names them. */
const apiNames = ['callerId', 'status', 'requestId', 'error', 'method', 'from', 'to'] as const;
/** The statuses that a chip offers, besides the two classes. */
const commonStatuses = ['400', '401', '402', '403', '404', '409', '413', '429', '500', '503'];

async function renderRequests(visit: OrganizationVisit): Promise<PageAnswer> {
  const { cursor, ...filtered } = singleValues(visit.query, [...logFilters, 'method', 'cursor']);
  const found = await readRequests(visit, filtered, cursor);
  const input = inputOf(visit, filtered);
  const list = { name: texts().logs.requests.file, action: 'identity.requests.list', input } as const;
  const file = found.refusal ? null : downloadOf(visit, list);
  if (file) return file;
  const { data, nextCursor } = found.refusal ? { data: [], nextCursor: null } : found.answer;
  const known = await readNames(
    visit.orgId,
    data.map(({ caller }) => caller),
  );
  const t = texts().logs;
  const path = logPath(visit, 'requests');
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf(visit, known);
  const kept = { ...filtered, ...hidden };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.requests.lead,
    acts: data.length > 0 && renderExport(path, filtered),
    refusal: found.refusal && refusalOfFilters(found.refusal, { ...shared().console.logs, ...t.requests.filters }),
    body: html`${renderLogTabs(visit, 'requests', filtered)}
${renderRequestFilters(path, filtered, known, { columns, hidden, cursor })}
${
  !found.refusal &&
  html`<div class="requests">${renderTable<FailedRequest>({
    label: t.requests.label,
    height: 'compact',
    columns,
    hidden,
    rows: data,
    empty: renderNone(visit, Object.keys(filtered).length > 0 || cursor !== undefined),
    pager: {
      next: nextCursor && withQuery(path, { ...kept, cursor: nextCursor }),
      nextWords: shared().console.logs.older,
      first: cursor === undefined ? null : withQuery(path, kept),
    },
  })}</div>`
}
${renderElsewhere(visit)}`,
  });
}

async function readRequests(
  visit: OrganizationVisit,
  filtered: Filtered,
  cursor: string | undefined,
): Promise<Attempt<Requests>> {
  const refusal = rejectInvalidDays(filtered, shared().console.logs.dayWrong);
  if (refusal) return { refusal };
  const { path, query } = inputOf(visit, filtered);
  const page = { limit: pageSize, ...query, ...(cursor !== undefined && { cursor }) };
  return await submitForm(apiNames, () => call(visit.ctx, 'identity.requests.list', { path, query: page }));
}

/** The filters as the API has them: a text is an error code, or a request id. Its schema refuses a method that is none. */
function inputOf(
  { organization }: OrganizationVisit,
  { who, outcome, text, method, from, to }: Filtered,
): RequestsInput {
  const query = {
    ...(who !== undefined && { callerId: who }),
    ...(outcome !== undefined && { status: outcome }),
    ...(text !== undefined && (Object.hasOwn(errorCatalogue, text) ? { error: text } : { requestId: text })),
    ...(method !== undefined && { method }),
    ...instantsOfDays({ from, to }),
  } as RequestsInput['query'];
  return { path: { slug: organization.slug }, query };
}

function renderRequestFilters(path: string, values: Filtered, known: Names, columns: ColumnChoice): Html {
  const t = texts().logs.requests.filters;
  const { method = '' } = values;
  const statuses = commonStatuses.map((one) => [one, one] as const);
  return renderLogFilters({
    path,
    values,
    who: { label: t.callerId, suggestions: [...known] },
    outcome: { label: t.status, options: [['4xx', t.refused], ['5xx', t.failed], ...statuses] },
    text: { label: t.text },
    columns,
    chips: [
      { name: 'method', label: t.method, value: method, options: requestMethods.map((one) => [one, one] as const) },
    ],
  });
}

function columnsOf(
  visit: OrganizationVisit,
  known: Names,
): Parameters<typeof renderTable<FailedRequest>>[0]['columns'] {
  const t = texts().logs.requests;
  const { columns } = t;
  return [
    { heading: columns.request, cell: (request) => renderRequest(visit, request, known) },
    { heading: columns.status, cell: renderStatus, isState: true },
    { heading: columns.error, key: 'error', cell: renderError },
    {
      heading: columns.took,
      key: 'took',
      cell: ({ milliseconds }) => t.milliseconds(formatCount(milliseconds)),
      isNumber: true,
      isMinor: true,
    },
    {
      heading: columns.by,
      key: 'by',
      cell: ({ caller }) => html`<span><bdi>${nameOfCaller(caller, known, visit.user.id)}</bdi></span>`,
    },
    { heading: columns.when, key: 'when', cell: ({ answeredAt }) => renderWhen(answeredAt), isNumber: true },
  ];
}

function renderRequest(visit: OrganizationVisit, request: FailedRequest, known: Names): Html {
  const { id, path, error, caller } = request;
  const by = html`<bdi>${nameOfCaller(caller, known, visit.user.id)}</bdi>`;
  return html`<span class="req"><a class="name" href="${requestPath(visit, id)}">${renderMethod(request)}<code>${path}</code></a><span class="sub phone clip">${texts().logs.requests.summary(error, by)}</span></span>`;
}

function renderError({ error, omitted }: FailedRequest): Html {
  const words = texts().logs.requests.omitted(formatCount(omitted), omitted === 1);
  return html`<span><code class="id">${error}</code>${omitted > 0 && html` <span class="badge warn">${words}</span>`}</span>`;
}

function renderNone(visit: OrganizationVisit, isFiltered: boolean): Html {
  const t = texts().logs.requests.none;
  if (isFiltered) return renderEmpty(t.filtered);
  const acts = html`<a class="btn" href="/docs/errors">${t.errors}</a>`;
  return renderEmpty({
    icon: 'ok',
    title: t.title,
    words: t.words,
    acts,
    code: [sampleRequest(visit.orgId, t.sample)],
  });
}

/** A request of the organization that is refused; the key is the reader's own, in `KEY` of their shell. */
function sampleRequest(orgId: string, label: string): Code {
  return {
    label,
    text: `curl -sS ${settings.PUBLIC_URL}/events/none \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${orgId}"`,
  };
}

/** Links to the refused events, which are another list, if the member may see them. */
function renderElsewhere(visit: OrganizationVisit): Html | null {
  if (!visit.shell.seen.has('events')) return null;
  const t = texts().logs.requests.elsewhere;
  return html`<p class="hint after">${t.lead} <a class="link" href="${pathOf(visit, 'events', ['refused'])}">${t.refusedEvents}</a></p>`;
}
