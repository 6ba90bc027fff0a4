import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { encodeKey } from '../../../services/storage/content/object-key.ts';
import type { Client } from '../../support/client.ts';
import type { Answer } from '../../support/http.ts';
import { openConnection } from '../../support/raw-http.ts';
import { type StorageClient, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { eventually } from '../../support/until.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

type Party = { client: Client; storage: StorageClient; bucket: string };

/** An organization with a bucket. */
async function newParty(choices: object = {}): Promise<Party> {
  const client = await newTenantClient();
  const bucket = client.orgId.replace('_', '-');
  await client.call('storage.buckets.create', { body: { name: bucket, ...choices } });
  return { client, storage: await storageOf(client), bucket };
}

/** Nothing is stored, and nothing is counted. */
async function expectNothing({ client, bucket }: Party): Promise<void> {
  const { data } = await client.call('storage.objects.list', { path: { bucketName: bucket }, query: {} });
  expect(data).toEqual([]);
  await eventually(async () => {
    const usage = await client.call('storage.usage.read', { query: {} });
    expect(usage.storage.usedGb).toBe(0);
  });
}

describe('an upload', () => {
  test('of a form is refused by field, and leaves nothing', async () => {
    const party = await newParty();
    const { storage, bucket } = party;
    const file = { name: 'a.txt', bytes: 'a text' };
    const refusals: [parts: Parameters<StorageClient['upload']>[0], status: number, path: string][] = [
      [[['bucket', bucket]], 400, 'body.file'],
      [
        [
          ['file', file],
          ['file', file],
        ],
        400,
        'body.file',
      ],
      [[['other', file]], 400, 'body.other'],
      [
        [
          ['bucket', bucket],
          ['key', ''],
          ['file', file],
        ],
        400,
        'body.key',
      ],
      [
        [
          ['bucket', bucket],
          ['key', 'a/../b'],
          ['file', file],
        ],
        400,
        'body.key',
      ],
      [
        [
          ['bucket', bucket],
          ['key', 'x'.repeat(1025)],
          ['file', file],
        ],
        400,
        'body.key',
      ],
      [
        [
          ['bucket', bucket],
          ['public', 'yes'],
          ['file', file],
        ],
        400,
        'body.public',
      ],
      [
        [
          ['bucket', bucket],
          ['public', 'true'],
          ['file', file],
        ],
        400,
        'body.public',
      ],
      [
        [
          ['bucket', bucket],
          ['size', '1'],
          ['file', file],
        ],
        400,
        'body',
      ],
      [
        [
          ['bucket', bucket],
          ['file', { name: 'a.jpg', type: 'image/jpeg', bytes: png }],
        ],
        400,
        'body.file',
      ],
      [
        [
          ['bucket', bucket],
          ['file', { name: 'a.png', type: 'image/png', bytes: '<script>' }],
        ],
        400,
        'body.file',
      ],
    ];
    for (const [parts, status, path] of refusals) {
      const answer = await storage.upload(parts);
      expect({ parts, status: answer.status, error: answer.body.error }).toEqual({
        parts,
        status,
        error: 'INPUT_INVALID',
      });
      expect(answer.body.details?.map((detail) => detail.path).join()).toContain(path);
    }
    const foreign = await storage.upload([
      ['bucket', 'nobody-has-this'],
      ['file', file],
    ]);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    await expectNothing(party);
  });

  test('is refused without a credential, a tenant or the permission, and by a cookie', async () => {
    const party = await newParty();
    const { storage, bucket, client } = party;
    const parts: Parameters<StorageClient['upload']>[0] = [
      ['bucket', bucket],
      ['file', { name: 'a', bytes: 'a' }],
    ];
    const cookie = { authorization: null, cookie: 'platform_session=x' };
    expect((await storage.upload(parts, { authorization: null })).status).toBe(401);
    expect((await storage.upload(parts, cookie)).status).toBe(401);
    expect(await storage.upload(parts, { 'x-tenant-id': null })).toMatchObject({ status: 400 });
    expect((await storage.upload(parts, { 'x-tenant-id': (await newTenantClient()).orgId })).status).toBe(403);
    const reader = await newTenantClient({ scopes: ['storage.read'] });
    expect((await (await storageOf(reader)).put(reader.orgId, 'a', 'a')).status).toBe(403);
    expect((await client.send('POST', `${storage.url}/v1/upload`, '{}')).status).toBe(415);
    await expectNothing(party);
  });

  test('is kept whole or not at all, when it ends early or its length is wrong', async () => {
    const party = await newParty();
    const { client, storage, bucket } = party;
    const { hostname, port } = new URL(storage.url);
    const head = [
      `PUT /v1/objects/${bucket}/${encodeKey('cut off.txt')} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${client.apiKey}`,
      `x-tenant-id: ${client.orgId}`,
      'Content-Type: text/plain',
      'Content-Length: 100000',
    ].join('\r\n');
    const socket = connect(Number(port), hostname);
    socket.write(`${head}\r\n\r\n${'x'.repeat(50_000)}`);
    await once(socket, 'connect');
    await eventually(async () => {
      const { storage: meter } = await client.call('storage.usage.read', { query: {} });
      expect(meter.usedGb).toBeGreaterThan(0);
    });
    socket.destroy();
    await expectNothing(party);
  });

  test('of unknown length ends at the first byte that is too many, and not at its own end', async () => {
    const party = await newParty({ maxObjectBytes: 1000 });
    const { client, storage, bucket } = party;
    const signed = await client.call('storage.presign.upload', {
      body: { bucket, key: 'b.txt', mimeType: 'application/octet-stream', size: 500 },
    });
    const { pathname, search } = new URL(signed.uploadUrl);
    const own = [`Authorization: Bearer ${client.apiKey}`, `x-tenant-id: ${client.orgId}`];
    const form = ['--b', 'Content-Disposition: form-data; name="bucket"', '', bucket, '--b'];
    const part = [...form, 'Content-Disposition: form-data; name="file"; filename="a"', '', 'x'.repeat(100_000)];
    const begun: [status: number, lines: string[], body: string][] = [
      [413, [`PUT /v1/objects/${bucket}/a.txt HTTP/1.1`, ...own, 'Content-Type: text/plain'], 'x'.repeat(100_000)],
      [400, [`PUT ${pathname}${search} HTTP/1.1`, 'Content-Type: application/octet-stream'], 'x'.repeat(100_000)],
      [413, ['POST /v1/upload HTTP/1.1', ...own, 'Content-Type: multipart/form-data; boundary=b'], part.join('\r\n')],
    ];
    for (const [status, lines, body] of begun) {
      const head = [...lines, 'Host: storage', 'Transfer-Encoding: chunked', '', ''].join('\r\n');
      const socket = await openConnection(storage.url, `${head}${body.length.toString(16)}\r\n${body}\r\n`);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      await eventually(() => expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `)));
      socket.destroy();
    }
    await expectNothing(party);
  });

  test('of no bytes makes an object of none', async () => {
    const { storage, bucket } = await newParty();
    expect(await storage.put(bucket, 'empty.txt', '')).toMatchObject({
      status: 200,
      body: { size: 0, mimeType: 'text/plain' },
    });
    expect(await storage.get(bucket, 'empty.txt')).toMatchObject({ status: 200, text: '' });
    expect((await storage.remove(bucket, 'empty.txt')).status).toBe(204);
  });

  test('that is replaced is seen by the next read, under the same address', async () => {
    const { storage, bucket } = await newParty({ public: true });
    const first = await storage.put(bucket, 'a.txt', 'first');
    const second = await storage.put(bucket, 'a.txt', 'second');
    expect(second.body.objectId).toBe(first.body.objectId);
    expect(second.body.version).not.toBe(first.body.version);
    expect((await storage.getPublic(bucket, 'a.txt')).text).toBe('second');
    const old = await storage.getPublic(bucket, 'a.txt', {}, `?v=${first.body.version}`);
    expect(old.headers['cache-control']).not.toContain('immutable');
  });

  test('by a signed address keeps to its type and size', async () => {
    const { client, storage, bucket } = await newParty();
    const sign = async (body: object) =>
      (await client.call('storage.presign.upload', { body: { bucket, key: 'a.png', mimeType: 'image/png', ...body } }))
        .uploadUrl;
    const put = async (url: string, bytes: string | Buffer) =>
      await client.send('PUT', url, bytes, { authorization: null, 'x-tenant-id': null, 'content-type': null });
    expect((await put(await sign({}), 'a text')).status).toBe(400);
    expect((await put(await sign({ size: png.length + 1 }), png)).status).toBe(400);
    expect((await put(await sign({ size: 1 }), png)).status).toBe(400);
    const url = await sign({ size: png.length });
    expect((await put(url, png.subarray(1))).status).toBe(400);
    // What was refused has used up nothing.
    expect((await put(url, png)).status).toBe(200);
    expect((await put(url, png)).status).toBe(409);
    expect((await storage.get(bucket, 'a.png')).status).toBe(200);
  });

  test('by an address that is signed for bytes of no special type has the type of its bytes', async () => {
    const { client, bucket } = await newParty();
    const body = { bucket, key: 'any', mimeType: 'application/octet-stream' };
    const { uploadUrl, headers } = await client.call('storage.presign.upload', { body });
    const put = await fetch(uploadUrl, { method: 'PUT', headers, body: 'a text' });
    expect({ status: put.status, body: await put.json() }).toMatchObject({
      status: 200,
      body: { mimeType: 'text/plain' },
    });
  });
});

describe('an object', () => {
  test('that a browser could run is saved instead of shown', async () => {
    const { storage, bucket } = await newParty({ public: true });
    for (const [key, bytes, type] of [
      ['a.html', '<!DOCTYPE html><script>alert(1)</script>', 'text/html'],
      ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
    ] as const) {
      expect((await storage.put(bucket, key, bytes)).body.mimeType).toBe(type);
      const { headers } = await storage.getPublic(bucket, key);
      expect(headers['content-disposition']).toBe(`attachment; filename="${key}"`);
      expect(headers['content-security-policy']).toContain('sandbox');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test('has a file name in any script', async () => {
    const { storage, bucket } = await newParty({ public: true });
    await storage.put(bucket, 'ordner/Fahrrad für 2 🚲.txt', 'x');
    const { headers } = await storage.getPublic(bucket, 'ordner/Fahrrad für 2 🚲.txt');
    expect(headers['content-disposition']).toContain("filename*=UTF-8''Fahrrad%20f%C3%BCr%202%20%F0%9F%9A%B2.txt");
  });

  test('is read by the origins that its bucket names', async () => {
    const { storage, bucket } = await newParty({ public: true, corsOrigins: ['https://shop.example.com'] });
    await storage.put(bucket, 'a.txt', 'x');
    const allowed = await storage.getPublic(bucket, 'a.txt', { origin: 'https://shop.example.com' });
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example.com',
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'Origin',
    });
    const other = await storage.getPublic(bucket, 'a.txt', { origin: 'https://other.example.com' });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    expect(other.headers.vary).toBe('Origin');
  });

  test('that the client has is not sent again', async () => {
    const { client, storage, bucket } = await newParty({ public: true, corsOrigins: ['https://shop.example.com'] });
    const { version } = (await storage.put(bucket, 'a.txt', 'first')).body;
    const origin = 'https://shop.example.com';
    const told = ({ headers }: Answer<unknown>) => {
      const { date, 'x-request-id': id, 'ratelimit-remaining': left, 'ratelimit-reset': reset, ...rest } = headers;
      return rest;
    };
    const whole = await storage.getPublic(bucket, 'a.txt', { origin });
    const condition = { origin, 'if-none-match': whole.headers.etag! };
    const since = { 'if-modified-since': whole.headers['last-modified']! };
    const unchanged = await storage.getPublic(bucket, 'a.txt', condition);
    expect(unchanged.status).toBe(304);
    const { 'content-type': _type, 'content-length': _length, 'accept-ranges': _ranges, ...validators } = told(whole);
    const { 'content-disposition': _disposition, ...expected } = validators;
    expect(told(unchanged)).toEqual(expected);
    expect((await storage.getPublic(bucket, 'a.txt', since)).status).toBe(304);
    const named = await storage.getPublic(bucket, 'a.txt', condition, `?v=${version}`);
    expect(named).toMatchObject({ status: 304, headers: { 'cache-control': expect.stringContaining('immutable') } });
    expect((await storage.getPublic(bucket, 'a.txt', { ...condition, 'if-match': '"other"' })).status).toBe(412);
    for (const query of ['?w=10', '?v=1&v=2', '?w=10&fbclid=1'])
      expect((await storage.getPublic(bucket, 'a.txt', condition, query)).status).toBe(400);
    const tagged = await storage.getPublic(bucket, 'a.txt', condition, '?fbclid=1&utm_source=a');
    expect({ status: tagged.status, ...told(tagged) }).toEqual({ status: 304, ...told(unchanged) });
    await storage.put(bucket, 'a.txt', 'second');
    expect(await storage.getPublic(bucket, 'a.txt', condition)).toMatchObject({ status: 200, text: 'second' });
    await client.call('storage.buckets.update', { path: { bucketName: bucket }, body: { public: false } });
    const etag = whole.headers.etag!;
    expect((await storage.getPublic(bucket, 'a.txt', { 'if-none-match': etag })).status).toBe(404);
  });
});

describe('a bucket', () => {
  test('takes the next upload as it was changed, and none once it is deleted', async () => {
    const { client, storage, bucket } = await newParty();
    const path = { bucketName: bucket };
    expect((await storage.put(bucket, 'a.txt', 'a text')).status).toBe(200);
    await client.call('storage.buckets.update', { path, body: { allowedMimeTypes: ['image/*'] } });
    expect(await storage.put(bucket, 'b.txt', 'a text')).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID' },
    });
    await client.call('storage.buckets.update', { path, body: { allowedMimeTypes: null, maxObjectBytes: 3 } });
    expect((await storage.put(bucket, 'c.txt', 'abc')).status).toBe(200);
    expect((await storage.put(bucket, 'd.txt', 'abcd')).status).toBe(413);
    await client.call('storage.buckets.delete', { path });
    expect((await storage.put(bucket, 'e.txt', 'abc')).status).toBe(404);
  });

  test('is one of as many as the plan has, however many are made at once', async () => {
    const client = await newTenantClient();
    const name = client.orgId.replace('_', '-').slice(0, 40);
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) =>
        client.attempt('storage.buckets.create', { body: { name: `${name}-${index}` } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(4);
    await client.call('storage.buckets.delete', {
      path: { bucketName: answers.find(({ status }) => status === 201)!.body.name },
    });
    expect((await client.attempt('storage.buckets.create', { body: { name: `${name}-new` } })).status).toBe(201);
  });

  test.each([
    ['body.name', { name: 'A' }],
    ['body.public', { public: 'yes' }],
    ['body.allowedMimeTypes.0', { allowedMimeTypes: ['png'] }],
    ['body.allowedMimeTypes', { allowedMimeTypes: [] }],
    ['body.maxObjectBytes', { maxObjectBytes: 0 }],
    ['body.cacheControl', { cacheControl: 'public\r\nx: y' }],
    ['body.corsOrigins.0', { corsOrigins: ['https://a.example.com/path'] }],
    ['body.expiry.0.days', { expiry: [{ prefix: '', days: 0 }] }],
    ['body.other', { other: 1 }],
  ])('is refused with a wrong %s', async (path, choice) => {
    const client = await newTenantClient();
    const body = { name: client.orgId.replace('_', '-'), ...choice };
    const answer = await client.attempt('storage.buckets.create', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect(answer.body.details?.map((detail) => detail.path)).toContain(path);
    const { data } = await client.call('storage.buckets.list', { query: {} });
    expect(data).toEqual([]);
  });
});
