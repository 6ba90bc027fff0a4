import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { describeAllVersions } from '../../../runtime/node-service.ts';
import { clientOf } from '../../support/client.ts';
import { listen } from '../../support/event-client.ts';
import { greet, HelloService, untilGreeted } from '../../support/hello-service.ts';
import { putOnPlan } from '../../support/plans.ts';
import { type Pool, startOperator, startPool } from '../../support/platform.ts';
import { createTenant, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

/**
 * The example service on a pool with three gateways, of which a test stops the last, and on two of its nodes: one on
 * Node, one on Deno.
 */
const servicesDir = mkdtempSync(join(tmpdir(), 'services-'));
const hello = new HelloService(servicesDir);
const workers = ['worker-1', 'worker-2'] as const;
let pool: Pool;
let tenant: Tenant;
let operator: ServiceBroker;

beforeAll(async () => {
  const env = (NODE_ID: string) => ({ NODE_ID, SERVICES_DIR: servicesDir });
  pool = await startPool([
    { services: ['gateway', 'identity', 'access', 'billing', 'mail'] },
    { services: ['gateway', 'context'], dataDir: servicesDir, env: env(workers[0]) },
    { services: ['context'], dataDir: servicesDir, env: env(workers[1]), runtime: 'deno' },
    { services: ['gateway'] },
  ]);
  tenant = await createTenant(pool.databaseUrl);
  operator = await startOperator(pool.env, [...workers]);
}, 120_000);

afterAll(async () => {
  await operator?.stop();
  await pool?.stop();
  rmSync(servicesDir, { recursive: true });
});

const load = (nodeID: string) => operator.call<string, object>('node.load', { file: 'hello' }, { nodeID });
const unload = (nodeID: string) => operator.call<string, object>('node.unload', { name: 'hello' }, { nodeID });
const gateways = () => pool.urls.slice(0, 2);
const answered = (answer: string) => untilGreeted(gateways(), tenant, answer);
const versions = () =>
  describeAllVersions(operator)
    .split('\n')
    .find((line) => line.startsWith('hello: '));

test('before it is loaded its path is unknown, on Node and Deno it is loaded by its name, with its permissions', async () => {
  await answered('404');
  for (const worker of workers) expect(await load(worker)).toMatch(new RegExp(`^hello was added on ${worker}\\.`));
  await answered('201 Hello, Ada!');
  await eventually(() => expect(versions()).toMatch(/^hello: [0-9a-f]{12} on worker-1, worker-2$/));
  for (const url of pool.urls) {
    const { body } = await clientOf({ ...tenant, url }).send<{ data: { key: string }[] }>(
      'GET',
      '/access/permissions?namespace=hello',
    );
    expect(body.data.map(({ key }) => key)).toEqual(['hello.greet', 'hello.read']);
  }
});

test('its meter is counted for both nodes together, where billing runs without it', async () => {
  const client = clientOf({ ...tenant, url: pool.urls[0]! });
  type Usage = { usage: { services: { hello: { greetingsPerDay: { usedToday: number; limitPerDay: number } } } } };
  const read = async () => {
    const { body } = await client.send<Usage>('GET', `/v1/orgs/${tenant.orgId}/usage`);
    return body.usage.services.hello.greetingsPerDay;
  };
  const { usedToday } = await read();
  const answers = await Promise.all(Array.from({ length: 110 - usedToday }, () => greet(client)));
  const count = (answer: string) => answers.filter((one) => one === answer).length;
  expect([count('201 Hello, Ada!'), count('402')]).toEqual([100 - usedToday, 10]);
  expect(await read()).toEqual({ usedToday: 100, limitPerDay: 100 });
  await putOnPlan(pool.databaseUrl, tenant.orgId, 'pro');
  await answered('201 Hello, Ada!');
});

test('every gateway tells of what happens at any, and bytes are taken only where the service is', async () => {
  const headers = { authorization: `Bearer ${tenant.apiKey}` };
  const streams = await Promise.all(pool.urls.map((url) => listen(url, '/v1/hello/events', headers)));
  await Promise.all(streams.map((stream) => stream.take('open')));
  // Each is answered by the service on Node or on Deno.
  for (const url of [...gateways(), ...gateways()]) {
    expect(await greet(clientOf({ ...tenant, url }))).toBe('201 Hello, Ada!');
  }
  for (const stream of streams) expect(await stream.take('greeted', 4)).toHaveLength(4);
  for (const stream of streams) stream.close();
  const [without, beside] = gateways().map((url) => clientOf({ ...tenant, url }));
  const put = { 'content-type': 'image/png' };
  expect((await beside!.send('PUT', '/v1/hello/card', 'a card', put)).status).toBe(200);
  expect((await beside!.send('GET', '/v1/hello/card')).text).toBe('a card');
  expect((await without!.send('PUT', '/v1/hello/card', 'a card', put)).status).toBe(503);
  expect((await without!.send('GET', '/v1/hello/card')).status).toBe(503);
});

test('a replacement on one node shows that the nodes run different code, until the other has it too', async () => {
  hello.change();
  expect(await load(workers[0])).toMatch(/Nodes run different versions of it: .* on worker-.; .* on worker-/);
  await eventually(() => expect(versions()).toMatch(/ \(DIFFERENT CODE\)$/));
  expect(await load(workers[1])).toMatch(/^hello was replaced on worker-2\./);
  await eventually(() => expect(versions()).toMatch(/^hello: [0-9a-f]{12} on worker-1, worker-2$/));
  // Each of the two nodes answers some of these.
  for (let times = 0; times < 4; times += 1) await answered('201 Good day, Ada! glad');
});

test('on Deno too it is refused while code that it shares has changed', async () => {
  for (const worker of workers) {
    hello.share('first');
    await load(worker);
    hello.share('second');
    await expect(load(worker)).rejects.toThrow(/shared\.ts changed since this node started: restart the node\.$/);
  }
  await answered('201 Good day, Ada! glad');
});

test('a gateway that stops ends its streams with a hint when to come back, and another goes on', async () => {
  const headers = { authorization: `Bearer ${tenant.apiKey}` };
  const [remaining, , stopping] = pool.urls;
  const stream = await listen(stopping!, '/v1/hello/events', headers);
  const [{ id } = { id: '' }] = await stream.take('open');
  const stopped = pool.nodes[3]!.stop();
  await stream.ended;
  expect(stream.others.at(-1)).toMatch(/^retry: \d{3,4}$/);
  const next = await listen(remaining!, '/v1/hello/events', { ...headers, 'last-event-id': id });
  await next.take('open');
  expect(await greet(clientOf({ ...tenant, url: remaining! }))).toBe('201 Good day, Ada! glad');
  await next.take('greeted');
  next.close();
  expect(await stopped).toBe(0);
});

test('unloaded on one node the other answers, unloaded on both its path is gone', async () => {
  await unload(workers[0]);
  await answered('201 Good day, Ada! glad');
  await unload(workers[1]);
  await answered('404');
});
