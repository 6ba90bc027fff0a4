import { randomUUID } from 'node:crypto';
import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { errorCode } from '../../../../lib/contract/errors.ts';
import { allows } from '../../../../lib/contract/permissions.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { splitLinks } from '../../../../web/client/links.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { withOrganization } from '../../../../web/organization-page.ts';
import { renderShortTime, renderTime } from '../../../../web/time.ts';
import { maxBytes } from '../../attachments.ts';
import { maxAttachments, maxText } from '../../conversations/messages.ts';
import { unnamed } from '../../visitors/visitors.ts';
import { texts } from '../texts.ts';
import { type Agent, type InboxVisit, inboxHref, inboxPath } from './inbox-page.ts';

/** The input of a rejected form. */
export type Typed = { kind: string; text: string };

/** A paper clip icon, 24 by 24. */
const clip = 'M8 12.5l6.5-6.5a3 3 0 0 1 4.2 4.2l-8.4 8.5a5 5 0 0 1-7-7.1l8-8';

type ComposerParts = { conversationId: string; flow: string; typed: Typed; refusal: Refusal | null };

/** Renders the form of an answer or a note, and the templates that its script needs for pending ones. */
export function renderComposer(visit: InboxVisit, { conversationId, flow, typed, refusal }: ComposerParts): Html {
  const { compose, files, live, you, note } = texts().inbox;
  const { kind, text } = typed;
  const error = refusal?.errors.text;
  const choice = (value: string, name: string) =>
    html`<label><input type="radio" name="kind" value="${value}"${(kind === 'note') === (value === 'note') && html` checked`}>${name}</label>`;
  return html`<form method="post" action="${inboxHref(visit, conversationId, {}, '/messages')}" class="composer" id="composer" novalidate>
${flowField(flow)}<input type="hidden" name="orgId" value="${visit.orgId}"><input type="hidden" name="echoId" value="${randomUUID()}">
<fieldset class="switch"><legend class="spoken">${compose.kind}</legend>${choice('reply', compose.reply)}${choice('note', compose.note)}</fieldset>
${error && html`<p class="error" id="text-error">${error}</p>`}
<ul id="chosen" class="chosen" aria-label="${files.chosen}" data-most="${maxAttachments}" data-uploading="${files.uploading}" data-failed="${files.failed}" data-wait="${files.wait}" data-remove-first="${files.removeFirst}" data-too-many="${files.tooMany(maxAttachments)}" data-empty="${files.empty}" data-largest="${maxBytes}" data-too-large="${files.tooLarge('10 MB')}" data-remove="${files.remove('{name}')}" hidden></ul>
<div class="row"><label class="attach" title="${files.attach}" hidden><span class="spoken">${files.attach}</span><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${clip}"/></svg><input type="file" id="files" multiple></label><textarea id="text" name="text" rows="2" maxlength="${maxText}" aria-label="${compose.text}" placeholder="${compose.placeholder}" dir="auto"${error && html` aria-invalid="true" aria-describedby="text-error"`}>
${text}</textarea>
<button>${compose.send}</button></div>
<p class="hint keys" hidden>${compose.hint}</p></form>
<template id="chosen-file"><li><bdi class="name"></bdi> <span class="state" role="status"></span><button type="button" class="quiet">×</button></li></template>
<template id="draft"><article class="message team pending" data-own><p class="author">${you} <span class="tag" hidden>${note}</span></p>
<div class="bubble" dir="auto"></div><ul class="files"></ul><p class="meta"><span data-sending>${live.sending}</span><span data-failed hidden>${live.failed} <button type="button">${live.again}</button></span></p></article></template>`;
}

export type Conversation = CallOutput<'connect.conversations.read'>;
type Story = CallOutput<'context.story.read'>;
type Site = CallOutput<'connect.sites.list'>['data'][number];

/** Reads the customer's story; null without one, and for users who may not read it. */
export async function readStory({ ctx, scopes }: InboxVisit, { customerId }: Conversation): Promise<Story | null> {
  if (customerId === null || !allows(scopes, 'context.story.read')) return null;
  try {
    return await call(ctx, 'context.story.read', { path: { customerId } });
  } catch (error) {
    // The inbox works without the context service.
    const code = errorCode(error);
    if (code === 'STORY_NOT_FOUND' || code === 'UNAVAILABLE' || code === 'INPUT_INVALID') return null;
    throw error;
  }
}

type FactsParts = { conversation: Conversation; story: Story | null; sites: Site[] };

