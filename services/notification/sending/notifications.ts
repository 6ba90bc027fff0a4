import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { olderIds, pageOf, pageQuery, pathId, timestamp, toPage } from '../../../lib/contract/input.ts';
import { acceptedWithin, repetitionFields, repetitionOf } from '../../../messaging/delivery/messages.ts';
import { channels, providerNames } from '../../../models/notification/connection.ts';
import { eventTypes, type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { recipientKeys } from './recipients.ts';

/** `queued` until the first attempt and between attempts. */
export const shownStatuses = ['queued', 'sending', 'sent', 'failed'] as const;
type ShownStatus = (typeof shownStatuses)[number];

const notificationOutput = z
  .strictObject({
    notificationId: z.string(),
    channel: z.enum(channels),
    recipientId: z.string(),
    status: z
      .enum(shownStatuses)
      .describe('`queued`: waits for an attempt. `sending`: an attempt is running. `sent` and `failed` are final.'),
    templateId: z.string().nullable(),
    templateVersion: z.int().nullable(),
    locale: z.string().nullable(),
    /** The connection that sent it. */
    connectionId: z.string().nullable(),
    provider: z.enum(providerNames).nullable().describe('The provider that was used; null before the first attempt.'),
    providerMessageId: z.string().nullable(),
    attempts: z.int(),
    /** Why the last attempt did not succeed. */
    lastError: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    sentAt: timestamp.nullable(),
  })
  .meta({ id: 'Notification' });

const notificationEvent = z
  .strictObject({
    type: z
      .enum(eventTypes)
      .describe('`rejected`: one connection did not accept it; another one or a later attempt may.'),
    at: timestamp,
    connectionId: z.string().nullable(),
    provider: z.enum(providerNames).nullable().describe('The provider that was used; null if none.'),
    reason: z.string().nullable().describe('The reason of a failure; null if none.'),
  })
  .meta({ id: 'NotificationEvent' });

const detailedNotification = notificationOutput
  .extend({
    ...repetitionFields,
    events: z.array(notificationEvent).describe('What happened to it, the oldest first.'),
  })
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

function toNotificationResponse(notification: NotificationDocument): z.output<typeof notificationOutput> {
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

/** Whether a notification can be sent again. */
export function isResendable({ status, sealedContent }: NotificationDocument): boolean {
  return status === 'failed' && sealedContent !== null;
}

/** The statuses of the queue by the one that is shown. */
const storedStatuses = { queued: ['queued', 'waiting'], sending: ['sending'], sent: ['sent'], failed: ['failed'] };

/** GET /v1/notifications: the organization's notifications, the newest first. */
export const listNotifications = defineAction({
  rest: 'GET /v1/notifications',
  summary: "List the organization's notifications",
  description:
    "Returns the organization's notifications, the newest first. The filters can be combined; `since` is inclusive, " +
    '`before` is exclusive.',
  permission: 'notification.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      ...pageQuery,
      channel: z.enum(channels).optional().describe('Only of this channel.'),
      status: z.enum(shownStatuses).optional().describe('Only in this status.'),
      recipientId: z
        .string()
        .max(512)
        .optional()
        .describe('Only to this recipient: a customer id or an address at a provider.'),
      notificationId: z.string().max(100).optional().describe('Only the notification with this id.'),
      ...acceptedWithin,
    }),
  },
  output: pageOf(notificationOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleNotification], nextCursor: null } },
  async handler({
    query: { limit, cursor, channel, status, recipientId, notificationId, since, before },
    caller: { orgId },
  }) {
    const filter = {
      ...olderIds('ntf', { cursor, from: since, to: before }, notificationId),
      ...(channel !== undefined && { channel }),
      ...(status !== undefined && { status: { $in: storedStatuses[status] } }),
      ...(recipientId !== undefined && { recipients: { $in: recipientKeys([recipientId]) } }),
    };
    const found = await NotificationModel.find({ orgId, ...filter })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<NotificationDocument[]>();
    return toPage(found, limit, ({ _id }) => [_id], toNotificationResponse);
  },
});

/** GET /v1/notifications/:notificationId: one notification with what happened to it. */
export const readNotification = defineAction({
  rest: 'GET /v1/notifications/:notificationId',
  summary: 'Read a notification with its events',
  description:
    'Returns one notification and every attempt to send it, with the connection that was used and the reason of a ' +
    'failure.',
  permission: 'notification.read',
  tenant: 'required',
  input: { path: z.strictObject({ notificationId: pathId('ntf') }) },
  output: detailedNotification,
  errors: ['NOT_FOUND'],
  example: {
    path: { notificationId: exampleNotification.notificationId },
    output: {
      ...exampleNotification,
      nextAttemptAt: null,
      isResendable: false,
      resentFrom: null,
      resentAs: null,
      events: [
        { type: 'queued', at: exampleNotification.createdAt, connectionId: null, provider: null, reason: null },
        {
          type: 'sent',
          at: exampleNotification.createdAt,
          connectionId: exampleNotification.connectionId,
          provider: 'telegram',
          reason: null,
        },
      ],
    },
  },
  async handler({ path: { notificationId }, caller: { orgId } }) {
    const notification = await findNotification(orgId, notificationId);
    const events = notification.events.map(({ type, at, connectionId, provider, reason }) => ({
      type,
      at: at.toISOString(),
      connectionId,
      provider,
      reason,
    }));
    return {
      ...toNotificationResponse(notification),
      ...repetitionOf(notification),
      isResendable: isResendable(notification),
      events,
    };
  },
});
