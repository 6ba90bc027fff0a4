import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { apiError } from '../../../../lib/contract/errors.ts';
import { day, now } from '../../../../lib/data/clock.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import type { Code } from '../../../../web/code.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { readAllPages } from '../../../../web/list-query.ts';
import { type OrganizationVisit, organizationPage, renderOrganizationPage } from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderState } from '../../../../web/states.ts';
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderDay, renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import { openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { renderZoneSection } from '../../../../web/zone.ts';
import { texts } from '../texts.ts';
import { type Application, applicationPath, crumbsTo, readApplication } from './applications-page.ts';

type ApiKey = CallOutput<'identity.api-keys.list'>['data'][number];

/** The kind of the tokens of the forms about keys. */
export const keysForm = 'application keys';
/** From this time on before it expires, a key is marked. */
const soon = 14 * day;

/** The pages of one API key. */
export const applicationKeysPages = {
  'pages.console.applications.keys.show': organizationPage('applications', {
    rest: 'GET /:app/keys/:key',
    summary: 'Show an API key',
    handler: (visit) => renderKey(visit),
  }),
  'pages.console.applications.keys.revoke': organizationPage('applications', {
    rest: 'POST /:app/keys/:key',
    summary: 'Revoke an API key',
    handler: revokeKey,
  }),
};

/** Renders the keys of an application, with a link to each. */
export async function renderKeys(visit: OrganizationVisit, application: Application): Promise<Html> {
  const { ctx, query, mayChange } = visit;
  const t = texts().consoleApplications.keys;
  const { cursor } = query;
  const { data, nextCursor } = await call(ctx, 'identity.api-keys.list', {
    path: { id: application.id },
    query: { limit: '50', ...(typeof cursor === 'string' && { cursor }) },
  });
  const href = applicationPath(visit, application, ['keys', 'new']);
  const create = mayChange && html`<a class="btn primary" href="${href}">${renderIcon('plus')}${t.create}</a>`;
  return html`<section aria-labelledby="h-keys">
<div class="sec-head"><h2 id="h-keys">${t.title}</h2>${create}</div>
${renderTable({
  label: t.label(application.name),
  rows: data,
  empty: renderEmpty({ icon: 'key', title: t.none.title, words: t.none.words, code: [tryKey()] }),
  pager: {
    next: nextCursor && applicationPath(visit, application, [], { cursor: nextCursor }),
    first: typeof cursor === 'string' ? applicationPath(visit, application) : null,
  },
  columns: [
    {
      heading: t.columns.name,
      cell: (key) =>
        renderName({
          href: applicationPath(visit, application, ['keys', key.id]),
          name: key.name,
          summary: key.lastUsedAt ? t.summary(renderWhenWithin(key.lastUsedAt)) : t.neverUsed,
        }),
    },
    { heading: t.columns.scopes, cell: ({ scopes }) => renderScopeTags(scopes), isMinor: true },
    { heading: t.columns.state, cell: renderKeyState, isState: true },
    { heading: t.columns.lastUsed, cell: ({ lastUsedAt }) => whenOr(lastUsedAt, t.never), isNumber: true },
    { heading: t.columns.expires, cell: ({ expiresAt }) => whenOr(expiresAt, t.never), isNumber: true },
    { heading: t.columns.created, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true, isMinor: true },
  ],
})}</section>`;
}

/** A request that works with any key. */
function tryKey(): Code {
  const text = `curl -sS ${settings.PUBLIC_URL}/identity/me -H "Authorization: Bearer $KEY"`;
  return { label: texts().consoleApplications.keys.none.code, text };
}

function whenOr(timestamp: string | null, never: string): Html {
  return timestamp === null ? html`<span class="quiet">${never}</span>` : renderWhen(timestamp);
}

const shownScopes = 2;

function renderScopeTags(scopes: readonly string[]): Html {
  const rest = scopes.length - shownScopes;
  return html`<span class="row wrap tags">${scopes.slice(0, shownScopes).map((scope) => html`<code class="badge">${scope}</code>`)}${rest > 0 && html`<span class="quiet tiny">${texts().consoleApplications.keys.more(rest)}</span>`}</span>`;
}

function renderKeyState({ expiresAt }: ApiKey): Html {
  const t = texts().consoleApplications.keys.states;
  const remaining = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now().getTime();
  if (remaining <= 0) return renderState(t.expired, 'off');
  return remaining <= soon ? renderState(t.soon, 'warn') : renderState(t.active, 'good');
}

/** There is no endpoint for one key. An application has few, so that its list is read. */
async function findKey({ ctx, path }: OrganizationVisit, { id }: Application): Promise<ApiKey> {
  const keys = await readAllPages((query) => call(ctx, 'identity.api-keys.list', { path: { id }, query }));
  const found = keys.find((key) => key.id === path.key);
  if (!found) throw apiError('NOT_FOUND');
  return found;
}

async function revokeKey(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const { ctx, path } = visit;
  const application = await readApplication(visit);
  const input = { path: { id: application.id, keyId: path.key ?? '' } };
  const refusal =
    rejectStaleForm(visit, keysForm) ?? (await refusalOf([], () => call(ctx, 'identity.api-keys.revoke', input)));
  if (refusal) return renderKey(visit, refusal);
  return redirectTo(applicationPath(visit, application, [], { done: 'revoked' }));
}

async function renderKey(visit: OrganizationVisit, refusal?: Refusal): Promise<PageAnswer> {
  const application = await readApplication(visit);
  const key = await findKey(visit, application);
  const t = texts().consoleApplications.keys;
  const { id, name, createdAt, lastUsedAt, expiresAt } = key;
  return renderOrganizationPage(visit, {
    title: name,
    parents: crumbsTo(visit, application),
    refusal,
    head: html`<header class="detail"><span class="avatar lg sq t6" aria-hidden="true">${renderIcon('key')}</span>
<div class="grow"><h1><bdi>${name}</bdi> ${renderKeyState(key)}</h1><p class="quiet">${renderCopyable('key-id', id, t.idName)}</p></div></header>`,
    body: html`<section>${renderFacts([
      [t.facts.lastUsed, lastUsedAt ? renderWhen(lastUsedAt) : t.neverUsed],
      [t.facts.expires, expiresAt ? renderDay(expiresAt) : t.never],
      [t.facts.created, renderDay(createdAt)],
      [
        t.facts.scopes,
        html`<span class="row wrap tags">${key.scopes.map((scope) => html`<code class="badge">${scope}</code>`)}</span>`,
      ],
    ])}</section>
${visit.mayChange && renderRevoking(visit, applicationPath(visit, application, ['keys', id]))}`,
  });
}

function renderRevoking(visit: OrganizationVisit, action: string): Html {
  const { title, words, ...form } = texts().consoleApplications.keys.revoke;
  const confirmed = { id: 'revoke', action, flow: openUserFlow(visit, keysForm), ...form };
  return renderZoneSection(null, [{ title, words, confirmed }]);
}
