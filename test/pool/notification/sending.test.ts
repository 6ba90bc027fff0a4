import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { mongo } from 'mongoose';
import { type Client, clientOf } from '../../support/client.ts';
import { introduce } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { connectWebhook, newTemplate } from '../../support/notifications.ts';
import { type OwnDatabase, startPoolDatabase } from '../../support/own-database.ts';
import { type NodeProcess, ready, serverVariable, startNode, urlOf } from '../../support/platform.ts';
import { type ProviderServer, startWebhookReceiver } from '../../support/provider-servers.ts';
import { createTenant, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';

/** Over an embedded database of this file: the second implementation of the protocol lets two nodes take one document. */
const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
const port = `${freePort()}`;
const env = {
  NATS_URL: serverVariable('TEST_NATS_URL'),
  NAMESPACE: `test-${randomUUID().slice(0, 13)}`,
  SECRET_KEY: randomUUID(),
  DEV_MAILBOX: 'yes',
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  MONGO_URL: '',
};
let database: OwnDatabase;
const nodes: NodeProcess[] = [];
let receiver: ProviderServer;
let client: Client;

const startSender = () => startNode({ services: ['notification'], dataDir, env });
const started = (node: NodeProcess) => node.logged(({ message }) => message === "Service 'notification' started.");

beforeAll(async () => {
  [receiver, database] = await Promise.all([startWebhookReceiver(), startPoolDatabase()]);
  env.MONGO_URL = database.url;
  const services = ['gateway', 'identity', 'access', 'billing', 'context', 'mail'];
  const front = startNode({ services, dataDir, env: { ...env, PORT: port } });
  const url = await urlOf(front);
  nodes.push(front, startSender(), startSender(), startSender());
  await Promise.all(nodes.slice(1).map(started));
  await ready(url, front);
  introduce(database.url, { url, publicUrl: env.PUBLIC_URL });
  client = clientOf({ url, ...(await createTenant(database.url, { plan: 'scale' })) });
}, 120_000);
afterAll(async () => {
  for (const node of nodes.reverse()) await node.stop();
  await Promise.all([receiver.close(), database.close()]);
  rmSync(dataDir, { recursive: true, force: true });
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
  const [victim] = nodes.splice(1, 1);
  await victim!.kill();
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
