import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { mongo } from 'mongoose';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { askPlatform } from '../../integration/mail/ask-platform.ts';
import { send } from '../../support/http.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { type NodeProcess, type Pool, serverVariable, startNode, startPool } from '../../support/platform.ts';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';
import { withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

/**
 * Over an embedded database of this file: the second implementation of the
 * protocol lets two nodes take one document (`ferret-differences.ts`), so there a mail may go twice.
 */
describe('two nodes that send mail', () => {
  let database: OwnDatabase;
  let server: SmtpServer;
  let pool: Pool;
  let heir: NodeProcess | undefined;

  beforeAll(async () => {
    [server, database] = await Promise.all([startSmtpServer(), startOwnDatabase()]);
    const services = ['gateway', 'identity', 'access', 'billing', 'context'];
    pool = await startPool([{ services }, mailNode(), mailNode()], { MONGO_URL: database.url, DEV_MAILBOX: '' });
    await Promise.all(pool.nodes.slice(1).map(started));
  });
  afterAll(async () => {
    await heir?.stop();
    await pool.stop();
    await Promise.all([server.close(), database.close()]);
  });

  const mailNode = () => ({ services: ['mail'], env: { SMTP_URL: server.url } });
  const started = (node: NodeProcess) => node.logged(({ message }) => message === "Service 'mail' started.");
  const ask = (to: string) => askPlatform({ databaseUrl: database.url, secretKey: pool.env.SECRET_KEY! }, { to });
  const messages = <T>(work: (collection: Messages) => Promise<T>) =>
    withDatabase(database.url, (db) => work(db.collection('mail_messages')));

  test('both do, and each mail goes once', async () => {
    const release = server.hold();
    const addresses = Array.from({ length: 30 }, (_, count) => `ada+${String(count).padStart(2, '0')}@example.com`);
    for (const to of addresses) await ask(to);
    // As many as both have places for; more are claimed and prepared. None is with both.
    await until(() => server.texts() === 10);
    const held = await messages((collection) => collection.find({ status: 'sending' }).toArray());
    expect(held.length).toBeGreaterThanOrEqual(10);
    // A node may have claimed its mails by several leases, which it numbers.
    expect(new Set(held.map(({ leaseOwner }) => leaseOwner?.replace(/-\d+$/, ''))).size).toBe(2);
    release();
    await until(() => server.mails.length === addresses.length);
    await until(async () => (await messages((all) => all.countDocuments({ status: 'sent' }))) === addresses.length);
    expect(server.mails.map(({ to }) => to[0]).sort()).toEqual(addresses);
  });

  test('and the mailbox for development is not there', async () => {
    expect((await send(pool.urls[0]!, { path: '/dev/mailbox' })).status).toBe(404);
  });

  test('what nodes held that died is sent by another when the lease ends, under the same Message-ID', async () => {
    const before = server.mails.length;
    const texts = server.texts();
    const release = server.hold();
    const id = await ask('grace@example.com');
    await until(() => server.texts() === texts + 1);
    await Promise.all(pool.nodes.slice(1).map((node) => node.kill()));
    heir = startNode({ services: ['mail'], env: { ...pool.env, SMTP_URL: server.url } });
    await started(heir);
    const ended = { $set: { nextAttemptAt: new Date(0) } };
    await messages((collection) => collection.updateOne({ _id: id, status: 'sending' }, ended));
    await until(() => server.texts() === texts + 2);
    release();
    await until(async () => (await messages((collection) => collection.findOne({ _id: id })))?.status === 'sent');
    const again = server.mails.slice(before);
    expect(again.map(({ to }) => to)).toEqual([['grace@example.com'], ['grace@example.com']]);
    for (const { headers } of again) expect(headers).toContain(`Message-ID: <${id}@localhost>`);
  });
});

describe('a node of a pool that was told of no mail server', () => {
  test('does not start, and says what to set', async () => {
    const MONGO_URL = 'mongodb://127.0.0.1:9/none';
    const SECRET_KEY = 'a secret key that only this test uses';
    const env = { NATS_URL: serverVariable('TEST_NATS_URL'), MONGO_URL, SECRET_KEY };
    const node = startNode({ services: ['mail'], env });
    expect(await node.exited).toBe(1);
    expect(node.output()).toMatch(/SMTP_URL.*DEV_MAILBOX=yes/);
    expect(node.log().map(({ level }) => level)).toContain('fatal');
  });
});

type Messages = mongo.Collection<MessageDocument>;
