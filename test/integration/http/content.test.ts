import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { testBytes } from '../../support/test-bytes.ts';
import { until } from '../../support/until.ts';
import { ownStreamingPlatform } from './own-streaming-platform.ts';

const own = ownStreamingPlatform();
const size = 300_000;
const whole = testBytes(0, size);

type Got = { status: number; headers: Record<string, unknown>; bytes: Buffer };

/** Sends a request and reads the answer as bytes; rejects when the connection ends before it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { hostname, port } = new URL(own.url);
  return new Promise((resolve, reject) => {
    const options = { agent: false, hostname, port, path, method, headers: { ...own.headers, ...headers } } as const;
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    outgoing.on('error', reject).end();
  });
}

const content = (headers = {}, method = 'GET') => get(`/v1/test/content/tagged/${size}`, headers, method);

describe('content of any size', () => {
  test('is sent whole, with its length, validators and that it has ranges', async () => {
    const { status, headers, bytes } = await content();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/x-test',
      'content-length': String(size),
      'accept-ranges': 'bytes',
      etag: `"tag-${size}"`,
      'last-modified': 'Mon, 02 Mar 2026 09:30:00 GMT',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(bytes.equals(whole)).toBe(true);
  });

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=100-199', 100, 200],
    ['bytes=299990-', 299_990, size],
    ['bytes=-10', 299_990, size],
    ['bytes=-999999', 0, size],
    ['bytes=299999-999999999', 299_999, size],
  ])('is sent in part for %s', async (range, from, to) => {
    const { status, headers, bytes } = await content({ range });
    expect(status).toBe(206);
    expect(headers).toMatchObject({
      'content-range': `bytes ${from}-${to - 1}/${size}`,
      'content-length': String(to - from),
    });
    expect(bytes.equals(whole.subarray(from, to))).toBe(true);
  });

  test.each(['bytes=0-1,5-6', 'bytes=9-3', 'bytes=-', 'lines=1-2', 'bytes=a-b'])(
    'is sent whole for %s, which names no single range',
    async (range) => {
      expect((await content({ range })).status).toBe(200);
    },
  );

  test.each(['bytes=300000-', 'bytes=-0'])('is 416 with its size for %s, and is not opened', async (range) => {
    const before = await own.state();
    const { status, headers, bytes } = await content({ range });
    expect(status).toBe(416);
    expect(headers['content-range']).toBe(`bytes */${size}`);
    expect(JSON.parse(bytes.toString())).toMatchObject({ error: 'RANGE_NOT_SATISFIABLE' });
    expect((await own.state()).opened).toBe(before.opened);
  });

  test('answers HEAD as GET without opening it, and without ranges', async () => {
    const before = await own.state();
    const { status, headers, bytes } = await content({ range: 'bytes=0-9' }, 'HEAD');
    expect(status).toBe(200);
    expect(headers['content-length']).toBe(String(size));
    expect(bytes).toHaveLength(0);
    expect((await own.state()).opened).toBe(before.opened);
  });

  test('is 304 for a client that has it, with its validators and without its length', async () => {
    const before = await own.state();
    const { status, headers } = await content({ 'if-none-match': `"other", W/"tag-${size}"` });
    expect(status).toBe(304);
    expect(headers).toMatchObject({ etag: `"tag-${size}"` });
    expect(headers).not.toHaveProperty('content-length');
    expect((await own.state()).opened).toBe(before.opened);
  });

  test('is 412 for a client that has other content', async () => {
    const { status, bytes } = await content({ 'if-match': '"other"' });
    expect(status).toBe(412);
    expect(JSON.parse(bytes.toString())).toMatchObject({ error: 'PRECONDITION_FAILED' });
  });

  test('of unknown size is sent in chunks and has no ranges', async () => {
    const { status, headers, bytes } = await get(`/v1/test/content/unknown/${size}`, { range: 'bytes=0-1' });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('accept-ranges');
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(bytes.equals(whole)).toBe(true);
  });

  test('is saved under a name of any letters', async () => {
    const { headers } = await get(`/v1/test/content/saved/${size}`);
    expect(headers['content-disposition']).toBe(
      `attachment; filename="K__ln _1_.txt"; filename*=UTF-8''K%C3%B6%2Fln%20%221%22.txt`,
    );
  });

  test.each(['short', 'failing'])('that is %s on its way ends the connection', async (kind) => {
    await expect(get(`/v1/test/content/${kind}/${size}`)).rejects.toThrow(/aborted|hang up|reset/i);
    await own.node.logged(({ message }) => message === 'A request failed');
  });

  test('is closed when the client leaves, and not read ahead of a client that does not read', async () => {
    const before = await own.state();
    const { hostname, port } = new URL(own.url);
    const path = `/v1/test/content/plain/${2 ** 33}`;
    const outgoing = request({ agent: false, hostname, port, path, headers: own.headers });
    outgoing.on('error', () => undefined).end();
    await new Promise((resolve) => outgoing.once('response', (incoming) => resolve(incoming.pause())));
    await until(async () => (await own.state()).opened === before.opened + 1);
    const after = await own.state();
    expect(after.rss - before.rss).toBeLessThan(64 * 1024 * 1024);
    expect(after.closed).toBe(before.closed);
    outgoing.destroy();
    await until(async () => (await own.state()).closed === before.closed + 1);
    expect((await own.state()).aborted).toBe(before.aborted + 1);
  });
});

describe('bytes that cross the broker', () => {
  test('come back as they were sent, with ranges and preconditions', async () => {
    const body = testBytes(7, 512 * 1024);
    const sent = await fetch(`${own.url}/v1/test/bytes`, { method: 'POST', headers: own.headers, body });
    expect(sent.status).toBe(200);
    expect(Object.fromEntries(sent.headers)).toMatchObject({ 'content-type': 'image/png', etag: '"echo"' });
    expect(Buffer.from(await sent.arrayBuffer()).equals(body)).toBe(true);
  });

  test('are at most 512 KiB', async () => {
    const { status, body } = await own.client.send('POST', '/v1/test/bytes', testBytes(0, 512 * 1024 + 1));
    expect({ status, error: body.error }).toEqual({ status: 413, error: 'BODY_TOO_LARGE' });
  });
});

test('an endpoint declares what pages of other sites may do with its answer', async () => {
  const { status, headers } = await send(own.url, { path: '/v1/test/open', headers: { origin: 'https://b.example' } });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=60',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors https://a.example",
  });
  expect(headers).not.toHaveProperty('x-frame-options');
});

test('a preflight is answered as its endpoint declares', async () => {
  const asks = { origin: 'https://b.example', 'access-control-request-method': 'GET' };
  const open = await send(own.url, { method: 'OPTIONS', path: '/v1/test/open', headers: asks });
  expect(open.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
  });
  const closed = await send(own.url, { method: 'OPTIONS', path: '/v1/test/state', headers: asks });
  expect(closed.headers).not.toHaveProperty('access-control-allow-origin');
});

test('a redirect has the declared status and no body', async () => {
  const { status, headers, text } = await send(own.url, { path: '/v1/test/redirect', headers: own.headers });
  expect({ status, location: headers.location, text }).toEqual({ status: 307, location: '/v1/test/open', text: '' });
});

describe('an error', () => {
  test.each(['/nothing', '/v1/test/state', '/%zz'])(
    'at %s is a page for a browser, and JSON for others',
    async (path) => {
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      const page = await send(own.url, { path, headers: { accept } });
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain('<h1>');
      const json = await send<{ error: string }>(own.url, { path, headers: { accept: '*/*' } });
      expect(json.status).toBe(page.status);
      expect(json.body.error).toEqual(expect.any(String));
    },
  );
});
