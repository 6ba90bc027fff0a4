import { randomUUID } from 'node:crypto';
import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { errorCode } from '../../../../lib/contract/errors.ts';
import { allows } from '../../../../lib/contract/permissions.ts';
import { cutText } from '../../../../lib/format/graphemes.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { pageLanguage } from '../../../../web/catalogue.ts';
import { splitLinks } from '../../../../web/client/links.ts';
import { type Fact, renderFacts } from '../../../../web/facts.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { formatSize } from '../../../../web/numbers.ts';
import { pathOf } from '../../../../web/organization-page.ts';
import { renderShortTime, renderTime } from '../../../../web/time.ts';
import { renderRefusals } from '../../../../web/upload.ts';
import { maxBytes } from '../../attachments.ts';
import { maxAttachments, maxText } from '../../conversations/messages.ts';
import { unnamed } from '../../visitors/visitors.ts';
import { texts } from '../texts.ts';
import { type Agent, type InboxVisit, inboxHref, nameOfVisitor, type SavedReply } from './inbox-page.ts';

/** The input of a rejected form. */
export type Typed = { kind: string; text: string };

type ComposerParts = {
  conversationId: string;
  flow: string;
  replies: SavedReply[];
  typed: Typed;
  refusal: Refusal | null;
};

/** Renders the form of an answer or a note, and the templates that its script needs for pending ones. */
export function renderComposer(
  visit: InboxVisit,
  { conversationId, flow, replies, typed, refusal }: ComposerParts,
): Html {
  const { compose, files, live, you, note } = texts().inbox;
  const { kind, text } = typed;
  const error = refusal?.errors.text;
  const choice = (value: string, name: string) =>
    html`<label><input type="radio" name="kind" value="${value}"${(kind === 'note') === (value === 'note') && html` checked`}>${name}</label>`;
  return html`<form method="post" action="${inboxHref(visit, conversationId, {}, 'messages')}" class="composer" id="composer" novalidate>
${flowField(flow)}<input type="hidden" name="echoId" value="${randomUUID()}">
<div class="row between"><fieldset class="seg"><legend class="vh">${compose.kind}</legend>${choice('reply', compose.reply)}${choice('note', compose.note)}</fieldset><span class="tiny quiet keys" hidden>${compose.hint}</span></div>
${error && html`<p class="error" id="text-error">${error}</p>`}
<ul id="chosen" class="chosen" aria-label="${files.chosen}" data-most="${maxAttachments}" data-uploading="${files.uploading}" data-failed="${files.failed}" data-wait="${files.wait}" data-remove-first="${files.removeFirst}" data-too-many="${files.tooMany(maxAttachments)}" data-empty="${files.empty}" data-largest="${maxBytes}" data-too-large="${files.tooLarge('10 MB')}" data-remove="${files.remove('{name}')}"${renderRefusals()} hidden></ul>
<textarea class="input" id="text" name="text" rows="2" maxlength="${maxText}" aria-label="${compose.text}" placeholder="${compose.placeholder}" dir="auto"${error && html` aria-invalid="true" aria-describedby="text-error"`}>
${text}</textarea>
<div class="row"><label class="btn only plain sm attach" title="${files.attach}" hidden><span class="vh">${files.attach}</span>${renderIcon('clip')}<input type="file" id="files" multiple></label>${renderSavedReplies(visit, conversationId, replies)}<span class="grow"></span><button class="btn primary sm">${renderIcon('send')}${compose.send}</button></div></form>
<template id="chosen-file"><li><bdi class="name"></bdi> <span class="state" role="status"></span><button type="button" class="btn only plain sm">×</button></li></template>
<template id="draft"><article class="message team pending" data-own><p class="author">${you}<span data-note hidden>, ${note}</span></p>
<div class="bubble" dir="auto"></div><ul class="files"></ul><p class="meta"><span data-sending>${live.sending}</span><span data-failed hidden>${live.failed} <button type="button">${live.again}</button></span></p></article></template>`;
}

