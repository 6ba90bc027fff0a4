import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { clientOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { send } from '../../support/http.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import {
  type NodeOptions,
  type NodeProcess,
  type Pool,
  serverVariable,
  startNode,
  startOperator,
  startPool,
} from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { createTenant, type Tenant } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';
import { createUser } from '../../support/user-client.ts';
import { type BalancedLoad, type Outcome, startBalancedLoad } from './balanced-load.ts';

/** Requests a second over both gateways. */
const perSecond = 12;
const second = 1000;
const layout = [
  ['front', 2, ['gateway', 'access', 'context']],
  ['core', 2, ['identity', 'billing']],
  ['messages', 2, ['mail', 'notification', 'connect']],
] as const;

const frontPorts = [freePort(), freePort()];
const nodes = new Map<string, NodeProcess>();
let database: OwnDatabase;
let databaseWay: TcpProxy;
let natsWay: TcpProxy;
let pool: Pool;
let tenant: Tenant;
let userId: string;
let templateId: string;
let operator: ServiceBroker;
const events: BalancedLoad['acknowledgedEvents'] = [];
const mails: string[] = [];

const options: (NodeOptions & { services: string[]; env: Record<string, string> })[] = layout.flatMap(
  ([name, count, services]) =>
    Array.from({ length: count }, (_none, index) => ({
      services: [...services],
      env: {
        NODE_ID: `${name}-${index + 1}`,
        ...(name === 'front' && { PORT: String(frontPorts[index]) }),
      },
    })),
);

beforeAll(async () => {
  // A server of its own whose updates are atomic, as a pool needs it.
  database = await startOwnDatabase({ port: 0 });
  [databaseWay, natsWay] = await Promise.all([
    startTcpProxy(database.url),
    startTcpProxy(serverVariable('TEST_NATS_URL')),
  ]);
  pool = await startPool(options, {
    MONGO_URL: `mongodb://127.0.0.1:${databaseWay.port}/under-load`,
    NATS_URL: `nats://127.0.0.1:${natsWay.port}`,
    PUBLIC_URL: `http://127.0.0.1:${frontPorts[0]}`,
    // Shorter than by default, and long enough for a balancer on a busy machine to notice.
    DRAIN_SECONDS: '3',
    // As an operator has it who does not set it.
    REQUIRED_SERVICES: '',
  });
  for (const [index, { env }] of options.entries()) nodes.set(env.NODE_ID!, pool.nodes[index]!);
  // Past the proxy, so that it sees the nodes while a test cuts their way to NATS.
  operator = await startOperator({ ...pool.env, NATS_URL: serverVariable('TEST_NATS_URL') });
  await untilAllServe();
  tenant = await createTenant(pool.databaseUrl, { plan: 'scale' });
  const client = clientOf({ url: pool.urls[0]!, ...tenant });
  const body = { name: 'Order', subject: 'Order {{ number }}', text: 'It is on its way.' };
  const variables = [{ name: 'number', required: true, sample: '1' }];
  templateId = (await client.call('mail.templates.create', { body: { ...body, variables } })).id;
  userId = (await createUser(pool.databaseUrl, { orgId: tenant.orgId, role: 'member' })).userId;
}, 240_000);

afterAll(async () => {
  await operator?.stop();
  await Promise.all([...nodes.values()].map((node) => node.stop()));
  await Promise.all([natsWay?.close(), databaseWay?.close()]);
  await database?.close();
}, 120_000);

type Listed = { name: string; nodeID: string };

const isServing = (nodeID: string, services: string[]): boolean => {
  const listed = operator.registry.getServiceList({ onlyAvailable: true }) as Listed[];
  return services.every((service) => listed.some((one) => one.name === service && one.nodeID === nodeID));
};

async function untilAllServe(): Promise<void> {
  for (const { services, env } of options) await until(() => isServing(env.NODE_ID!, services));
  for (const url of pool.urls) {
    await until(async () => (await send(url, { path: '/health/ready' }).catch(() => null))?.status === 200);
  }
}

/** Starts a node again under its name and at its address, and waits until it serves. */
async function startAgain(id: string): Promise<void> {
  const { services, env } = options.find((one) => one.env.NODE_ID === id)!;
  await until(() => !isServing(id, services));
  nodes.set(id, startNode({ services, env: { ...pool.env, ...env } }));
  await until(() => isServing(id, services));
}

const idsWith = (service: string): string[] =>
  options.filter(({ services }) => services.includes(service)).map(({ env }) => env.NODE_ID!);

/** Waits until the balancer has seen every gateway ready since now, as an operator does before the next restart. */
async function untilBalanced({ readiness }: BalancedLoad): Promise<void> {
  const from = performance.now();
  await until(() =>
    pool.urls.every((url) => readiness.some((seen) => seen.url === url && seen.status === 200 && seen.at > from)),
  );
}

