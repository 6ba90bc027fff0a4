import { beforeAll, describe, expect, test } from '@jest/globals';
import { encodeKey } from '../../../services/storage/content/object-key.ts';
import type { Client, Headers } from '../../support/client.ts';
import { type Answer, type ErrorBody, send } from '../../support/http.ts';
import { type StorageClient, type StoredObject, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { withScopes } from '../access/keys.ts';

let client: Client & Tenant;
let storage: StorageClient;
let bucket: string;
let uploader: StorageClient;
beforeAll(async () => {
  client = await newTenantClient();
  storage = await storageOf(client);
  bucket = client.orgId;
  uploader = await storageOf(await withScopes(client, ['storage.upload']));
});

const stale = '"0000"';
const past = 'Wed, 01 Jan 2020 00:00:00 GMT';
const patch = (key: string, headers: Headers) =>
  client.send('PATCH', `${storage.url}/v1/objects/${bucket}/${encodeKey(key)}`, { metadata: { a: 'b' } }, headers);
const remove = (key: string, headers: Headers) =>
  client.send('DELETE', `${storage.url}/v1/objects/${bucket}/${encodeKey(key)}`, undefined, headers);

async function presigned(key: string, headers: Record<string, string>): Promise<Answer<StoredObject & ErrorBody>> {
  const { uploadUrl } = await client.call('storage.presign.upload', { body: { bucket, key, mimeType: 'text/plain' } });
  const { origin, pathname, search } = new URL(uploadUrl);
  const type = { 'content-type': 'text/plain' };
  return await send(origin, { method: 'PUT', path: pathname + search, headers: { ...type, ...headers }, body: 'new' });
}

type Outcome = [name: string, act: (key: string, etag: string) => Promise<Answer<ErrorBody>>, status: number];

const form = (key: string, headers: Headers) =>
  storage.upload(
    [
      ['bucket', bucket],
      ['key', key],
      ['file', { name: 'a.txt', bytes: 'new' }],
    ],
    headers,
  );

describe('a write to an object that there is', () => {
  const refused: Outcome[] = [
    ['PUT if there is none', (key) => storage.put(bucket, key, 'new', { 'if-none-match': '*' }), 412],
    ['PUT if it is another', (key, etag) => storage.put(bucket, key, 'new', { 'if-none-match': `"x", ${etag}` }), 412],
    ['PUT of a stale tag', (key) => storage.put(bucket, key, 'new', { 'if-match': stale }), 412],
    ['PUT of a weak tag', (key, etag) => storage.put(bucket, key, 'new', { 'if-match': `W/${etag}` }), 412],
    ['PUT of a tag without quotes', (key) => storage.put(bucket, key, 'new', { 'if-match': 'abc' }), 412],
    ['PUT if unmodified since', (key) => storage.put(bucket, key, 'new', { 'if-unmodified-since': past }), 412],
    ['PUT by an uploader if there is none', (key) => uploader.put(bucket, key, 'new', { 'if-none-match': '*' }), 412],
    ['PATCH of a stale tag', (key) => patch(key, { 'if-match': stale }), 412],
    ['PATCH if there is none', (key) => patch(key, { 'if-none-match': '*' }), 412],
    ['DELETE of a stale tag', (key) => remove(key, { 'if-match': stale }), 412],
    ['a signed PUT if there is none', (key) => presigned(key, { 'if-none-match': '*' }), 412],
    ['a signed PUT of a stale tag', (key) => presigned(key, { 'if-match': stale }), 412],
    ['a form if there is none', (key) => form(key, { 'if-none-match': '*' }), 412],
    ['a form of a stale tag', (key) => form(key, { 'if-match': stale }), 412],
  ];
  test.each(refused)('%s changes nothing', async (name, act, status) => {
    const key = `${name}.txt`;
    const before = (await storage.put(bucket, key, 'old')).body;
    const answer = await act(key, `"${before.sha256}"`);
    expect(answer).toMatchObject({ status, body: { error: 'PRECONDITION_FAILED' } });
    expect((await storage.get(bucket, key)).text).toBe('old');
    const { data } = await client.call('storage.objects.list', {
      path: { bucketName: bucket },
      query: { prefix: key },
    });
    expect(data).toEqual([before]);
  });

  const done: Outcome[] = [
    ['PUT of its tag', (key, etag) => storage.put(bucket, key, 'new', { 'if-match': `"x", ${etag}` }), 200],
    ['PUT of any tag', (key) => storage.put(bucket, key, 'new', { 'if-match': '*' }), 200],
    ['PUT if it is another one', (key) => storage.put(bucket, key, 'new', { 'if-none-match': stale }), 200],
    ['PATCH of its tag', (key, etag) => patch(key, { 'if-match': etag }), 200],
    ['DELETE of its tag', (key, etag) => remove(key, { 'if-match': etag }), 204],
    ['a signed PUT of its tag', (key, etag) => presigned(key, { 'if-match': etag }), 200],
  ];
  test.each(done)('%s is carried out', async (name, act, status) => {
    const key = `${name}.txt`;
    const { sha256 } = (await storage.put(bucket, key, 'old')).body;
    expect((await act(key, `"${sha256}"`)).status).toBe(status);
  });
});

describe('a write to a key without an object', () => {
  test('is 412 with If-Match, and 404 where it would be without', async () => {
    expect(await storage.put(bucket, 'none.txt', 'new', { 'if-match': '*' })).toMatchObject({ status: 412 });
    expect(await presigned('none.txt', { 'if-match': stale })).toMatchObject({ status: 412 });
    expect(await patch('none.txt', { 'if-match': stale })).toMatchObject({ status: 404 });
    expect(await remove('none.txt', { 'if-match': stale })).toMatchObject({ status: 404 });
    expect((await storage.get(bucket, 'none.txt')).status).toBe(404);
    expect((await storage.put(bucket, 'fresh.txt', 'new', { 'if-none-match': '*' })).status).toBe(200);
  });

  test.each(['PUT', 'signed PUT'])('by %s if there is none succeeds once of twenty at once', async (kind) => {
    const key = `twenty ${kind}.txt`;
    const put = (index: number): Promise<Answer<StoredObject & ErrorBody>> =>
      kind === 'PUT'
        ? storage.put(bucket, key, `content ${index}`, { 'if-none-match': '*' })
        : presigned(key, { 'if-none-match': '*' });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => put(index)));
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    const { data } = await client.call('storage.objects.list', {
      path: { bucketName: bucket },
      query: { prefix: key },
    });
    expect(data).toEqual([stored[0]!.body]);
  });

  test('of twenty replacements of one version at once carries out one', async () => {
    const { sha256 } = (await storage.put(bucket, 'race.txt', 'old')).body;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        storage.put(bucket, 'race.txt', `content ${index}`, { 'if-match': `"${sha256}"` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...answers.slice(1).map(() => 412)]);
  });
});
