import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { clientOf } from '../../support/client.ts';
import { askAllTheTime, createPermitted, type Permitted } from '../../support/decisions.ts';
import { freePort } from '../../support/free-port.ts';
import { send } from '../../support/http.ts';
import { newEventRequest } from '../../support/load.ts';
import { readMetric } from '../../support/metrics.ts';
import { type Platform, ready, startPlatform } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { introduce } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

/** A platform whose way to its database can be cut and frozen, and which can be frozen itself. */
describe('a platform', () => {
  const dir = mkdtempSync(join(tmpdir(), 'database-'));
  const metricsPort = freePort();
  let server: EmbeddedMongo;
  let proxy: TcpProxy;
  let platform: Platform;
  let permitted: Permitted;

  beforeAll(async () => {
    server = await startEmbeddedMongo({ dir, port: 0 });
    proxy = await startTcpProxy(server.url);
    const MONGO_URL = `mongodb://127.0.0.1:${proxy.port}/platform?directConnection=true`;
    platform = await startPlatform({ env: { MONGO_URL, METRICS_PORT: String(metricsPort), DEV_MAILBOX: 'yes' } });
    introduce(server.url, { url: platform.url });
    permitted = await createPermitted(server.url, platform.url);
  });

  afterAll(async () => {
    await platform.stop();
    await proxy.close();
    await server.close();
    rmSync(dir, { recursive: true });
  });

  // For longer than access control may rely on what it knows.
  test.each(['cut', 'freeze'] as const)(
    'whose database is lost (%s) answers 503 until it is back, decides nothing wrongly, and needs no restart',
    async (how) => {
      const request = () => send<{ error: string }>(platform.url, newEventRequest(platform.firstRun));
      const readiness = () => send(platform.url, { path: '/health/ready' });
      expect((await request()).status).toBe(201);
      const decisions = askAllTheTime(permitted);
      await until(() => (decisions.statuses[200] ?? 0) > 100);
      await proxy[how]();
      await until(async () => (await readiness()).status === 503);
      expect(await readiness()).toMatchObject({
        headers: { 'retry-after': '1' },
        body: { status: 'not ready', missing: ['database'] },
      });
      expect(await request()).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: 'UNAVAILABLE' },
      });
      await until(async () => (await readMetric(metricsPort, 'access_revision_lag_seconds')) > 5);
      await proxy.mend();
      await ready(platform.url, platform);
      expect((await request()).status).toBe(201);
      const before = decisions.statuses[200] ?? 0;
      await until(() => (decisions.statuses[200] ?? 0) > before + 100);
      await decisions.stop();
      expect([...decisions.wrong]).toEqual([]);
      expect(Object.keys(decisions.statuses)).toEqual(['200', '503']);
    },
    60_000,
  );

  /** As a machine that sleeps, or has no processor for the process. */
  async function pause(milliseconds: number): Promise<void> {
    process.kill(platform.pid, 'SIGSTOP');
    await wait(milliseconds);
    process.kill(platform.pid, 'SIGCONT');
  }

  // Longer than the driver's heartbeat may be away, and than access may not have looked for changes.
  test.each([3_000, 7_000])('that stood still for %i ms answers what it is asked then', async (milliseconds) => {
    const client = clientOf({ url: platform.url, ...permitted.tenant });
    const ask = () => client.send('GET', '/v1/story/customers/nobody');
    expect((await ask()).status).toBe(404);
    const during = wait(milliseconds - 200).then(() => Promise.all([ask(), ask(), ask()]));
    await pause(milliseconds);
    const after = await Promise.all([ask(), ask(), ask()]);
    const answers = [...(await during), ...after, await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});
