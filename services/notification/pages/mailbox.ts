import { z } from 'zod';
import { call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { channels } from '../../../models/notification/connection.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import type { Visit } from '../../../web/define-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { mailboxPage } from '../../../web/mailbox-page.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { renderTable } from '../../../web/table.ts';
import { texts as sharedTexts } from '../../../web/texts.ts';
import { openContent } from '../sending/content.ts';
import { texts } from '../texts.ts';

const entry = z.strictObject({
  notificationId: z.string(),
  channel: z.enum(channels),
  recipientId: z.string(),
  subject: z.string(),
  createdAt: timestamp,
});

/**
 * `notification.mailbox.list`, for /dev/mailbox/notifications: the newest notifications that the provider `mailbox` took, of all
 * organizations. NOT_FOUND on a platform that serves more than this machine.
 */
export const listMailbox = defineAction({
  summary: 'List the notifications in the mailbox for development',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({
      limit: z.int().min(1).max(100),
      /** Only those before this one. */
      before: z.string().optional(),
    }),
  },
  output: z.strictObject({ notifications: z.array(entry), hasMore: z.boolean() }),
  errors: ['NOT_FOUND'],
  async handler({ body: { limit, before } }) {
    requireDevelopment();
    const earlier = before === undefined ? {} : { _id: { $lt: before } };
    const found = await NotificationModel.find({ provider: 'mailbox', ...earlier })
      .setOptions({ acrossTenants: true })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<NotificationDocument[]>();
    return { notifications: found.slice(0, limit).flatMap(renderEntry), hasMore: found.length > limit };
  },
});

/** `notification.mailbox.read`, for /dev/mailbox/notifications: one notification with what it says. */
export const readMailbox = defineAction({
  summary: 'Read a notification in the mailbox for development',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ notificationId: z.string().max(100) }) },
  output: entry.extend({ text: z.string(), html: z.string() }),
  errors: ['NOT_FOUND'],
  async handler({ body: { notificationId } }) {
    requireDevelopment();
    const found = await NotificationModel.findOne({ _id: notificationId, provider: 'mailbox' })
      .setOptions({ acrossTenants: true })
      .lean<NotificationDocument>();
    const [shown] = found ? renderEntry(found) : [];
    if (!found?.sealedContent || !shown) throw apiError('NOT_FOUND');
    const { text, html } = openContent(found.sealedContent);
    return { ...shown, text, html };
  },
});

function requireDevelopment(): void {
  if (settings.isPublic) throw apiError('NOT_FOUND');
}

function renderEntry(notification: NotificationDocument): z.output<typeof entry>[] {
  const { _id, channel, recipientId, sealedContent, createdAt } = notification;
  if (sealedContent === null) return [];
  const { subject } = openContent(sealedContent);
  return [{ notificationId: _id, channel, recipientId, subject, createdAt: createdAt.toISOString() }];
}

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
    layout: 'wide',
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
  pager: { next: hasMore && last ? `${path}?${new URLSearchParams({ before: last })}` : null, nextWords: older },
})}`,
  });
}

async function renderNotification({ ctx, path: { notificationId = '' } }: Visit): Promise<PageAnswer> {
  const notification = await call(ctx, 'notification.mailbox.read', { body: { notificationId } });
  const { subject, channel, recipientId, createdAt, text, html: own } = notification;
  const words = texts().mailbox;
  return renderPage({
    title: subject || notificationId,
    layout: 'wide',
    body: html`<h1>${subject || notificationId}</h1>
<p>${words.about(recipientId, channel, timeOf(createdAt))}</p>
<pre>${text}</pre>
${own && html`<details><summary>${words.html}</summary><pre>${own}</pre></details>`}
<p><a href="${path}">${words.back}</a></p>`,
  });
}

function timeOf(instant: string): Html {
  return html`<time datetime="${instant}">${sharedTexts().time.inUtc(texts().mailbox.time(instant))}</time>`;
}
