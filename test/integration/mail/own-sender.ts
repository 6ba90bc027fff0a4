import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Context } from 'moleculer';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { CallInput } from '../../../lib/contract/context.ts';
import { setClock } from '../../../lib/data/clock.ts';
import type { Delivery } from '../../../messaging/delivery/delivery.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import type { Transport } from '../../../services/mail/transports/transport.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';

const start = Date.parse('2030-01-01T00:00:00.000Z');

/** No mail of the platform's own needs another service to be sent. */
export const noBroker = { call: () => Promise.reject(new Error('No other service runs here.')) } as never;

type Mail = CallInput<'mail.system.send'>['body'];

/** The mail service's parts in this process: a database and a clock of the file's own, a mail server for each test. */
export type OwnSender = {
  server: SmtpServer;
  /** Calls `mail.system.send`, for a recovery unless told otherwise. */
  ask: (mail?: Partial<Mail>) => Promise<string>;
  sender: (transport?: Transport) => Delivery;
  transport: (url?: string) => Transport;
  /** Moves the clock on. */
  pass: (milliseconds: number) => void;
  /** One round of a sender, until what it began has ended. */
  round: (sender?: Delivery) => Promise<void>;
  read: (messageId: string) => Promise<MessageDocument>;
  all: () => Promise<MessageDocument[]>;
};

/** Must be called before anything of the platform is imported that reads settings: it sets DATA_DIR. */
export async function ownSender(): Promise<OwnSender> {
  const folder = await mkdtemp(join(tmpdir(), 'mail-'));
  process.env.DATA_DIR = folder;
  process.env.MAIL_FROM = 'Blue Mugs <mail@mugs.example>';
  const { MessageModel } = await import('../../../models/mail/message.ts');
  const { createMailDelivery } = await import('../../../services/mail/delivery.ts');
  const { sendSystemMail } = await import('../../../services/mail/system-mail.ts');
  const { smtpTransport } = await import('../../../services/mail/transports/smtp.ts');
  let database: EmbeddedMongo;
  let instant = start;
  let restoreClock = (): void => undefined;
  const open: Transport[] = [];
  let keys = 0;

  beforeAll(async () => {
    database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
    await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
    await MessageModel.createIndexes();
    restoreClock = setClock(() => new Date(instant));
  });
  beforeEach(async () => {
    instant = start;
    own.server = await startSmtpServer();
    await MessageModel.collection.deleteMany({});
  });
  afterEach(async () => {
    for (const transport of open.splice(0)) transport.close();
    await own.server.close();
  });
  afterAll(async () => {
    restoreClock();
    await mongoose.disconnect();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const own: OwnSender = {
    server: undefined as unknown as SmtpServer,
    async ask(mail = {}) {
      keys += 1;
      const recovery = { template: 'recovery', variables: { link: 'https://mugs.example/recover?token=s3cr3t' } };
      const body = { key: `key ${keys}`, to: 'ada@example.com', orgId: null, ...recovery, ...mail };
      const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as unknown as Context;
      const { messageId } = (await sendSystemMail.handler!.call({} as never, ctx)) as { messageId: string };
      return messageId;
    },
    transport(url = own.server.url) {
      const transport = smtpTransport(url);
      open.push(transport);
      return transport;
    },
    sender: (transport = own.transport()) => createMailDelivery(transport, noBroker, quietLogger),
    pass(milliseconds) {
      instant += milliseconds;
    },
    async round(sender = own.sender()) {
      await sender.promote();
      await sender.fill();
      await sender.settled();
    },
    async read(messageId) {
      const message = await MessageModel.findOne({ _id: messageId })
        .setOptions({ acrossTenants: true })
        .lean<MessageDocument>();
      if (!message) throw new Error(`There is no message ${messageId}.`);
      return message;
    },
    all: () => MessageModel.find().setOptions({ acrossTenants: true }).lean<MessageDocument[]>(),
  };
  return own;
}
