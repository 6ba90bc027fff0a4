import { call } from '../../../lib/calls.ts';
import type { Visit } from '../../../web/define-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { mailboxPage } from '../../../web/mailbox-page.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { renderTable } from '../../../web/table.ts';
import { texts as sharedTexts } from '../../../web/texts.ts';
import { texts } from '../texts.ts';

const path = '/dev/mailbox/notifications';
const shownNotifications = 50;

/**
 * The messages that the provider `mailbox` accepted, next to the mails of /dev/mailbox. Served only to requests from
 * this machine with the token that is printed at the start.
 */
export const mailboxPages = {
  'pages.mailbox.show': mailboxPage({
    rest: `GET ${path}`,
    summary: 'Show the newest notifications of the mailbox for development',
    handler: renderMailbox,
  }),
  'pages.mailbox.read': mailboxPage({
    rest: `GET ${path}/:notificationId`,
    summary: 'Show a notification of the mailbox for development',
    handler: renderNotification,
  }),
};

async function renderMailbox({ ctx, query }: Visit): Promise<PageAnswer> {
  const before = typeof query.before === 'string' ? { before: query.before } : {};
  const body = { limit: shownNotifications, ...before };
  const { notifications, hasMore } = await call(ctx, 'notification.mailbox.list', { body });
  const { title, explanation, empty, columns, older, toMail } = texts().mailbox;
  const last = notifications.at(-1)?.notificationId;
  return renderPage({
    title,
    body: html`<h1>${title}</h1>
<p>${explanation}</p>
<p><a href="/dev/mailbox">${toMail}</a></p>
${renderTable({
  label: title,
  columns: [
    {
      heading: columns.message,
      cell: ({ notificationId, subject }) => html`<a href="${path}/${notificationId}">${subject || notificationId}</a>`,
    },
    { heading: columns.channel, cell: ({ channel }) => channel },
    { heading: columns.to, cell: ({ recipientId }) => recipientId },
    { heading: columns.sent, cell: ({ createdAt }) => timeOf(createdAt) },
  ],
  rows: notifications,
  empty,
  next: hasMore && last ? { href: `${path}?${new URLSearchParams({ before: last })}`, words: older } : null,
})}`,
  });
}

async function renderNotification({ ctx, path: { notificationId = '' } }: Visit): Promise<PageAnswer> {
  const notification = await call(ctx, 'notification.mailbox.read', { body: { notificationId } });
  const { subject, channel, recipientId, createdAt, text, html: own } = notification;
  const words = texts().mailbox;
  return renderPage({
    title: subject || notificationId,
    body: html`<h1>${subject || notificationId}</h1>
<p>${words.about(recipientId, channel, timeOf(createdAt))}</p>
<pre>${text}</pre>
${own && html`<details><summary>${words.html}</summary><pre>${own}</pre></details>`}
<p><a href="${path}">${words.back}</a></p>`,
  });
}

function timeOf(instant: string): Html {
  return html`<time datetime="${instant}">${sharedTexts().time.inUtc(instant.slice(0, 19).replace('T', ' '))}</time>`;
}
