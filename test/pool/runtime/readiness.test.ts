import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect, type NatsConnection } from 'nats';
import { freePort } from '../../support/free-port.ts';
import { type Sent, send } from '../../support/http.ts';
import { startLoad, statusesOf } from '../../support/load.ts';
import { type NodeProcess, type Pool, serverVariable, startNode, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

type Health = { status: string; missing: string[]; unavailable?: string[] };

const metricsPort = `${freePort()}`;
const ofWorker = ['connect', 'mail', 'notification'];
let database: TcpProxy;
let nats: NatsConnection;
let pool: Pool;
let worker: NodeProcess;
let gateway: string;

beforeAll(async () => {
  database = await startTcpProxy(serverVariable('TEST_MONGO_URL'));
  nats = await connect({ servers: new URL(serverVariable('TEST_NATS_URL')).host });
  // As an operator has it who does not set REQUIRED_SERVICES.
  pool = await startPool(
    [{ services: ['gateway', 'identity', 'access', 'billing', 'context'], env: { NODE_ID: 'front' } }],
    { REQUIRED_SERVICES: '' },
  );
  [gateway] = pool.urls as [string];
  await pool.nodes[0]!.logged(({ message }) => message === 'ready');
});

afterAll(async () => {
  await worker?.stop();
  await pool.stop();
  await nats.close();
  await database.close();
});

const ready = (url = gateway) => send<Health>(url, { path: '/health/ready' });
const unavailable = async () => (await ready()).body?.unavailable?.sort();
const mails = (): Sent => {
  const { orgId, apiKey } = pool.firstRun;
  return { path: '/v1/mail/messages', headers: { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId } };
};

/** Waits until the gateway reports these services as unavailable, and expects it to be ready all the time. */
async function untilUnavailable(services: string[]): Promise<void> {
  const statuses = new Set<number>();
  await until(async () => {
    const { status, body } = await ready();
    statuses.add(status);
    return body?.unavailable?.sort().join() === services.join();
  });
  expect([...statuses]).toEqual([200]);
}

async function startWorker(): Promise<string> {
  const { port } = new URL(pool.databaseUrl.replace('mongodb:', 'http:'));
  const MONGO_URL = pool.databaseUrl.replace(port, `${database.port}`);
  const env = { ...pool.env, NODE_ID: 'worker', MONGO_URL, METRICS_PORT: metricsPort };
  worker = startNode({ services: ofWorker, env });
  const url = `http://127.0.0.1:${metricsPort}`;
  await until(async () => (await ready(url).catch(() => null))?.status === 200);
  return url;
}

test('a gateway without other nodes is ready, reports missing services, and answers 503 on their paths', async () => {
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', missing: [] } });
  expect(await unavailable()).toEqual(ofWorker);
  const answer = await send<{ error: string }>(gateway, mails());
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { error: 'UNAVAILABLE' } });
});

test('a worker is ready, at its metrics port, only when the gateway knows its services', async () => {
  const url = await startWorker();
  expect((await send(gateway, mails())).status).toBe(200);
  expect(await unavailable()).toEqual([]);
  expect((await ready(url)).body).toEqual({ status: 'ready', missing: [] });
  expect(await send(url, { path: '/health/alive' })).toMatchObject({ status: 200, body: { status: 'alive' } });
});

test('health checks under load answer 200, send no message and are not logged as requests', async () => {
  let messages = 0;
  const requests: string[] = [];
  const subscription = nats.subscribe(`MOL-${pool.env.NAMESPACE}.REQ.>`, {
    callback: (_error, message) => {
      messages += 1;
      if (message.string().includes('node.readiness')) requests.push(message.subject);
    },
  });
  await nats.flush();
  const load = startLoad(gateway, 4, mails);
  const health = startLoad(gateway, 2, () => ({ path: '/health/ready' }));
  await until(() => health.answers.length > 200 && load.answers.length > 50);
  await Promise.all([load.stop(), health.stop()]);
  await nats.flush();
  subscription.unsubscribe();
  expect(statusesOf(health)).toEqual({ 200: health.answers.length });
  // The calls to the mail service go over NATS, so that the subscription is known to see calls.
  expect(messages).toBeGreaterThan(0);
  expect(requests).toEqual([]);
  const paths = pool.nodes[0]!.log().flatMap(({ message, path }) => (message === 'request' ? [String(path)] : []));
  expect(paths.filter((path) => path.startsWith('/health/'))).toEqual([]);
  expect(paths).toContain('/v1/mail/messages');
});

test('services whose only node loses the database are unavailable until it is back', async () => {
  const url = `http://127.0.0.1:${metricsPort}`;
  await database.cut();
  await untilUnavailable(ofWorker);
  expect(await ready(url)).toMatchObject({ status: 503, body: { status: 'not ready', missing: ['database'] } });
  expect((await send(gateway, mails())).status).toBe(503);
  await database.mend();
  await untilUnavailable([]);
  expect((await ready(url)).status).toBe(200);
});

test('a gateway stays ready when the only node of some services dies, and when it comes back', async () => {
  await worker.kill();
  await untilUnavailable(ofWorker);
  expect((await send(gateway, mails())).status).toBe(503);
  expect(pool.nodes[0]!.log().filter(({ message }) => message === 'The node is not ready.')).toEqual([]);
  await startWorker();
  expect((await send(gateway, mails())).status).toBe(200);
  expect(await unavailable()).toEqual([]);
});
