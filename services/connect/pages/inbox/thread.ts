import { type CallOutput, call } from '../../../../lib/calls.ts';
import { splitLinks } from '../../../../web/client/links.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { withOrganization } from '../../../../web/organization-page.ts';
import { renderShortTime } from '../../../../web/time.ts';
import type { Agent } from '../people.ts';
import { texts } from '../texts.ts';
import { type InboxVisit, inboxHref, inboxPath } from './inbox-page.ts';

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
export function linked(text: string): Content {
  return splitLinks(text).map((part) =>
    part.href === null
      ? part.text
      : html`<a href="${part.href}" target="_blank" rel="noopener noreferrer nofollow ugc">${part.text}</a>`,
  );
}
