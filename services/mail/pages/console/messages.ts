import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { submitForm } from '../../../../web/attempt.ts';
import { downloadOf, renderExport } from '../../../../web/download.ts';
import { renderFilters, withQuery } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { singleValues } from '../../../../web/list-query.ts';
import { renderLiveList, renderReload } from '../../../../web/live-list.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderAreaTabs,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../../web/page.ts';
import { renderState } from '../../../../web/states.ts';
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import { sampleMail } from './sample-mail.ts';
import { renderTemplateName, templatesOf } from './template-names.ts';
import { texts } from './texts.ts';

/** The organization's mail, the newest first. */
export const messagesPages = {
  'pages.console.messages.list': organizationPage('messages', {
    rest: 'GET',
    summary: 'Show the mail of an organization and what became of it',
    handler: renderMessages,
  }),
};

type Messages = CallOutput<'mail.messages.list'>;
type Message = Messages['data'][number];

const filters = ['to', 'status'] as const;
type Filtered = Partial<Record<(typeof filters)[number], string>>;

const pageSize = '50';
const noMessages: Messages = { data: [], nextCursor: null };

async function renderMessages(visit: OrganizationVisit): Promise<PageAnswer> {
  const { cursor, fragment, ...filtered } = singleValues(visit.query, [...filters, 'cursor', 'fragment']);
  const query = { limit: pageSize, ...filtered, ...(cursor && { cursor }) } as { limit: string };
  const { refusal, ...found } = await submitForm([], () => call(visit.ctx, 'mail.messages.list', { query }));
  const input = { query: filtered } as { query: object };
  const all = { name: texts().list.fileName, action: 'mail.messages.list', input } as const;
  const file = refusal ? null : downloadOf(visit, all);
  if (file) return file;
  const messages = 'answer' in found ? found.answer : noMessages;
  const list = refusal ? null : await renderList(visit, messages, filtered, cursor);
  if (fragment === 'list' && list) return renderFragment(list);
  const path = pathOf(visit, 'messages');
  const isLive = cursor === undefined && !refusal;
  const t = texts().list;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead(settings.MAIL_KEPT_DAYS),
    acts: html`${isLive && renderReload(withQuery(path, filtered))}${messages.data.length > 0 && renderExport(path, filtered)}`,
    refusal,
    isLive,
    body: html`${renderAreaTabs(visit)}${renderMessageFilters(path, filtered)}
${list && html`<div class="many-columns">${isLive ? renderLiveList(withQuery(path, { ...filtered, fragment: 'list' }), list) : list}</div>`}`,
  });
}

function renderMessageFilters(path: string, { to = '', status = '' }: Filtered): Html {
  const { list: t, statuses } = texts();
  return renderFilters({
    action: path,
    search: { name: 'to', label: t.recipient, placeholder: t.placeholder, value: to },
    chips: [{ name: 'status', label: t.status, value: status, options: Object.entries(statuses) }],
  });
}

async function renderList(
  visit: OrganizationVisit,
  { data, nextCursor }: Messages,
  filtered: Filtered,
  cursor: string | undefined,
): Promise<Html> {
  const { list: t, none } = texts();
  const { columns } = t;
  const path = pathOf(visit, 'messages');
  const templates = await templatesOf(visit.orgId, data);
  return renderTable<Message>({
    label: t.caption,
    columns: [
      {
        heading: columns.to,
        cell: ({ messageId, to, subject, createdAt }) =>
          renderName({
            href: pathOf(visit, 'messages', [messageId]),
            name: to,
            summary:
              subject === null ? renderWhen(createdAt) : html`<bdi>${subject}</bdi>, ${renderWhenWithin(createdAt)}`,
          }),
      },
      {
        heading: columns.subject,
        cell: ({ subject }) => html`<span class="clip-cell"><bdi>${subject ?? none.subject}</bdi></span>`,
      },
      {
        heading: columns.template,
        cell: (message) =>
          html`<span class="clip-cell">${renderTemplateName(templates, message) ?? none.template}</span>`,
        isMinor: true,
      },
      { heading: columns.state, cell: ({ status }) => renderMessageState(status), isState: true },
      { heading: columns.accepted, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true },
    ],
    rows: data,
    empty: data.length > 0 ? null : await renderNone(visit, Object.keys(filtered).length > 0 || cursor !== undefined),
    pager: {
      next: nextCursor && withQuery(path, { ...filtered, cursor: nextCursor }),
      nextWords: t.older,
      first: cursor === undefined ? null : withQuery(path, filtered),
    },
  });
}

/** Renders the content of an empty list. */
async function renderNone(visit: OrganizationVisit, isFiltered: boolean): Promise<Html> {
  const t = texts().list;
  if (isFiltered) return renderEmpty(t.notFound);
  const { title, first, words, keys, docs } = t.empty;
  const { code, createsTemplate } = await sampleMail(visit);
  return renderEmpty({
    icon: 'send',
    title,
    words: createsTemplate ? first : words,
    acts: html`<a class="btn" href="${pathOf(visit, 'applications')}">${keys}</a><a class="btn plain" href="/docs/mail">${docs}</a>`,
    code: [code],
  });
}

const tones = {
  queued: 'off',
  sending: 'run',
  sent: 'good',
  bounced: 'bad',
  failed: 'bad',
  suppressed: 'off',
} as const;

/** Renders the state of a message as a dot and a word. */
export function renderMessageState(status: Message['status']): Html {
  return renderState(texts().statuses[status], tones[status]);
}
