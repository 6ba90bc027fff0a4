import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { timestamp } from '../../../lib/instant.ts';
import { settings } from '../../../lib/settings.ts';
import { channels } from '../../../models/notification/connection.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { openContent } from '../sending/content.ts';

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.mailbox.list': typeof listMailbox;
    'notification.mailbox.read': typeof readMailbox;
  }
}
