import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import type { ApiKeyDocument } from '../../../models/identity/api-key.ts';
import { toApiKeyDocument } from '../../../services/identity/new-api-key.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventOf, newCustomerId } from '../../support/events.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const requestsPerSecond = 5;
const burst = 2 * requestsPerSecond;
const origin = 'https://app.example.com';
let clients: Client[];
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ env: { RATE_LIMIT_RPS: String(requestsPerSecond), CORS_ORIGINS: origin } });
  const databaseUrl = await databaseUrlOf(platform);
  const tenants = await Promise.all(Array.from({ length: 3 }, () => createTenant(databaseUrl)));
  clients = tenants.map((tenant) => clientOf({ url: platform.url, ...tenant }));
});

/** How many tokens may have come back since then. */
const backSince = (began: number) => ((performance.now() - began) / 1000) * requestsPerSecond;

/** So many requests at once. */
const readMe = (client: Client, times: number, headers: Record<string, string | null> = {}) =>
  Promise.all(Array.from({ length: times }, () => client.attempt('identity.me.read', {}, headers)));

describe('the limit of an organization', () => {
  test('bounds the requests of all its credentials together, and of no other organization', async () => {
    const databaseUrl = await databaseUrlOf(platform);
    const tenant = await createTenant(databaseUrl);
    const keys = Array.from({ length: 8 }, () => ({ _id: newId('key'), token: newApiKeyToken() }));
    await withDatabase(databaseUrl, async (database) => {
      const { orgId, applicationId } = tenant;
      const about = { orgId, applicationId, name: 'One of many', scopes: ['svc:admin'] };
      const documents = keys.map(({ _id, token }) => toApiKeyDocument({ _id, token, ...about }));
      await database.collection<ApiKeyDocument>('identity_api_keys').insertMany(documents);
    });
    const many = keys.map(({ token: apiKey }) => clientOf({ url: platform.url, ...tenant, apiKey }));
    const began = performance.now();
    const answers = (await Promise.all(many.map((client) => readMe(client, burst)))).flat();
    const admitted = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status === 429);
    expect(admitted).toBeLessThanOrEqual(4 * burst + 4 * backSince(began));
    expect(admitted).toBeGreaterThanOrEqual(4 * burst);
    expect(admitted + refused.length).toBe(answers.length);
    expect(refused.at(-1)!.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-limit': String(4 * burst) });
    const other = clientOf({ url: platform.url, ...(await createTenant(databaseUrl)) });
    expect((await readMe(other, 1))[0]!.status).toBe(200);
  });
});

describe('the limit of a credential', () => {
  test('admits a burst of twice its rate and refuses what is beyond with 429 and Retry-After', async () => {
    const began = performance.now();
    const answers = await readMe(clients[0]!, 5 * burst);
    const back = backSince(began);
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(admitted.length).toBeGreaterThanOrEqual(burst);
    expect(admitted.length).toBeLessThanOrEqual(burst + back);
    expect(refused).not.toEqual([]);
    expect(admitted.length + refused.length).toBe(answers.length);
    for (const { headers, body } of refused) {
      expect(headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' });
      expect(body).toEqual({ error: 'RATE_LIMITED', message: expect.any(String), requestId: headers['x-request-id'] });
    }
  });

  test('tells what is left of it with every answer', async () => {
    const began = performance.now();
    const answers = await readMe(clients[1]!, 3);
    const back = backSince(began);
    expect(answers.map(({ headers }) => headers['ratelimit-limit'])).toEqual(Array(3).fill(String(burst)));
    const remaining = answers.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => b - a);
    for (const [place, left] of remaining.entries()) {
      expect(left).toBeGreaterThanOrEqual(burst - 1 - place);
      expect(left).toBeLessThanOrEqual(Math.min(burst - 1, Math.floor(burst - 1 - place + back)));
    }
    expect(Number(answers[0]!.headers['ratelimit-reset'])).toBe(1);
  });

  test('lets requests in again after the time it says', async () => {
    await readMe(clients[0]!, burst + 1);
    const { status } = await eventually(async () => {
      const [answer] = await readMe(clients[0]!, 1);
      expect(answer!.status).toBe(200);
      return answer!;
    });
    expect(status).toBe(200);
  });

  test('stores nothing of what it refuses', async () => {
    const client = clients[2]!;
    const events = Array.from({ length: 5 * burst }, () =>
      eventOf(client.orgId, { actor: { type: 'system', id: 'x' } }),
    );
    const answers = await Promise.all(events.map((body) => client.send('POST', '/events', body)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    // Were it stored, this would be 409.
    const again = await eventually(async () => {
      const answer = await client.send('POST', '/events', JSON.parse(JSON.stringify(events.at(-1))));
      expect(answer.status).not.toBe(429);
      return answer;
    });
    const last = answers.at(-1)!;
    expect(again.status).toBe(last.status === 429 ? 201 : 409);
  });
});

describe('the limit of an address', () => {
  test('counts what comes without a good credential, whatever it claims about its origin', async () => {
    const nobody = clients[0]!;
    const answers = await Promise.all(
      Array.from({ length: 10 * burst }, (_none, place) =>
        nobody.attempt(
          'context.story.read',
          { path: { customerId: newCustomerId() }, query: {} },
          {
            authorization: place % 2 ? null : 'Bearer wrong',
            'x-forwarded-for': `10.0.0.${place}`,
          },
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(burst);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  });

  test('never reaches health checks', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => clients[0]!.send('GET', '/health/ready')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('cross-origin access', () => {
  const preflight = (from: string) =>
    clients[0]!.send('OPTIONS', '/events', undefined, {
      authorization: null,
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-tenant-id',
    });

  test('is open to a configured origin, without cookies', async () => {
    const { status, headers } = await preflight(origin);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': expect.stringMatching(
        /authorization.*content-type.*idempotency-key.*x-tenant-id/,
      ),
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('shows a page its answers, refusals included', async () => {
    for (const path of ['/health/alive', '/nothing']) {
      const { headers } = await clients[0]!.send('GET', path, undefined, { origin });
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    }
  });

  test.each([
    'https://evil.example.com',
    'https://app.example.com.evil.com',
    'http://app.example.com',
    'https://app.example.com:444',
    'null',
  ])('stays closed to %s', async (from) => {
    const { headers } = await preflight(from);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers.vary).toBe('Origin');
  });
});
