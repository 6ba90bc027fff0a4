import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { type Html, html } from '../../../../web/html.ts';
import { formatCount } from '../../../../web/numbers.ts';
import {
  type OperatedOrganization,
  type OperatorVisit,
  operatedPath,
  operatorPage,
  operatorPath,
  readOperated,
  renderOperated,
} from '../../../../web/operator-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderState } from '../../../../web/states.ts';
import { renderEmpty, renderName, renderPager, renderTable } from '../../../../web/table.ts';
import { renderDay } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { renderZoneSection } from '../../../../web/zone.ts';
import type { AuditRecord } from '../console/audit-words.ts';
import { renderRecords } from '../console/user-audit.ts';
import { texts } from '../texts.ts';
import { planOf } from './organizations.ts';
import { renderSuspension, type SuspensionAttempt } from './suspension.ts';

/** The kind of the tokens of the forms about an organization. */
const formKind = 'operated organization';

/** The pages about one organization. Its plan and invoices are on a page of billing. */
export const operatorOrganizationPages = {
  'pages.operator.organization': operatorPage('organizations', {
    rest: 'GET /:orgId',
    summary: 'Show an organization to operators',
    handler: (visit) => renderOverview(visit),
  }),
  'pages.operator.organization.trust': operatorPage('organizations', {
    rest: 'POST /:orgId/trust',
    summary: 'Trust an organization, or end that',
    handler: changeTrust,
  }),
  'pages.operator.organization.suspend': operatorPage('organizations', {
    rest: 'POST /:orgId/suspend',
    summary: 'Suspend an organization',
    handler: suspend,
  }),
  'pages.operator.organization.restore': operatorPage('organizations', {
    rest: 'POST /:orgId/restore',
    summary: 'End the suspension of an organization',
    handler: restore,
  }),
  'pages.operator.organization.client': operatorPage('organizations', {
    rest: 'POST /:orgId/clients/:clientId',
    summary: 'Mark an OAuth client as first-party, or end that',
    handler: changeClient,
  }),
  'pages.operator.organization.audit': operatorPage('organizations', {
    rest: 'GET /:orgId/audit',
    summary: 'Show the audit log of an organization to operators',
    handler: renderAudit,
  }),
};

async function changeTrust(visit: OperatorVisit): Promise<PageAnswer> {
  const { isTrusted: typed } = pickFields(visit.form, 'isTrusted');
  const id = visit.path.orgId ?? '';
  const isTrusted = typed === 'true';
  const input = { path: { orgId: id }, body: { isTrusted } };
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.operator.organizations.update', input)));
  if (refusal) return renderOverview(visit, refusal);
  return redirectTo(operatedPath({ id }, 'overview', [], { done: isTrusted ? 'trusted' : 'untrusted' }));
}

async function suspend(visit: OperatorVisit): Promise<PageAnswer> {
  const { reason } = pickFields(visit.form, 'reason');
  const id = visit.path.orgId ?? '';
  const input = { path: { orgId: id }, body: { reason } };
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf(['reason'], () => call(visit.ctx, 'identity.operator.organizations.suspend', input)));
  if (refusal) return renderOverview(visit, refusal, { reason, refusal });
  return redirectTo(operatedPath({ id }, 'overview', [], { done: 'suspended' }));
}

async function restore(visit: OperatorVisit): Promise<PageAnswer> {
  const id = visit.path.orgId ?? '';
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.operator.organizations.restore', { path: { orgId: id } })));
  if (refusal) return renderOverview(visit, refusal);
  return redirectTo(operatedPath({ id }, 'overview', [], { done: 'restored' }));
}

async function changeClient(visit: OperatorVisit): Promise<PageAnswer> {
  const { isFirstParty: typed } = pickFields(visit.form, 'isFirstParty');
  const id = visit.path.orgId ?? '';
  const isFirstParty = typed === 'true';
  const path = { orgId: id, clientId: visit.path.clientId ?? '' };
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf([], () =>
      call(visit.ctx, 'identity.operator.oauth-clients.update', { path, body: { isFirstParty } }),
    ));
  if (refusal) return renderOverview(visit, refusal);
  const done = isFirstParty ? 'first-party' : 'third-party';
  return redirectTo(operatedPath({ id }, 'overview', [], { done }));
}

const shownRecords = '8';
const pageSize = '50';

