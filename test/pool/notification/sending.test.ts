import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { mongo } from 'mongoose';
import { type Client, clientOf } from '../../support/client.ts';
import { connectWebhook, newTemplate } from '../../support/notifications.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { type NodeProcess, type Pool, startPool } from '../../support/platform.ts';
import { type ProviderServer, startWebhookReceiver } from '../../support/provider-servers.ts';
import { createTenant, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';

/** Over an embedded database of this file: the second implementation of the protocol lets two nodes take one document. */
let database: OwnDatabase;
let pool: Pool;
let receiver: ProviderServer;
let client: Client;

const started = (node: NodeProcess) => node.logged(({ message }) => message === "Service 'notification' started.");

beforeAll(async () => {
  [receiver, database] = await Promise.all([startWebhookReceiver(), startOwnDatabase()]);
  const front = { services: ['gateway', 'identity', 'access', 'billing', 'context', 'mail'] };
  const sender = { services: ['notification'] };
  pool = await startPool([front, sender, sender, sender], { MONGO_URL: database.url });
  await Promise.all(pool.nodes.slice(1).map(started));
  client = clientOf({ url: pool.urls[0]!, ...(await createTenant(database.url, { plan: 'scale' })) });
}, 120_000);
afterAll(async () => {
  await pool.stop();
  await Promise.all([receiver.close(), database.close()]);
});

const messages = <T>(work: (collection: mongo.Collection) => Promise<T>) =>
  withDatabase(database.url, (db) => work(db.collection('notification_messages')));

test('three nodes send each notification; what a killed node held is sent by another, under the same id', async () => {
  const templateId = await newTemplate(client);
  await connectWebhook(client, receiver.url);
  const body = { channel: 'chatapp' as const, recipientId: 'ada', templateId, variables: { name: 'Ada' } };
  const send = async () => (await client.call('notification.notifications.send', { body })).notificationId;
  receiver.always('hang');
  const ids = await Promise.all(Array.from({ length: 60 }, send));
  const { orgId } = client;
  await until(async () => (await messages((all) => all.countDocuments({ orgId, status: 'sending' }))) >= 24);
  await pool.nodes[1]!.kill();
  receiver.always(null);
  const ended = { $set: { nextAttemptAt: new Date(0) } };
  await messages((all) => all.updateMany({ orgId, status: 'sending' }, ended));
  // Attempts that hung end at their own limit, and are repeated after pauses that grow.
  await eventually(async () => {
    expect(await messages((all) => all.countDocuments({ orgId, status: 'sent' }))).toBe(ids.length);
  }, 150_000);
  const accepted = new Set(receiver.accepted.map(({ id }) => id));
  expect([...accepted].sort()).toEqual([...ids].sort());
  const { usage } = await client.call('billing.usage.read', { path: { orgId } });
  expect(usage.notification.sentThisMonth).toBe(ids.length);
}, 240_000);
