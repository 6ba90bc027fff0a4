import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { expectToSurvive } from '../../support/lost-database.ts';
import { type Platform, serverVariable, startPlatform } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { withDatabase } from '../../support/tenants.ts';

describe('a platform whose second implementation of the database', () => {
  const name = `test-${randomUUID().slice(0, 13)}`;
  let proxy: TcpProxy;
  let platform: Platform;

  beforeAll(async () => {
    proxy = await startTcpProxy(serverVariable('TEST_MONGO_URL'));
    const MONGO_URL = `mongodb://127.0.0.1:${proxy.port}/${name}`;
    platform = await startPlatform({ env: { MONGO_URL, DEV_MAILBOX: 'yes' } });
  });

  afterAll(async () => {
    await platform.stop();
    await proxy.close();
    await withDatabase(`${serverVariable('TEST_MONGO_URL')}/${name}`, (database) => database.dropDatabase());
  });

  test.each(['cut', 'freeze'] as const)('is lost (%s) answers 503 until it is back, without a restart', async (how) => {
    await expectToSurvive(platform, proxy, how);
  });
});
