import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { expectToSurvive } from '../../support/lost-database.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

describe('a platform whose embedded database', () => {
  const dir = mkdtempSync(join(tmpdir(), 'database-'));
  let server: EmbeddedMongo;
  let proxy: TcpProxy;
  let platform: Platform;

  beforeAll(async () => {
    server = await startEmbeddedMongo({ dir, port: 0 });
    proxy = await startTcpProxy(server.url);
    const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
    platform = await startPlatform({ env: { MONGO_URL: url, DEV_MAILBOX: 'yes' } });
  });

  afterAll(async () => {
    await platform.stop();
    await proxy.close();
    await server.close();
    rmSync(dir, { recursive: true });
  });

  test.each(['cut', 'freeze'] as const)('is lost (%s) answers 503 until it is back, without a restart', async (how) => {
    await expectToSurvive(platform, proxy, how);
  });
});
