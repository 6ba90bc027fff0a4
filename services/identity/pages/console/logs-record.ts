import { call } from '../../../../lib/contract/context.ts';
import { renderCode } from '../../../../web/code.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../../web/facts.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderTable } from '../../../../web/table.ts';
import { renderTime } from '../../../../web/time.ts';
import { deviceName } from '../../sessions.ts';
import { deviceInWords } from '../device.ts';
import { texts } from '../texts.ts';
import { type AuditRecord, actionInWords, type Names, nameOfActor, nameOfTarget, readNames } from './audit-words.ts';
import { userPath } from './users-page.ts';

/** One record of the audit log, with everything that it holds. */
export const logRecordPages = {
  'pages.console.logs.show': organizationPage('logs', {
    rest: 'GET /:recordId',
    summary: 'Show a record of the audit log',
    handler: renderRecord,
  }),
};

async function renderRecord(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, orgId, organization, user } = visit;
  const path = { slug: organization.slug, recordId: visit.path.recordId ?? '' };
  const record = await call(ctx, 'identity.audit.read', { path });
  const names = await readNames(orgId, [record.actor, record.target]);
  const t = texts().logs;
  return renderOrganizationPage(visit, {
    title: t.record.sentence(nameOfActor(record, names, user.id), actionInWords(record.action)),
    parents: [[pathOf(visit, 'logs'), t.title]],
    acts: renderMore(visit, record),
    body: html`${renderFacts(factsOf(visit, record, names))}
${renderChanges(record)}
<section class="sec" aria-label="${t.record.whole}">${renderCode({ label: t.record.whole, text: JSON.stringify(record, null, 2) })}</section>`,
  });
}

function renderMore(visit: OrganizationVisit, { actor, target }: AuditRecord): Html {
  const t = texts().logs.record;
  const list = pathOf(visit, 'logs');
  return html`${actor.id !== null && html`<a class="btn" href="${withQuery(list, { who: actor.id })}">${t.byActor}</a>`}
<a class="btn" href="${withQuery(list, { text: target.id })}">${t.onTarget}</a>`;
}

function factsOf(visit: OrganizationVisit, record: AuditRecord, names: Names): Fact[] {
  const { id, action, actor, address, userAgent, requestId, createdAt, count, lastAt } = record;
  const { facts: t, idNames, none } = texts().logs.record;
  const { times } = texts().logs;
  return [
    [t.action, html`<code class="badge">${action}</code>`],
    [t.who, renderWho(visit, record, names)],
    ...(actor.credentialId === null
      ? []
      : [[t.credential, renderCopyable('credential-id', actor.credentialId, idNames.credential)] as const]),
    [t.about, renderTarget(record, names)],
    [t.when, renderTime(createdAt)],
    ...(count === undefined ? [] : [[t.count, times(count)] as const]),
    ...(lastAt === undefined ? [] : [[t.last, renderTime(lastAt)] as const]),
    [t.address, address === null ? none : html`<code class="id">${address}</code>`],
    [t.client, userAgent === null ? none : renderClient(userAgent, actor.type)],
    [t.request, requestId === null ? none : renderCopyable('request-id', requestId, idNames.request)],
    [t.id, renderCopyable('record-id', id, idNames.id)],
  ];
}

function renderTarget(record: AuditRecord, names: Names): Html {
  const { type, id } = record.target;
  const name = nameOfTarget(record, names);
  return html`${name !== undefined && html`<bdi>${name}</bdi> `}<span class="quiet">${type}</span>${renderCopyable('target-id', id, texts().logs.record.idNames.target)}`;
}

/** Renders the actor; the name of a user leads to their page. */
function renderWho(visit: OrganizationVisit, record: AuditRecord, names: Names): Content {
  const { type, id } = record.actor;
  const name = nameOfActor(record, names, visit.user.id);
  if (id === null) return name;
  const isLink = type === 'user' && names.has(id) && visit.shell.seen.has('users');
  const shown = isLink
    ? html`<a class="link" href="${userPath(visit, id)}"><bdi>${name}</bdi></a>`
    : html`<bdi>${name}</bdi>`;
  return html`${shown}${renderCopyable('actor-id', id, texts().logs.record.idNames.actor)}`;
}

function renderClient(userAgent: string, actor: AuditRecord['actor']['type']): Html {
  const device = actor === 'application' ? null : deviceInWords(deviceName(userAgent));
  return html`${device}<span class="hint brk"><bdi>${userAgent}</bdi></span>`;
}

type Change = { field: string; before: unknown; after: unknown };

function renderChanges({ before, after }: AuditRecord): Html | null {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return null;
  const t = texts().logs.record;
  return html`<section class="sec" aria-labelledby="h-changes"><div class="sec-head"><h2 id="h-changes">${t.changes}</h2></div>
${renderTable<Change>({
  label: t.changesLabel,
  columns: [
    { heading: t.fields.field, cell: ({ field }) => html`<code class="id">${field}</code>` },
    { heading: t.fields.before, cell: (change) => renderValue(change.before) },
    { heading: t.fields.after, cell: (change) => renderValue(change.after) },
  ],
  rows: fields.map((field) => ({ field, before: before?.[field], after: after?.[field] })),
  empty: '',
})}</section>`;
}

function renderValue(value: unknown): Html {
  if (value === null || value === undefined) return html`<span class="quiet">${texts().logs.record.none}</span>`;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return html`<bdi>${value.join(', ')}</bdi>`;
  return html`<bdi>${typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>`;
}
