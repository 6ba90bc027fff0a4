import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { send } from '../support/http.ts';
import { type StorageClient, storageOf } from '../support/storage-client.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';
import { withCustomer, withScopes } from './customers.ts';

const newName = () => `acceptance-${randomBytes(8).toString('hex')}`;
const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

/** Works with a bucket of its own, which is removed afterwards. */
async function withBucket(
  client: Client,
  choices: object,
  work: (name: string, storage: StorageClient) => Promise<void>,
): Promise<void> {
  const name = newName();
  await client.call('storage.buckets.create', { body: { name, ...choices } });
  try {
    await work(name, await storageOf(client));
  } finally {
    await client.attempt('storage.buckets.delete', { path: { bucketName: name } });
  }
}

covers('upload.form', async ({ own }) => {
  const storage = await storageOf(own);
  const { status, body } = await storage.upload([['file', { name: 'pixel.png', bytes: png }]]);
  expect([200, 201]).toContain(status);
  expect(body).toMatchObject({
    objectId: id('obj'),
    bucket: own.orgId,
    key: `${body.objectId}/pixel.png`,
    url: expect.stringContaining(`/${own.orgId}/${body.objectId}/pixel.png`),
    size: png.length,
    mimeType: 'image/png',
    public: true,
    uploadedAt: timestamp,
  });
  await storage.remove(body.bucket, body.key);
});

covers('upload.fields', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    const file = { name: 'a.txt', bytes: 'a text' };
    const before = await storage.upload([
      ['bucket', bucket],
      ['key', 'before.txt'],
      ['public', 'false'],
      ['file', file],
    ]);
    expect(before.body).toMatchObject({ bucket, key: 'before.txt', public: false, mimeType: 'text/plain' });
    const after = await storage.upload([
      ['file', file],
      ['public', 'true'],
      ['key', 'after.txt'],
      ['bucket', bucket],
    ]);
    expect(after.body).toMatchObject({ bucket, key: 'after.txt', public: true });
  });
});

covers('upload.refused', async ({ own }) => {
  await withBucket(own, { allowedMimeTypes: ['image/*'] }, async (bucket, storage) => {
    const missing = await storage.upload([['bucket', bucket]]);
    expect(missing).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID', details: [{ path: 'body.file' }] } });
    const contradicted = await storage.upload([
      ['bucket', bucket],
      ['file', { name: 'a.jpg', type: 'image/jpeg', bytes: png }],
    ]);
    expect(contradicted).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    const unsupported = await storage.upload([
      ['bucket', bucket],
      ['file', { name: 'a.txt', bytes: 'a text' }],
    ]);
    expect(unsupported).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    const page = await storage.upload([
      ['bucket', bucket],
      ['file', { name: 'a.png', type: 'image/png', bytes: '<!DOCTYPE html><script>alert(1)</script>' }],
    ]);
    expect(page).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    const { data } = await own.call('storage.objects.list', { path: { bucketName: bucket }, query: {} });
    expect(data).toEqual([]);
  });
});

covers('upload.default-bucket', async ({ own }) => {
  const storage = await storageOf(own);
  const { body } = await storage.upload([['file', { name: 'a b.txt', bytes: 'hello' }]]);
  const seen = await send(storage.url, { path: new URL(body.url).pathname });
  expect(seen).toMatchObject({ status: 200, text: 'hello' });
  await storage.remove(body.bucket, body.key);
});

covers('objects.put', async (platform) => {
  await withCustomer(platform, async (customer) => {
    await customer.call('storage.buckets.create', { body: { name: newName() } });
    const { data } = await customer.call('storage.buckets.list', { query: {} });
    const bucket = data[0]!.name;
    const [admin, uploader] = [
      await storageOf(customer),
      await storageOf(await withScopes(customer, ['storage.upload'])),
    ];
    expect(await uploader.put(bucket, 'a/b.txt', 'first')).toMatchObject({ status: 200, body: { size: 5 } });
    expect(await uploader.put(bucket, 'a/b.txt', 'second')).toMatchObject({ status: 403 });
    expect((await admin.get(bucket, 'a/b.txt')).text).toBe('first');
    expect(await admin.put(bucket, 'a/b.txt', 'second')).toMatchObject({ status: 200, body: { size: 6 } });
    expect((await admin.get(bucket, 'a/b.txt')).text).toBe('second');
  });
});