async function renderOverview(
  visit: OperatorVisit,
  refusal?: Refusal,
  attempt?: SuspensionAttempt,
): Promise<PageAnswer> {
  const { ctx, query } = visit;
  const path = { orgId: visit.path.orgId ?? '' };
  const cursor = typeof query.clients === 'string' ? { cursor: query.clients } : {};
  const [organization, clients, records] = await Promise.all([
    readOperated(visit),
    call(ctx, 'identity.operator.oauth-clients.list', { path, query: { limit: pageSize, ...cursor } }),
    call(ctx, 'identity.operator.audit.list', { path, query: { limit: shownRecords } }),
  ]);
  const t = texts().operatorConsole.organization;
  const flow = openUserFlow(visit, formKind);
  return renderOperated(visit, organization, {
    tab: 'overview',
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${renderOrganizationFacts(organization)}
<section class="sec" aria-labelledby="h-clients"><div class="sec-head"><h2 id="h-clients">${t.clients.title}</h2></div>
${renderClients(organization, clients, flow)}</section>
<section class="sec" aria-labelledby="h-activity"><div class="sec-head"><h2 id="h-activity">${t.activity.title}</h2><a class="btn sm" href="${operatedPath(organization, 'audit')}">${t.activity.all}</a></div>
${await renderLog(visit, organization.id, records.data)}</section>
${renderTrust(organization, flow)}
${renderSuspension(organization, flow, attempt)}`,
  });
}

function renderOrganizationFacts(organization: OperatedOrganization): Html {
  const { slug, plan, members, owners, createdAt } = organization;
  const { facts, noOwners } = texts().operatorConsole.organization;
  const links = owners.map(
    ({ email }) => html`<a href="${operatorPath('users', [], { search: email })}"><bdi>${email}</bdi></a><br>`,
  );
  return renderFacts([
    [facts.slug, html`<code>${slug}</code>`],
    [facts.plan, html`<a href="${operatedPath(organization, 'plan')}">${planOf(plan)}</a>`],
    [facts.members, formatCount(members)],
    [facts.owners, links.length === 0 ? noOwners : links],
    [facts.created, renderDay(createdAt)],
  ]);
}

type Clients = CallOutput<'identity.operator.oauth-clients.list'>;
type Client = Clients['data'][number];

function renderClients(organization: OperatedOrganization, { data, nextCursor }: Clients, flow: string): Html {
  const t = texts().operatorConsole.organization.clients;
  const { columns } = t;
  return renderTable<Client>({
    label: t.label,
    height: 'tall',
    columns: [
      {
        heading: columns.application,
        cell: renderClientName,
      },
      {
        heading: columns.origins,
        cell: ({ origins }) => (origins.length === 0 ? t.noOrigins : renderOrigins(origins)),
      },
      {
        heading: columns.kind,
        cell: ({ isFirstParty }) => renderState(kindOf(isFirstParty), isFirstParty ? 'good' : 'off'),
      },
      { heading: columns.act, cell: (client) => renderMark(organization, client, flow), isState: true },
    ],
    rows: data,
    empty: html`<p class="quiet">${t.none}</p>`,
    pager: {
      next: nextCursor && operatedPath(organization, 'overview', [], { clients: nextCursor }),
      nextWords: t.more,
    },
  });
}

function kindOf(isFirstParty: boolean): string {
  const { asked, firstParty } = texts().operatorConsole.organization.clients;
  return isFirstParty ? firstParty : asked;
}

function renderClientName({ application, clientId, origins, isFirstParty }: Client): Html {
  return renderName({
    name: html`<bdi>${application}</bdi>`,
    detail: clientId,
    summary: [kindOf(isFirstParty), ...origins].join(', '),
  });
}

function renderOrigins(origins: readonly string[]): Html {
  return html`${origins.map((origin) => html`<code>${origin}</code> `)}`;
}

function renderMark(organization: OperatedOrganization, { clientId, isFirstParty }: Client, flow: string): Html {
  const t = texts().operatorConsole.organization.clients;
  return renderConfirmedForm({
    id: `mark-${clientId}`,
    action: operatedPath(organization, 'overview', ['clients', clientId]),
    flow,
    fields: html`<input type="hidden" name="isFirstParty" value="${String(!isFirstParty)}">`,
    isMild: true,
    ...(isFirstParty ? t.unmark : t.mark),
  });
}

function renderTrust(organization: OperatedOrganization, flow: string): Html {
  const { isTrusted } = organization;
  const { title, heading, words, give, end } = texts().operatorConsole.organization.trust;
  const state = isTrusted ? 'trusted' : 'untrusted';
  const confirmed = {
    id: 'trust',
    action: operatedPath(organization, 'overview', ['trust']),
    flow,
    fields: html`<input type="hidden" name="isTrusted" value="${String(!isTrusted)}">`,
    isMild: true,
    ...(isTrusted ? end : give),
  };
  return renderZoneSection({ id: 'h-trust', title }, [{ title: heading[state], words: words[state], confirmed }]);
}

async function renderAudit(visit: OperatorVisit): Promise<PageAnswer> {
  const { cursor } = visit.query;
  const [organization, { data, nextCursor }] = await Promise.all([
    readOperated(visit),
    call(visit.ctx, 'identity.operator.audit.list', {
      path: { orgId: visit.path.orgId ?? '' },
      query: { limit: pageSize, ...(typeof cursor === 'string' && { cursor }) },
    }),
  ]);
  const t = texts().operatorConsole.organization.audit;
  return renderOperated(visit, organization, {
    tab: 'audit',
    body: html`<h2 class="vh">${t.title}</h2>
${await renderLog(visit, organization.id, data)}
${renderPager({
  next: nextCursor && operatedPath(organization, 'audit', [], { cursor: nextCursor }),
  nextWords: t.older,
  first: typeof cursor === 'string' ? operatedPath(organization, 'audit') : null,
})}`,
  });
}

async function renderLog(visit: OperatorVisit, orgId: string, records: readonly AuditRecord[]): Promise<Html> {
  if (records.length === 0) return renderEmpty(texts().operatorConsole.organization.activity.none);
  return await renderRecords(orgId, records, visit.user.id);
}
