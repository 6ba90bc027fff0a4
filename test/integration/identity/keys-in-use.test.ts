import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { renewMilliseconds } from '../../../http/authenticate.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { changeApiKey, createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';
import { withKey } from './setting.ts';

/** Fewer than the slowest machine answers. */
const requestsPerSecond = 10;

let platform: Platform;
/** A second process on the same database, which hears nothing of the first one's events. */
let deaf: Platform;
let metricsUrl: string;
let tenant: Tenant;
let client: Client;
let path: string;

beforeAll(async () => {
  const port = freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const env = { METRICS_PORT: String(port), RATE_LIMIT_RPS: String(requestsPerSecond), LOG_LEVEL: 'trace' };
  platform = await startPlatform({ env });
  const databaseUrl = await databaseUrlOf(platform);
  const SECRET_KEY = readFileSync(join(platform.dataDir, 'secret-key'), 'utf8').trim();
  deaf = await startPlatform({ env: { MONGO_URL: withName(databaseUrl), SECRET_KEY, DEV_MAILBOX: 'yes' } });
  tenant = await createTenant(databaseUrl, { plan: 'scale' });
  client = clientOf({ url: platform.url, ...tenant });
  path = `/applications/${tenant.applicationId}/api-keys`;
});

afterAll(async () => {
  await deaf.stop();
  await platform.stop();
});

/** The embedded database's address with the name that the platform gives the database there. */
function withName(databaseUrl: string): string {
  return databaseUrl.replace('/?', '/platform?');
}

type ApiKey = { id: string; token: string };

/** Made by a key of its own, so that no test uses up another one's rate. */
async function create(): Promise<ApiKey> {
  const { apiKey } = await keyOfItsOwn();
  const body = { name: 'Key', scopes: ['svc:read'] };
  return (await withKey(client, apiKey).send<ApiKey>('POST', path, body)).body;
}

/** Another key of the same application, made past the platform. */
async function keyOfItsOwn(): Promise<Tenant> {
  const databaseUrl = await databaseUrlOf(platform);
  const other = await createTenant(databaseUrl);
  const { orgId, applicationId } = tenant;
  await withDatabase(databaseUrl, (database) =>
    database
      .collection<{ _id: string }>('identity_api_keys')
      .updateOne({ _id: other.keyId }, { $set: { orgId, applicationId } }),
  );
  return { ...other, orgId, applicationId };
}

async function statusOf(url: string, token: string): Promise<number> {
  return (await clientOf({ url, orgId: tenant.orgId, apiKey: token }).send('GET', '/identity/me')).status;
}

const untilRefused = (url: string, token: string) => until(async () => (await statusOf(url, token)) === 401);

