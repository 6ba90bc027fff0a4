import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { type Answer, type ErrorBody, send } from '../../support/http.ts';
import { absentStoryRequest, newEventRequest, startLoad, statusesOf } from '../../support/load.ts';
import { type OwnDatabase, startPoolDatabase } from '../../support/own-database.ts';
import { type NodeProcess, type Pool, ready, serverVariable, startNode, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

/**
 * Milliseconds for which a node is frozen, and for which requests may fail or wait because of it: two seconds, and as
 * much again for a busy machine. Without a probe they wait until the timeout of a call, which is ten.
 */
const [frozen, allowed] = [10_000, 4000];

type Timed = { startedAt: number; endedAt: number; status: number };

/** Sends requests one after the other over each of some connections, and records when each began and ended. */
function startTimedLoad(connections: number, next: () => Promise<Answer<ErrorBody>>) {
  const answers: Timed[] = [];
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      const startedAt = performance.now();
      const { status } = await next();
      answers.push({ startedAt, endedAt: performance.now(), status });
    }
  };
  const loops = Promise.all(Array.from({ length: connections }, loop));
  return {
    answers,
    async stop() {
      isOver = true;
      await loops;
    },
  };
}

describe('a gateway, and two nodes that each run access and context', () => {
  let database: OwnDatabase;
  let ways: [TcpProxy, TcpProxy];
  let pool: Pool;
  let gateway: NodeProcess;

  beforeAll(async () => {
    ways = (await Promise.all([0, 1].map(() => startTcpProxy(serverVariable('TEST_NATS_URL'))))) as typeof ways;
    const NATS_URL = ways.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
    database = await startPoolDatabase();
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
  const read = () => send<ErrorBody>(pool.urls[0]!, absentStoryRequest(pool.firstRun));
  const write = () => send<ErrorBody>(pool.urls[0]!, newEventRequest(pool.firstRun));
  const check = () => {
    const client = clientOf({ url: pool.urls[0]!, ...pool.firstRun });
    const body = {
      userId: 'usr_00000000000000000000000000',
      permission: 'shop.a',
      context: { orgId: pool.firstRun.orgId },
    };
    return client.send<ErrorBody>('POST', '/access/check', body);
  };

  test('lose no read and no check that was in flight on a node that dies', async () => {
    const dying = await startWorker('dying');
    const reads = startTimedLoad(8, read);
    const checks = startTimedLoad(8, check);
    await until(() => reads.answers.length > 200 && checks.answers.length > 200);
    await dying.kill();
    const [from, fromChecks] = [reads.answers.length, checks.answers.length];
    await until(() => reads.answers.length > from + 500 && checks.answers.length > fromChecks + 500);
    await Promise.all([reads.stop(), checks.stop()]);
    expect(new Set(reads.answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(checks.answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('answer reads and checks although a node is frozen, and refuse writes for a moment', async () => {
    const hanging = await startWorker('hanging');
    const loads = [read, check, write].map((next) => startTimedLoad(6, next));
    const [reads, checks, writes] = loads as [(typeof loads)[0], (typeof loads)[0], (typeof loads)[0]];
    await until(() => loads.every(({ answers }) => answers.length > 100));
    process.kill(hanging.pid, 'SIGSTOP');
    const frozenAt = performance.now();
    await until(() => performance.now() > frozenAt + frozen);
    process.kill(hanging.pid, 'SIGCONT');
    const thawedAt = performance.now();
    await until(() => performance.now() > thawedAt + allowed);
    await Promise.all(loads.map((load) => load.stop()));
    await hanging.stop();
    expect(new Set(reads!.answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(checks!.answers.map(({ status }) => status))).toEqual(new Set([200]));
    const failed = writes!.answers.filter(({ status }) => status !== 201);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(failed.length > 0 ? [503] : []));
    expect(Math.max(0, ...failed.map(({ endedAt }) => endedAt - frozenAt))).toBeLessThan(allowed);
    const slowest = Math.max(
      ...loads.flatMap(({ answers }) => answers.map(({ startedAt, endedAt }) => endedAt - startedAt)),
    );
    expect(slowest).toBeLessThan(allowed);
  }, 120_000);

  test('are joined by the other server of NATS_URL when the way to one is cut', async () => {
    await ready(pool.urls[0]!, gateway);
    for (const way of ways) {
      await way.cut();
      await ready(pool.urls[0]!, gateway);
      await until(async () => (await read()).status === 404);
      await way.mend();
    }
  });

  test('stop under load within the drain time, without an error in the log', async () => {
    const worker = await startWorker('leaving');
    const load = startLoad(pool.urls[0]!, 16, () => newEventRequest(pool.firstRun));
    await until(() => load.answers.length > 200);
    const stopped = async (node: NodeProcess) => {
      const from = performance.now();
      expect(await node.stop()).toBe(0);
      expect(node.log().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
      return performance.now() - from;
    };
    expect(await stopped(worker)).toBeLessThan(5000);
    expect(await stopped(gateway)).toBeLessThan(6000);
    await load.stop();
    expect(statusesOf(load)).toEqual({ 201: load.answers.length });
  });
});
