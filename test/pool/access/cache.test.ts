import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { ServiceBroker } from 'moleculer';
import { newId } from '../../../lib/data/ids.ts';
import { parseSettings } from '../../../lib/settings/variables.ts';
import { createCacher } from '../../../mixins/cacher.ts';
import { assigned, isAllowed, makeRole, register, unassign } from '../../integration/access/assigning.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { type Pool, serverVariable, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { createTenant, type Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const permission = 'shop.orders.read';

describe('two access nodes with ACCESS_CACHE=redis', () => {
  let proxy: TcpProxy;
  let pool: Pool;
  let tenant: Client & Tenant;
  let roleId: string;

  beforeAll(async () => {
    proxy = await startTcpProxy(serverVariable('TEST_REDIS_URL'));
    pool = await startPool(
      [{ services: ['gateway', 'identity', 'billing'] }, { services: ['access'] }, { services: ['access'] }],
      {
        REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
        ACCESS_CACHE: 'redis',
        REQUIRED_SERVICES: 'identity,access,billing',
      },
    );
    const made = await createTenant(pool.databaseUrl);
    tenant = { ...made, ...clientOf({ url: pool.urls[0]!, ...made }) };
    await register(tenant, permission);
    roleId = await makeRole(tenant, [permission]);
  });

  afterAll(async () => {
    expect(await pool.stop()).toEqual([0, 0, 0]);
    await proxy.close();
  });

  const about = () => ({ applicationId: tenant.applicationId, permission });
  const assign = () => assigned(tenant, { applicationId: tenant.applicationId, roleId });
  const cachedKeys = async (): Promise<number> => {
    const redis = new Redis(serverVariable('TEST_REDIS_URL'));
    const keys = await redis.keys(`MOL-${pool.env.NAMESPACE}-*access.decide*`);
    await redis.quit();
    return keys.length;
  };

  /** Asks what is cached and what never was, again and again, until it is told to stop; gives how many were wrong. */
  function askOnAndOn(): { stop: () => Promise<{ answers: number; wrong: number }> } {
    let isOver = false;
    let [answers, wrong] = [0, 0];
    const lane = async () => {
      while (!isOver) {
        const [known, unknown] = await Promise.all([
          isAllowed(tenant, about()),
          isAllowed(tenant, { userId: newId('usr'), permission }),
        ]);
        answers += 2;
        if (!known) wrong += 1;
        if (unknown) wrong += 1;
      }
    };
    const lanes = Promise.all(Array.from({ length: 4 }, lane));
    return {
      async stop() {
        isOver = true;
        await lanes;
        return { answers, wrong };
      },
    };
  }

  test('share what they decided, and deny at once what was revoked', async () => {
    const { assignmentId } = await assign();
    for (let time = 0; time < 10; time += 1) expect(await isAllowed(tenant, about())).toBe(true);
    // A node that got no answer of Redis in time keeps nothing there for a second.
    await until(async () => (await isAllowed(tenant, about())) && (await cachedKeys()) === 1);
    await unassign(tenant, assignmentId);
    for (let time = 0; time < 10; time += 1) expect(await isAllowed(tenant, about())).toBe(false);
    await until(async () => !(await isAllowed(tenant, about())) && (await cachedKeys()) === 2);
  });

  test.each([
    ['dies', () => proxy.cut()],
    ['falls silent', () => proxy.freeze()],
  ])(
    'decide right while Redis %s in the middle, with what was revoked meanwhile, and afterwards',
    async (_how, lose) => {
      const { assignmentId } = await assign();
      const asking = askOnAndOn();
      const before = await cachedKeys();
      await until(async () => (await cachedKeys()) > before + 50);
      await lose();
      const [, one, other] = pool.nodes;
      const said = (words: string) =>
        [one, other].some((node) => node!.log().some(({ message }) => message.startsWith(words)));
      await until(() => said('Redis does not answer'));
      const { answers, wrong } = await asking.stop();
      expect(answers).toBeGreaterThan(100);
      expect(wrong).toBe(0);

      await unassign(tenant, assignmentId);
      for (let time = 0; time < 10; time += 1) expect(await isAllowed(tenant, about())).toBe(false);

      await proxy.mend();
      const kept = await cachedKeys();
      await until(async () => {
        expect(await isAllowed(tenant, { userId: newId('usr'), permission })).toBe(false);
        return (await cachedKeys()) > kept;
      });
      for (let time = 0; time < 10; time += 1) expect(await isAllowed(tenant, about())).toBe(false);
    },
  );
});

describe('the cacher on Redis', () => {
  const namespace = randomUUID();
  const start = async (url: string): Promise<ServiceBroker> => {
    const cacher = createCacher(parseSettings({ ACCESS_CACHE: 'redis', REDIS_URL: url }));
    const broker = new ServiceBroker({ logger: false, namespace, cacher });
    await broker.start();
    return broker;
  };

  test('believes nothing that was kept before it started', async () => {
    const redis = new Redis(serverVariable('TEST_REDIS_URL'));
    await redis.set(`MOL-${namespace}-left`, '{"allowed":true}');
    const broker = await start(serverVariable('TEST_REDIS_URL'));
    await until(() => broker.cacher!.connected === true);
    expect(await redis.exists(`MOL-${namespace}-left`)).toBe(0);
    await broker.cacher!.set('new', { allowed: true });
    expect(await broker.cacher!.get('new')).toEqual({ allowed: true });
    await broker.stop();
    await redis.quit();
  });

  test('lets a node start and stop without Redis, and asks it nothing', async () => {
    const broker = await start('redis://127.0.0.1:1');
    expect(broker.cacher!.connected).toBe(false);
    await broker.cacher!.set('key', { allowed: true });
    expect(await broker.cacher!.get('key')).toBeUndefined();
    await broker.cacher!.del('key');
    await broker.cacher!.clean();
    await broker.stop();
  });
});