/** Renders the menu of saved replies. The script inserts the text; without it a link opens the page with the text. */
function renderSavedReplies(visit: InboxVisit, conversationId: string, replies: SavedReply[]): Html | null {
  const { title, manage } = texts().inbox.saved;
  const mayManage = allows(visit.scopes, 'connect.settings.write');
  if (replies.length === 0 && !mayManage) return null;
  return html`<button class="btn only plain sm" type="button" popovertarget="saved" title="${title}" aria-label="${title}">${renderIcon('template')}</button>
<div class="menu" id="saved" popover>${replies.map(
    ({ replyId, name, text }) =>
      html`<a href="${inboxHref(visit, conversationId, { reply: replyId })}#composer" data-text="${text}"><bdi class="clip">${name}</bdi></a>`,
  )}${mayManage && html`<a href="${pathOf(visit, 'websites')}#replies">${renderIcon('edit')}${manage}</a>`}</div>`;
}

export type Conversation = CallOutput<'connect.conversations.read'>;
type Story = CallOutput<'context.story.read'>;
type Site = CallOutput<'connect.sites.list'>['data'][number];

/** Reads the customer's story; null without one, and for users who may not read it. */
export async function readStory({ ctx, scopes }: InboxVisit, { customerId }: Conversation): Promise<Story | null> {
  if (customerId === null || !allows(scopes, 'context.story.read')) return null;
  try {
    return await call(ctx, 'context.story.read', { path: { customerId }, query: { language: pageLanguage() } });
  } catch (error) {
    // The inbox works without the context service.
    const code = errorCode(error);
    if (code === 'STORY_NOT_FOUND' || code === 'UNAVAILABLE' || code === 'INPUT_INVALID') return null;
    throw error;
  }
}

/** The maximum number of other conversations of the customer that are shown. */
const earlierShown = 3;

type Listed = CallOutput<'connect.conversations.list'>['data'][number];

/** Reads the other conversations of the customer; none for a visitor who is not identified. */
export async function readEarlier(
  { ctx }: InboxVisit,
  { conversationId, customerId }: Conversation,
): Promise<Listed[]> {
  if (customerId === null) return [];
  const { data } = await call(ctx, 'connect.conversations.list', {
    query: { customerId, limit: String(earlierShown + 1) },
  });
  return data.filter((one) => one.conversationId !== conversationId).slice(0, earlierShown);
}

type DetailsParts = { conversation: Conversation; story: Story | null; sites: Site[]; earlier: Listed[] };

/** Renders the visitor and the known facts of the customer. */
export function renderDetails(visit: InboxVisit, { conversation, story, sites, earlier }: DetailsParts): Html {
  const t = texts().inbox;
  const { visitor, customerId, siteId, createdAt } = conversation;
  const unverified = !visitor.isIdentified && html` <span class="quiet">(${t.facts.unverified})</span>`;
  const facts: Fact[] = [
    [t.facts.name, visitor.name === null ? t.facts.none : html`<bdi>${visitor.name}</bdi>${unverified}`],
    [t.facts.email, visitor.email === null ? t.facts.none : html`<bdi>${visitor.email}</bdi>${unverified}`],
    ...(customerId === null ? [] : [[t.facts.customer, html`<code class="id">${customerId}</code>`] as const]),
    [t.facts.website, sites.find((site) => site.siteId === siteId)?.name ?? siteId],
    ...(visitor.locale === null ? [] : [[t.facts.language, visitor.locale] as const]),
    [t.facts.began, renderTime(createdAt)],
    ...(visitor.lastSeenAt === null ? [] : [[t.facts.seen, renderTime(visitor.lastSeenAt)] as const]),
  ];
  return html`<h2>${t.customer}</h2>
${renderFacts(facts, true)}
<h2>${t.story.title}</h2>
${story && customerId !== null ? renderStory(visit, story, customerId) : html`<p class="hint">${customerId === null ? t.story.anonymous : t.story.none}</p>`}
${earlier.length > 0 && html`<h2>${t.facts.earlier}</h2><ul class="list">${earlier.map((one) => renderEarlier(visit, one))}</ul>`}`;
}