/** How often an action was called on the node, by its metrics. */
async function callsOf(action: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const counts = [...text.matchAll(/^broker_calls_total\{action="([^"]+)",[^}]*\} (\d+)$/gm)];
  return counts.filter(([, name]) => name === action).reduce((sum, [, , number]) => sum + Number(number), 0);
}

describe('a key', () => {
  test('that fails its checksum is refused without anybody being asked for it', async () => {
    const before = await callsOf('identity.api-keys.verify');
    const good = newApiKeyToken();
    const mistyped = [...good].slice(9).map((character, at) => {
      return good.slice(0, 9 + at) + (character === 'a' ? 'b' : 'a') + good.slice(10 + at);
    });
    const statuses = await Promise.all(mistyped.map((token) => statusOf(platform.url, token)));
    // An address without a credential may be refused for its many attempts as well.
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(statuses).toContain(401);
    expect(await callsOf('identity.api-keys.verify')).toBe(before);
  });

  test('that is right in form is asked for once, however many requests carry it at the same time', async () => {
    // Once more where they took so long that it was rightly asked about anew.
    const asked = await eventually(async () => {
      const { token } = await create();
      const before = await callsOf('identity.api-keys.verify');
      const began = performance.now();
      const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(platform.url, token)));
      expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
      expect(performance.now() - began < renewMilliseconds).toBe(true);
      return (await callsOf('identity.api-keys.verify')) - before;
    });
    expect(asked).toBe(1);
  });

  test('that is revoked is refused at once here, and soon where nobody heard of it', async () => {
    const { id, token } = await create();
    const { apiKey } = await keyOfItsOwn();
    const administrator = withKey(client, apiKey);
    await administrator.send('GET', path);
    expect(await statusOf(deaf.url, token)).toBe(200);
    expect(await statusOf(platform.url, token)).toBe(200);
    expect(await administrator.send('DELETE', `${path}/${id}`)).toMatchObject({ status: 204 });
    expect(await statusOf(platform.url, token)).toBe(401);
    await untilRefused(deaf.url, token);
  });

  test('that expires is refused, and not before', async () => {
    const { id, token } = await create();
    // Before anybody asks for it, so that no node remembers it without this end.
    const expiresAt = new Date(Date.now() + 1500);
    await changeApiKey(await databaseUrlOf(platform), id, { expiresAt });
    await untilRefused(deaf.url, token);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });

  test.each([
    ['POST', '', 201],
    ['GET', '', 200],
    ['DELETE', '/key_1', 404],
  ])('that sends too much by %s %s is told so by 429, which changes nothing', async (method, suffix, status) => {
    const { apiKey } = await keyOfItsOwn();
    const hasty = withKey(client, apiKey);
    const before = await countKeys();
    const body = method === 'POST' ? { name: 'Too many', scopes: ['svc:read'] } : undefined;
    const answers: Awaited<ReturnType<typeof hasty.send>>[] = [];
    const isRefused = () => answers.some((answer) => answer.status === 429);
    const connection = async () => {
      while (!isRefused()) answers.push(await hasty.send(method, path + suffix, body));
    };
    await Promise.all(Array.from({ length: 2 * requestsPerSecond }, connection));
    const letThrough = answers.filter((answer) => answer.status === status);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(letThrough.length + refused.length).toBe(answers.length);
    // The burst is twice the rate; what the rate gives while the requests run comes on top.
    expect(letThrough.length).toBeGreaterThanOrEqual(2 * requestsPerSecond);
    expect(refused[0]).toMatchObject({
      body: { error: 'RATE_LIMITED', message: expect.any(String), requestId: expect.any(String) },
      headers: { 'retry-after': '1', 'ratelimit-limit': String(2 * requestsPerSecond), 'ratelimit-remaining': '0' },
    });
    expect((await countKeys()) - before).toBe(answers.filter((answer) => answer.status === 201).length);
  });
});

async function countKeys(): Promise<number> {
  return withDatabase(await databaseUrlOf(platform), (database) =>
    database.collection('identity_api_keys').countDocuments({ orgId: tenant.orgId, name: 'Too many' }),
  );
}

describe('what a node writes to its log, at its most talkative,', () => {
  test('holds no token and no hash of one, whatever was asked', async () => {
    const made = await create();
    const { apiKey } = await keyOfItsOwn();
    const administrator = withKey(client, apiKey);
    const wrong = newApiKeyToken();
    await administrator.send('POST', path, { name: wrong, scopes: [wrong] });
    await administrator.send('GET', `${path}?cursor=${wrong}`);
    await administrator.send('DELETE', `${path}/${wrong}`);
    await statusOf(platform.url, wrong);
    await administrator.send('DELETE', `${path}/${made.id}`);
    const last = await administrator.send('GET', path, undefined, { 'x-request-id': 'the-last-one' });
    expect(last.status).toBe(200);
    await platform.logged(({ requestId }) => requestId === 'the-last-one');
    const [, logged = ''] = platform.output().split('First run completed');
    const secrets = [made.token, apiKey, wrong, platform.firstRun.apiKey, platform.firstRun.adminPassword];
    expect(secrets.filter((secret) => logged.includes(secret.slice(9)))).toEqual([]);
    expect(logged).not.toMatch(/tokenHash|\b[0-9a-f]{64}\b/);
  });
});