covers('objects.read', async ({ own, other }) => {
  await withBucket(own, {}, async (bucket, storage) => {
    await storage.put(bucket, 'secret.txt', 'for us');
    expect(await storage.get(bucket, 'secret.txt')).toMatchObject({ status: 200, text: 'for us' });
    const path = { bucket, key: 'secret.txt' };
    const anonymous = { authorization: null, 'x-tenant-id': null };
    expect(await own.attempt('storage.objects.read', { path }, anonymous)).toMatchObject({ status: 401 });
    expect(await other.attempt('storage.objects.read', { path })).toMatchObject({ status: 404 });
    const missing = { bucket, key: 'none.txt' };
    expect(await own.attempt('storage.objects.read', { path: missing }, anonymous)).toMatchObject({ status: 401 });
    expect(await own.attempt('storage.objects.read', { path: missing })).toMatchObject({ status: 404 });
  });
});

covers('objects.update', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    await storage.put(bucket, 'a.txt', 'a');
    const path = { bucket, key: 'a.txt' };
    const changed = await own.call('storage.objects.update', {
      path,
      headers: {},
      body: { public: false, metadata: { alt: 'An a' } },
    });
    expect(changed).toMatchObject({ public: false, metadata: { alt: 'An a' } });
    expect((await storage.getPublic(bucket, 'a.txt')).status).toBe(404);
    await own.call('storage.buckets.update', { path: { bucketName: bucket }, body: { public: false } });
    const widened = await own.attempt('storage.objects.update', { path, body: { public: true } });
    expect(widened).toMatchObject({ status: 400, body: { details: [{ path: 'body.public' }] } });
  });
});

covers('objects.delete', async ({ own, other }) => {
  await withBucket(own, {}, async (bucket, storage) => {
    await storage.put(bucket, 'a.txt', 'a');
    expect((await (await storageOf(other)).remove(bucket, 'a.txt')).status).toBe(404);
    expect((await storage.remove(bucket, 'a.txt')).status).toBe(204);
    expect((await storage.get(bucket, 'a.txt')).status).toBe(404);
    expect((await storage.remove(bucket, 'a.txt')).status).toBe(404);
  });
});

covers('objects.delete-many', async ({ own }) => {
  await withBucket(own, {}, async (bucket, storage) => {
    await storage.put(bucket, 'a.txt', 'a');
    const body = { bucket, keys: ['a.txt', 'none.txt'] };
    const { data } = await own.call('storage.objects.delete-many', { body });
    expect(data).toHaveLength(2);
    expect(data).toContainEqual({ key: 'a.txt', deleted: true });
    expect(data).toContainEqual({ key: 'none.txt', deleted: false, error: 'NOT_FOUND' });
    const keys = Array.from({ length: 1001 }, (_, index) => `${index}.txt`);
    const many = await own.attempt('storage.objects.delete-many', { body: { bucket, keys } });
    expect(many).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
  });
});

covers('objects.copy', async ({ own }) => {
  await withBucket(own, {}, async (bucket, storage) => {
    const { body } = await storage.put(bucket, 'a.txt', 'a text');
    const copy = await own.call('storage.objects.copy', {
      body: { from: { bucket, key: 'a.txt' }, to: { bucket, key: 'b/c.txt' } },
    });
    expect(copy).toMatchObject({ key: 'b/c.txt', size: 6, sha256: body.sha256 });
    expect(copy.objectId).not.toBe(body.objectId);
    expect((await storage.get(bucket, 'b/c.txt')).text).toBe('a text');
    expect((await storage.get(bucket, 'a.txt')).text).toBe('a text');
  });
});

covers('objects.move', async ({ own }) => {
  await withBucket(own, {}, async (from, storage) => {
    await withBucket(own, {}, async (to) => {
      const { body } = await storage.put(from, 'a.txt', 'a text');
      const moved = await own.call('storage.objects.move', {
        body: { from: { bucket: from, key: 'a.txt' }, to: { bucket: to, key: 'b.txt' } },
      });
      expect(moved).toMatchObject({ objectId: body.objectId, bucket: to, key: 'b.txt' });
      expect((await storage.get(from, 'a.txt')).status).toBe(404);
      expect((await storage.get(to, 'b.txt')).text).toBe('a text');
    });
  });
});

