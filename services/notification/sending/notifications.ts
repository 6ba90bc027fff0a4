import { z } from 'zod';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { channels, providerNames } from '../../../models/notification/connection.ts';
import { eventTypes, type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';

/** `queued` until the first attempt and between attempts. */
export const shownStatuses = ['queued', 'sending', 'sent', 'failed'] as const;
export type ShownStatus = (typeof shownStatuses)[number];

export const notificationOutput = z
  .strictObject({
    notificationId: z.string(),
    channel: z.enum(channels),
    recipientId: z.string(),
    status: z.enum(shownStatuses),
    templateId: z.string().nullable(),
    templateVersion: z.int().nullable(),
    locale: z.string().nullable(),
    /** The connection that sent it. */
    connectionId: z.string().nullable(),
    provider: z.enum(providerNames).nullable(),
    providerMessageId: z.string().nullable(),
    attempts: z.int(),
    /** Why the last attempt did not succeed. */
    lastError: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    sentAt: timestamp.nullable(),
  })
  .meta({ id: 'Notification' });

export const notificationEvent = z.strictObject({
  type: z.enum(eventTypes),
  at: timestamp,
  connectionId: z.string().nullable(),
  provider: z.enum(providerNames).nullable(),
  reason: z.string().nullable(),
});

export const detailedNotification = notificationOutput
  .extend({ events: z.array(notificationEvent) })
  .meta({ id: 'NotificationDetails' });

export const exampleNotification = {
  notificationId: exampleId('ntf'),
  channel: 'chatapp',
  recipientId: 'C-1042',
  status: 'sent',
  templateId: exampleId('tpl', 'notification'),
  templateVersion: 1,
  locale: null,
  connectionId: exampleId('chn'),
  provider: 'telegram',
  providerMessageId: '3721',
  attempts: 1,
  lastError: null,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
  sentAt: exampleInstant,
} satisfies z.input<typeof notificationOutput>;

const withoutLease = { waiting: 'queued' } as Record<string, ShownStatus>;

/** The status that clients see; that a message waits for its next attempt is the queue's own matter. */
export function toStatusResponse(status: string): ShownStatus {
  return withoutLease[status] ?? (status as ShownStatus);
}

export function toNotificationResponse(notification: NotificationDocument): z.output<typeof notificationOutput> {
  const { _id, channel, recipientId, templateId, templateVersion, locale, connectionId, provider } = notification;
  return {
    notificationId: _id,
    channel,
    recipientId,
    status: toStatusResponse(notification.status),
    templateId,
    templateVersion,
    locale,
    connectionId,
    provider,
    providerMessageId: notification.providerMessageId,
    attempts: notification.attempts,
    lastError: notification.lastError,
    createdAt: notification.createdAt.toISOString(),
    updatedAt: notification.updatedAt.toISOString(),
    sentAt: notification.sentAt?.toISOString() ?? null,
  };
}

/** The organization's notification; throws NOT_FOUND, also for another organization's. */
export async function findNotification(orgId: string, _id: string): Promise<NotificationDocument> {
  const found = await NotificationModel.findOne({ orgId, _id }).lean<NotificationDocument>();
  if (!found) throw apiError('NOT_FOUND', { message: 'No notification has this id.' });
  return found;
}
