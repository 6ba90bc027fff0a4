import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import { channels } from '../../../models/notification/connection.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import {
  detailedNotification,
  exampleNotification,
  findNotification,
  notificationOutput,
  shownStatuses,
  toNotificationResponse,
} from './notifications.ts';

/** The statuses of the queue by the one that is shown. */
const storedStatuses = { queued: ['queued', 'waiting'], sending: ['sending'], sent: ['sent'], failed: ['failed'] };

/** GET /v1/notifications: the organization's notifications, the newest first. */
export const listNotifications = defineAction({
  rest: 'GET /v1/notifications',
  summary: "List the organization's notifications",
  permission: 'notification.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      ...pageQuery,
      channel: z.enum(channels).optional(),
      status: z.enum(shownStatuses).optional(),
      recipientId: z.string().max(512).optional(),
    }),
  },
  output: pageOf(notificationOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleNotification], nextCursor: null } },
  async handler({ query: { limit, cursor, channel, status, recipientId }, caller: { orgId } }) {
    const [before] = decodeCursor(cursor, 1) ?? [];
    const filter = {
      ...(before !== undefined && { _id: { $lt: before } }),
      ...(channel !== undefined && { channel }),
      ...(status !== undefined && { status: { $in: storedStatuses[status] } }),
      ...(recipientId !== undefined && { recipients: recipientId }),
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
  permission: 'notification.read',
  tenant: 'required',
  input: { path: z.strictObject({ notificationId: pathId('ntf') }) },
  output: detailedNotification,
  errors: ['NOT_FOUND'],
  example: {
    path: { notificationId: exampleNotification.notificationId },
    output: {
      ...exampleNotification,
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
    return { ...toNotificationResponse(notification), events };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.notifications.list': typeof listNotifications;
    'notification.notifications.read': typeof readNotification;
  }
}
