import type { Service, ServiceSchema } from 'moleculer';
import { releasePrefetched } from '../../lib/clients/quota-batches.ts';
import { deadLetterActions } from '../../messaging/delivery/dead-letters.ts';
import { operatorActions } from '../../messaging/delivery/operator.ts';
import { templateActions } from '../../messaging/templates/actions.ts';
import { cron, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { MessageModel } from '../../models/mail/message.ts';
import { RecipientCountModel } from '../../models/mail/recipient-count.ts';
import { SenderSettingsModel } from '../../models/mail/sender-settings.ts';
import { SuppressionModel } from '../../models/mail/suppression.ts';
import { TemplateModel, TemplateVersionModel } from '../../models/mail/template.ts';
import { mailRefunds, type Outbox, startOutbox } from './delivery.ts';
import { receivePostmark } from './feedback/postmark.ts';
import { receiveSes } from './feedback/ses.ts';
import { receiveFeedback } from './feedback/signed.ts';
import { listMailbox, readMailbox } from './mailbox.ts';
import { listMessages, readMessage } from './messages/read-messages.ts';
import { resendMail } from './messages/resend.ts';
import { sendMail } from './messages/send.ts';
import { sendNotification } from './messages/send-notification.ts';
import { mailWake, settleQuota } from './messages/store.ts';
import { messageShowPages } from './pages/console/message.ts';
import { messagesPages } from './pages/console/messages.ts';
import { senderPages } from './pages/console/sender.ts';
import { suppressionsPages } from './pages/console/suppressions.ts';
import { mailTemplatesPages } from './pages/console/templates.ts';
import { mailboxPages } from './pages/mailbox.ts';
import { unsubscribePages } from './pages/unsubscribe.ts';
import { eraseCustomer, eraseOrganization, sweepMessages } from './retention.ts';
import { readSettings, writeSettings } from './sender-settings.ts';
import { createSuppression, deleteSuppression, listSuppressions } from './suppressions.ts';
import { readMailStatus, sendSystemMail } from './system-mail.ts';
import { mailTemplates } from './templates/kind.ts';
import { testTemplate } from './templates/templates.actions.ts';
import { chooseTransport } from './transports/choose-transport.ts';
import type { Transport } from './transports/transport.ts';

type Mail = Service & { transport: Transport | null; outbox?: Outbox };

export const templates = templateActions(mailTemplates);
const queue = {
  of: { plural: 'mail', id: 'msg' },
  model: MessageModel,
  wake: mailWake,
};
export const operator = operatorActions({ command: 'mail', ...queue });
export const deadLetters = deadLetterActions(queue);

/** Sends mail: stores each message first, then delivers it with retries. */
const mail: ServiceSchema<Record<string, unknown>, object, object, Mail> = {
  name: 'mail',
  metadata: { erases: 'organizations.erase', erasesCustomers: 'customers.erase' },
  mixins: [
    cron(
      { name: 'mail.retention', period: everyMinutes(60), run: (_period, signal) => sweepMessages(signal) },
      sweeping('mail.refunds', everyMinutes(1), mailRefunds.sweep),
    ),
    mongo(
      MessageModel,
      TemplateModel,
      TemplateVersionModel,
      SuppressionModel,
      SenderSettingsModel,
      RecipientCountModel,
    ),
  ],
  actions: {
    'messages.send': sendMail,
    'messages.list': listMessages,
    'messages.read': readMessage,
    'messages.resend': resendMail,
    ...templates,
    'templates.test': testTemplate,
    'settings.read': readSettings,
    'settings.write': writeSettings,
    'suppressions.list': listSuppressions,
    'suppressions.create': createSuppression,
    'suppressions.delete': deleteSuppression,
    'feedback.ses': receiveSes,
    'feedback.postmark': receivePostmark,
    'feedback.receive': receiveFeedback,
    'system.send': sendSystemMail,
    'system.status': readMailStatus,
    'notifications.send': sendNotification,
    'mailbox.list': listMailbox,
    'mailbox.read': readMailbox,
    'quota.settle': settleQuota,
    'organizations.erase': eraseOrganization,
    'customers.erase': eraseCustomer,
    ...operator,
    ...deadLetters,
    ...mailboxPages,
    ...unsubscribePages,
    ...messagesPages,
    ...messageShowPages,
    ...mailTemplatesPages,
    ...senderPages,
    ...suppressionsPages,
  },
  // Runs before any connection, so that a node with invalid settings fails at start.
  created(this: Mail) {
    this.transport = chooseTransport(this.logger);
  },
  started(this: Mail) {
    // Messages that were stored before mail was turned off wait until it is on again.
    if (this.transport) this.outbox = startOutbox(this.transport, this.broker, this.logger);
  },
  async stopped(this: Mail) {
    await this.outbox?.stop();
    await releasePrefetched();
  },
};

export default mail;
