import { type ErrorDetail, inputError } from '../../../../lib/contract/errors.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { messagePath, renderStatus } from '../../../../messaging/delivery/pages/message.ts';
import {
  readTemplateNames,
  renderTemplateName,
  type TemplateNames,
} from '../../../../messaging/delivery/pages/template-names.ts';
import { texts as messageTexts } from '../../../../messaging/delivery/pages/texts.ts';
import { type Attempt, refusalOfFilters, submitForm, withRenamedProblems } from '../../../../web/attempt.ts';
import { type ColumnChoice, type Hidden, hiddenIn } from '../../../../web/columns.ts';
import { downloadOf, renderExport } from '../../../../web/download.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { rejectInvalidDays, singleValues } from '../../../../web/list-query.ts';
import { renderLiveList, renderReload } from '../../../../web/live-list.ts';
import { logFilters, renderLogFilters, renderLogTabs } from '../../../../web/logs.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../../web/page.ts';
import { renderBanner } from '../../../../web/states.ts';
import { type Columns, renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { texts as shared } from '../../../../web/texts.ts';
import { renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import {
  type Filtered,
  type Message,
  type MessagePage,
  mailQuery,
  notificationQuery,
  readMessages,
  sourcesOf,
} from './message-log.ts';
import { sampleMail } from './sample-mail.ts';
import { texts } from './texts.ts';

/** The mail and the notifications of an organization, the newest first. */
export const messagesPages = {
  'pages.console.messages.list': organizationPage('messages', {
    rest: 'GET',
    summary: 'Show the mail and notifications of an organization and what became of them',
    handler: renderMessages,
  }),
};

const nothing: MessagePage = { messages: [], nextCursor: null, away: [] };
/** The filters by their names in the APIs of both lists. */
const filterOf: Readonly<Record<string, string>> = {
  'query.to': 'query.who',
  'query.recipientId': 'query.who',
  'query.status': 'query.outcome',
  'query.messageId': 'query.text',
  'query.notificationId': 'query.text',
  'query.channel': 'query.kind',
};

async function renderMessages(visit: OrganizationVisit): Promise<PageAnswer> {
  const { cursor, fragment, ...filtered } = singleValues(visit.query, [...logFilters, 'kind', 'cursor', 'fragment']);
  const { refusal, ...found } = await findMessages(visit, filtered, cursor);
  const file = refusal ? null : fileOf(visit, filtered);
  if (file) return file;
  const page = 'answer' in found ? found.answer : nothing;
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf(visit, await readNames(visit, page.messages));
  const list = refusal ? null : await renderList(visit, page, { filtered, cursor, columns, hidden });
  if (fragment === 'list' && list) return renderFragment(list);
  const path = pathOf(visit, 'messages');
  const kept = { ...filtered, ...hidden };
  const isLive = cursor === undefined && !refusal;
  const t = texts().list;
  return renderOrganizationPage(visit, {
    title: messageTexts().title,
    lead: t.lead(settings.MAIL_KEPT_DAYS),
    acts: html`${isLive && renderReload(withQuery(path, kept))}${page.messages.length > 0 && renderFiles(visit, filtered)}${visit.shell.seen.has('suppressions') && html`<a class="btn" href="${pathOf(visit, 'suppressions')}">${t.suppressions}</a>`}`,
    refusal: refusal && refusalOfFilters(refusal, { ...shared().console.logs, ...t.filters }),
    isLive,
    body: html`${renderLogTabs(visit, 'messages', filtered)}${page.away.map((source) => renderBanner({ tone: 'warn', icon: 'alert', words: html`<p>${t.away[source]}</p>` }))}
${renderMessageFilters(visit, filtered, { columns, hidden, cursor })}
${list && html`<div class="many-columns">${isLive ? renderLiveList(withQuery(path, { ...kept, fragment: 'list' }), list) : list}</div>`}`,
  });
}

async function findMessages(
  visit: OrganizationVisit,
  filtered: Filtered,
  cursor: string | undefined,
): Promise<Attempt<MessagePage>> {
  const refusal = rejectInvalidDays(filtered, shared().console.logs.dayWrong);
  if (refusal) return { refusal };
  const named = ({ path, message }: ErrorDetail) => ({ path: filterOf[path] ?? path, message });
  const read = () => readMessages(visit, filtered, cursor);
  return await submitForm([...logFilters, 'kind'], () => withRenamedProblems(named, read));
}

/** A file has the columns of one list, so it needs a kind where the member reads both. Null for the page. */
function fileOf(visit: OrganizationVisit, filtered: Filtered): PageAnswer | null {
  if (visit.query.format === undefined) return null;
  const { files, kindNeeded } = texts().list;
  const [source, another] = sourcesOf(visit, filtered);
  if (!source || another) throw inputError([{ path: 'query.kind', message: kindNeeded }]);
  const name = files[source];
  if (source === 'mail') {
    return downloadOf(visit, { name, action: 'mail.messages.list', input: { query: mailQuery(filtered) } });
  }
  const input = { query: notificationQuery(filtered) };
  return downloadOf(visit, { name, action: 'notification.notifications.list', input });
}

function renderFiles(visit: OrganizationVisit, filtered: Filtered): Html {
  const found = sourcesOf(visit, filtered);
  const parts = found.map((source) => ({ name: messageTexts().kinds[source], filters: { kind: source } }));
  return renderExport(pathOf(visit, 'messages'), filtered, found.length > 1 ? parts : []);
}

function renderMessageFilters(visit: OrganizationVisit, filtered: Filtered, columns: ColumnChoice): Html {
  const { who, whoPlaceholder, outcome, text, kind } = texts().list.filters;
  const { statuses, kinds, channels } = messageTexts();
  const readable = sourcesOf(visit, {});
  const ofNotifications = Object.entries(channels).map(([one, name]) => [one, kinds.ofChannel(name)] as const);
  const options = [
    ...readable.map((source) => [source, kinds[source]] as const),
    ...(readable.includes('notification') ? ofNotifications : []),
  ];
  return renderLogFilters({
    path: pathOf(visit, 'messages'),
    values: filtered,
    who: { label: who, placeholder: whoPlaceholder },
    outcome: { label: outcome, options: Object.entries(statuses) },
    text: { label: text },
    chips: options.length < 2 ? [] : [{ name: 'kind', label: kind, value: filtered.kind ?? '', options }],
    columns,
  });
}

type Place = { filtered: Filtered; cursor: string | undefined; columns: Columns<Message>; hidden: Hidden };

async function renderList(
  visit: OrganizationVisit,
  { messages, nextCursor }: MessagePage,
  { filtered, cursor, columns, hidden }: Place,
): Promise<Html> {
  const path = pathOf(visit, 'messages');
  const kept = { ...filtered, ...hidden };
  return renderTable<Message>({
    label: texts().list.caption,
    height: 'tall',
    columns,
    hidden,
    rows: messages,
    empty:
      messages.length > 0 ? null : await renderNone(visit, Object.keys(filtered).length > 0 || cursor !== undefined),
    pager: {
      next: nextCursor && withQuery(path, { ...kept, cursor: nextCursor }),
      nextWords: shared().console.logs.older,
      first: cursor === undefined ? null : withQuery(path, kept),
    },
  });
}

function columnsOf(visit: OrganizationVisit, names: TemplateNames): Columns<Message> {
  const { columns } = texts().list;
  const acceptedAt = (message: Message) => renderWhen(deliveryOf(message).createdAt);
  return [
    { heading: columns.to, cell: (message) => renderRecipient(visit, message, names) },
    { heading: columns.message, key: 'message', cell: (message) => renderContent(message, names) },
    { heading: columns.kind, key: 'kind', cell: kindInWords, isMinor: true },
    { heading: columns.state, cell: (message) => renderStatus(deliveryOf(message).status), isState: true },
    { heading: columns.accepted, key: 'accepted', cell: acceptedAt, isNumber: true },
  ];
}

/** The names of the templates of both kinds, whose ids differ. */
async function readNames({ ctx, orgId }: OrganizationVisit, messages: readonly Message[]): Promise<TemplateNames> {
  const mails = messages.flatMap((message) => ('mail' in message ? [message.mail] : []));
  const notifications = messages.flatMap((message) => ('mail' in message ? [] : [message.notification]));
  const [ofMail, ofNotifications] = await Promise.all([
    readTemplateNames(ctx, { service: 'mail', orgId, messages: mails }),
    readTemplateNames(ctx, { service: 'notification', orgId, messages: notifications }),
  ]);
  return new Map([...ofMail, ...ofNotifications]);
}

/** The fields that both kinds have. */
const deliveryOf = (message: Message) => ('mail' in message ? message.mail : message.notification);

function kindInWords(message: Message): string {
  const { kinds, channels } = messageTexts();
  return 'mail' in message ? kinds.mail : kinds.ofChannel(channels[message.notification.channel]);
}

function renderRecipient(visit: OrganizationVisit, message: Message, names: TemplateNames): Html {
  const [below, recipient] =
    'mail' in message
      ? (['', message.mail.to] as const)
      : (['/notifications', message.notification.recipientId] as const);
  return renderName({
    href: messagePath(visit, { below }, message.id),
    name: recipient,
    summary: html`${titleOf(message, names)}, ${renderWhenWithin(deliveryOf(message).createdAt)}`,
  });
}

/** The subject of a mail with its template below; a notification has its template alone, because its text is not kept. */
function renderContent(message: Message, names: TemplateNames): Html {
  const template = 'mail' in message ? renderTemplateName(names, message.mail) : null;
  return html`<span class="clip-cell">${titleOf(message, names)}</span>${template && html`<span class="sub sub-line clip-cell">${template}</span>`}`;
}

function titleOf(message: Message, names: TemplateNames): Content {
  const { none, list } = texts();
  if ('mail' in message) return message.mail.subject === null ? none.subject : html`<bdi>${message.mail.subject}</bdi>`;
  return renderTemplateName(names, message.notification) ?? list.testMessage;
}

/** Renders the content of an empty list, for what the member may read. */
async function renderNone(visit: OrganizationVisit, isFiltered: boolean): Promise<Html> {
  const { notFound, empty } = texts().list;
  if (isFiltered) return renderEmpty(notFound);
  const { title, first, words, notifications, keys, docs } = empty;
  const create =
    visit.shell.seen.has('applications') && html`<a class="btn" href="${pathOf(visit, 'applications')}">${keys}</a>`;
  if (!sourcesOf(visit, {}).includes('mail')) {
    return renderEmpty({ icon: 'send', title, words: notifications, acts: create });
  }
  const { code, createsTemplate } = await sampleMail(visit);
  return renderEmpty({
    icon: 'send',
    title,
    words: createsTemplate ? first : words,
    acts: html`${create}<a class="btn plain" href="/docs/mail">${docs}</a>`,
    code: [code],
  });
}
