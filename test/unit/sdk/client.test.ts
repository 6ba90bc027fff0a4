import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type Client, type ClientOptions, createClient } from '../../../sdk/src/index.ts';

type Request = { url: string; method: string; headers: Record<string, string>; body: unknown };

afterEach(() => {
  jest.useRealTimers();
});

/** A client of a server that gives one response after the other, and the last one to every further request. */
function clientOf(responses: (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const fetch = (url: string, { method, headers, body }: RequestInit): Promise<Response> => {
    requests.push({ url, method: `${method}`, headers: headers as Record<string, string>, body });
    const response = responses.length > 1 ? responses.shift()! : responses[0]!;
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response.clone());
  };
  const client = createClient({ url: 'http://platform/', fetch: fetch as typeof globalThis.fetch, ...options });
  return { client, requests };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const failure = (error: string, status: number, headers: Record<string, string> = {}) =>
  json({ error, message: 'A sentence.', requestId: 'req_1' }, status, headers);
const unavailable = failure('UNAVAILABLE', 503);
const lost = new TypeError('The socket was closed.');

/** Runs a call, of which all delays pass immediately. */
async function settled<T>(call: Promise<T>): Promise<T> {
  call.catch(() => {});
  await jest.advanceTimersByTimeAsync(200_000);
  return await call;
}

describe('a call is repeated', () => {
  const create = (client: Client, options = {}) =>
    client.post('/applications', { body: { name: 'Shop', slug: 'shop' }, ...options });
  const change = (client: Client, options = {}) =>
    client.patch('/applications/{slug}', { path: { slug: 'shop' }, body: { name: 'Shop' }, ...options });
  const read = (client: Client) => client.get('/applications/{slug}', { path: { slug: 'shop' } });
  const check = (client: Client) =>
    client.post('/access/check', { body: { userId: 'usr_1', permission: 'a.b', context: { orgId: 'org_1' } } });

  test.each<[string, (client: Client) => Promise<unknown>, Response | Error, number]>([
    ['that reads', read, lost, 3],
    ['that reads', read, unavailable, 3],
    ['that changes nothing', check, unavailable, 3],
    ['with a key', create, lost, 3],
    ['that is told to be', (client) => change(client, { retry: true }), unavailable, 3],
    ['but not one that changes something', change, lost, 1],
    ['but not one that changes something', change, unavailable, 1],
    ['where the platform did not begin it', change, failure('RATE_LIMITED', 429), 3],
    ['but not one that is told not to be', (client) => create(client, { retry: false }), lost, 1],
    [
      'but not a rejected one that is told not to be',
      (client) => create(client, { retry: false }),
      failure('RATE_LIMITED', 429),
      1,
    ],
    ['but not one that is refused', create, failure('SLUG_TAKEN', 409), 1],
    ['while the operation of its key runs', create, failure('IDEMPOTENCY_IN_PROGRESS', 409), 3],
    ['but not when the platform requests a long wait', read, failure('RATE_LIMITED', 429, { 'retry-after': '61' }), 1],
  ])('%s', async (_kind, send, response, attempts) => {
    jest.useFakeTimers();
    const { client, requests } = clientOf([response], { maxAttempts: 3 });
    await expect(settled(send(client))).rejects.toMatchObject({ name: 'PlatformError' });
    expect(requests).toHaveLength(attempts);
  });

  test('with the same key, and another call has another', async () => {
    jest.useFakeTimers();
    const { client, requests } = clientOf([lost, json({}, 201)]);
    await settled(create(client));
    await settled(create(client));
    await settled(create(client, { idempotencyKey: 'order-1' }));
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], expect.stringMatching(/^[0-9a-f]{32}$/), 'order-1']);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('after the delay that the platform requests', async () => {
    jest.useFakeTimers();
    const { client, requests } = clientOf([failure('RATE_LIMITED', 429, { 'retry-after': '7' }), json({})]);
    const call = read(client);
    await jest.advanceTimersByTimeAsync(6_999);
    expect(requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(201);
    expect(requests).toHaveLength(2);
    await call;
  });

  test('until its signal aborts', async () => {
    jest.useFakeTimers();
    const { client, requests } = clientOf([failure('RATE_LIMITED', 429, { 'retry-after': '60' })]);
    const controller = new AbortController();
    const call = client.get('/identity/me', { signal: controller.signal });
    call.catch(() => {});
    await jest.advanceTimersByTimeAsync(10);
    controller.abort(new Error('The user left.'));
    await expect(call).rejects.toThrow('The user left.');
    expect(requests).toHaveLength(1);
  });
});

test('a request without an answer ends after the timeout', async () => {
  const fetch = (_url: unknown, { signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
  const client = createClient({ url: 'http://platform', timeout: 5, maxAttempts: 1, fetch: fetch as never });
  await expect(client.get('/identity/me')).rejects.toMatchObject({ code: 'TIMEOUT', status: 0 });
});

test('a response of a proxy is an error without a code of the platform', async () => {
  const { client } = clientOf([new Response('<h1>Bad gateway</h1>', { status: 502 })], { maxAttempts: 1 });
  await expect(client.get('/identity/me')).rejects.toMatchObject({ code: 'RESPONSE_INVALID', status: 502 });
});

describe('a request', () => {
  test('has the credential and the organization', async () => {
    const { client, requests } = clientOf([json({})], { token: async () => 'secret', tenantId: 'org_1' });
    await client.get('/identity/me');
    expect(requests[0]).toMatchObject({
      url: 'http://platform/identity/me',
      headers: { authorization: 'Bearer secret', 'x-tenant-id': 'org_1' },
    });
  });

  test('encodes its path and its query', async () => {
    const { client, requests } = clientOf([json({ data: [], nextCursor: null })], { storageUrl: 'http://files' });
    await client.get('/v1/buckets/{bucketName}/objects', { path: { bucketName: 'a/b?' }, query: { prefix: 'ä&' } });
    expect(requests[0]!.url).toBe('http://files/v1/buckets/a%2Fb%3F/objects?prefix=%C3%A4%26');
  });

  test.each(['', '.', '..'])('is not sent with the path parameter "%s"', async (slug) => {
    const { client, requests } = clientOf([json({})], { maxAttempts: 1 });
    await expect(client.delete('/applications/{slug}', { path: { slug } })).rejects.toThrow(/slug/);
    expect(requests).toEqual([]);
  });

  test('to storage is sent to the address that the platform names, which is read once', async () => {
    const { client, requests } = clientOf([json({ storage: 'http://files/' }), json({ data: [], nextCursor: null })]);
    await client.get('/v1/buckets');
    await client.get('/v1/buckets');
    const urls = requests.map(({ url }) => url);
    expect(urls).toEqual(['http://platform/', 'http://files/v1/buckets', 'http://files/v1/buckets']);
  });
});

test('a list is read as far as the loop needs it', async () => {
  const { client, requests } = clientOf([
    json({ data: [{ slug: 'a' }, { slug: 'b' }], nextCursor: 'next' }),
    json({ data: [{ slug: 'c' }], nextCursor: null }),
  ]);
  for await (const { slug } of client.list('/applications')) if (slug === 'b') break;
  expect(requests).toHaveLength(1);
  const { client: other, requests: both } = clientOf([
    json({ invoices: [{ amount: 1 }], nextCursor: 'next' }),
    json({ invoices: [{ amount: 2 }], nextCursor: null }),
  ]);
  const amounts: number[] = [];
  const options = { path: { orgId: 'org_1' }, query: { limit: 1 } };
  for await (const { amount } of other.list('/v1/orgs/{orgId}/invoices', options)) amounts.push(amount);
  expect(amounts).toEqual([1, 2]);
  expect(both[1]!.url).toBe('http://platform/v1/orgs/org_1/invoices?limit=1&cursor=next');
});
