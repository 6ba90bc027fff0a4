import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { runJob } from '../../support/operator.ts';
import { type SharedPlatform, sharedOperatedPlatform } from '../../support/shared-platform.ts';
import { type StorageClient, storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const day = 24 * 60 * 60 * 1000;

/** A platform whose sweeps run when a test says so. */
let platform: SharedPlatform;
beforeAll(async () => {
  platform = await sharedOperatedPlatform();
});
type Party = { client: Client; storage: StorageClient; orgId: string; bucket: string };

async function newParty(choices: object = {}): Promise<Party> {
  const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  const client = clientOf({ url: platform.url, ...tenant });
  const bucket = tenant.orgId.replace('_', '-');
  await client.call('storage.buckets.create', { body: { name: bucket, ...choices } });
  return { client, storage: await storageOf(client), orgId: tenant.orgId, bucket };
}

type Document = { _id: string; orgId: string; key: string; file: string };

async function change(collection: string, filter: object, fields: object): Promise<void> {
  await withDatabase(await databaseUrlOf(platform), (database) =>
    database.collection<Document>(collection).updateMany(filter, { $set: fields }),
  );
}

const sweep = (name: string) => runJob(platform.url, name);

/** Whether there is a file of a version. */
function hasFile({ orgId }: Party, version: string): boolean {
  const folder = join(platform.dataDir, 'objects', 'files', orgId);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((path) => basename(path) === version);
}

async function expectUsed({ client }: Party, bytes: number): Promise<void> {
  await eventually(async () => {
    const { storage } = await client.call('storage.usage.read', { query: {} });
    expect(storage.usedGb).toBeCloseTo(bytes / 1e9, 12);
  });
}

async function formerOf({ orgId }: Party): Promise<{ version: string }[]> {
  const objects = await found<{ former: { version: string }[] }>('storage_objects', { orgId });
  return objects.flatMap(({ former }) => former);
}

const bucketIdsOf = async ({ orgId }: Party): Promise<string[]> =>
  (await found<Document>('storage_buckets', { orgId })).map(({ _id }) => _id);

const keysIn = async ({ orgId }: Party, bucketId: string): Promise<string[]> =>
  (await found<Document>('storage_objects', { orgId, bucketId })).map(({ key }) => key);

async function found<T>(collection: string, filter: object): Promise<T[]> {
  return (await withDatabase(await databaseUrlOf(platform), (database) =>
    database.collection(collection).find(filter).toArray(),
  )) as T[];
}

const keysOf = async ({ client, bucket }: Party) =>
  (await client.call('storage.objects.list', { path: { bucketName: bucket }, query: {} })).data.map(({ key }) => key);

describe('a rule of expiry', () => {
  test('has objects below its prefix no longer read once they are old, and then removed with their files', async () => {
    const party = await newParty({ public: true, expiry: [{ prefix: 'tmp/', days: 2 }] });
    const { storage, bucket, orgId } = party;
    for (const key of ['tmp/old.txt', 'tmp/new.txt', 'old.txt']) await storage.put(bucket, key, '12345');
    const uploadedAt = new Date(Date.now() - 2 * day);
    await change('storage_objects', { orgId, key: { $in: ['tmp/old.txt', 'old.txt'] } }, { uploadedAt });
    await eventually(async () => expect((await storage.getPublic(bucket, 'tmp/old.txt')).status).toBe(404));
    expect((await storage.get(bucket, 'tmp/old.txt')).status).toBe(404);
    for (const key of ['tmp/new.txt', 'old.txt']) expect((await storage.get(bucket, key)).status).toBe(200);

    await sweep('storage.expiry');
    expect(await keysOf(party)).toEqual(['old.txt', 'tmp/new.txt']);
    await expectUsed(party, 10);
    const { objectCount } = await party.client.call('storage.buckets.read', { path: { bucketName: bucket } });
    expect(objectCount).toBe(2);
  });
});

describe('what was replaced or deleted', () => {
  test('has its file for a minute, for readers that looked it up, and none afterwards', async () => {
    const party = await newParty();
    const { storage, bucket, orgId } = party;
    await storage.put(bucket, 'a.txt', 'first');
    const kept = (await storage.put(bucket, 'a.txt', 'second')).body;
    const gone = (await storage.put(bucket, 'b.txt', 'third')).body;
    await storage.remove(bucket, 'b.txt');
    await expectUsed(party, 'second'.length);
    await sweep('storage.cleanup');
    expect(hasFile(party, gone.version)).toBe(true);
    const past = new Date(Date.now() - 2 * 60_000);
    await change(
      'storage_objects',
      { orgId, formerSince: { $ne: null } },
      { formerSince: past, 'former.0.endedAt': past },
    );
    await sweep('storage.cleanup');
    expect(hasFile(party, gone.version)).toBe(false);
    expect((await storage.get(bucket, 'a.txt')).text).toBe('second');
    expect(hasFile(party, kept.version)).toBe(true);
    await expectUsed(party, 'second'.length);
  });

  test('ends with its bucket, also when the process that deleted it died at once', async () => {
    const party = await newParty();
    const { client, storage, bucket, orgId } = party;
    for (const key of ['a.txt', 'b.txt']) await storage.put(bucket, key, '12345');
    // As after a crash right after the bucket's own write.
    const { id } = await client.call('storage.buckets.read', { path: { bucketName: bucket } });
    await change('storage_buckets', { orgId, _id: id }, { deletedAt: new Date(), name: id, place: id });
    await sweep('storage.buckets');
    await expectUsed(party, 0);
    expect(await client.attempt('storage.buckets.read', { path: { bucketName: bucket } })).toMatchObject({
      status: 404,
    });
  });

  test('is removed although the items of another organization before it fail', async () => {
    const [failing, party] = [await newParty(), await newParty()];
    for (const { storage, bucket } of [failing, party]) {
      await storage.put(bucket, 'a.txt', 'first');
      await storage.put(bucket, 'a.txt', 'second');
    }
    const past = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await withDatabase(await databaseUrlOf(platform), async (database) => {
      const objects = database.collection<Document & { former: object[]; versions: string[] }>('storage_objects');
      const one = (await objects.findOne({ orgId: failing.orgId }))!;
      // Billing refuses this receipt.
      const former = [
        { ...one.former[0], charges: [{ receipt: {}, charged: 1 }], isReleased: false, endedAt: past(9) },
      ];
      const copies = Array.from({ length: 250 }, (_, index) => {
        const _id = `${one._id}${index}`;
        return { ...one, _id, key: _id, former, formerSince: past(9), versions: [] };
      });
      await objects.insertMany(copies);
    });
    const [{ version = '' } = {}] = await formerOf(party);
    await change('storage_objects', { orgId: party.orgId }, { formerSince: past(5), 'former.0.endedAt': past(5) });
    await sweep('storage.cleanup');
    expect(hasFile(party, version)).toBe(false);
    expect(await formerOf(party)).toEqual([]);
    expect(await formerOf(failing)).toHaveLength(251);
    await change('storage_objects', { orgId: failing.orgId }, { former: [], formerSince: null });
  });
});

describe('a deleted bucket', () => {
  test('is looked at again only when uploads that began before its deletion have ended', async () => {
    const party = await newParty();
    const { client, storage, bucket, orgId } = party;
    await storage.put(bucket, 'a.txt', '12345');
    const { id } = await client.call('storage.buckets.read', { path: { bucketName: bucket } });
    await client.call('storage.buckets.delete', { path: { bucketName: bucket } });
    await client.call('storage.buckets.create', { body: { name: bucket } });
    await storage.put(bucket, 'late.txt', '12345');
    // As after a crash of an upload that ended after the deletion.
    await change('storage_objects', { orgId, key: 'late.txt' }, { bucketId: id });
    await sweep('storage.buckets');
    expect(await bucketIdsOf(party)).toContain(id);
    expect(await keysIn(party, id)).toEqual(['late.txt']);

    await change('storage_buckets', { orgId, _id: id }, { sweepAt: new Date() });
    await sweep('storage.buckets');
    expect(await bucketIdsOf(party)).not.toContain(id);
    expect(await keysIn(party, id)).toEqual([]);
  });
});
