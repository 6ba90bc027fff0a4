import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { absentStoryRequest, startLoad } from '../../support/load.ts';
import { type NodeProcess, type Pool, ready, serverVariable, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

/** Requests in flight at once. */
const connections = 16;
/** Milliseconds within which requests are to be served again after a reconnection. */
const servedWithin = 2000;
/** A call that waits for a lost answer takes ten seconds. */
const lessThanTimeout = 5000;

describe('a gateway on one node and services on another', () => {
  let gatewayWay: TcpProxy;
  let workerWay: TcpProxy;
  let pool: Pool;
  let gateway: NodeProcess;
  let worker: NodeProcess;

  beforeAll(async () => {
    [gatewayWay, workerWay] = await Promise.all([
      startTcpProxy(serverVariable('TEST_NATS_URL')),
      startTcpProxy(serverVariable('TEST_NATS_URL')),
    ]);
    const through = ({ port }: TcpProxy) => ({ NATS_URL: `nats://127.0.0.1:${port}` });
    pool = await startPool([
      { services: ['gateway'], env: through(gatewayWay) },
      { services: ['identity', 'access', 'billing', 'context', 'mail'], env: through(workerWay) },
    ]);
    [gateway, worker] = pool.nodes as [NodeProcess, NodeProcess];
  });

  afterAll(async () => {
    await pool.stop();
    await Promise.all([gatewayWay.close(), workerWay.close()]);
  });

  /** Of nobody's story: what is served is 404. */
  const ask = async () => (await send(pool.urls[0]!, absentStoryRequest(pool.firstRun))).status;
  const times = (node: NodeProcess, words: string) =>
    node.log().filter(({ message }) => message.includes(words)).length;
  const reconnections = (node: NodeProcess) => times(node, 'NATS is back');
  const within = <T>(milliseconds: number, promise: Promise<T>) =>
    Promise.race([promise, wait(milliseconds, 'too late' as const, { ref: false })]);
  const served = () => until(async () => (await ask()) === 404).then(() => 'served');

  test('serves within two seconds of their reconnection, under load', async () => {
    const load = startLoad(pool.urls[0]!, connections, () => absentStoryRequest(pool.firstRun));
    await until(() => load.answers.length > 100);
    const before = [reconnections(gateway), reconnections(worker)];
    const lost = [times(gateway, 'NATS is lost'), times(worker, 'NATS is lost')];
    await Promise.all([gatewayWay.cut(), workerWay.cut()]);
    await until(() => times(gateway, 'NATS is lost') > lost[0]! && times(worker, 'NATS is lost') > lost[1]!);
    const refused = load.answers.length;
    await until(() => load.answers.slice(refused).length > 100);
    await Promise.all([gatewayWay.mend(), workerWay.mend()]);
    await until(() => reconnections(gateway) > before[0]! && reconnections(worker) > before[1]!);
    expect(await within(servedWithin, served())).toBe('served');
    const from = load.answers.length;
    await until(() => load.answers.length > from + 100);
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(load.answers.slice(from + connections).every(({ status }) => status === 404)).toBe(true);
  });

  test('refuses at once what the other node cannot get, because it reconnects later', async () => {
    const before = [reconnections(gateway), reconnections(worker)];
    await Promise.all([gatewayWay.cut(), workerWay.cut()]);
    await until(async () => (await ask()) === 503);
    await gatewayWay.mend();
    await until(() => reconnections(gateway) > before[0]!);
    expect(await within(lessThanTimeout, Promise.all([ask(), ask(), ask()]))).toEqual([503, 503, 503]);
    await workerWay.mend();
    await until(() => reconnections(worker) > before[1]!);
    expect(await within(servedWithin, served())).toBe('served');
  });

  test('fails what is in flight when its connection breaks, however soon it is back', async () => {
    await ready(pool.urls[0]!, gateway);
    const before = reconnections(gateway);
    workerWay.freeze();
    const inFlight = [ask(), ask(), ask()];
    // What is answered now was sent after them.
    await send(pool.urls[0]!, { path: '/health/alive' });
    await gatewayWay.cut();
    await gatewayWay.mend();
    expect(await within(lessThanTimeout, Promise.all(inFlight))).toEqual([503, 503, 503]);
    await until(() => reconnections(gateway) > before);
    await workerWay.mend();
    await until(async () => (await ask()) === 404);
  });
});
