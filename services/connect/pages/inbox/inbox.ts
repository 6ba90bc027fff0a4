import { call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse } from '../../../../web/attempt.ts';
import { renderNotice, renderProblems } from '../../../../web/fields.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { frameOf, type OrganizationVisit, organizationPage, pathOf } from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo, renderPage } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { useScript } from '../../../../web/script.ts';
import { renderAvatar } from '../../../../web/states.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import {
  agentsOf,
  type InboxVisit,
  inboxForm,
  inboxHref,
  inboxPage,
  nameOfVisitor,
  renderNoAgent,
  repliesOf,
  type SavedReply,
} from './inbox-page.ts';
import { readList, renderListPane, unreadOf } from './list.ts';
import {
  type Conversation,
  type Messages,
  readEarlier,
  readStory,
  readThread,
  renderActions,
  renderComposer,
  renderDetails,
  renderThread,
  renderUnverified,
  type Typed,
} from './thread.ts';

/** The agents' inbox: the list of conversations with one open conversation. Its script keeps it up to date. */
export const inboxPages = {
  'pages.inbox.list': inboxPage({
    rest: 'GET',
    summary: 'Show the conversations of an organization to an agent',
    handler: (visit) => renderInbox(visit, null),
  }),
  'pages.inbox.join': organizationPage('inbox', {
    rest: 'POST /join',
    summary: 'Become an agent of an organization on the page of its inbox',
    handler: join,
  }),
  'pages.inbox.show': inboxPage({
    rest: 'GET /:id',
    summary: 'Show a conversation in the inbox',
    handler: (visit) => renderConversation(visit),
  }),
  'pages.inbox.write': inboxPage({
    rest: 'POST /:id/messages',
    summary: 'Answer in a conversation, or add a note',
    handler: write,
  }),
  'pages.inbox.change': inboxPage({
    rest: 'POST /:id/change',
    summary: 'Change the status or the assignee of a conversation on its page',
    handler: change,
  }),
  'pages.inbox.read': inboxPage({
    rest: 'POST /:id/read',
    summary: 'Mark a conversation as read on its page',
    handler: markRead,
  }),
  'pages.inbox.download': inboxPage({
    rest: 'GET /:id/files/:attachmentId',
    summary: 'Download a file of a conversation',
    handler: download,
  }),
};

async function join(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, user } = visit;
  pickFields(form);
  const refusal =
    rejectStaleForm(visit, inboxForm) ??
    (await refusalOf([], () => call(ctx, 'connect.agents.add', { body: { userId: user.id } })));
  if (refusal) return renderNoAgent(visit, refusal);
  return redirectTo(pathOf(visit, 'inbox'));
}

async function write(visit: InboxVisit): Promise<PageAnswer> {
  const { ctx, form, path } = visit;
  const { text, kind, echoId } = pickFields(form, 'text', 'kind', 'echoId');
  const id = path.id ?? '';
  const isNote = kind === 'note';
  const body = { text, ...(echoId !== '' && { echoId }) };
  const refusal =
    rejectStaleForm(visit, inboxForm) ??
    (text.trim() === '' ? refuse({ text: texts().inbox.compose.empty }) : null) ??
    (await refusalOf(['text'], () =>
      isNote
        ? call(ctx, 'connect.notes.create', { path: { id }, body })
        : call(ctx, 'connect.messages.create', { path: { id }, body }),
    ));
  if (refusal) return renderConversation(visit, { refusal, typed: { text, kind } });
  return redirectTo(`${inboxHref(visit, id, { done: isNote ? 'noted' : 'sent' })}#end`);
}

async function change(visit: InboxVisit): Promise<PageAnswer> {
  const { ctx, form, path } = visit;
  const { status, assigneeId } = pickFields(form, 'status', 'assigneeId');
  const id = path.id ?? '';
  // The action rejects values that the page does not offer.
  const changes = {
    ...(status !== '' && { status: status as Conversation['status'] }),
    ...(assigneeId !== '' && { assigneeId: assigneeId === 'none' ? null : assigneeId }),
  };
  const refusal =
    rejectStaleForm(visit, inboxForm) ??
    (await refusalOf([], () => call(ctx, 'connect.conversations.update', { path: { id }, body: changes })));
  if (refusal) return renderConversation(visit, { refusal, typed: { text: '', kind: '' } });
  return redirectTo(`${inboxHref(visit, id, { done: 'changed' })}#end`);
}

async function download({ ctx, path: { id = '', attachmentId = '' } }: InboxVisit): Promise<PageAnswer> {
  const { url } = await call(ctx, 'connect.attachments.read', { path: { id, attachmentId } });
  return redirectTo(url);
}

type Refused = { refusal: Refusal; typed: Typed };

async function renderConversation(visit: InboxVisit, refused?: Refused): Promise<PageAnswer> {
  const id = visit.path.id ?? '';
  const conversation = await call(visit.ctx, 'connect.conversations.read', { path: { id } });
  const messages = await readThread(visit, id);
  return await renderInbox(visit, { conversation, messages, refused });
}