covers('objects.list', async ({ own }) => {
  await withBucket(own, {}, async (bucketName, storage) => {
    for (const key of ['a.txt', 'b/1.txt', 'b/2.txt', 'b/c/3.txt', 'd.txt']) await storage.put(bucketName, key, key);
    const list = (query: object) => own.call('storage.objects.list', { path: { bucketName }, query });
    const keysOf = ({ data }: { data: { key: string }[] }) => data.map(({ key }) => key);
    const first = await list({ limit: '3' });
    expect(keysOf(first)).toEqual(['a.txt', 'b/1.txt', 'b/2.txt']);
    const rest = await list({ limit: '3', cursor: first.nextCursor! });
    expect(keysOf(rest)).toEqual(['b/c/3.txt', 'd.txt']);
    expect(rest.nextCursor).toBeNull();
    const folder = await list({ prefix: 'b/', delimiter: '/' });
    expect(keysOf(folder)).toEqual(['b/1.txt', 'b/2.txt']);
    expect(folder.prefixes).toEqual(['b/c/']);
    const top = await list({ delimiter: '/', limit: '2' });
    expect([keysOf(top), top.prefixes]).toEqual([['a.txt'], ['b/']]);
    const last = await list({ delimiter: '/', limit: '2', cursor: top.nextCursor! });
    expect([keysOf(last), last.prefixes, last.nextCursor]).toEqual([['d.txt'], [], null]);
  });
});

covers('presign.upload', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    const body = { bucket, key: 'signed.png', mimeType: 'image/png', size: png.length };
    const signed = await own.call('storage.presign.upload', { body });
    expect(signed).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'image/png' }, expiresAt: timestamp });
    expect((await storage.getPublic(bucket, 'signed.png')).status).toBe(404);
    const anonymous = clientOf({ ...own, apiKey: '' });
    const headers = { ...signed.headers, authorization: null, 'x-tenant-id': null, 'content-type': null };
    const put = await anonymous.send('PUT', signed.uploadUrl, png, headers);
    expect(put.status).toBe(200);
    expect((await storage.getPublic(bucket, 'signed.png')).status).toBe(200);
    expect(await anonymous.send('PUT', signed.uploadUrl, png, headers)).toMatchObject({
      status: 409,
      body: { error: 'SIGNATURE_USED' },
    });
    const read = await anonymous.send('GET', signed.uploadUrl, undefined, headers);
    expect(read).toMatchObject({ status: 401, body: { error: 'SIGNATURE_INVALID' } });
  });
});

covers('presign.download', async ({ own }) => {
  await withBucket(own, {}, async (bucket, storage) => {
    await storage.put(bucket, 'private.txt', 'for you');
    const { url, expiresAt } = await own.call('storage.presign.download', { body: { bucket, key: 'private.txt' } });
    expect(expiresAt).toEqual(timestamp);
    const headers = { authorization: null, 'x-tenant-id': null };
    expect(await own.send('GET', url, undefined, headers)).toMatchObject({ status: 200, text: 'for you' });
    const changed = await own.send('GET', `${url}x`, undefined, headers);
    expect(changed).toMatchObject({ status: 401, body: { error: 'SIGNATURE_INVALID' } });
    const otherKey = url.replace('private.txt', 'other.txt');
    expect(await own.send('GET', otherKey, undefined, headers)).toMatchObject({ status: 401 });
    expect(await own.send('PUT', url, 'mine', headers)).toMatchObject({ status: 401 });
    expect((await storage.get(bucket, 'private.txt')).text).toBe('for you');
  });
});

