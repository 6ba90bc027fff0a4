import { describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

const day = 24 * 60 * 60 * 1000;

type Party = { client: Client; bucket: string };
type Stored = { _id: string; orgId: string; key: string; versions: string[] };

/** A bucket whose objects expire after a day, with an object for each key. */
async function newBucket(keys: string[], expired: (key: string) => boolean): Promise<Party> {
  const client = await newTenantClient();
  const bucket = client.orgId.replace('_', '-');
  await client.call('storage.buckets.create', { body: { name: bucket, expiry: [{ prefix: '', days: 1 }] } });
  await (await storageOf(client)).put(bucket, 'template', 'x');
  await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
    const objects = database.collection<Stored>('storage_objects');
    const template = (await objects.findOne({ orgId: client.orgId, key: 'template' }))!;
    await objects.deleteOne({ _id: template._id, orgId: client.orgId });
    const copies = keys.map((key, index) => ({
      ...template,
      _id: `${template._id}${index}`,
      key,
      uploadedAt: new Date(Date.now() - (expired(key) ? 2 * day : 0)),
    }));
    if (copies.length > 0) await objects.insertMany(copies);
  });
  return { client, bucket };
}

type Listed = { entries: string[]; pages: number };

/** Follows the cursors to the end. */
async function listAll({ client, bucket: bucketName }: Party, query: Record<string, string>): Promise<Listed> {
  const entries: string[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page: { data: { key: string }[]; prefixes: string[]; nextCursor: string | null } = await client.call(
      'storage.objects.list',
      { path: { bucketName }, query: { ...query, ...(cursor !== null && { cursor }) } },
    );
    expect(page.data.length + page.prefixes.length).toBeLessThanOrEqual(Number(query.limit));
    entries.push(...[...page.data.map(({ key }) => key), ...page.prefixes].sort());
    cursor = page.nextCursor;
    if (cursor === null) return { entries, pages };
  }
}

describe('a list of objects', () => {
  test.each([1, 2, 3])('with a limit of %i passes over neighbouring expired objects', async (limit) => {
    const keys = ['a', 'b/1', 'b/2', 'b/3', 'b/4', 'b/5', 'c/1', 'c/2', 'd', 'e/1', 'e/2', 'e/3', 'e/4'];
    const kept = ['a', 'c/2', 'd'];
    const party = await newBucket(keys, (key) => !kept.includes(key));
    const query = { limit: String(limit) };
    expect((await listAll(party, query)).entries).toEqual(kept);
    expect((await listAll(party, { ...query, prefix: 'b/' })).entries).toEqual([]);
    expect((await listAll(party, { ...query, delimiter: '/' })).entries).toEqual(['a', 'c/', 'd']);
  });

  test('ends a page after a thousand expired objects, with a cursor that leads on', async () => {
    const expired = Array.from({ length: 2300 }, (_, index) => `b/${String(index).padStart(5, '0')}`);
    const party = await newBucket(['a', ...expired, 'z'], (key) => key.startsWith('b/'));
    const { entries, pages } = await listAll(party, { limit: '5' });
    expect(entries).toEqual(['a', 'z']);
    expect(pages).toBe(3);
  });
});