/** Marks the conversation as read up to the last message that the page showed. */
async function markRead(visit: InboxVisit): Promise<PageAnswer> {
  const { ctx, form, path } = visit;
  const id = path.id ?? '';
  const { seq } = pickFields(form, 'seq');
  const refusal =
    rejectStaleForm(visit, inboxForm) ??
    (await refusalOf([], () =>
      call(ctx, 'connect.conversations.read-up-to', { path: { id }, body: { seq: Number(seq) } }),
    ));
  if (refusal) return renderConversation(visit, { refusal, typed: { text: '', kind: '' } });
  return redirectTo(`${inboxHref(visit, id)}#end`);
}

type Opened = { conversation: Conversation; messages: Messages; refused: Refused | undefined };

async function renderInbox(visit: InboxVisit, opened: Opened | null): Promise<PageAnswer> {
  const t = texts().inbox;
  const { ctx, orgId, user } = visit;
  const isWhole = visit.query.after === undefined;
  const [list, agents, { data: sites }, story, earlier, replies] = await Promise.all([
    readList(visit),
    agentsOf(visit),
    call(ctx, 'connect.sites.list', { query: { limit: '100' } }),
    // The script requests the messages after a number and leaves the details as they are.
    opened && isWhole ? readStory(visit, opened.conversation) : null,
    opened && isWhole ? readEarlier(visit, opened.conversation) : [],
    opened && isWhole ? repliesOf(visit) : [],
  ]);
  const chosen = opened?.conversation.conversationId ?? null;
  const refusal = opened?.refused?.refusal;
  const flow = openUserFlow(visit, inboxForm);
  const pane = opened
    ? renderOpened(visit, opened, {
        agents,
        flow,
        replies,
        facts: isWhole ? renderDetails(visit, { conversation: opened.conversation, story, sites, earlier }) : null,
      })
    : html`<section class="pane thread none"><p class="hint">${t.pick}</p></section>`;
  return renderPage({
    title: t.tab(opened ? nameOfVisitor(opened.conversation) : t.title, unreadOf(list)),
    status: refusal?.status ?? 200,
    headers: refusal?.headers ?? {},
    layout: 'inbox',
    frame: { ...frameOf(visit), keys: t.keys },
    body: html`<div class="panes${opened && ' opened'}" id="inbox" data-org="${orgId}" data-user="${user.id}"${
      chosen !== null && html` data-conversation="${chosen}"`
    } data-lost="${t.live.lost}" data-typing="${t.live.typing('{name}')}">
${renderListPane(visit, { list, agents, sites, chosen })}
${pane}</div>
${useScript('inbox')}`,
  });
}

type OpenedParts = {
  agents: Awaited<ReturnType<typeof agentsOf>>;
  flow: string;
  replies: SavedReply[];
  facts: Html | null;
};

function renderOpened(visit: InboxVisit, opened: Opened, { agents, flow, replies, facts }: OpenedParts): Html {
  const t = texts().inbox;
  const { conversation, messages, refused } = opened;
  const { conversationId, visitor, status } = conversation;
  const name = nameOfVisitor(conversation);
  const presence: Content = visitor.online ? html`<span class="online">${t.online}</span>` : t.offline;
  const avatar = renderAvatar({ name, id: conversation.customerId ?? visitor.visitorId, size: 'md' });
  return html`<section class="pane thread" aria-labelledby="customer">
<header class="pane-head"><a class="btn only plain sm back" href="${inboxHref(visit, null)}" aria-label="${t.back}">${renderIcon('left')}</a>
<div id="head" data-part>${avatar}<div class="who"><h1 id="customer"><bdi>${name}</bdi>${renderUnverified(conversation)}</h1><p class="tiny quiet">${presence}</p></div>
${renderActions(visit, { conversation, agents, flow, lastSeq: messages.lastSeq })}</div></header>
${renderNotice(refused ? null : flashMessage(visit, t.notices))}${refused && renderProblems([refused.refusal.problem], refused.refusal.errors)}
${renderThread(visit, conversationId, { messages, agents, visitor: conversation })}
<p id="looking" role="status" class="hint live" data-one="${t.live.looking('{names}')}" data-many="${t.live.lookingMany('{names}')}" hidden></p>
<p id="status" role="status" class="hint live"></p>
<div id="state" data-part>${status === 'closed' && html`<p class="hint closed">${t.closedNow}</p>`}</div>
${renderComposer(visit, { conversationId, flow, replies, typed: refused?.typed ?? { text: insertedText(visit, replies), kind: 'reply' }, refusal: refused?.refusal ?? null })}
</section>
<aside class="pane side-facts" aria-label="${t.customer}" id="facts"${facts && html` data-part`}>${facts}</aside>`;
}

/** The saved reply that a visitor without scripts chose. */
const insertedText = ({ query }: InboxVisit, replies: SavedReply[]): string =>
  replies.find(({ replyId }) => replyId === query.reply)?.text ?? '';
