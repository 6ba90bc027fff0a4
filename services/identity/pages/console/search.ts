import { call } from '../../../../lib/contract/context.ts';
import { orNull } from '../../../../lib/contract/errors.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type IconName, renderIcon } from '../../../../web/icons.ts';
import { type AreaKey, accountPages, areas } from '../../../../web/navigation.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../../web/page.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { texts as sharedTexts } from '../../../../web/texts.ts';
import { texts } from '../texts.ts';
import { ifAllowed } from './if-allowed.ts';
import { requestPath } from './request.ts';

/** The search over an organization: its pages and what it keeps. The command palette shows its results. */
export const searchPages = {
  'pages.console.search': organizationPage('overview', {
    rest: 'GET /search',
    summary: 'Find a page, a user, a customer, a file, an invoice, a failed request or a message of an organization',
    handler: renderSearch,
  }),
};

type Hit = { href: string; icon: IconName; name: string; kind: string };

const maxQueryLength = 200;
/** Maximum number of results of each kind. */
const maxShown = 5;
const shown = String(maxShown);
/** Maximum number of buckets whose files are searched; files of others are found by `bucket/key`. */
const maxBuckets = '10';
/** The newest invoices, among which one is found: a page of the list. */
const maxInvoices = '100';

async function renderSearch(visit: OrganizationVisit): Promise<PageAnswer> {
  const { query } = visit;
  const typed = typeof query.q === 'string' ? query.q.trim().slice(0, maxQueryLength).toWellFormed() : '';
  const found = await Promise.all([
    findPages(visit, typed),
    findUsers(visit, typed),
    findCustomers(visit, typed),
    findFiles(visit, typed),
    findInvoices(visit, typed),
    findRequests(visit, typed),
    findMessages(visit, typed),
  ]);
  const hits = found.flat();
  if (query.fragment === 'hits') return renderFragment(renderHits(hits));
  const t = texts().search;
  return renderOrganizationPage(visit, {
    title: t.title,
    parents: [[pathOf(visit, 'overview'), sharedTexts().console.areas.overview]],
    body: html`<form method="get" class="filters" role="search"><div class="wrap-input long">${renderIcon('search', 'sm')}<input type="search" name="q" value="${typed}" aria-label="${t.label}" placeholder="${t.label}" autocomplete="off" maxlength="${maxQueryLength}"></div>
<button class="btn">${t.submit}</button></form>
${hits.length === 0 ? renderEmpty(t.none(typed)) : html`<ul class="hits">${renderHits(hits)}</ul>`}`,
  });
}

function renderHits(hits: readonly Hit[]): Html {
  return html`${hits.map(
    ({ href, icon, name, kind }) =>
      html`<li><a href="${href}">${renderIcon(icon, 'sm')}<span class="clip"><bdi>${name}</bdi></span><span>${kind}</span></a></li>
`,
  )}`;
}

function findPages(visit: OrganizationVisit, typed: string): Hit[] {
  const { areas: names, accountPages: accountNames, account } = sharedTexts().console;
  const { page } = texts().search.kinds;
  const ofOrganization = [...visit.shell.seen].map((key: AreaKey) => {
    return { href: pathOf(visit, key), icon: areas[key].icon, name: names[key], kind: page };
  });
  const ofAccount = (Object.keys(accountPages) as (keyof typeof accountPages)[]).map((key) => {
    return { href: accountPages[key].path, icon: accountPages[key].icon, name: accountNames[key], kind: account };
  });
  const term = typed.toLowerCase();
  return [...ofOrganization, ...ofAccount].filter(({ name }) => name.toLowerCase().includes(term));
}

async function findUsers(visit: OrganizationVisit, typed: string): Promise<Hit[]> {
  if (typed === '' || !visit.shell.seen.has('users')) return [];
  const { user } = texts().search.kinds;
  const query = { orgId: visit.orgId, search: typed, limit: shown };
  const found = await ifAllowed(call(visit.ctx, 'identity.users.list', { query }));
  return (found?.data ?? []).map((one) => {
    return { href: pathOf(visit, 'users', [one.id]), icon: 'user', name: nameOfUser(one), kind: user };
  });
}