function renderStory(visit: InboxVisit, { summary }: Story, customerId: string): Html {
  return html`<div class="story mini"><p>${summary}</p></div>
<a class="btn sm" href="${pathOf(visit, 'customers', [customerId])}">${texts().inbox.story.read}</a>`;
}

function renderEarlier(visit: InboxVisit, { conversationId, lastMessage, lastMessageAt, status }: Listed): Html {
  const words = cutText(lastMessage.replace(/\s+/g, ' '), 60);
  return html`<li><span class="grow"><a href="${inboxHref(visit, conversationId)}#end"><bdi>${words}</bdi></a><span class="sub-line quiet">${texts().inbox.filters.statuses[status]}</span></span>${renderShortTime(lastMessageAt)}</li>
`;
}

/** Marks a name that the visitor typed and no website signed: it may be another person's. */
export function renderUnverified({
  customerId,
  customerName,
}: Pick<Conversation, 'customerId' | 'customerName'>): Content {
  if (customerId !== null || customerName === unnamed) return null;
  return html` <span class="badge">${texts().inbox.facts.unverified}</span>`;
}

type ActParts = { conversation: Conversation; agents: Agent[]; flow: string; lastSeq: number };

/**
 * Renders the assignee and the status, each with its form. Buttons that come and go while the page is open are last, so
 * that none moves below the pointer.
 */
export function renderActions(visit: InboxVisit, { conversation, agents, flow, lastSeq }: ActParts): Html {
  const t = texts().inbox;
  const { conversationId, assigneeId, status, unreadCount } = conversation;
  const action = inboxHref(visit, conversationId, {}, 'change');
  const hidden = html`${flowField(flow)}`;
  const option = (value: string, name: string) =>
    html`<option value="${value}"${value === (assigneeId ?? 'none') && html` selected`}>${name}</option>`;
  const isAgent = agents.some(({ userId }) => userId === visit.user.id);
  const more = [
    status === 'open' && html`<button name="status" value="pending">${renderIcon('clock')}${t.acts.pend}</button>`,
    isAgent &&
      assigneeId !== visit.user.id &&
      html`<button name="assigneeId" value="${visit.user.id}">${renderIcon('user')}${t.assign.me}</button>`,
  ];
  return html`<form method="post" action="${action}" class="assign" data-live>${hidden}
<label for="assigneeId" class="vh">${t.assign.label}</label>
<select class="input" id="assigneeId" name="assigneeId">${option('none', t.assign.none)}${agents.map(({ userId, name }) => option(userId, name))}</select>
<button class="btn sm">${t.assign.submit}</button></form>
<form method="post" action="${action}" class="row" data-live>${hidden}
${status === 'closed' ? html`<button class="btn sm" name="status" value="open">${renderIcon('refresh')}${t.acts.reopen}</button>` : html`<button class="btn sm" name="status" value="closed">${renderIcon('check')}${t.acts.close}</button>`}
${more.some(Boolean) && html`<button class="btn only plain sm" type="button" popovertarget="more" aria-label="${t.acts.more}">${renderIcon('more')}</button><div class="menu from-end" id="more" popover>${more}</div>`}</form>
${unreadCount > 0 && lastSeq > 0 && html`<form method="post" action="${inboxHref(visit, conversationId, {}, 'read')}"${visit.query.before === undefined && html` class="automatic"`}>${hidden}<input type="hidden" name="seq" value="${lastSeq}"><button class="btn sm">${t.acts.read}</button></form>`}`;
}

export type Messages = CallOutput<'connect.messages.list'>;
type Message = Messages['data'][number];

const wholeNumber = /^\d{1,12}$/;
const maxAfter = '200';

