import type { Service, ServiceSchema } from 'moleculer';
import { cron, everyMinutes } from '../../mixins/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { MessageModel } from '../../models/mail/message.ts';
import { eraseOrganization } from './erase-organization.ts';
import { listMailbox } from './list-mailbox.ts';
import { mailboxPages } from './pages/mailbox.ts';
import { readMailbox } from './read-mailbox.ts';
import { sweepMessages } from './retention.ts';
import { sendNotification } from './send-notification.ts';
import { readMailStatus, sendSystemMail } from './send-system-mail.ts';
import { type Outbox, startOutbox } from './sender.ts';
import { chooseTransport } from './transports/choose-transport.ts';
import type { Transport } from './transports/transport.ts';

type Mail = Service & { transport: Transport | null; outbox?: Outbox };

/** Sends mail: stores each message first, then delivers it with retries. */
const mail: ServiceSchema<Record<string, unknown>, object, object, Mail> = {
  name: 'mail',
  metadata: { erases: 'organizations.erase' },
  mixins: [mongo(MessageModel), cron({ name: 'mail.retention', period: everyMinutes(60), run: sweepMessages })],
  actions: {
    'system.send': sendSystemMail,
    'system.status': readMailStatus,
    'notifications.send': sendNotification,
    'mailbox.list': listMailbox,
    'mailbox.read': readMailbox,
    'organizations.erase': eraseOrganization,
    ...mailboxPages,
  },
  // Before anything is connected, so that a node with broken settings fails at once.
  created(this: Mail) {
    this.transport = chooseTransport(this.logger);
  },
  started(this: Mail) {
    // Messages stored before mail was turned off wait until it is on again.
    if (this.transport) this.outbox = startOutbox(this.transport, this.logger);
  },
  async stopped(this: Mail) {
    await this.outbox?.stop();
  },
};

export default mail;
