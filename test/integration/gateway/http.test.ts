import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { exchangeBytes } from '../../support/raw-http.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';

let own: Client;
beforeAll(async () => {
  own = await newTenantClient();
});

describe('a path', () => {
  test.each([
    ['/v1/story/customers/%00', 400, 'PATH_INVALID'],
    ['/v1/story/customers/a%0d%0aset-cookie:x', 400, 'PATH_INVALID'],
    ['/v1/story/customers/%', 400, 'PATH_INVALID'],
    ['/v1/story/customers/%zz', 400, 'PATH_INVALID'],
    ['/v1/story/customers/%C0%AF', 400, 'PATH_INVALID'],
    ['/%7f', 400, 'PATH_INVALID'],
    ['/v1/story/customers/a%2Fb', 404, 'STORY_NOT_FOUND'],
    ['/v1/story/customers/..%2F..%2Fidentity%2Fme', 404, 'STORY_NOT_FOUND'],
    ['/v1/story/customers/..', 404, 'STORY_NOT_FOUND'],
    ['/v1/story/customers/%2e%2e/events', 404, 'STORY_NOT_FOUND'],
    ['/v1/story/customers/{"$gt":""}'.replaceAll('"', '%22'), 404, 'STORY_NOT_FOUND'],
    ['/v1/story/customers/%F0%9F%92%A9', 404, 'STORY_NOT_FOUND'],
    ['/v1/story/customers/__proto__', 404, 'STORY_NOT_FOUND'],
    [`/v1/story/customers/${'a'.repeat(257)}`, 400, 'INPUT_INVALID'],
    ['/v1/story/customers/', 200, undefined],
    ['/v1/story/', 404, 'ROUTE_NOT_FOUND'],
    ['/v1/story/customers/a/b', 404, 'ROUTE_NOT_FOUND'],
    ['/v1/story/../../identity/me', 404, 'ROUTE_NOT_FOUND'],
    ['/./identity/me', 404, 'ROUTE_NOT_FOUND'],
    ['//identity/me', 404, 'ROUTE_NOT_FOUND'],
    ['/identity%2Fme', 404, 'ROUTE_NOT_FOUND'],
    ['/IDENTITY/ME%20', 404, 'ROUTE_NOT_FOUND'],
    ['/identity.api-keys.verify', 404, 'ROUTE_NOT_FOUND'],
    ['/identity/api-keys/verify', 404, 'ROUTE_NOT_FOUND'],
    ['/$node/list', 404, 'ROUTE_NOT_FOUND'],
    ['/~node/list', 404, 'ROUTE_NOT_FOUND'],
    ['/list-aliases', 404, 'ROUTE_NOT_FOUND'],
    ['/gateway/rest', 404, 'ROUTE_NOT_FOUND'],
  ])('%s is %i %s', async (path, status, error) => {
    const answer = await own.send('GET', path);
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
  });

  test('may end with a slash', async () => {
    expect((await own.send('GET', '/identity/me/')).status).toBe(200);
  });

  test('may be a whole address', async () => {
    expect((await own.send('GET', `${own.url}/identity/me?`)).status).toBe(200);
  });

  test('with a query that nobody reads is refused by name', async () => {
    const { status, body } = await own.send('GET', '/identity/me?admin=1&constructor=2');
    expect(status).toBe(400);
    expect(body.details).toEqual([
      { path: 'query.admin', message: 'Not a parameter.' },
      { path: 'query.constructor', message: 'Not a parameter.' },
    ]);
  });
});

describe('a path that is not there', () => {
  test('is named with its method, and the list of paths', async () => {
    const { body } = await own.send('GET', '/v1/storys/resolve');
    expect(body.message).toMatch(
      /^There is no GET \/v1\/storys\/resolve; the list of paths is at http\S+\/openapi\.json\.$/,
    );
    expect((await own.send('GET', `/${'a'.repeat(5000)}`)).text.length).toBeLessThan(500);
  });

  test('of storage is named with the address of storage, and of the others there with theirs', async () => {
    const [storage, { firstRun }] = [await storageOf(own), await sharedPlatform()];
    for (const [method, path] of [
      ['GET', '/v1/buckets'],
      ['POST', '/v1/upload'],
      ['GET', '/v1/objects/bucket/a/b.png'],
    ] as const) {
      const { status, body } = await own.send(method, path);
      expect([status, body.error]).toEqual([404, 'ROUTE_NOT_FOUND']);
      expect(body.message).toBe(`${path} is at another address: ${storage.url}${path}.`);
    }
    const { status, body } = await own.send('POST', `${storage.url}/events`, {});
    expect([status, body.message]).toEqual([404, `/events is at another address: ${firstRun.publicUrl}/events.`]);
  });
});

