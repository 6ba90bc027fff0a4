import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { errorGuide } from '../../../../lib/contract/error-guide.ts';
import { ApiKeyModel } from '../../../../models/identity/api-key.ts';
import { renderCode } from '../../../../web/code.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../../web/facts.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { formatCount } from '../../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderBanner } from '../../../../web/states.ts';
import { renderTable } from '../../../../web/table.ts';
import { renderTime } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { type Names, readNames } from './audit-words.ts';
import { userPath } from './users-page.ts';

export type FailedRequest = CallOutput<'identity.requests.read'>;
type Caller = FailedRequest['caller'];

/**
 * One request that was answered with an error, with everything that is stored of it and what to do. The words of the API
 * are English in every language of the page, as the client got them.
 */
export const requestShowPages = {
  'pages.console.logs.request': organizationPage('logs', {
    rest: 'GET /requests/:requestId',
    summary: 'Show a refused or failed request',
    handler: renderRequest,
  }),
};

/** The path of the page of a request, by its request id or by the id of its record. */
export function requestPath(visit: OrganizationVisit, id: string): string {
  return pathOf(visit, 'logs', ['requests', id]);
}

/** The name of the one who sent a request, for the user who reads it. */
export function nameOfCaller({ type, id }: Caller, known: Names, reader: string): string {
  return id === reader ? texts().overview.activity.you : (known.get(id) ?? texts().logs.requests.callers[type]);
}

export function renderStatus(request: FailedRequest): Html {
  return html`<span class="status ${toneOf(request)}">${request.status}</span>`;
}

/** The colour of an answer: one of the server's faults, or of a refusal. */
function toneOf({ status }: FailedRequest): 'warn' | 'bad' {
  return status >= 500 ? 'bad' : 'warn';
}

export function renderMethod({ method }: FailedRequest): Html {
  return html`<span class="meth">${method}</span>`;
}

async function renderRequest(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, orgId, organization } = visit;
  const { slug } = organization;
  const path = { slug, requestId: visit.path.requestId ?? '' };
  const request = await call(ctx, 'identity.requests.read', { path });
  const { requestId, caller, status, error, message } = request;
  const [known, key, sameId] = await Promise.all([
    readNames(orgId, [caller]),
    ApiKeyModel.findOne({ orgId, _id: caller.credentialId ?? '' }, { name: 1 }).lean(),
    call(ctx, 'identity.requests.list', { path: { slug }, query: { requestId, limit: '2' } }),
  ]);
  const t = texts().logs;
  const list = pathOf(visit, 'logs', ['requests']);
  return renderOrganizationPage(visit, {
    title: `${status} ${error}`,
    parents: [[list, t.title]],
    acts: renderMore(list, request, sameId.data.length > 1),
    body: html`${renderBanner({ tone: toneOf(request), icon: 'alert', words: html`<p lang="en"><bdi>${message}</bdi></p>` })}
${renderFacts(factsOf(visit, request, known, key?.name))}
${renderDetails(request)}
${renderGuide(request)}
<section class="sec" aria-label="${t.requests.show.whole}">${renderCode({ label: t.requests.show.whole, text: JSON.stringify(request, null, 2) })}</section>`,
  });
}

function renderMore(list: string, { requestId, caller, error }: FailedRequest, hasSameId: boolean): Html {
  const t = texts().logs.requests.show;
  return html`${hasSameId && html`<a class="btn" href="${withQuery(list, { text: requestId })}">${t.sameId}</a>`}
<a class="btn" href="${withQuery(list, { who: caller.id })}">${t.byCaller}</a>
<a class="btn" href="${withQuery(list, { text: error })}">${t.sameError}</a>`;
}

function factsOf(visit: OrganizationVisit, request: FailedRequest, known: Names, key: string | undefined): Fact[] {
  const { requestId, answeredAt, route, path, milliseconds, caller, userAgent, omitted } = request;
  const { requests } = texts().logs;
  const { facts: t, idNames, none, omitted: notListed } = requests.show;
  return [
    [t.request, html`${renderMethod(request)}<code class="brk">${path}</code>`],
    [t.route, html`<code class="brk">${route}</code>`],
    [t.status, renderStatus(request)],
    [t.when, renderTime(answeredAt)],
    [t.took, requests.milliseconds(formatCount(milliseconds))],
    [t.by, renderCaller(visit, caller, known)],
    ...(caller.credentialId === null ? [] : [[t.credential, renderCredential(caller.credentialId, key)] as const]),
    [t.client, userAgent === null ? none : html`<span class="brk"><bdi>${userAgent}</bdi></span>`],
    [t.requestId, renderCopyable('request-id', requestId, idNames.request)],
    ...(omitted === 0 ? [] : [[t.omitted, notListed(formatCount(omitted), omitted === 1)] as const]),
  ];
}

/** Renders the one who sent a request; the name of a user leads to their page. */
function renderCaller(visit: OrganizationVisit, caller: Caller, known: Names): Content {
  const name = html`<bdi>${nameOfCaller(caller, known, visit.user.id)}</bdi>`;
  const isLink = caller.type === 'user' && known.has(caller.id) && visit.shell.seen.has('users');
  const shown = isLink ? html`<a class="link" href="${userPath(visit, caller.id)}">${name}</a>` : name;
  return html`${shown}${renderCopyable('caller-id', caller.id, texts().logs.requests.show.idNames.caller)}`;
}

function renderCredential(credentialId: string, name: string | undefined): Html {
  const { credential } = texts().logs.requests.show.idNames;
  return html`${name !== undefined && html`<bdi>${name}</bdi>`}${renderCopyable('credential-id', credentialId, credential)}`;
}

function renderDetails({ details }: FailedRequest): Html | null {
  if (details.length === 0) return null;
  const t = texts().logs.requests.show;
  return html`<section class="sec" aria-labelledby="h-details"><div class="sec-head"><h2 id="h-details">${t.details}</h2></div>
${renderTable<FailedRequest['details'][number]>({
  label: t.detailsLabel,
  columns: [
    { heading: t.fields.path, cell: ({ path }) => html`<code class="brk">${path}</code>` },
    { heading: t.fields.message, cell: ({ message }) => html`<bdi lang="en">${message}</bdi>` },
  ],
  rows: details,
  empty: '',
})}</section>`;
}

/** Renders when the error happens and what its receiver can do; nothing for a code of another version. */
function renderGuide({ error }: FailedRequest): Html | null {
  const guide = Object.hasOwn(errorGuide, error) ? errorGuide[error as keyof typeof errorGuide] : null;
  if (!guide) return null;
  const t = texts().logs.requests.show;
  return html`<section class="sec" aria-labelledby="h-guide"><div class="sec-head"><h2 id="h-guide">${t.guide}</h2><a class="btn sm" href="/docs/errors#${error}">${t.reference}</a></div>
<p lang="en">${renderMarked(guide.when)}</p>
<p class="after" lang="en">${renderMarked(guide.remedy)}</p></section>`;
}

/** Renders words of the catalogue: text with code between backquotes. */
function renderMarked(words: string): Html {
  return html`${words.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