/** Renders the visitor and the known facts of the customer. */
export function renderDetails({ conversation, story, sites }: FactsParts): Html {
  const t = texts().inbox;
  const { visitor, customerId, siteId, createdAt } = conversation;
  const unverified = !visitor.isIdentified && html` <span class="hint">(${t.facts.unverified})</span>`;
  const facts: [string, Content][] = [
    [t.facts.name, visitor.name === null ? t.facts.none : html`<bdi>${visitor.name}</bdi>${unverified}`],
    [t.facts.email, visitor.email === null ? t.facts.none : html`<bdi>${visitor.email}</bdi>${unverified}`],
    ...(customerId === null ? [] : [[t.facts.customer, customerId] as [string, Content]]),
    [t.facts.website, sites.find((site) => site.siteId === siteId)?.name ?? siteId],
    ...(visitor.locale === null ? [] : [[t.facts.language, visitor.locale] as [string, Content]]),
    [t.facts.began, renderTime(createdAt)],
    ...(visitor.lastSeenAt === null ? [] : [[t.facts.seen, renderTime(visitor.lastSeenAt)] as [string, Content]]),
  ];
  return html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<h3>${t.story.title}</h3>
${story ? html`<p><strong>${story.title}</strong></p><p>${story.summary}</p>` : html`<p class="hint">${customerId === null ? t.story.anonymous : t.story.none}</p>`}`;
}

/** Marks a name that the visitor typed and no website signed: it may be another person's. */
export function renderUnverified({
  customerId,
  customerName,
}: Pick<Conversation, 'customerId' | 'customerName'>): Content {
  if (customerId !== null || customerName === unnamed) return null;
  return html` <span class="tag">${texts().inbox.facts.unverified}</span>`;
}

type ActParts = { conversation: Conversation; agents: Agent[]; flow: string; lastSeq: number };

/** Renders the assignee and the status, each with its form. */
export function renderActions(visit: InboxVisit, { conversation, agents, flow, lastSeq }: ActParts): Html {
  const t = texts().inbox;
  const { conversationId, assigneeId, status, unreadCount } = conversation;
  const action = inboxHref(visit, conversationId, {}, '/change');
  const hidden = html`${flowField(flow)}<input type="hidden" name="orgId" value="${visit.orgId}">`;
  const option = (value: string, name: string) =>
    html`<option value="${value}"${value === (assigneeId ?? 'none') && html` selected`}>${name}</option>`;
  const isAgent = agents.some(({ userId }) => userId === visit.user.id);
  return html`<form method="post" action="${action}" class="assign" data-live>${hidden}
<label for="assigneeId" class="spoken">${t.assign.label}</label>
<select id="assigneeId" name="assigneeId">${option('none', t.assign.none)}${agents.map(({ userId, name }) => option(userId, name))}</select>
<button class="quiet">${t.assign.submit}</button></form>
${unreadCount > 0 && lastSeq > 0 && html`<form method="post" action="${inboxHref(visit, conversationId, {}, '/read')}">${hidden}<input type="hidden" name="seq" value="${lastSeq}"><button class="quiet">${t.acts.read}</button></form>`}
<form method="post" action="${action}" class="acts" data-live>${hidden}
${isAgent && assigneeId !== visit.user.id && html`<button class="quiet" name="assigneeId" value="${visit.user.id}">${t.assign.me}</button>`}
${status === 'open' && html`<button class="quiet" name="status" value="pending">${t.acts.pend}</button>`}
${status === 'closed' ? html`<button class="quiet" name="status" value="open">${t.acts.reopen}</button>` : html`<button class="quiet" name="status" value="closed">${t.acts.close}</button>`}</form>`;
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
  names.set(visitor.visitorId, visitor.customerName);
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
<p class="author"><bdi>${isOwn ? t.you : nameOf(author, names)}</bdi>${type === 'note' && html` <span class="tag">${t.note}</span>`}</p>
${text !== '' && html`<div class="bubble" dir="auto">${linked(text)}</div>`}
${attachments.length > 0 && html`<ul class="files">${attachments.map((file) => renderFile(visit, message, file))}</ul>`}
<p class="meta">${renderShortTime(createdAt)}</p></article>
`;
}

function nameOf({ type, id, name }: Message['author'], names: Map<string, string>): string {
  const t = texts().inbox;
  if (type === 'application') return name ?? t.application;
  if (type === 'notification') return name ?? t.notification;
  return names.get(id) ?? name ?? id;
}

function renderFile({ orgId }: InboxVisit, { conversationId }: Message, file: Message['attachments'][number]): Html {
  const { attachmentId, fileName, size } = file;
  const path = `${inboxPath}/${encodeURIComponent(conversationId)}/files/${encodeURIComponent(attachmentId)}`;
  const words = texts().inbox.files.download(fileName, sizeInWords(size));
  return html`<li><a href="${withOrganization(path, orgId)}">${words}</a></li>`;
}

/** Formats a size, such as `120 kB`. */
function sizeInWords(bytes: number): string {
  const [unit, amount] = bytes < 1_000_000 ? ['kilobyte', bytes / 1000] : ['megabyte', bytes / 1_000_000];
  const format = new Intl.NumberFormat('en', { style: 'unit', unit, maximumFractionDigits: 1 });
  return format.format(Math.max(amount, 0.1));
}

/** Renders plain text with its URLs as links. */
function linked(text: string): Content {
  return splitLinks(text).map((part) =>
    part.href === null
      ? part.text
      : html`<a href="${part.href}" target="_blank" rel="noopener noreferrer nofollow ugc">${part.text}</a>`,
  );
}
