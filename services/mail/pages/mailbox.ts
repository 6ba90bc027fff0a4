import { call } from '../../../lib/contract/context.ts';
import type { Visit } from '../../../web/define-page.ts';
import { renderFilters, withQuery } from '../../../web/filters.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { isMailboxInUse, mailboxPage } from '../../../web/mailbox-page.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { renderTable } from '../../../web/table.ts';
import { texts as sharedTexts } from '../../../web/texts.ts';
import { texts } from './texts.ts';

const path = '/dev/mailbox';
const shownMessages = 50;

/**
 * The mailbox for development: mail that the platform would have sent, for requests from this machine with the token
 * that is printed at start. Each page is a 404 where mail is sent or turned off.
 */
export const mailboxPages = {
  'pages.mailbox.show': mailboxPage({
    rest: `GET ${path}`,
    summary: 'Show the newest mails of the mailbox for development',
    exists: isMailboxInUse,
    handler: renderMailbox,
  }),
  'pages.mailbox.read': mailboxPage({
    rest: `GET ${path}/:messageId`,
    summary: 'Show a mail of the mailbox for development',
    exists: isMailboxInUse,
    handler: renderMessage,
  }),
  'pages.mailbox.html': mailboxPage({
    rest: `GET ${path}/:messageId/html`,
    summary: 'Show a mail of the mailbox for development as HTML',
    exists: isMailboxInUse,
    handler: renderMessageHtml,
  }),
};

async function renderMailbox({ ctx, query }: Visit): Promise<PageAnswer> {
  const [to, before] = [textOf(query.to).trim(), textOf(query.before)];
  const body = { limit: shownMessages, ...(to && { to }), ...(before && { before }) };
  const { messages, hasMore } = await call(ctx, 'mail.mailbox.list', { body });
  const { title, explanation, empty, none, columns, filter, older } = texts().mailbox;
  const last = messages.at(-1)?.messageId;
  return renderPage({
    title,
    layout: 'wide',
    body: html`<h1>${title}</h1>
<p>${explanation}</p>
<p><a href="${path}/notifications">${texts().mailbox.notifications}</a></p>
${renderFilters({ action: path, search: { name: 'to', label: filter, value: to } })}
${renderTable({
  label: title,
  columns: [
    {
      heading: columns.subject,
      cell: ({ messageId, subject }) => html`<a href="${path}/${messageId}">${subject || messageId}</a>`,
    },
    { heading: columns.to, cell: (message) => message.to },
    { heading: columns.sent, cell: ({ createdAt }) => timeOf(createdAt) },
  ],
  rows: messages,
  empty: to ? none(to) : empty,
  pager: { next: hasMore && last ? withQuery(path, { to, before: last }) : null, nextWords: older },
})}`,
  });
}

/** A query parameter that occurs once; empty for a repeated one. */
function textOf(parameter: Visit['query'][string] | undefined): string {
  return typeof parameter === 'string' ? parameter : '';
}

async function renderMessage(visit: Visit): Promise<PageAnswer> {
  const body = { messageId: visit.path.messageId ?? '' };
  const mail = await call(visit.ctx, 'mail.mailbox.read', { body });
  const { to, createdAt, text, html: own, messageId, headers, source, status, attachments } = mail;
  const words = texts().message;
  const subject = mail.subject || messageId;
  return renderPage({
    title: subject,
    layout: 'wide',
    hasFrames: true,
    body: html`<h1>${subject}</h1>
<p>${words.sent(to, timeOf(createdAt))}</p>
<p>${words.status(status)}</p>
${own && renderFrames(messageId)}
${text && html`<h2>${words.text}</h2>\n<pre>${withLinks(text)}</pre>`}
${attachments.length > 0 && html`<h2>${words.attachments}</h2>\n<ul>${attachments.map((name) => html`<li>${name}</li>`)}</ul>`}
<h2>${words.headers}</h2>
<pre>${headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}</pre>
<details><summary>${words.source}</summary><pre>${source}</pre></details>
<p><a href="${path}">${words.toMailbox}</a></p>
<p>${texts().mailbox.explanation}</p>`,
  });
}

/** The mail in frames of desktop and phone width. The frames inherit the sandbox of their document. */
function renderFrames(messageId: string): Html {
  const { desktop, phone, toHtml } = texts().message;
  const address = `${path}/${messageId}/html`;
  const frame = (title: string, width: number, height: number) =>
    html`<h2>${title}</h2>
<iframe src="${address}" title="${title}" width="${width}" height="${height}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe>`;
  return html`${frame(desktop, 640, 560)}
${frame(phone, 360, 560)}
<p><a href="${address}">${toHtml}</a></p>`;
}

/** The policy for the mail's HTML: inline styles, but no scripts, forms or images. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
  'sandbox allow-popups allow-popups-to-escape-sandbox';

/** The pages of the platform, which the links lead to, cannot be shown in the frame. A base at the end is valid for all. */
const linksInNewTabs = '<base target="_blank">';

async function renderMessageHtml(visit: Visit): Promise<PageAnswer> {
  const body = { messageId: visit.path.messageId ?? '' };
  const message = await call(visit.ctx, 'mail.mailbox.read', { body });
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': mailPolicy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    cookies: [],
    html: `${message.html}${linksInNewTabs}`,
  };
}

function timeOf(instant: string): Html {
  return html`<time datetime="${instant}">${sharedTexts().time.inUtc(texts().mailbox.time(instant))}</time>`;
}

/** The text with URLs as links. */
function withLinks(text: string): Content {
  // Brackets and the end of a sentence are not part of a URL in a text: `[https://example.com/a].`
  const parts = text.split(/(https?:\/\/[^\s<>"[\]]+[^\s<>"[\].,;:!?)])/);
  return parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}
