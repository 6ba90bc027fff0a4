import { describe, expect, test } from '@jest/globals';
import type { Client, Headers } from '../../support/client.ts';
import { send } from '../../support/http.ts';
import { type StorageClient, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { quarters } from './images/test-images.ts';

type Party = { client: Client & { orgId: string }; storage: StorageClient; bucket: string };

/** An organization with a bucket. */
async function newParty(choices: object = { public: true }): Promise<Party> {
  const client = await newTenantClient();
  const bucket = client.orgId.replace('_', '-');
  await client.call('storage.buckets.create', { body: { name: bucket, ...choices } });
  return { client, storage: await storageOf(client), bucket };
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const greeting = 'Grüße, 日本';

describe('a text', () => {
  const files: [key: string, declared: string, bytes: string | Buffer, served: string][] = [
    ['a.txt', 'text/plain', greeting, 'text/plain; charset=utf-8'],
    ['b.txt', 'application/octet-stream', greeting, 'text/plain; charset=utf-8'],
    ['c.txt', 'text/plain', latin1('Grüße'), 'text/plain'],
    ['d.txt', 'text/plain; charset=ISO-8859-1', latin1('Grüße'), 'text/plain; charset=iso-8859-1'],
    ['e.txt', 'text/plain; charset=klingon', greeting, 'text/plain; charset=utf-8'],
    ['f.txt', 'text/plain; charset=klingon', latin1('Grüße'), 'text/plain'],
    ['g.txt', 'text/plain', `${'a'.repeat(100_000)}ü`, 'text/plain; charset=utf-8'],
    ['h.txt', 'text/plain', latin1(`${'a'.repeat(100_000)}ü`), 'text/plain'],
    ['i.txt', 'text/plain', `\ufeff${greeting}`, 'text/plain; charset=utf-8'],
    ['j.txt', 'text/plain', Buffer.from(`\ufeff${greeting}`, 'utf16le'), 'text/plain'],
    ['k.txt', 'text/plain', '', 'text/plain; charset=utf-8'],
    ['a.html', 'text/html', `<!doctype html><p>${greeting}`, 'text/html; charset=utf-8'],
    ['b.html', 'text/html', '<!doctype html><meta charset=iso-2022-jp>', 'text/html'],
    ['a.css', 'text/css', `a::before { content: "${greeting}" }`, 'text/css; charset=utf-8'],
    ['a.csv', 'text/csv', `name\n${greeting}`, 'text/csv; charset=utf-8'],
    ['a.md', 'text/markdown', `# ${greeting}`, 'text/markdown; charset=utf-8'],
    ['a.xml', 'application/xml', `<?xml version="1.0"?><a>${greeting}</a>`, 'application/xml; charset=utf-8'],
    ['a.json', 'application/json', JSON.stringify(greeting), 'application/json; charset=utf-8'],
    ['a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml; charset=utf-8'],
    ['a.bin', 'application/octet-stream; charset=utf-8', Buffer.from([0, 1, 2]), 'application/octet-stream'],
  ];

  test('is served in its charset: the declared one, or UTF-8 where its bytes are', async () => {
    const { storage, bucket } = await newParty();
    for (const [key, declared, bytes, served] of files) {
      const { body } = await storage.put(bucket, key, bytes, { 'content-type': declared });
      expect({ key, mimeType: body.mimeType }).toEqual({ key, mimeType: served.split(';')[0] });
      const whole = await storage.getPublic(bucket, key);
      expect({ key, status: whole.status, type: whole.headers['content-type'] }).toEqual({
        key,
        status: 200,
        type: served,
      });
      const head = await fetch(`${storage.url}/cdn/${bucket}/${key}`, { method: 'HEAD' });
      expect(head.headers.get('content-type')).toBe(served);
      expect((await storage.get(bucket, key)).headers['content-type']).toBe(served);
    }
    const part = await storage.getPublic(bucket, 'a.txt', { range: 'bytes=0-1' });
    expect(part).toMatchObject({ status: 206, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  test('of a form is served as UTF-8 where its bytes are', async () => {
    const { storage, bucket } = await newParty();
    const parts: [bytes: string | Buffer, served: string][] = [
      [greeting, 'text/plain; charset=utf-8'],
      [latin1('Grüße'), 'text/plain'],
    ];
    for (const [index, [bytes, served]] of parts.entries()) {
      const key = `${index}.txt`;
      const { status } = await storage.upload([
        ['bucket', bucket],
        ['file', { name: 'a.txt', type: 'text/plain;charset=utf-8', bytes }],
        ['key', key],
      ]);
      const { headers } = await storage.getPublic(bucket, key);
      expect({ status, served: headers['content-type'] }).toEqual({ status: 200, served });
    }
  });

  test('keeps the charset of its signed address, also in a copy, and not that of a text it replaces', async () => {
    const { client, storage, bucket } = await newParty();
    const typeOf = async (key: string) => (await storage.getPublic(bucket, key)).headers['content-type'];
    const mimeType = 'text/plain; charset=Windows-1251';
    const { uploadUrl, headers } = await client.call('storage.presign.upload', {
      body: { bucket, key: 'a.txt', mimeType },
    });
    expect(headers).toEqual({ 'Content-Type': 'text/plain; charset=windows-1251' });
    expect((await fetch(uploadUrl, { method: 'PUT', headers, body: latin1('\xcf\xf0') })).status).toBe(200);
    const from = { bucket, key: 'a.txt' };
    await client.call('storage.objects.copy', { body: { from, to: { bucket, key: 'b.bin' } } });
    await client.call('storage.objects.move', { body: { from, to: { bucket, key: 'c.txt' } } });
    for (const key of ['b.bin', 'c.txt']) expect(await typeOf(key)).toBe('text/plain; charset=windows-1251');
    await storage.put(bucket, 'c.txt', latin1('Grüße'), { 'content-type': 'text/plain' });
    expect(await typeOf('c.txt')).toBe('text/plain');
    const download = await client.call('storage.presign.download', { body: { bucket, key: 'b.bin' } });
    expect((await fetch(download.url)).headers.get('content-type')).toBe('text/plain; charset=windows-1251');
  });
});

describe('a link', () => {
  test.each([
    '?fbclid=IwAR0',
    '?utm_source=a&utm_medium=b&utm_source=c',
    '?',
    '?=',
    '?widht=5',
    '?%zz=1',
    '?constructor=1&__proto__=2&toString',
    `?${'x'.repeat(5000)}`,
  ])('leads to the object whatever another site has added to it: %s', async (query) => {
    const { client, storage, bucket } = await newParty();
    await storage.put(bucket, 'a.txt', 'a text');
    expect(await storage.getPublic(bucket, 'a.txt', {}, query)).toMatchObject({ status: 200, text: 'a text' });
    const address = `${storage.url}/v1/objects/${bucket}/a.txt`;
    expect(await client.send('GET', `${address}${query}`)).toMatchObject({ status: 200, text: 'a text' });
    const { url } = await client.call('storage.presign.download', { body: { bucket, key: 'a.txt' } });
    const signed = await fetch(`${url}&${query.slice(1)}`);
    expect({ status: signed.status, text: await signed.text() }).toEqual({ status: 200, text: 'a text' });
  });

  test('that asks for a transformation has no other parameters', async () => {
    const { client, storage, bucket } = await newParty();
    const picture = await (await quarters(40, 20)).png().toBuffer();
    const { body } = await storage.put(bucket, 'a.png', picture);
    expect((await storage.getPublic(bucket, 'a.png', {}, `?w=20&v=${body.version}`)).status).toBe(200);
    for (const query of ['?w=20&fbclid=1', '?w=20&widht=5', '?fbclid=1&f=webp']) {
      const refused = await storage.getPublic(bucket, 'a.png', {}, query);
      expect(refused).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    }
    // Where no picture is transformed, none is sent in another size than was asked for.
    const address = `${storage.url}/v1/objects/${bucket}/a.png?w=20`;
    expect(await client.send('GET', address)).toMatchObject({ status: 400, body: { details: [{ path: 'query.w' }] } });
  });

  test('of a write has none but those of the contract', async () => {
    const { client, storage, bucket } = await newParty();
    const address = `${storage.url}/v1/objects/${bucket}/a.txt?fbclid=1`;
    expect((await client.send('PUT', address, 'x', { 'content-type': 'text/plain' })).status).toBe(400);
  });
});

test('a key with a slash at its end is another than the one without, which no object has', async () => {
  const { client, storage, bucket } = await newParty();
  await storage.put(bucket, 'a/b.txt', 'a text');
  const at = (path: string) => send(storage.url, { path }).then(({ status }) => status);
  expect(await at(`/cdn/${bucket}/a/b.txt`)).toBe(200);
  for (const end of ['/', '//', '%2F', '/.', '/?fbclid=1']) expect(await at(`/cdn/${bucket}/a/b.txt${end}`)).toBe(400);
  const address = `${storage.url}/v1/objects/${bucket}/a/b.txt/`;
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const headers = { 'content-type': 'text/plain' };
    expect((await client.send(method, address, method === 'PUT' ? 'x' : undefined, headers)).status).toBe(400);
  }
  expect((await storage.getPublic(bucket, 'a/b.txt')).text).toBe('a text');
});

describe('a page reads the refusal of a read', () => {
  const shop = 'https://shop.example.com';
  const other = 'https://other.example.com';
  const corsOf = ({ headers }: { headers: Record<string, unknown> }) => ({
    origin: headers['access-control-allow-origin'],
    vary: headers.vary,
    policy: headers['cross-origin-resource-policy'],
  });
  const named = { origin: shop, vary: 'Origin', policy: 'cross-origin' };
  const unnamed = { origin: undefined, vary: 'Origin', policy: 'cross-origin' };
  const open = { origin: '*', vary: undefined, policy: 'cross-origin' };

  const refusals: [status: number, path: string, headers: Record<string, string>][] = [
    [400, 'a.txt?w=x', {}],
    [400, 'a.txt?w=5', {}],
    [400, 'a.txt?w=5&fbclid=1', {}],
    [400, 'a//b', {}],
    [400, 'a%00b', {}],
    [400, '100%.txt', {}],
    [400, '%ff', {}],
    [404, 'none.txt', {}],
    [412, 'a.txt', { 'if-match': '"other"' }],
    [416, 'a.txt', { range: 'bytes=99999999999999999999-' }],
  ];

  test('where its origin may read the object', async () => {
    const { storage, bucket } = await newParty({ public: true, corsOrigins: [shop] });
    await storage.put(bucket, 'a.txt', 'a text');
    const read = (path: string, headers: Record<string, string>) =>
      send(storage.url, { path: `/cdn/${bucket}/${path}`, headers });
    expect(corsOf(await read('a.txt', { origin: shop }))).toEqual(named);
    for (const [status, path, headers] of refusals) {
      const answer = await read(path, { ...headers, origin: shop });
      expect({ path, status: answer.status, ...corsOf(answer) }).toEqual({ path, status, ...named });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['access-control-expose-headers']).toMatch(/Content-Range.*Retry-After.*X-Request-Id/);
      expect(corsOf(await read(path, { ...headers, origin: other }))).toEqual(unnamed);
    }
    const head = await send(storage.url, {
      method: 'HEAD',
      path: `/cdn/${bucket}/none.txt`,
      headers: { origin: shop },
    });
    expect({ status: head.status, ...corsOf(head) }).toEqual({ status: 404, ...named });
  });

  test('of an object that needs a credential', async () => {
    const { storage, bucket } = await newParty({ public: false, corsOrigins: [shop] });
    await storage.put(bucket, 'a.txt', 'a text');
    const read = (headers: Headers, key = 'a.txt') => storage.get(bucket, key, { origin: shop, ...headers });
    expect(await read({})).toMatchObject({ status: 200 });
    const anonymous = { authorization: null, 'x-tenant-id': null };
    const asked: [status: number, headers: Headers, key?: string][] = [
      [401, anonymous],
      [401, { authorization: 'Bearer x' }],
      [400, { 'x-tenant-id': null }],
      [400, { 'x-tenant-id': 'x' }],
      [404, {}, 'none.txt'],
      [412, { 'if-match': '"other"' }],
      [416, { range: 'bytes=9-' }],
    ];
    for (const [status, headers, key] of asked) {
      const answer = await read(headers, key);
      expect({ headers, status: answer.status, ...corsOf(answer) }).toEqual({ headers, status, ...named });
      expect(corsOf(await read({ ...headers, origin: other }, key))).toEqual(unnamed);
    }
    // At its public address a private bucket is as none.
    const [hidden, none] = await Promise.all(
      [bucket, 'nobody-has-this'].map((name) => storage.getPublic(name, 'a.txt', { origin: other })),
    );
    expect(corsOf(hidden!)).toEqual(open);
    expect(corsOf(none!)).toEqual(open);
  });

  test('of a bucket that all origins may read', async () => {
    const { storage, bucket } = await newParty();
    for (const name of [bucket, 'nobody-has-this']) {
      const answer = await storage.getPublic(name, 'none.txt', { origin: other });
      expect({ status: answer.status, ...corsOf(answer) }).toEqual({ status: 404, ...open });
    }
  });
});
