import type { Row } from './row.ts';

const decisions = 'decisions, Mail, notification, connect';

/** Notifications: channels, templates and sending. */
export const notificationRows = {
  'notification.send': {
    from: 'Endpoints, Notification',
    route: 'POST /v1/notifications/send',
    says: 'POST /v1/notifications/send answers 200 with notificationId, channel and status sent or queued',
  },
  'notification.send-refused': {
    from: 'Endpoints, Notification; decisions',
    says: 'a missing channel, recipient, template or variable, or a channel that is not connected, is 400 naming it',
  },
  'notification.list': {
    from: 'issue 17',
    route: 'GET /v1/notifications',
    says: 'the notifications of the tenant are listed, by channel, status and recipient',
  },
  'notification.read': {
    from: decisions,
    route: 'GET /v1/notifications/:notificationId',
    says: 'a notification shows its status and what happened to it',
  },
  'notification.resend': {
    from: 'issue 42, part 3',
    route: 'POST /v1/notifications/:notificationId/resend',
    says: 'a notification that was sent is not sent again, and one of another tenant is not found',
  },
  'notification.channel-create': {
    from: decisions,
    route: 'POST /v1/notifications/channels',
    says: 'a channel is connected by a provider, and its credentials are never answered',
  },
  'notification.channels': {
    from: decisions,
    route: 'GET /v1/notifications/channels',
    says: 'the connections of the tenant are listed',
  },
  'notification.channel': {
    from: decisions,
    route: 'GET /v1/notifications/channels/:channelId',
    says: 'a connection shows its state, to its organization alone',
  },
  'notification.channel-update': {
    from: decisions,
    route: 'PATCH /v1/notifications/channels/:channelId',
    says: 'a connection is changed, and turned off and on',
  },
  'notification.channel-delete': {
    from: decisions,
    route: 'DELETE /v1/notifications/channels/:channelId',
    says: 'a connection is removed, and sends no more',
  },
  'notification.channel-test': {
    from: decisions,
    route: 'POST /v1/notifications/channels/:channelId/test',
    says: 'a connection sends a test message, and says whether it was sent',
  },
  'notification.templates': {
    from: decisions,
    route: 'GET /v1/notifications/templates',
    says: 'the notification templates of the tenant are listed',
  },
  'notification.template-create': {
    from: decisions,
    route: 'POST /v1/notifications/templates',
    says: 'a notification template is created live, in its first version',
  },
  'notification.template-starters': {
    from: 'issue 17',
    route: 'GET /v1/notifications/template-starters',
    says: 'a notification template can be created from each starter',
  },
  'notification.template-read': {
    from: decisions,
    route: 'GET /v1/notifications/templates/:templateId',
    says: 'a notification template is read in any of its versions',
  },
  'notification.template-update': {
    from: decisions,
    route: 'PATCH /v1/notifications/templates/:templateId',
    says: 'a change of a notification template is a new version, live at once',
  },
  'notification.template-versions': {
    from: 'issue 42, part 3',
    route: 'GET /v1/notifications/templates/:templateId/versions',
    says: 'the versions of a notification template are listed, the newest first',
  },
  'notification.template-publish': {
    from: decisions,
    route: 'POST /v1/notifications/templates/:templateId/publish',
    says: 'a version of a notification template that was not published is published',
  },
  'notification.template-preview': {
    from: decisions,
    route: 'POST /v1/notifications/templates/:templateId/preview',
    says: 'a notification template is rendered with samples and values',
  },
  'notification.template-test': {
    from: 'issue 17',
    route: 'POST /v1/notifications/templates/:templateId/test',
    says: 'a version of a notification template is sent to one recipient, with its samples',
  },
  'notification.template-delete': {
    from: decisions,
    route: 'DELETE /v1/notifications/templates/:templateId',
    says: 'a notification template that was deleted sends no more',
  },
} as const satisfies Record<string, Row>;
