import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { statusesOf } from '../../support/load.ts';
import { basic, newOAuthClient, post } from '../../support/oauth.ts';
import {
  type NodeProcess,
  type Pool,
  ready,
  serverVariable,
  startNode,
  startPool,
  urlOf,
} from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { createTenant } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';

const rps = 10;
const burst = 2 * rps;

describe('two gateways with one Redis', () => {
  let redis: TcpProxy;
  let pool: Pool;

  beforeAll(async () => {
    redis = await startTcpProxy(serverVariable('TEST_REDIS_URL'));
    pool = await startPool(
      [{ services: ['gateway', 'identity', 'access', 'billing', 'context', 'mail'] }, { services: ['gateway'] }],
      { REDIS_URL: `redis://127.0.0.1:${redis.port}`, RATE_LIMIT_RPS: String(rps) },
    );
  });

  afterAll(async () => {
    await pool.stop();
    await redis.close();
  });

  /** Sends requests of one new key to both gateways at once, and counts the statuses. */
  async function spend(requests: number): Promise<{ admitted: number; refused: number; seconds: number }> {
    const { apiKey } = await createTenant(pool.databaseUrl);
    const headers = { Authorization: `Bearer ${apiKey}` };
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, index) =>
        send<never>(pool.urls[index % 2]!, { path: '/identity/me', headers }),
      ),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const { 200: admitted = 0, 429: refused = 0 } = statusesOf({ answers });
    return { admitted, refused, seconds };
  }

  const saidBy = (node: NodeProcess, words: string) =>
    node.log().filter(({ message }) => message.startsWith(words)).length;

  /** Once more where a gateway counted for itself, because it did not come to read what Redis answered in time. */
  function together<T>(work: () => Promise<T>): Promise<T> {
    const losses = () => pool.nodes.map((node) => saidBy(node, 'Redis does not answer'));
    const returns = () => pool.nodes.map((node) => saidBy(node, 'Redis answers again'));
    return eventually(async () => {
      const before = returns();
      const done = await work();
      // A log is in order: once the line of a later request is here, so is every line before it.
      for (const [place, url] of pool.urls.entries()) {
        const id = randomUUID();
        await send(url, { path: '/none', headers: { 'x-request-id': id } });
        await pool.nodes[place]?.logged(({ requestId }) => requestId === id);
      }
      expect(losses()).toEqual(before);
      return done;
    });
  }

  test('admit together exactly what one would', async () => {
    const { admitted, refused, seconds } = await together(() => spend(80));
    expect(admitted + refused).toBe(80);
    expect(admitted).toBeGreaterThanOrEqual(burst);
    expect(admitted).toBeLessThanOrEqual(burst + Math.floor(seconds * rps));
  });

  test('count together what a client of OAuth proves, and what fails to', async () => {
    const platform = { url: pool.urls[0] ?? '', dataDir: '', firstRun: pool.firstRun };

    /** Asks both about a token at once, as a client that is known to them, and counts the statuses. */
    async function introspect(isRight: boolean): Promise<{ statuses: Record<number, number>; seconds: number }> {
      const client = await newOAuthClient({ platform, databaseUrl: pool.databaseUrl });
      const ask = (place: number, authorization: string) =>
        post<never>({ ...client, url: pool.urls[place % 2]! }, 'introspect', { token: 'none' }, { authorization });
      for (const place of [0, 1]) expect(await ask(place, basic(client))).toMatchObject({ status: 200 });
      const sent = isRight ? basic(client) : basic({ ...client, clientSecret: 'wrong' });
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 80 }, (_, place) => ask(place, sent)));
      return { statuses: statusesOf({ answers }), seconds: (performance.now() - startedAt) / 1000 };
    }

    for (const [isRight, status] of [
      [true, 200],
      [false, 401],
    ] as const) {
      const { statuses, seconds } = await together(() => introspect(isRight));
      const { [status]: admitted = 0, 429: refused = 0 } = statuses;
      expect(admitted + refused).toBe(80);
      expect(admitted).toBeLessThanOrEqual(burst + Math.floor(seconds * rps));
    }
  });

  test.each([
    ['is gone', () => redis.cut()],
    ['is silent', () => redis.freeze()],
  ])('count each for itself while Redis %s, say so once, and count together again afterwards', async (_how, lose) => {
    const [first] = pool.nodes;
    const said = (words: string) => saidBy(first!, words);
    await until(async () => (await spend(80)).admitted < 2 * burst);
    const before = said('Redis does not answer');
    await lose();
    const { admitted, refused, seconds } = await spend(80);
    expect(admitted + refused).toBe(80);
    expect(admitted).toBeGreaterThanOrEqual(2 * burst);
    expect(admitted).toBeLessThanOrEqual(2 * (burst + Math.floor(seconds * rps)));
    expect(said('Redis does not answer')).toBe(before + 1);

    await redis.mend();
    const answeredBefore = said('Redis answers again');
    await until(async () => {
      for (const url of pool.urls) await send(url, { path: '/identity/me', headers: { Authorization: 'Bearer x' } });
      return said('Redis answers again') > answeredBefore;
    });
    await until(async () => (await spend(80)).admitted < 2 * burst);
  });

  test('start without Redis, and then count each for itself', async () => {
    const env = { ...pool.env, REDIS_URL: 'redis://127.0.0.1:1', PORT: '0' };
    const node = startNode({ services: ['gateway'], env });
    const url = await urlOf(node);
    await ready(url, node);
    const headers = { Authorization: `Bearer ${pool.firstRun.apiKey}` };
    const answer = await send(url, { path: '/identity/me', headers });
    expect(answer).toMatchObject({ status: 200, headers: { 'ratelimit-limit': String(burst) } });
    await node.stop();
  });
});
