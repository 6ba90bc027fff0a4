import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { cutText } from '../../../../lib/format/graphemes.ts';
import { renderSearch } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { pathOf } from '../../../../web/organization-page.ts';
import { renderAvatar } from '../../../../web/states.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { renderShortTime } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { type Agent, type InboxVisit, inboxHref, nameOfVisitor } from './inbox-page.ts';
import { renderUnverified } from './thread.ts';

type Conversation = CallOutput<'connect.conversations.list'>['data'][number];
type Site = CallOutput<'connect.sites.list'>['data'][number];

const shown = '50';

/** A page of the list. `next`: the parameters of the page after it. */
export type List = { data: Conversation[]; next: Record<string, string> | null };

/**
 * Reads the conversations with unread messages, then the others, each the latest first. A page with the last unread one
 * continues with the read ones; `part=read` in the URL: it begins with them.
 */
export async function readList(visit: InboxVisit): Promise<List> {
  const { cursor, part } = visit.query;
  const place = typeof cursor === 'string' ? { cursor } : {};
  if (part === 'read') return await readPart(visit, 'false', place);
  const unread = await readPart(visit, 'true', place);
  if (unread.next !== null) return unread;
  const { data, next } = await readPart(visit, 'false', {});
  // One that an agent has read since would be in both.
  const ids = new Set(unread.data.map(({ conversationId }) => conversationId));
  return { data: [...unread.data, ...data.filter(({ conversationId }) => !ids.has(conversationId))], next };
}

async function readPart(
  { ctx, filters, user }: InboxVisit,
  unread: 'true' | 'false',
  place: { cursor?: string },
): Promise<List> {
  const { status, assignee, siteId, q } = filters;
  const assigneeId = { all: null, me: user.id, none: 'none' }[assignee];
  const { data, nextCursor: cursor } = await call(ctx, 'connect.conversations.list', {
    query: {
      limit: shown,
      unread,
      ...(status !== 'all' && { status }),
      ...(assigneeId !== null && { assigneeId }),
      ...(siteId !== '' && { siteId }),
      ...(q !== '' && { q }),
      ...place,
    },
  });
  return { data, next: cursor === null ? null : { cursor, ...(unread === 'false' && { part: 'read' }) } };
}

/** The number of conversations with unread messages, for the tab's title; empty for none. */
export function unreadOf({ data, next }: List): string {
  const count = data.filter(({ unreadCount }) => unreadCount > 0).length;
  if (count === 0) return '';
  return count === data.length && next !== null ? `${count}+` : String(count);
}

type ListParts = { list: List; agents: Agent[]; sites: Site[]; chosen: string | null };

/** Renders the conversations and their filters. */
export function renderListPane(visit: InboxVisit, parts: ListParts): Html {
  const t = texts().inbox;
  const Heading = parts.chosen === null ? html`<h1>${t.title}</h1>` : html`<h2>${t.title}</h2>`;
  return html`<section class="pane conversations" aria-label="${t.conversations}">
<div class="pane-head">${Heading}
${renderSearchForm(visit)}${renderFilters(visit)}${parts.sites.length > 1 && renderSites(visit, parts.sites)}</div>
<div id="list" data-part>${renderList(visit, parts)}</div>
</section>`;
}

function renderSearchForm(visit: InboxVisit): Html {
  const { status, assignee, siteId, q } = visit.filters;
  const { search, searchHint } = texts().inbox;
  return html`<form method="get" action="${pathOf(visit, 'inbox')}" role="search">
${hiddenFilters({ status, assignee, siteId })}${renderSearch({ name: 'q', label: search, value: q, placeholder: searchHint })}</form>`;
}

const hiddenFilters = (filters: Partial<InboxVisit['filters']>): Html[] =>
  Object.entries(filters).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