async function findCustomers(visit: OrganizationVisit, typed: string): Promise<Hit[]> {
  if (typed === '' || !visit.shell.seen.has('customers')) return [];
  const { customer } = texts().search.kinds;
  const found = await ifAllowed(call(visit.ctx, 'context.story.customers', { query: { q: typed, limit: shown } }));
  return (found?.data ?? []).map(({ customerId, name }) => {
    return { href: pathOf(visit, 'customers', [customerId]), icon: 'story', name: name ?? customerId, kind: customer };
  });
}

/** Finds files by the beginning of their key, or of `bucket/key`. */
async function findFiles(visit: OrganizationVisit, typed: string): Promise<Hit[]> {
  if (typed === '' || !visit.shell.seen.has('files')) return [];
  const { ctx } = visit;
  const { file: kind } = texts().search.kinds;
  const [bucketName = '', ...rest] = typed.split('/');
  const [named, buckets] = await Promise.all([
    rest.length === 0 ? [] : findFilesOf(visit, bucketName, rest.join('/')),
    ifAllowed(call(ctx, 'storage.buckets.list', { query: { limit: maxBuckets } })),
  ]);
  const others = await Promise.all((buckets?.data ?? []).map(({ name }) => findFilesOf(visit, name, typed)));
  return [...named, ...others.flat()].slice(0, maxShown).map(({ bucket, key }) => {
    const href = pathOf(visit, 'files', ['buckets', bucket, 'file'], { key });
    return { href, icon: 'file', name: `${bucket}/${key}`, kind };
  });
}

/** The first files of a bucket whose keys begin with a prefix; none where the organization has no such bucket. */
async function findFilesOf({ ctx }: OrganizationVisit, bucketName: string, prefix: string) {
  const query = { prefix, limit: shown };
  const work = call(ctx, 'storage.objects.list', { path: { bucketName }, query });
  return (await ifAllowed(orNull(work, 'NOT_FOUND')))?.data ?? [];
}

/** Finds invoices by the beginning of their number, or by their id. */
async function findInvoices(visit: OrganizationVisit, typed: string): Promise<Hit[]> {
  if (!/\d/.test(typed) || !visit.shell.seen.has('usage')) return [];
  const { ctx, orgId } = visit;
  const { invoice: kind } = texts().search.kinds;
  const query = { limit: maxInvoices };
  const found = await ifAllowed(call(ctx, 'billing.invoices.list', { path: { orgId }, query }));
  // Numbers are in capital letters.
  const term = typed.toUpperCase();
  return (found?.invoices ?? [])
    .filter(({ invoiceId, number }) => invoiceId === typed || number?.startsWith(term))
    .slice(0, maxShown)
    .map(({ invoiceId, number, pdfUrl }) => {
      // The user's session allows the PDF; the signature of the address would expire.
      return { href: new URL(pdfUrl).pathname, icon: 'receipt', name: number ?? invoiceId, kind };
    });
}

/** Finds failed requests by the whole id, which clients may choose. */
async function findRequests(visit: OrganizationVisit, typed: string): Promise<Hit[]> {
  if (!/^[\w.:-]{8,128}$/.test(typed) || !visit.shell.seen.has('logs')) return [];
  const { request } = texts().search.kinds;
  const { slug } = visit.organization;
  const query = { requestId: typed, limit: shown };
  const found = await ifAllowed(call(visit.ctx, 'identity.requests.list', { path: { slug }, query }));
  return (found?.data ?? []).map(({ id, status, method, path }) => {
    return { href: requestPath(visit, id), icon: 'logs', name: `${status} ${method} ${path}`, kind: request };
  });
}

/** Finds a mail or a notification by its id. */
async function findMessages(visit: OrganizationVisit, typed: string): Promise<Hit[]> {
  if (!/^(?:msg|ntf)_\w{26}$/.test(typed) || !visit.shell.seen.has('messages')) return [];
  const { message: kind } = texts().search.kinds;
  if (typed.startsWith('msg_')) {
    const query = { messageId: typed, limit: shown };
    const found = await ifAllowed(call(visit.ctx, 'mail.messages.list', { query }));
    return (found?.data ?? []).map(({ messageId, to }) => {
      return { href: pathOf(visit, 'messages', [messageId]), icon: 'send', name: to, kind };
    });
  }
  const query = { notificationId: typed, limit: shown };
  const found = await ifAllowed(call(visit.ctx, 'notification.notifications.list', { query }));
  return (found?.data ?? []).map(({ notificationId, recipientId }) => {
    const href = pathOf(visit, 'messages', ['notifications', notificationId]);
    return { href, icon: 'send', name: recipientId, kind };
  });
}
