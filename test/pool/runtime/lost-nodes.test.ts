import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Sent, send } from '../../support/http.ts';
import {
  absentStoryRequest,
  type Load,
  newEventRequest,
  startLoad,
  statusesOf,
  untilAnswered,
} from '../../support/load.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { type NodeProcess, type Pool, ready, serverVariable, startNode, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

/**
 * Milliseconds for which a node is frozen, and for which requests may fail or wait because of it: two seconds, and as
 * much again for a busy machine. Without a probe they wait until the timeout of a call, which is ten.
 */
const [frozen, allowed] = [8000, 4000];
/** Milliseconds between two requests of a connection: a saturated processor would decide how long an answer takes. */
const pause = 40;

describe('a gateway, and two nodes that each run access and context', () => {
  let database: OwnDatabase;
  let ways: [TcpProxy, TcpProxy];
  let pool: Pool;
  let gateway: NodeProcess;

  beforeAll(async () => {
    ways = (await Promise.all([0, 1].map(() => startTcpProxy(serverVariable('TEST_NATS_URL'))))) as typeof ways;
    const NATS_URL = ways.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
    database = await startOwnDatabase();
    pool = await startPool(
      [
        { services: ['gateway'], env: { NODE_ID: 'front', NATS_URL, DRAIN_SECONDS: '1' } },
        { services: ['identity', 'billing', 'mail'], env: { NODE_ID: 'back' } },
        { services: ['access', 'context'], env: { NODE_ID: 'worker-1' } },
      ],
      { MONGO_URL: database.url },
    );
    [gateway] = pool.nodes as [NodeProcess];
  });

  afterAll(async () => {
    await pool.stop();
    await Promise.all([database, ...ways].map((one) => one.close()));
  });

  const startWorker = async (NODE_ID: string) => {
    const node = startNode({ services: ['access', 'context'], env: { ...pool.env, NODE_ID } });
    await node.logged(({ message }) => message === 'ready');
    return node;
  };
  const read = () => absentStoryRequest(pool.firstRun);
  const write = () => newEventRequest(pool.firstRun);
  const check = (): Sent => {
    const { headers } = write();
    const body = {
      userId: 'usr_00000000000000000000000000',
      permission: 'shop.a',
      context: { orgId: pool.firstRun.orgId },
    };
    return { method: 'POST', path: '/access/check', headers, body: JSON.stringify(body) };
  };

  /** Sends each kind of request over so many connections while the work is done. */
  async function underLoad(
    kinds: (() => Sent)[],
    connections: number,
    work: (loads: Load[]) => Promise<void>,
    pauseMilliseconds = 0,
  ): Promise<Load[]> {
    const loads = kinds.map((next) => startLoad(pool.urls[0]!, connections, next, pauseMilliseconds));
    try {
      await work(loads);
    } finally {
      await Promise.all(loads.map(({ stop }) => stop()));
    }
    return loads;
  }

  test('lose no read and no check that was in flight on a node that dies', async () => {
    const dying = await startWorker('dying');
    const loads = await underLoad([read, check], 8, async (all) => {
      await untilAnswered(all, 100);
      await dying.kill();
      await untilAnswered(all, 200);
    });
    const [reads, checks] = loads;
    expect(statusesOf(reads!)).toEqual({ 404: reads!.answers.length });
    expect(statusesOf(checks!)).toEqual({ 200: checks!.answers.length });
    expect(loads.flatMap(({ lost }) => lost)).toEqual([]);
  });

  test('answer reads and checks although a node is frozen, and refuse writes for a moment', async () => {
    const hanging = await startWorker('hanging');
    let frozenAt = 0;
    const loads = await underLoad(
      [read, check, write],
      3,
      async (all) => {
        await untilAnswered(all, 50);
        process.kill(hanging.pid, 'SIGSTOP');
        frozenAt = performance.now();
        await wait(frozen);
        process.kill(hanging.pid, 'SIGCONT');
        await untilAnswered(all, 100);
      },
      pause,
    );
    await hanging.stop();
    const [reads, checks, writes] = loads;
    expect(statusesOf(reads!)).toEqual({ 404: reads!.answers.length });
    expect(statusesOf(checks!)).toEqual({ 200: checks!.answers.length });
    const failed = writes!.answers.filter(({ status }) => status !== 201);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(failed.length > 0 ? [503] : []));
    expect(Math.max(0, ...failed.map(({ endedAt }) => endedAt - frozenAt))).toBeLessThan(allowed);
    const slowest = Math.max(
      ...loads.flatMap(({ answers }) => answers.map(({ startedAt, endedAt }) => endedAt - startedAt)),
    );
    expect(slowest).toBeLessThan(allowed);
    expect(loads.flatMap(({ lost }) => lost)).toEqual([]);
  }, 120_000);

  test('are joined by the other server of NATS_URL when the way to one is cut', async () => {
    await ready(pool.urls[0]!, gateway);
    for (const way of ways) {
      await way.cut();
      await ready(pool.urls[0]!, gateway);
      await until(async () => (await send(pool.urls[0]!, read())).status === 404);
      await way.mend();
    }
  });

  test('stop under load within the drain time, without an error in the log', async () => {
    const worker = await startWorker('leaving');
    const stopped = async (node: NodeProcess) => {
      const from = performance.now();
      expect(await node.stop()).toBe(0);
      expect(node.log().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
      return performance.now() - from;
    };
    const [load] = await underLoad([write], 16, async (all) => {
      await untilAnswered(all, 100);
      expect(await stopped(worker)).toBeLessThan(5000);
      expect(await stopped(gateway)).toBeLessThan(6000);
    });
    expect(statusesOf(load!)).toEqual({ 201: load!.answers.length });
  });
});