/** Runs the work under load, and the load on until 25 requests in a row were answered right. */
async function underLoad(work: (load: BalancedLoad) => Promise<void>): Promise<BalancedLoad> {
  const load = startBalancedLoad({ urls: pool.urls, tenant, userId, templateId, perSecond });
  try {
    await until(() => load.outcomes.filter(({ isRight }) => isRight).length >= 12);
    await work(load);
    await until(() => load.outcomes.length > 25 && load.outcomes.slice(-25).every(({ isRight }) => isRight));
  } finally {
    await load.stop();
  }
  events.push(...load.acknowledgedEvents);
  mails.push(...load.acknowledgedMails);
  return load;
}

const failuresOf = ({ outcomes }: BalancedLoad): Outcome[] => outcomes.filter(({ isRight }) => !isRight);
/** No answer at all, or a refusal that says to try again. A wrong decision or another status is never among these. */
const isUnavailable = ({ status }: Outcome): boolean => status === 0 || status === 503;

/** The failures that end later than `from` plus these milliseconds. */
const endedAfter = (failures: Outcome[], from: number): Outcome[] =>
  failures.filter(({ at, milliseconds }) => at + milliseconds > from);

const unready = ({ readiness }: BalancedLoad) => readiness.filter(({ status }) => status !== 200);

describe('six nodes at 12 requests a second', () => {
  test('are restarted one after the other without a failed request', async () => {
    const load = await underLoad(async (current) => {
      for (const { env } of options) {
        const id = env.NODE_ID!;
        expect(await nodes.get(id)!.stop()).toBe(0);
        await startAgain(id);
        await untilBalanced(current);
      }
      await untilAllServe();
    });
    expect(failuresOf(load)).toEqual([]);
  }, 300_000);

  test.each(['front-2', 'core-1'])(
    'lose %s to a kill and nothing acknowledged',
    async (id) => {
      let killedAt = 0;
      const load = await underLoad(async () => {
        killedAt = performance.now();
        await nodes.get(id)!.kill();
        await startAgain(id);
        await untilAllServe();
      });
      const failures = failuresOf(load);
      expect(failures.filter((one) => !isUnavailable(one))).toEqual([]);
      // Reads and checks are tried again on another node; only those that the killed gateway had accepted have no answer.
      const reads = failures.filter(({ kind, status }) => kind !== 'event' && kind !== 'mail' && status !== 0);
      expect(reads).toEqual([]);
      expect(endedAfter(failures, killedAt + 10 * second)).toEqual([]);
    },
    120_000,
  );

  test.each([
    ['NATS', 3, () => natsWay.cut(), () => natsWay.mend()],
    ['the database', 7, () => databaseWay.cut(), () => databaseWay.mend()],
  ])(
    'answer 503 while %s is away for %d seconds, and nothing wrong',
    async (_name, seconds, cut, mend) => {
      let mendedAt = 0;
      const load = await underLoad(async ({ outcomes }) => {
        const cutAt = performance.now();
        await cut();
        try {
          await until(() => (outcomes.at(-1)?.at ?? 0) > cutAt + seconds * second);
        } finally {
          await mend();
        }
        mendedAt = performance.now();
        await untilAllServe();
      });
      const failures = failuresOf(load);
      expect(failures.filter((one) => !isUnavailable(one))).toEqual([]);
      expect(endedAfter(failures, mendedAt + 10 * second)).toEqual([]);
    },
    120_000,
  );

  test('without any node of mail, notification and connect refuse mail alone, and stay ready', async () => {
    const load = await underLoad(async ({ outcomes }) => {
      const ids = idsWith('mail');
      await Promise.all(ids.map((id) => nodes.get(id)!.kill()));
      const killedAt = performance.now();
      await until(() => (outcomes.at(-1)?.at ?? 0) > killedAt + 5 * second);
      await Promise.all(ids.map(startAgain));
    });
    const failures = failuresOf(load);
    expect(failures.filter(({ kind, status }) => kind !== 'mail' || status !== 503)).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
    expect(unready(load)).toEqual([]);
    const reported = load.readiness.filter(({ text }) =>
      ['mail', 'notification', 'connect'].every((name) => text.includes(name)),
    );
    expect(reported.length).toBeGreaterThan(0);
  }, 120_000);

  test('have lost no acknowledged event and no acknowledged mail', async () => {
    const client = clientOf({ url: pool.urls[0]!, ...tenant });
    expect(events.length).toBeGreaterThan(100);
    expect(mails.length).toBeGreaterThan(100);
    for (const event of events) {
      const { status } = await client.attempt('context.events.create', { body: event });
      expect({ eventId: event.eventId, status }).toEqual({ eventId: event.eventId, status: 409 });
    }
    for (const messageId of mails) {
      await eventually(async () => {
        const { status } = await client.call('mail.messages.read', { path: { messageId } });
        expect({ messageId, status }).toEqual({ messageId, status: 'sent' });
        // What a killed node was sending is sent again after its lease of a minute.
      }, 120_000);
    }
  }, 240_000);
});