covers('cdn.read', async ({ own }) => {
  await withBucket(own, { public: true, cacheControl: 'public, max-age=3600' }, async (bucket, storage) => {
    const { body } = await storage.put(bucket, 'a.txt', '0123456789');
    const whole = await storage.getPublic(bucket, 'a.txt');
    expect(whole).toMatchObject({ status: 200, text: '0123456789' });
    expect(whole.headers).toMatchObject({
      etag: `"${body.sha256}"`,
      'cache-control': 'public, max-age=3600',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    const part = await storage.getPublic(bucket, 'a.txt', { range: 'bytes=2-4' });
    expect(part).toMatchObject({ status: 206, text: '234', headers: { 'content-range': 'bytes 2-4/10' } });
    expect((await storage.getPublic(bucket, 'a.txt', { range: 'bytes=10-' })).status).toBe(416);
    const same = await storage.getPublic(bucket, 'a.txt', { 'if-none-match': `"${body.sha256}"` });
    expect(same).toMatchObject({ status: 304, text: '' });
    const versioned = await storage.getPublic(bucket, 'a.txt', {}, `?v=${body.version}`);
    expect(versioned.headers['cache-control']).toContain('immutable');
  });
});

covers('cdn.transform', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    await storage.put(bucket, 'a.png', png);
    const image = await storage.getPublic(bucket, 'a.png', {}, '?w=640&h=480&fit=cover&q=80&f=webp');
    expect(image).toMatchObject({ status: 200, headers: { 'content-type': 'image/webp' } });
    expect(image.text).toMatch(/^RIFF.{4}WEBP/su);
    const chosen = await storage.getPublic(bucket, 'a.png', { accept: 'image/avif' }, '?f=auto&dpr=2');
    expect(chosen).toMatchObject({ status: 200, headers: { 'content-type': 'image/avif' } });
    expect(chosen.headers.vary).toContain('Accept');
    for (const wrong of ['w=0', 'h=4097', 'fit=zoom', 'q=101', 'f=gif', 'dpr=4', 'w=2049&dpr=2', 'w=5&blur=1']) {
      const refused = await storage.getPublic(bucket, 'a.png', {}, `?${wrong}`);
      expect({ wrong, status: refused.status, error: refused.body.error }).toEqual({
        wrong,
        status: 400,
        error: 'INPUT_INVALID',
      });
    }
    await storage.put(bucket, 'a.txt', 'a text');
    expect((await storage.getPublic(bucket, 'a.txt', {}, '?w=10')).status).toBe(400);
  });
});

covers('cdn.links', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    await storage.put(bucket, 'a.txt', 'a text');
    for (const added of ['?fbclid=IwAR0', '?utm_source=a&utm_medium=b', '?widht=5']) {
      expect(await storage.getPublic(bucket, 'a.txt', {}, added)).toMatchObject({ status: 200, text: 'a text' });
    }
    await storage.put(bucket, 'a.png', png);
    const refused = await storage.getPublic(bucket, 'a.png', {}, '?w=5&fbclid=IwAR0');
    expect(refused).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
  });
});

covers('cdn.charset', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    const texts: [declared: string, bytes: string | Buffer, served: string][] = [
      ['text/plain', 'Grüße', 'text/plain; charset=utf-8'],
      ['text/plain', Buffer.from('Grüße', 'latin1'), 'text/plain'],
      ['text/plain; charset=iso-8859-1', Buffer.from('Grüße', 'latin1'), 'text/plain; charset=iso-8859-1'],
    ];
    for (const [declared, bytes, served] of texts) {
      await storage.put(bucket, 'a.txt', bytes, { 'content-type': declared });
      expect((await storage.getPublic(bucket, 'a.txt')).headers['content-type']).toBe(served);
    }
  });
});

covers('buckets.list', async ({ own, other }) => {
  await withBucket(own, {}, async (name) => {
    const mine = await own.call('storage.buckets.list', { query: { limit: '100' } });
    expect(mine.data.map((bucket) => bucket.name)).toContain(name);
    const theirs = await other.call('storage.buckets.list', { query: { limit: '100' } });
    expect(theirs.data.map((bucket) => bucket.name)).not.toContain(name);
  });
});

covers('buckets.create', async ({ own, other }) => {
  const name = newName();
  const made = await own.attempt('storage.buckets.create', { body: { name, public: true } });
  expect(made).toMatchObject({
    status: 201,
    body: { id: id('bkt'), name, public: true, objectCount: 0, usedBytes: 0 },
  });
  expect(await own.attempt('storage.buckets.create', { body: { name } })).toMatchObject({
    status: 409,
    body: { error: 'BUCKET_NAME_TAKEN' },
  });
  await own.call('storage.buckets.delete', { path: { bucketName: name } });
  expect(await other.attempt('storage.buckets.create', { body: { name } })).toMatchObject({ status: 409 });
  expect(await own.attempt('storage.buckets.create', { body: { name } })).toMatchObject({ status: 201 });
  await own.call('storage.buckets.delete', { path: { bucketName: name } });
  for (const wrong of ['ab', 'A-bucket', '-bucket', 'bucket-', 'a_b', 'x'.repeat(64), own.orgId]) {
    const refused = await own.attempt('storage.buckets.create', { body: { name: wrong } });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'body.name' }] } });
  }
});