function renderFilters(visit: InboxVisit): Html {
  const { filters: words } = texts().inbox;
  const { status, assignee } = visit.filters;
  const link = (change: Partial<InboxVisit['filters']>, name: string, isCurrent: boolean) => {
    const href = inboxHref({ ...visit, filters: { ...visit.filters, ...change } }, null);
    return html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${name}</a>`;
  };
  return html`<div class="seg full" role="group" aria-label="${words.status}">${(
    Object.keys(words.statuses) as (typeof status)[]
  ).map((one) => link({ status: one }, words.statuses[one], one === status))}</div>
<div class="seg full" role="group" aria-label="${words.assignee}">${(
    Object.keys(words.assignees) as (typeof assignee)[]
  ).map((one) => link({ assignee: one }, words.assignees[one], one === assignee))}</div>`;
}

function renderSites(visit: InboxVisit, sites: Site[]): Html {
  const { filters } = visit;
  const t = texts().inbox.filters;
  const option = (value: string, name: string) =>
    html`<option value="${value}"${value === filters.siteId && html` selected`}>${name}</option>`;
  return html`<form method="get" action="${pathOf(visit, 'inbox')}" class="sites">
${hiddenFilters({ status: filters.status, assignee: filters.assignee, q: filters.q })}
<label for="siteId">${t.website}</label>
<div><select class="input" id="siteId" name="siteId">${option('', t.everyWebsite)}${sites.map(({ siteId, name }) => option(siteId, name))}</select>
<button class="btn sm">${t.apply}</button></div></form>`;
}

function renderList(visit: InboxVisit, { list, agents, chosen }: ListParts): Html {
  const t = texts().inbox;
  const { data, next } = list;
  if (data.length === 0) return renderEmpty(emptyWords(visit));
  const names = new Map(agents.map(({ userId, name }) => [userId, name]));
  return html`<ul>${data.map((one) => renderEntry(visit, one, { names, isChosen: one.conversationId === chosen }))}</ul>
${next !== null && html`<p class="older"><a href="${inboxHref(visit, null, next)}">${t.older}</a></p>`}`;
}

/** Why the list is empty, with the way to what its filters hide. */
function emptyWords(visit: InboxVisit): Html | string {
  const t = texts().inbox;
  const { status, assignee, siteId, q } = visit.filters;
  const isForAll = assignee === 'all' && siteId === '';
  if (q !== '') {
    if (isForAll && status === 'all') return t.notFound;
    const all: InboxVisit = { ...visit, filters: { status: 'all', assignee: 'all', siteId: '', q } };
    return t.notFoundHere(html`<a href="${inboxHref(all, null)}">${t.searchAll}</a>`);
  }
  const isUnfiltered = isForAll && (status === 'open' || status === 'all') && visit.query.cursor === undefined;
  return isUnfiltered ? t.emptyFirst(websitesLink(visit)) : t.empty;
}

function websitesLink(visit: InboxVisit): Html {
  return html`<a href="${pathOf(visit, 'websites')}">${texts().inbox.emptyLink}</a>`;
}

type About = { names: Map<string, string>; isChosen: boolean };

function renderEntry(visit: InboxVisit, conversation: Conversation, { names, isChosen }: About): Html {
  const t = texts().inbox;
  const { conversationId, customerId, visitorId, lastMessage, lastMessageAt } = conversation;
  const name = nameOfVisitor(conversation);
  const { unreadCount, assigneeId, status } = conversation;
  const assignee = assigneeId === null ? t.unassigned : (names.get(assigneeId) ?? assigneeId);
  const isUnread = unreadCount > 0;
  const count = html`<span class="count new"><span aria-hidden="true">${Math.min(unreadCount, 99)}</span><span class="vh">${t.unread(unreadCount)}</span></span>`;
  return html`<li id="${conversationId}"><a class="conv${isUnread && ' unread'}" href="${inboxHref(visit, conversationId)}#end"${isChosen && html` aria-current="true"`}>${renderAvatar({ name, id: customerId ?? visitorId, size: 'md' })}
<span class="grow"><span class="line"><bdi class="name">${name}</bdi>${renderUnverified(conversation)}${renderShortTime(lastMessageAt)}</span>
<bdi class="preview">${cutText(lastMessage.replace(/\s+/g, ' '), 140)}</bdi>
<span class="line tiny quiet"><span>${assignee}</span>${status !== 'open' && html`<span class="badge">${t.filters.statuses[status]}</span>`}${isUnread && count}</span></span></a></li>
`;
}
