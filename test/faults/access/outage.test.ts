import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { askAllTheTime, createPermitted, type Permitted } from '../../support/decisions.ts';
import { freePort } from '../../support/free-port.ts';
import { readMetric } from '../../support/metrics.ts';
import { type Platform, ready, startPlatform } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { introduce } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

describe('a platform whose database goes away for longer than access control may rely on what it knows', () => {
  const dir = mkdtempSync(join(tmpdir(), 'outage-'));
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

  test.each(['cut', 'freeze', 'cut', 'freeze'] as const)(
    'never decides wrongly, while it is away (%s) and when it is back',
    async (how) => {
      const decisions = askAllTheTime(permitted);
      await until(() => (decisions.statuses[200] ?? 0) > 100);
      await proxy[how]();
      await until(async () => (await readMetric(metricsPort, 'access_revision_lag_seconds')) > 5);
      await proxy.mend();
      await ready(platform.url, platform);
      const before = decisions.statuses[200] ?? 0;
      await until(() => (decisions.statuses[200] ?? 0) > before + 100);
      await decisions.stop();
      expect([...decisions.wrong]).toEqual([]);
      expect(Object.keys(decisions.statuses)).toEqual(['200', '503']);
    },
    60_000,
  );
});