covers('buckets.read', async ({ own, other }) => {
  await withBucket(own, {}, async (name, storage) => {
    await storage.put(name, 'a.txt', '12345');
    const path = { bucketName: name };
    expect(await own.call('storage.buckets.read', { path })).toMatchObject({ name, objectCount: 1, usedBytes: 5 });
    expect(await other.attempt('storage.buckets.read', { path })).toMatchObject({ status: 404 });
  });
});

covers('buckets.update', async ({ own, other }) => {
  await withBucket(own, {}, async (name, storage) => {
    const path = { bucketName: name };
    const changed = await own.call('storage.buckets.update', { path, body: { public: true, maxObjectBytes: 3 } });
    expect(changed).toMatchObject({ public: true, maxObjectBytes: 3 });
    expect(await storage.put(name, 'a.txt', '1234')).toMatchObject({ status: 413, body: { error: 'BODY_TOO_LARGE' } });
    expect((await storage.put(name, 'a.txt', '123')).status).toBe(200);
    expect(await other.attempt('storage.buckets.update', { path, body: { public: false } })).toMatchObject({
      status: 404,
    });
  });
});

covers('buckets.delete', async ({ own, other }) => {
  await withBucket(own, { public: true }, async (name, storage) => {
    await storage.put(name, 'a.txt', 'a');
    const path = { bucketName: name };
    expect(await other.attempt('storage.buckets.delete', { path })).toMatchObject({ status: 404 });
    expect((await own.attempt('storage.buckets.delete', { path })).status).toBe(204);
    expect((await storage.getPublic(name, 'a.txt')).status).toBe(404);
    expect(await own.attempt('storage.buckets.read', { path })).toMatchObject({ status: 404 });
  });
});

covers('storage.usage', async (platform) => {
  await withCustomer(platform, async (customer) => {
    const storage = await storageOf(customer);
    await storage.upload([['file', { name: 'a.txt', bytes: 'x'.repeat(1000) }]]);
    // An upload of unknown size reserves more than it needs, and gives the rest back after its answer.
    await eventually(async () => {
      expect(await customer.call('storage.usage.read', { query: {} })).toMatchObject({
        storage: { usedGb: 0.000001, limitGb: 1 },
        bandwidth: { usedGb: 0, limitGb: 5 },
        data: [{ bucket: customer.orgId, objectCount: 1, usedBytes: 1000 }],
        nextCursor: null,
      });
    });
    const billed = await customer.call('billing.usage.read', { path: { orgId: customer.orgId } });
    expect(billed.usage.storage).toEqual({ usedGb: 0.000001, limitGb: 1 });
  });
});

covers('storage.keys', async ({ own }) => {
  await withBucket(own, { public: true }, async (bucket, storage) => {
    const headers = { 'content-type': 'text/plain' };
    const put = (path: string) => own.send('PUT', `${storage.url}/v1/objects/${bucket}/${path}`, 'x', headers);
    const keyOf = async (path: string) => ((await put(path)).body as unknown as { key: string }).key;
    expect(await keyOf('a%20b')).toBe('a b');
    expect(await keyOf('a+b')).toBe('a+b');
    expect(await keyOf('a%252Fb')).toBe('a%2Fb');
    expect(await keyOf('c%2Fd')).toBe('c/d');
    expect(await keyOf('%F0%9F%9A%B2')).toBe('🚲');
    expect(await keyOf('e%CC%81')).toBe('\u00e9');
    expect(await storage.getPublic(bucket, 'a%2Fb')).toMatchObject({ status: 200 });
    for (const wrong of ['%00', 'a%5Cb', 'a%2F%2Fb', 'a/../b', '%2E%2E/b', 'a%0Ab', 'x'.repeat(1025), '%FF']) {
      const { status, body } = await put(wrong);
      expect({ wrong, status, error: body.error }).toEqual({
        wrong,
        status: 400,
        error: expect.stringMatching(/^(INPUT|PATH)_INVALID$/),
      });
    }
  });
});
