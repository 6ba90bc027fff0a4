import { describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const later = new Date(Date.now() + 24 * 60 * 60 * 1000);

/** Of the plan `free`. */
const maxNames = 100;

const nameOf = ({ orgId }: Client, index: number) => `${orgId.replace('_', '-')}-${index}`;

const create = (client: Client, name: string) => client.attempt('storage.buckets.create', { body: { name } });

const refusal = (what: string) => ({
  status: 402,
  body: { error: 'PLAN_LIMIT_EXCEEDED', message: expect.stringContaining(what) },
});

type Named = { _id: string; orgId: string };

async function insert(collection: string, documents: (Named & object)[]): Promise<void> {
  await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
    await database.collection<Named>(collection).insertMany(documents);
  });
}

async function reservedBy({ orgId }: Client): Promise<string[]> {
  return await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) =>
    (await database.collection<Named>('storage_bucket_names').find({ orgId }).toArray()).map(({ _id }) => _id),
  );
}

/** Deleted buckets as they are stored, so late that no sweep looks at them during the test. */
const deletedBuckets = ({ orgId }: Client, count: number, fields: { sweepAt: Date | null }) =>
  Array.from({ length: count }, (_, index) => {
    const _id = `bkt_${orgId.slice('org_'.length)}${index}`;
    return { _id, orgId, name: _id, place: _id, deletedAt: later, hasExpiry: false, isChanged: false, ...fields };
  });

describe('names of buckets', () => {
  test('count against the plan also once their buckets are deleted', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const names = Array.from({ length: maxNames - 2 }, (_, index) => ({ _id: nameOf(client, index), orgId }));
    await insert('storage_bucket_names', names);
    for (const index of [98, 99]) {
      const name = nameOf(client, index);
      expect((await create(client, name)).status).toBe(201);
      await client.call('storage.buckets.delete', { path: { bucketName: name } });
    }
    const refused = nameOf(client, 100);
    expect(await create(client, refused)).toMatchObject(refusal('100 bucket names'));
    expect((await create(client, nameOf(client, 99))).status).toBe(201);
    expect(await reservedBy(client)).toHaveLength(maxNames);
    // The refusal has reserved nothing.
    expect((await create(await newTenantClient(), refused)).status).toBe(201);
  });

  test('are never more than the plan allows, however many are created at once', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const names = Array.from({ length: maxNames - 3 }, (_, index) => ({ _id: nameOf(client, index), orgId }));
    await insert('storage_bucket_names', names);
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, index) => create(client, nameOf(client, 200 + index))),
    );
    const made = answers.filter(({ status }) => status === 201).length;
    expect(made).toBeLessThanOrEqual(3);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(9 - made);
    expect(await reservedBy(client)).toHaveLength(maxNames - 3 + made);
  });
});

describe('the bucket of a service', () => {
  test('is neither listed nor in the usage', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const hidden = { _id: `bkt_${orgId}`, orgId, name: `${orgId}_connect`, place: 'system:connect', deletedAt: null };
    await insert('storage_buckets', [{ ...hidden, objectCount: 1, usedBytes: 5 } as Named]);
    expect((await client.call('storage.usage.read', { query: {} })).data).toEqual([]);
    expect((await client.call('storage.buckets.list', { query: {} })).data).toEqual([]);
  });
});

describe('deleted buckets', () => {
  test('count as buckets until their objects are removed', async () => {
    const client = await newTenantClient();
    await insert('storage_buckets', deletedBuckets(client, 10, { sweepAt: null }));
    expect(await create(client, nameOf(client, 0))).toMatchObject(refusal('10 buckets'));
    expect(await reservedBy(client)).toEqual([]);
  });

  test('count as names until they are forgotten', async () => {
    const client = await newTenantClient();
    await insert('storage_buckets', deletedBuckets(client, maxNames - 1, { sweepAt: later }));
    expect((await create(client, nameOf(client, 0))).status).toBe(201);
    expect(await create(client, nameOf(client, 1))).toMatchObject(refusal('100 bucket names'));
  });
});

describe('objects', () => {
  test('that are new are refused once there are as many as the plan allows, and the present ones stay in use', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const storage = await storageOf(client);
    const put = (key: string) => storage.put(orgId, key, '');
    for (const key of ['one', 'two']) expect((await put(key)).status).toBe(200);
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection<Named>('storage_buckets')
        .updateOne({ orgId, name: orgId }, { $inc: { objectCount: 19_998 } }),
    );
    // The count is up to half a second old.
    let more = 0;
    await eventually(async () => {
      more += 1;
      expect(await put(`more-${more}`)).toMatchObject(refusal('20000 objects'));
    });
    expect(await put('three')).toMatchObject(refusal('20000 objects'));
    const copy = { from: { bucket: orgId, key: 'one' }, to: { bucket: orgId, key: 'three' } };
    expect(await client.attempt('storage.objects.copy', { body: copy })).toMatchObject(refusal('20000 objects'));
    expect((await storage.get(orgId, 'three')).status).toBe(404);
    expect((await put('two')).status).toBe(200);
    for (; more > 1; more -= 1) expect((await storage.remove(orgId, `more-${more - 1}`)).status).toBe(204);
    expect((await storage.remove(orgId, 'two')).status).toBe(204);
    await eventually(async () => expect((await put('three')).status).toBe(200));
  });

  test('have metadata of at most 8 KiB', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    expect((await (await storageOf(client)).put(orgId, 'a.txt', 'a')).status).toBe(200);
    const update = (entries: number) =>
      client.attempt('storage.objects.update', {
        path: { bucket: orgId, key: 'a.txt' },
        body: {
          metadata: Object.fromEntries(Array.from({ length: entries }, (_, n) => [`k${n + 10}`, 'é'.repeat(250)])),
        },
      });
    expect(await update(17)).toMatchObject({ status: 400, body: { details: [{ path: 'body.metadata' }] } });
    expect((await update(16)).status).toBe(200);
  });
});