/** Reads the messages that the URL selects: after or before a number, or the latest. */
export function readThread({ ctx, query }: InboxVisit, id: string): Promise<Messages> {
  const numberIn = (name: string): string | null => {
    const value = query[name];
    return typeof value === 'string' && wholeNumber.test(value) ? value : null;
  };
  const [after, before] = [numberIn('after'), numberIn('before')];
  const range = after === null ? { ...(before !== null && { before }) } : { after, limit: maxAfter };
  return call(ctx, 'connect.messages.list', { path: { id }, query: range });
}

type Parts = {
  messages: Messages;
  agents: Agent[];
  visitor: { visitorId: string; customerName: string; agentReadSeq: number };
};

/** Renders messages with their numbers, which the page's script continues. */
export function renderThread(visit: InboxVisit, id: string, { messages, agents, visitor }: Parts): Html {
  const t = texts().inbox;
  const { data, hasMore, lastSeq, visitorReadSeq } = messages;
  const [first] = data;
  const isEarlier = visit.query.before !== undefined;
  const names = new Map(agents.map(({ userId, name }) => [userId, name]));
  names.set(visitor.visitorId, nameOfVisitor(visitor));
  const lastOfTeam = data.findLast(({ type, author }) => type === 'message' && author.type !== 'visitor');
  const isSeen = lastOfTeam !== undefined && lastOfTeam.seq <= visitorReadSeq;
  return html`<div id="thread" role="log" aria-label="${t.thread}" tabindex="0" data-last-seq="${lastSeq}" data-read-seq="${visitorReadSeq}" data-agent-seq="${visitor.agentReadSeq}">
${first && hasMore && visit.query.after === undefined && html`<p class="earlier"><a href="${inboxHref(visit, id, { before: String(first.seq) })}">${t.earlier}</a></p>`}
${data.map((message) => renderMessage(visit, message, names))}
<div id="end"></div></div>
<p id="seen" class="hint seen" data-words="${t.seen}">${isSeen && t.seen}</p>
${isEarlier && html`<p class="earlier"><a href="${inboxHref(visit, id)}#end">${t.later}</a></p>`}`;
}

function renderMessage(visit: InboxVisit, message: Message, names: Map<string, string>): Html {
  const t = texts().inbox;
  const { seq, messageId, type, author, text, attachments, createdAt } = message;
  const side = type === 'note' ? 'note' : author.type === 'visitor' ? 'visitor' : 'team';
  const isOwn = author.type === 'agent' && author.id === visit.user.id;
  return html`<article class="message ${side}" data-seq="${seq}" data-id="${messageId}"${isOwn && html` data-own`}>
<p class="author"><bdi>${isOwn ? t.you : nameOf(author, names)}</bdi>${type === 'note' && `, ${t.note}`} ${renderShortTime(createdAt)}</p>
${text !== '' && html`<div class="bubble" dir="auto">${linked(text)}</div>`}
${attachments.length > 0 && html`<ul class="files">${attachments.map((file) => renderFile(visit, message, file))}</ul>`}</article>
`;
}

function nameOf({ type, id, name }: Message['author'], names: Map<string, string>): string {
  const t = texts().inbox;
  if (type === 'application') return name ?? t.application;
  if (type === 'notification') return name ?? t.notification;
  return names.get(id) ?? name ?? id;
}

function renderFile(visit: InboxVisit, { conversationId }: Message, file: Message['attachments'][number]): Html {
  const { attachmentId, fileName, size } = file;
  const href = pathOf(visit, 'inbox', [conversationId, 'files', attachmentId]);
  return html`<li><a class="file" href="${href}">${renderIcon('file', 'sm')}<bdi class="grow clip">${fileName}</bdi><span class="quiet">${formatSize(size)}</span>${renderIcon('download', 'sm')}</a></li>`;
}

/** Renders plain text with its URLs as links. */
function linked(text: string): Content {
  return splitLinks(text).map((part) =>
    part.href === null
      ? part.text
      : html`<a href="${part.href}" target="_blank" rel="noopener noreferrer nofollow ugc">${part.text}</a>`,
  );
}
