import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { type Answer, send } from '../../support/http.ts';
import {
  authorizationUrl,
  basic,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  post,
  random,
  tokensOf,
} from '../../support/oauth.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const requestsPerSecond = 45;
const credentialBurst = 2 * requestsPerSecond;
const addressBurst = 2 * 20;
const guessBurst = 2 * 5;
/** Behind a proxy that tells the address of each request, so that each test has addresses that nobody else has. */
let platform: Platform;

beforeAll(async () => {
  const env = { RATE_LIMIT_RPS: String(requestsPerSecond), TRUSTED_PROXIES: '1' };
  platform = await startPlatform({ env });
  // The first token makes the platform load its provider, which takes long on a busy machine.
  const client = await newOAuthClient({ platform });
  await until(async () => (await getToken(client, newAddress())).status === 200);
});

const newAddress = (): string => ['198', ...randomBytes(3)].join('.');

const times = <T>(count: number, work: (place: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_none, place) => work(place)));

/** How many answers have each status, so that a failure shows what was answered instead. */
const tally = (answers: Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const countOf = (answers: Answer[], status: number): number => answers.filter((one) => one.status === status).length;

/** Asks about a token that is none. */
const introspect = (client: OAuthClient, address: string, authorization = basic(client)) =>
  post(client, 'introspect', { token: 'none' }, { authorization, 'x-forwarded-for': address });

const getToken = (client: OAuthClient, address: string, authorization = basic(client)) =>
  post(
    client,
    'token',
    { grant_type: 'client_credentials', scope: 'mail.send' },
    { authorization, 'x-forwarded-for': address },
  );

const wrong = ({ clientId }: OAuthClient) => basic({ clientId, clientSecret: random() } as OAuthClient);

describe('a client that proves its secret', () => {
  test.each([
    ['at the introspection', introspect],
    ['at the token endpoint', getToken],
  ])('has the limit of a credential %s, from whatever address', async (_where, ask) => {
    const client = await newOAuthClient({ platform });
    const address = newAddress();
    const within = await times(2 * addressBurst, () => ask(client, address));
    expect(tally(within)).toEqual({ 200: 2 * addressBurst });
    expect(within[0]!.headers).toMatchObject({ 'ratelimit-limit': String(credentialBurst) });
    const began = performance.now();
    const beyond = await times(4 * credentialBurst, () => ask(client, newAddress()));
    const back = ((performance.now() - began) / 1000) * requestsPerSecond;
    // What it has spent on the other endpoints counts here too.
    expect(countOf(beyond, 200)).toBeLessThanOrEqual(credentialBurst + back);
    const refused = beyond.filter(({ status }) => status === 429);
    expect(countOf(beyond, 200) + refused.length).toBe(beyond.length);
    expect(refused[0]).toMatchObject({
      headers: { 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' },
      body: { error: 'RATE_LIMITED', requestId: refused[0]!.headers['x-request-id'] },
    });
  });
});

describe('what fails to prove a secret', () => {
  test.each([
    ['at the introspection', introspect],
    ['at the token endpoint', getToken],
  ])('counts by address %s, without hindering clients that prove theirs from there', async (_where, ask) => {
    const address = newAddress();
    const client = await newOAuthClient({ platform });
    const strangers = await times(5 * addressBurst, () =>
      ask(client, address, wrong({ clientId: `cli_${'0'.repeat(26)}` } as OAuthClient)),
    );
    expect(countOf(strangers, 401)).toBeGreaterThanOrEqual(addressBurst);
    expect(countOf(strangers, 429)).toBeGreaterThan(0);
    expect(strangers.find(({ status }) => status === 429)!.headers).toMatchObject({ 'retry-after': '1' });
    expect(await ask(client, address)).toMatchObject({ status: 200 });
  });

  test('counts by client as well, from whatever addresses, and locks the client out of no network it was in', async () => {
    const client = await newOAuthClient({ platform });
    const other = await newOAuthClient({ platform });
    const own = newAddress();
    expect(await getToken(client, own)).toMatchObject({ status: 200 });
    const began = performance.now();
    const [guesses, proofs, others] = await Promise.all([
      times(20 * guessBurst, (place) => (place % 2 ? introspect : getToken)(client, newAddress(), wrong(client))),
      times(20, (place) => (place % 2 ? introspect : getToken)(client, own)),
      times(5, () => getToken(other, newAddress())),
    ]);
    const back = ((performance.now() - began) / 1000) * 5;
    expect(countOf(guesses, 401)).toBeLessThanOrEqual(guessBurst + back);
    expect(countOf(guesses, 401) + countOf(guesses, 429)).toBe(guesses.length);
    expect(countOf(proofs, 200)).toBe(20);
    expect(countOf(others, 200)).toBe(5);
  });

  test('tells nothing of a secret that is right, once the client was guessed at too often', async () => {
    const client = await newOAuthClient({ platform });
    const began = performance.now();
    const answers = await times(10 * guessBurst, (place) =>
      introspect(client, newAddress(), place < 5 * guessBurst ? wrong(client) : basic(client)),
    );
    const back = ((performance.now() - began) / 1000) * 5;
    expect(answers.length - countOf(answers, 429)).toBeLessThanOrEqual(guessBurst + back);
  });
});

test('a public client, which proves nothing, counts by address', async () => {
  const client = await newOAuthClient({ platform, isPublic: true });
  const ask = (address: string) =>
    post(
      client,
      'token',
      { grant_type: 'refresh_token', refresh_token: random(), client_id: client.clientId },
      { 'x-forwarded-for': address },
    );
  const address = newAddress();
  const answers = await times(5 * addressBurst, () => ask(address));
  expect(countOf(answers, 400)).toBeGreaterThanOrEqual(addressBurst);
  expect(countOf(answers, 429)).toBeGreaterThan(0);
  expect(await ask(newAddress())).toMatchObject({ status: 400 });
});

test('an authorization counts by address, and by session where there is one', async () => {
  const client = await newOAuthClient({ platform });
  const { browser } = await newBrowser(client);
  const address = newAddress();
  const headers = { 'x-forwarded-for': address };
  const { pathname, search } = new URL(authorizationUrl(client));
  const strangers = await times(5 * addressBurst, () => send(client.url, { path: `${pathname}${search}`, headers }));
  expect(countOf(strangers, 303)).toBeGreaterThanOrEqual(addressBurst);
  const refused = strangers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]!.headers['retry-after']).toBe('1');
  expect(refused[0]!.text).toContain('Wait a moment');
  const cookie = `platform_session=${browser.cookie('platform_session')}`;
  const owner = await times(addressBurst, () =>
    send(client.url, { path: `${pathname}${search}`, headers: { ...headers, cookie } }),
  );
  expect(countOf(owner, 303)).toBe(addressBurst);
});

