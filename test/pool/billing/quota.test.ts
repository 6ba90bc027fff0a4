import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { createQuota } from '../../../services/billing/quota/quota.ts';
import { counterAt } from '../../../services/billing/quota/shapes.ts';
import { clockEnvironment } from '../../support/clock-environment.ts';
import { eventOf } from '../../support/events.ts';
import { type Answer, send } from '../../support/http.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { type NodeProcess, type Pool, ready, startNode, startPool, urlOf } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { createTenant, type Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { withinOneDay } from '../../support/within-one-day.ts';

const meter = 'context.eventsPerDay';
/** Of the plan `free`. */
const limit = 1000;
const last = 50;
/** What is left where the nodes take units ahead: more than they hold at once. */
const left = 400;
/** In every second one a node is killed; in many rounds each of the three several times. */
const rounds = propertyCases(4, 20);
const takingServices = ['gateway', 'context', 'billing'];

/**
 * Three nodes over NATS that each take requests, store events and take quota for them, and one that runs
 * everything else, on one embedded database. A gateway asks the services of its own node.
 */
describe('three nodes that take quota', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'quota-'));
  let database: OwnDatabase;
  let pool: Pool;
  let databaseUrl: string;

  beforeAll(async () => {
    const services = ['gateway', 'identity', 'access', 'mail', 'context', 'billing'];
    database = await startOwnDatabase();
    databaseUrl = database.url;
    pool = await startPool([{ services, dataDir }], { MONGO_URL: databaseUrl });
    await mongoose.connect(databaseUrl, { dbName: 'platform', autoIndex: false });
    nodes = await startThree();
  });

  afterAll(async () => {
    await mongoose.disconnect();
    await pool.stop();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  type Taking = { node: NodeProcess; url: string };

  async function startTaking(env: Record<string, string> = {}): Promise<Taking> {
    const node = startNode({ services: takingServices, dataDir, env: { ...pool.env, ...env } });
    const url = await urlOf(node);
    await ready(url, node);
    return { node, url };
  }

  /** The three nodes, which the tests share. */
  let nodes: Taking[];
  const startThree = () => Promise.all([startTaking(), startTaking(), startTaking()]);

  const counters = () => nativeCollection<CounterDocument>(CounterModel);
  const events = () => mongoose.connection.collection<{ orgId: string; lot: string }>('context_events');
  const storedOf = (orgId: string) => events().countDocuments({ orgId });
  const usedOf = async (orgId: string, at = new Date()) =>
    (await counters().findOne({ _id: counterAt(orgId, meter, at)._id }))?.used;

  /** An organization that has so many units left today. */
  async function tenantWith(unused: number, at = new Date()): Promise<Tenant> {
    const tenant = await createTenant(databaseUrl);
    const { _id, orgId, period } = counterAt(tenant.orgId, meter, at);
    const periods = { periodStart: period!.start, periodEnd: period!.end };
    const none = { limit, open: {}, held: 0, overdue: {}, revision: 0, warned: [] };
    await counters().insertOne({ _id, orgId, meter, ...periods, used: limit - unused, ...none });
    return tenant;
  }

  type Status = number | 'lost';

  function sendOne(url: string, { orgId, apiKey }: Tenant): Promise<Status> {
    const headers = { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId, 'Content-Type': 'application/json' };
    const sent = { method: 'POST', path: '/events', headers, body: JSON.stringify(eventOf(orgId)) };
    return send(url, sent).then(
      ({ status }: Answer<unknown>) => status,
      () => 'lost' as const,
    );
  }

  const countOf = (statuses: Status[], status: Status) => statuses.filter((one) => one === status).length;

  /** Sends so many events over so many connections, to each node in turns; `heard` is told of each answer. */
  async function sendAll(
    nodes: Taking[],
    tenant: Tenant,
    amount: number,
    heard: (answers: number) => void = () => undefined,
    connections = 48,
  ): Promise<Status[]> {
    const statuses: Status[] = [];
    let next = 0;
    const connection = async () => {
      while (next < amount) {
        const { url } = nodes[next++ % nodes.length]!;
        statuses.push(await sendOne(url, tenant));
        heard(statuses.length);
      }
    };
    await Promise.all(Array.from({ length: connections }, connection));
    return statuses;
  }

  /** What the sweep knows six minutes later. */
  const sweeper = createQuota({
    counters: counters(),
    takes: nativeCollection<TakeDocument>(TakeModel),
    allowanceOf: () => Promise.resolve({ outcome: 'included', limit }),
    askOwner: async (_owner, orgId, keys) =>
      Promise.all(keys.map(async (key) => ({ key, amount: await events().countDocuments({ orgId, lot: key }) }))),
    now: () => new Date(Date.now() + 6 * 60_000),
    leaseNow: () => new Date(Date.now() + 6 * 60_000),
    maxWait: 0,
  });

  test(`give exactly the last ${last} units to 200 who want one, also when one of them is killed meanwhile`, async () => {
    const check = async (round: number) => {
      const tenant = await tenantWith(last);
      const victim = round % 2 === 0 ? nodes[round % 3] : undefined;
      const fatal = 1 + ((round * 5) % 40);
      let killing: Promise<void> | undefined;
      const statuses = await sendAll(nodes, tenant, 200, (answers) => {
        if (victim && answers >= fatal) killing ??= victim.node.kill();
      });
      await killing;
      nodes = await Promise.all(nodes.map((one) => (one === victim ? startTaking() : one)));
      const stored = await storedOf(tenant.orgId);
      expect(stored).toBeLessThanOrEqual(last);
      if (victim) expect(countOf(statuses, 201)).toBeLessThanOrEqual(stored);
      else expect([countOf(statuses, 201), countOf(statuses, 402)]).toEqual([last, 200 - last]);
      // What those that live hold they end by themselves; what the dead one held is ended by the sweep.
      if (victim) await sweeper.sweep((message, error) => expect([message, error]).toBeNull());
      await until(async () => (await usedOf(tenant.orgId)) === limit - last + (await storedOf(tenant.orgId)));
      const unused = last - (await storedOf(tenant.orgId));
      const more = await sendAll(nodes, tenant, unused + 10);
      expect([countOf(more, 201), countOf(more, 402)]).toEqual([unused, 10]);
      await until(async () => (await usedOf(tenant.orgId)) === limit);
      expect(await storedOf(tenant.orgId)).toBe(last);
    };
    for (let round = 0; round < rounds; round += 1) await withinOneDay(() => check(round));
  }, 600_000);

  test('refuse nobody before the limit, and everybody after it, while each holds units ahead', async () => {
    await withinOneDay(async () => {
      const tenant = await tenantWith(left);
      const statuses = await sendAll(nodes, tenant, left + 100);
      expect([countOf(statuses, 201), countOf(statuses, 402)]).toEqual([left, 100]);
      expect(await storedOf(tenant.orgId)).toBe(left);
      await until(async () => (await usedOf(tenant.orgId)) === limit);
    });
  }, 120_000);

  test('are killed while they hold units ahead: what is counted is what is stored, and the limit stays exact', async () => {
    const blocksOf = async (orgId: string) => {
      const counter = await counters().findOne({ _id: counterAt(orgId, meter, new Date())._id });
      return Object.values(counter?.open ?? {}).filter(({ ahead }) => ahead !== undefined);
    };
    /** Whether the nodes held units ahead when they were killed. */
    const round = async () => {
      const tenant = await tenantWith(left);
      const sending = sendAll(nodes, tenant, left);
      await until(async () => (await blocksOf(tenant.orgId)).length > 0);
      await Promise.all(nodes.map(({ node }) => node.kill()));
      const statuses = await sending;
      const held = await blocksOf(tenant.orgId);
      nodes = await startThree();
      await sweeper.sweep((message, error) => expect([message, error]).toBeNull());
      const stored = await storedOf(tenant.orgId);
      expect(countOf(statuses, 201)).toBeLessThanOrEqual(stored);
      expect(await usedOf(tenant.orgId)).toBe(limit - left + stored);
      const more = await sendAll(nodes, tenant, left - stored + 20);
      expect([countOf(more, 201), countOf(more, 402)]).toEqual([left - stored, 20]);
      await until(async () => (await usedOf(tenant.orgId)) === limit);
      return held.length > 0;
    };
    let hadBlocks = false;
    while (!hadBlocks) hadBlocks = await withinOneDay(round);
    const codes = await Promise.all(nodes.map(({ node }) => node.stop()));
    expect(codes).toEqual([0, 0, 0]);
  }, 600_000);

  test('exceed no day while their clocks are 90 s apart at midnight, and one of them jumps back over it', async () => {
    const midnight = new Date(new Date().setUTCHours(48, 0, 0, 0));
    const former = new Date(midnight.getTime() - 1);
    const tenant = await tenantWith(100, former);
    const { _id, orgId, period } = counterAt(tenant.orgId, meter, midnight);
    const fresh = { used: limit - 100, limit, open: {}, held: 0, overdue: {}, revision: 0, warned: [] };
    await counters().insertOne({ _id, orgId, meter, periodStart: period!.start, periodEnd: period!.end, ...fresh });
    const from = Date.now();
    const untilMidnight = 15_000;
    const [slow, middle, fast] = await Promise.all(
      [-45_000, 0, 45_000].map((skew) =>
        startTaking({
          ...clockEnvironment(midnight.getTime() - untilMidnight + skew, from),
          CLOCK_JUMP: '-60000',
        }),
      ),
    );
    const apart = [slow!, middle!, fast!];
    const usedOfDays = () => Promise.all([usedOf(orgId, former), usedOf(orgId, midnight)]);
    // The former day first, before the one in the middle sees midnight; the fast one is in the new day already.
    const before = await sendAll(apart, tenant, 240);
    await until(() => Date.now() > from + untilMidnight);
    const after = await sendAll(apart, tenant, 240);
    process.kill(middle!.node.pid, 'SIGUSR2');
    const jumped = await sendAll(apart, tenant, 60);
    const all = [...before, ...after, ...jumped];
    expect([countOf(all, 201), countOf(all, 402)]).toEqual([200, 340]);
    expect(countOf(jumped, 402)).toBe(60);
    expect(await storedOf(orgId)).toBe(200);
    await until(async () => (await usedOfDays()).every((used) => used === limit));
    await Promise.all(apart.map(({ node }) => node.stop()));
  }, 120_000);
});