describe('a method', () => {
  test.each([
    ['GET', '/access/check/batch', 'OPTIONS, POST'],
    ['HEAD', '/access/check', 'OPTIONS, POST'],
    ['DELETE', '/events', 'GET, HEAD, OPTIONS, POST'],
    ['PUT', '/v1/story/resolve', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/v1/story/resolve', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/v1/story/customers/a', 'DELETE, GET, HEAD, OPTIONS'],
    ['POST', '/health/ready', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 and Allow says what is taken', async (method, path, allow) => {
    const { status, headers, body } = await own.send(method, path);
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow });
    if (method === 'HEAD') return;
    const taken = allow
      .split(', ')
      .filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
      .join(', ');
    expect(body.message).toBe(`This path does not take ${method}; it takes ${taken}.`);
  });

  test('OPTIONS answers 204 with Allow, and 404 for an unknown path', async () => {
    const { status, headers, text } = await own.send('OPTIONS', '/v1/story/customers/x', undefined, {
      authorization: null,
    });
    expect({ status, allow: headers.allow, text }).toEqual({
      status: 204,
      allow: 'DELETE, GET, HEAD, OPTIONS',
      text: '',
    });
    expect((await own.send('OPTIONS', '/nothing')).status).toBe(404);
  });

  test.each(['/identity/me', '/health/alive', '/nothing'])('HEAD %s answers as GET without the body', async (path) => {
    const get = await own.send('GET', path, undefined, { 'x-request-id': 'same' });
    const head = await own.send('HEAD', path, undefined, { 'x-request-id': 'same' });
    expect(head.status).toBe(get.status);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    expect(head.text).toBe('');
  });
});

describe('every answer', () => {
  test.each([
    ['GET', '/identity/me'],
    ['GET', '/nothing'],
    ['GET', '/%00'],
    ['PUT', '/events'],
    ['OPTIONS', '/events'],
    ['GET', '/health/alive'],
    ['GET', '/openapi.json', 'public, no-cache'],
  ])(
    'to %s %s has the security headers and tells nothing of the software',
    async (method, path, caching = 'no-store') => {
      const { headers } = await own.send(method, path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': caching,
        'x-request-id': expect.stringMatching(/^req_/),
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
      expect(headers).not.toHaveProperty('set-cookie');
    },
  );

  test('is closed to pages of other origins as long as none is configured', async () => {
    const origin = 'https://app.example.com';
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await own.send(method, '/identity/me', undefined, {
        origin,
        'access-control-request-method': 'GET',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('what is no HTTP', () => {
  const long = 'a'.repeat(17 * 1024);
  test.each([
    ['a header without a colon', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['a method that does not exist', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['two Hosts', `GET /health/alive HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400, 'REQUEST_MALFORMED'],
    [
      'two credentials',
      'GET /identity/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n',
      400,
      'REQUEST_MALFORMED',
    ],
    ['the same Host twice', `GET /health/alive HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n`, 400, 'REQUEST_MALFORMED'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['a raw byte in the path', 'GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    [
      'both a length and chunks',
      'POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'REQUEST_MALFORMED',
    ],
    [
      'a chunk of no size',
      'POST /events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      400,
      'REQUEST_MALFORMED',
    ],
    ['a header of 17 KiB', `GET / HTTP/1.1\r\nHost: x\r\nx: ${long}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['a path of 17 KiB', `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ])('%s is refused in the shape of every error, and the connection ends', async (_what, bytes, status, error) => {
    const answer = await exchangeBytes(own.url, bytes);
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('Connection: close');
    expect(JSON.parse(body!) as ErrorBody).toEqual({
      error,
      message: expect.any(String),
      requestId: expect.stringMatching(/^req_/),
    });
  });

  test('no Host is refused, and the connection ends', async () => {
    expect(await exchangeBytes(own.url, 'GET /health/alive HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('500 headers are as good as 5', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_none, place) => [`x-${place}`, 'v']));
    expect((await own.send('GET', '/identity/me', undefined, many)).status).toBe(200);
  });
});
