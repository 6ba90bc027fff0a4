import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { send } from '../../support/http.ts';
import {
  authorizationUrl,
  codeOf,
  exchange,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  post,
} from '../../support/oauth.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const dir = mkdtempSync(join(tmpdir(), 'database-'));
let server: EmbeddedMongo;
let proxy: TcpProxy;
let platform: Platform;
let client: OAuthClient;
beforeAll(async () => {
  server = await startEmbeddedMongo({ dir, port: 0 });
  proxy = await startTcpProxy(server.url);
  const MONGO_URL = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  platform = await startPlatform({ env: { MONGO_URL, DEV_MAILBOX: 'yes' } });
  client = await newOAuthClient({ platform, databaseUrl: server.url });
});
afterAll(async () => {
  await platform.stop();
  await proxy.close();
  await server.close();
  rmSync(dir, { recursive: true });
});

describe('while the database is away', () => {
  test('programs and people are told to come back, and what they hold still works when it is back', async () => {
    const form = { grant_type: 'client_credentials' };
    const { browser } = await newBrowser(client);
    const code = await codeOf(browser, client);
    await proxy.cut();
    await until(async () => (await post(client, 'token', form)).status === 503);
    expect(await exchange(client, code)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: 'temporarily_unavailable' },
    });
    const { pathname, search } = new URL(authorizationUrl(client));
    const page = await browser.go(`${pathname}${search}`);
    expect(page).toMatchObject({ status: 503, text: expect.stringContaining('<h1>') });
    expect(page.text).not.toContain('node_modules');
    const keys = await send(client.url, { path: '/oauth2/.well-known/jwks.json' });
    expect(keys.status).toBe(200);
    await proxy.mend();
    await until(async () => (await post(client, 'token', form)).status === 200);
    await until(async () => (await exchange(client, code)).status === 200);
  });
});
