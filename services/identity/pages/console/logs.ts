import { type CallInput, type CallOutput, call } from '../../../../lib/contract/context.ts';
import { capitalize } from '../../../../lib/format/capitalize.ts';
import { type Refusal, refusalOfFilters, submitForm } from '../../../../web/attempt.ts';
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
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { texts as shared } from '../../../../web/texts.ts';
import { renderWhen } from '../../../../web/time.ts';
import { auditDaysOf } from '../../audit/retention.ts';
import { texts } from '../texts.ts';
import {
  type AuditRecord,
  actionInWords,
  type Names,
  nameOfActor,
  nameOfTarget,
  readNames,
  renderActor,
  roleChangeOf,
} from './audit-words.ts';
import { logRecordPages } from './logs-record.ts';
import { requestPages } from './requests.ts';

/** The audit log of an organization, with its filters in the address. */
export const logPages = {
  'pages.console.logs.list': organizationPage('logs', {
    rest: 'GET',
    summary: 'Show the audit log of an organization',
    handler: renderLogs,
  }),
  ...logRecordPages,
  ...requestPages,
};

type Records = CallOutput<'identity.audit.list'>;
type AuditQuery = CallInput<'identity.audit.list'>['query'];

const pageSize = '50';
/** The filters as the API names them. */
const apiNames = ['actorId', 'action', 'targetId', 'from', 'to'] as const;

async function renderLogs(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, orgId, organization } = visit;
  const { cursor, ...filtered } = singleValues(visit.query, [...logFilters, 'cursor']);
  const [found, days] = await Promise.all([readRecords(visit, filtered, cursor), auditDaysOf(ctx, orgId)]);
  const input = { path: { slug: organization.slug }, query: queryOf(filtered) } as CallInput<'identity.audit.list'>;
  const list = { name: texts().logs.file, action: 'identity.audit.list', input } as const;
  const file = found.refusal ? null : downloadOf(visit, list);
  if (file) return file;
  const { data, nextCursor } = found.refusal ? { data: [], nextCursor: null } : found.answer;
  const known = await readNames(
    orgId,
    data.flatMap(({ actor, target }) => [actor, target]),
  );
  const t = texts().logs;
  const path = logPath(visit, 'audit');
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf(visit, known);
  const kept = { ...filtered, ...hidden };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: days === null ? t.lead : t.kept(formatCount(days)),
    acts: data.length > 0 && renderExport(path, filtered),
    refusal: found.refusal && refusalOfFilters(found.refusal, { ...shared().console.logs, ...t.filters }),
    body: html`${renderLogTabs(visit, 'audit', filtered)}
${renderAuditFilters(path, filtered, known, { columns, hidden, cursor })}
${
  !found.refusal &&
  html`<div class="audit">${renderTable<AuditRecord>({
    label: t.label,
    height: 'tall',
    columns,
    hidden,
    rows: data,
    empty: renderNone(Object.keys(filtered).length > 0 || cursor !== undefined),
    pager: {
      next: nextCursor && withQuery(path, { ...kept, cursor: nextCursor }),
      nextWords: shared().console.logs.older,
      first: cursor === undefined ? null : withQuery(path, kept),
    },
  })}</div>`
}`,
  });
}

type Found = { refusal: null; answer: Records } | { refusal: Refusal };

async function readRecords(
  visit: OrganizationVisit,
  filtered: LogFiltered,
  cursor: string | undefined,
): Promise<Found> {
  const refusal = rejectInvalidDays(filtered, shared().console.logs.dayWrong);
  if (refusal) return { refusal };
  const query = { limit: pageSize, ...queryOf(filtered), ...(cursor !== undefined && { cursor }) };
  const path = { slug: visit.organization.slug };
  return await submitForm(apiNames, () => call(visit.ctx, 'identity.audit.list', { path, query }));
}

/** The filters as the API has them: the days are instants, and the last day is included. */
function queryOf({ who, outcome, text, from, to }: LogFiltered): Omit<AuditQuery, 'limit' | 'cursor'> {
  return {
    ...(who !== undefined && { actorId: who }),
    ...(outcome !== undefined && { action: outcome }),
    ...(text !== undefined && { targetId: text }),
    ...instantsOfDays({ from, to }),
  };
}

function renderAuditFilters(path: string, values: LogFiltered, known: Names, columns: ColumnChoice): Html {
  const t = texts().logs.filters;
  const actions = Object.entries(texts().overview.activity.actions);
  return renderLogFilters({
    path,
    values,
    who: { label: t.actorId, suggestions: [...known] },
    outcome: { label: t.action, placeholder: t.actionPlaceholder, suggestions: actions },
    text: { label: t.targetId },
    columns,
  });
}

function columnsOf(visit: OrganizationVisit, known: Names): Parameters<typeof renderTable<AuditRecord>>[0]['columns'] {
  const { columns, summary } = texts().logs;
  return [
    {
      heading: columns.who,
      cell: (record) =>
        renderName({
          href: pathOf(visit, 'logs', [record.id]),
          name: nameOfActor(record, known, visit.user.id),
          picture: renderActor(record, known),
          summary: summary(capitalize(actionInWords(record.action)), renderTarget(record, known)),
        }),
    },
    {
      heading: columns.action,
      key: 'action',
      cell: ({ action }) =>
        html`<span>${capitalize(actionInWords(action))}</span><span class="sub sub-line"><code class="id">${action}</code></span>`,
    },
    { heading: columns.about, key: 'about', cell: (record) => renderAbout(record, known) },
    {
      heading: columns.from,
      key: 'from',
      cell: ({ address }) => address && html`<code class="id">${address}</code>`,
      isMinor: true,
    },
    { heading: columns.when, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true, isState: true },
  ];
}

function renderAbout(record: AuditRecord, known: Names): Html {
  const details = [roleChangeOf(record), record.count !== undefined && texts().logs.times(record.count)].filter(
    Boolean,
  );
  return html`<span>${renderTarget(record, known)}</span>${details.length > 0 && html`<span class="sub sub-line">${details.join(', ')}</span>`}`;
}

function renderTarget(record: AuditRecord, known: Names): Html {
  const name = nameOfTarget(record, known);
  return name === undefined ? html`<code class="id">${record.target.id}</code>` : html`<bdi>${name}</bdi>`;
}

function renderNone(isFiltered: boolean): Html {
  const { title, words, filtered } = texts().logs.none;
  return isFiltered ? renderEmpty(filtered) : renderEmpty({ icon: 'logs', title, words });
}
