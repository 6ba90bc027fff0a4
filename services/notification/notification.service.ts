import type { Service, ServiceSchema } from 'moleculer';
import { deadLetterActions } from '../../messaging/delivery/dead-letters.ts';
import { operatorActions } from '../../messaging/delivery/operator.ts';
import { templateActions } from '../../messaging/templates/actions.ts';
import { cron, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { ConnectionModel } from '../../models/notification/connection.ts';
import { PaceModel } from '../../models/notification/connection-pace.ts';
import { NotificationModel } from '../../models/notification/notification.ts';
import { TemplateModel, TemplateVersionModel } from '../../models/notification/template.ts';
import { createConnection, deleteConnection, updateConnection } from './channels/change-connection.ts';
import { listConnections, readConnection } from './channels/connections.ts';
import { testConnection } from './channels/test-connection.ts';
import { eraseCustomer, eraseOrganization, sweepEnded } from './cleanup.ts';
import { channelsPages } from './pages/console/channels.ts';
import { notificationPages } from './pages/console/notification.ts';
import { notificationTemplatesPages } from './pages/console/templates.ts';
import { listMailbox, mailboxPages, readMailbox } from './pages/mailbox.ts';
import { settleQuota } from './sending/content.ts';
import { listNotifications, readNotification } from './sending/notifications.ts';
import { notificationDelivery, refunds, wake } from './sending/queue.ts';
import { resendNotification } from './sending/resend.ts';
import { sendNotification } from './sending/send.ts';
import { testTemplate } from './templates/templates.actions.ts';
import { templateKind } from './templates/templates.ts';

type Notification = Service & { stopping?: AbortController; delivering?: Promise<void> };

export const templates = templateActions(templateKind);
const queue = {
  of: { plural: 'notifications', id: 'ntf' },
  model: NotificationModel,
  wake,
};
export const operator = operatorActions({ command: 'notify', ...queue });
export const deadLetters = deadLetterActions(queue);

/** Sends messages to people on the channels that an organization has connected. */
const notification: ServiceSchema = {
  name: 'notification',
  metadata: { erases: 'organizations.erase', erasesCustomers: 'customers.erase' },
  mixins: [
    cron(
      { name: 'notification.retention', period: everyMinutes(60), run: (_period, signal) => sweepEnded(signal) },
      sweeping('notification.refunds', everyMinutes(1), refunds.sweep),
    ),
    mongo(ConnectionModel, PaceModel, NotificationModel, TemplateModel, TemplateVersionModel),
  ],
  actions: {
    'channels.list': listConnections,
    'channels.create': createConnection,
    'channels.read': readConnection,
    'channels.update': updateConnection,
    'channels.delete': deleteConnection,
    'channels.test': testConnection,
    ...templates,
    'templates.test': testTemplate,
    'notifications.send': sendNotification,
    'notifications.list': listNotifications,
    'notifications.read': readNotification,
    'notifications.resend': resendNotification,
    'mailbox.list': listMailbox,
    'mailbox.read': readMailbox,
    'quota.settle': settleQuota,
    'organizations.erase': eraseOrganization,
    'customers.erase': eraseCustomer,
    ...operator,
    ...deadLetters,
    ...mailboxPages,
    ...channelsPages,
    ...notificationPages,
    ...notificationTemplatesPages,
  },
  started(this: Notification) {
    this.stopping = new AbortController();
    this.delivering = notificationDelivery(this.broker).run(this.stopping.signal);
  },
  async stopped(this: Notification) {
    this.stopping?.abort();
    await this.delivering;
  },
};

export default notification;
