import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { askAllTheTime, createPermitted, type Permitted } from '../../support/decisions.ts';
import { freePort } from '../../support/free-port.ts';
import { readMetric } from '../../support/metrics.ts';
import { type Pool, serverVariable, startPool } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { introduce, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

/** Identity reaches the database all the while, so that every request gets as far as access control. */
describe('the only node with access control that loses its own way to the database', () => {
  const database = `test-${randomUUID().slice(0, 13)}`;
  const metricsPort = freePort();
  let proxy: TcpProxy;
  let pool: Pool;
  let permitted: Permitted;

  beforeAll(async () => {
    proxy = await startTcpProxy(serverVariable('TEST_MONGO_URL'));
    const MONGO_URL = `${serverVariable('TEST_MONGO_URL')}/${database}`;
    const throughProxy = `mongodb://127.0.0.1:${proxy.port}/${database}`;
    pool = await startPool(
      [
        { services: ['gateway', 'identity', 'billing', 'context', 'mail'] },
        { services: ['access'], env: { MONGO_URL: throughProxy, METRICS_PORT: String(metricsPort) } },
      ],
      { MONGO_URL },
    );
    const [url = ''] = pool.urls;
    introduce(MONGO_URL, { url });
    permitted = await createPermitted(MONGO_URL, url);
  });

  afterAll(async () => {
    await pool.stop();
    await withDatabase(`${serverVariable('TEST_MONGO_URL')}/${database}`, (made) => made.dropDatabase());
    await proxy.close();
  });

  test.each(['cut', 'freeze'] as const)(
    'never decides wrongly, while it is away (%s) and when it is back',
    async (how) => {
      const decisions = askAllTheTime(permitted);
      await until(() => (decisions.statuses[200] ?? 0) > 100);
      await proxy[how]();
      await until(async () => (await readMetric(metricsPort, 'access_revision_lag_seconds')) > 5);
      const refused = decisions.statuses[503] ?? 0;
      await until(() => (decisions.statuses[503] ?? 0) > refused + 100);
      await proxy.mend();
      const answered = decisions.statuses[200] ?? 0;
      await until(() => (decisions.statuses[200] ?? 0) > answered + 100);
      await decisions.stop();
      expect([...decisions.wrong]).toEqual([]);
      expect(Object.keys(decisions.statuses)).toEqual(['200', '503']);
    },
    60_000,
  );
});