test('the userinfo counts by token, and by address where there is none that is good', async () => {
  const client = await newOAuthClient({ platform });
  const { browser } = await newBrowser(client);
  const { access_token: token } = await tokensOf(browser, client);
  const address = newAddress();
  const ask = (bearer: string) =>
    send(client.url, {
      path: '/oauth2/userinfo',
      headers: { authorization: `Bearer ${bearer}`, 'x-forwarded-for': address },
    });
  const within = await times(2 * addressBurst, () => ask(token));
  expect(countOf(within, 200)).toBe(2 * addressBurst);
  expect(within[0]!.headers).toMatchObject({ 'ratelimit-limit': String(credentialBurst) });
  expect(countOf(await times(3 * credentialBurst, () => ask(token)), 429)).toBeGreaterThan(0);
  const strangers = await times(5 * addressBurst, () => ask('a.b.c'));
  expect(countOf(strangers, 401)).toBeGreaterThanOrEqual(addressBurst);
  expect(countOf(strangers, 429)).toBeGreaterThan(0);
});

describe('what everybody may read', () => {
  test.each(['/openapi.json', '/docs', '/docs/start', '/oauth2/.well-known/jwks.json'])(
    '%s counts by address',
    async (path) => {
      const headers = { 'x-forwarded-for': newAddress() };
      const answers = await times(5 * addressBurst, () => send(platform.url, { path, headers }));
      expect(countOf(answers, 200)).toBeGreaterThanOrEqual(addressBurst);
      expect(countOf(answers, 429)).toBeGreaterThan(0);
      expect(answers.find(({ status }) => status === 429)).toMatchObject({
        headers: { 'retry-after': '1', 'ratelimit-limit': String(addressBurst) },
        body: { error: 'RATE_LIMITED' },
      });
      const other = { 'x-forwarded-for': newAddress() };
      expect(await send(platform.url, { path, headers: other })).toMatchObject({ status: 200 });
    },
  );
});

describe('without a credential', () => {
  /** The statuses of requests without a credential, one from each address. */
  async function statusesFrom(addresses: string[]): Promise<number[]> {
    const answers = await Promise.all(
      addresses.map((address) => send(platform.url, { path: '/identity/me', headers: { 'x-forwarded-for': address } })),
    );
    return answers.map(({ status }) => status);
  }

  test('all addresses of an IPv6 /64 have one limit together, and another /64 has its own', async () => {
    const hosts = Array.from({ length: 5 * addressBurst }, (_none, host) => `2001:db8:1:2::${(host + 1).toString(16)}`);
    const statuses = await statusesFrom(hosts);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(await statusesFrom(['2001:db8:1:3::1'])).toEqual([401]);
  });

  test('an IPv4 address has one limit, however it is written', async () => {
    const written = ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.1:4711'];
    const statuses = await statusesFrom(Array.from({ length: 2 * addressBurst }, () => written).flat());
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(addressBurst);
    expect(await statusesFrom(['::ffff:192.0.2.2'])).toEqual([401]);
  });
});

test('an address from which a provider tells of payments may do so as often as a credential', async () => {
  const headers = { 'x-forwarded-for': newAddress() };
  const atOnce = (path: string, count: number) =>
    times(count, () => send<unknown>(platform.url, { method: 'POST', path, body: '{}', headers }));
  const unsigned = await atOnce('/v1/billing/webhooks/test', 2 * addressBurst);
  expect(unsigned.map(({ body }) => body)).toEqual(
    unsigned.map(() => expect.objectContaining({ error: 'WEBHOOK_INVALID' })),
  );
  const others = await atOnce('/events', 5 * addressBurst);
  expect(others.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});

test('a page reads the refusal of an object of a bucket that was looked up, also beyond the limit of its address', async () => {
  const shop = 'https://shop.example.com';
  const tenant = await createTenant(await databaseUrlOf(platform));
  const client = clientOf({ url: platform.url, ...tenant });
  const bucket = tenant.orgId.replace('_', '-');
  await client.call('storage.buckets.create', { body: { name: bucket, public: true, corsOrigins: [shop] } });
  const storage = await storageOf(client);
  const headers = { origin: shop, 'x-forwarded-for': newAddress() };
  const read = () => storage.getPublic(bucket, 'none.txt', headers);
  const answers = [await read(), ...(await times(5 * addressBurst, read))];
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
  for (const answer of answers) {
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': shop,
      vary: 'Origin',
      'cross-origin-resource-policy': 'cross-origin',
    });
  }
});
