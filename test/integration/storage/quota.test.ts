import { type IncomingMessage, get as openRequest } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { type FormFile, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const gigabyte = 1_000_000_000;

/** An organization on `free`, whose gigabyte is used up but for so many bytes. */
async function newAlmostFull(left: number) {
  const client = await newTenantClient();
  const storage = await storageOf(client);
  // The first object makes the counter.
  await storage.upload([['file', { name: 'first.txt', bytes: 'x' }]]);
  await eventually(async () => expect((await usedOf(client.orgId)).held).toBe(0));
  await setUsed(client.orgId, gigabyte - left);
  return { client, storage, orgId: client.orgId };
}

type Counter = { _id: string; used: number; held: number };

async function withCounters<T>(work: (counters: Counters) => Promise<T>): Promise<T> {
  return await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    work(database.collection<Counter>('billing_counters') as never),
  );
}
type Counters = {
  findOne: (filter: object) => Promise<Counter | null>;
  updateOne: (filter: object, update: object) => Promise<unknown>;
};

const gaugeOf = (orgId: string) => ({ _id: `${orgId}:storage.storageGb:gauge`, orgId });

async function usedOf(orgId: string): Promise<{ used: number; held: number }> {
  return (await withCounters((counters) => counters.findOne(gaugeOf(orgId))))!;
}

async function setUsed(orgId: string, used: number): Promise<void> {
  await withCounters((counters) => counters.updateOne(gaugeOf(orgId), { $set: { used }, $inc: { revision: 1 } }));
}

const file = (size: number): FormFile => ({ name: 'a.txt', bytes: 'x'.repeat(size) });

describe('the quota of stored bytes', () => {
  test('lets exactly as many bytes in as are left, however many uploads come at once', async () => {
    const { storage, orgId } = await newAlmostFull(1000);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => storage.put(orgId, `${index}.txt`, 'x'.repeat(100))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual(
      Array.from({ length: 6 }, () =>
        expect.objectContaining({ error: 'PLAN_LIMIT_EXCEEDED', upgradeUrl: expect.stringContaining(orgId) }),
      ),
    );
    await eventually(async () => expect(await usedOf(orgId)).toMatchObject({ used: gigabyte, held: 0 }));
  });

  test('lets a form of exactly that size in, and refuses one of a byte more, of which nothing is kept', async () => {
    const { client, storage, orgId } = await newAlmostFull(5000);
    const refused = await storage.upload([['file', file(5001)]]);
    expect(refused).toMatchObject({ status: 402, body: { error: 'PLAN_LIMIT_EXCEEDED' } });
    await eventually(async () => expect(await usedOf(orgId)).toMatchObject({ used: gigabyte - 5000, held: 0 }));
    expect((await storage.upload([['file', file(5000)]])).status).toBe(200);
    await eventually(async () => expect(await usedOf(orgId)).toMatchObject({ used: gigabyte, held: 0 }));
    const { data } = await client.call('storage.objects.list', { path: { bucketName: orgId }, query: {} });
    expect(data.map(({ size }) => size).sort()).toEqual([1, 5000]);
  });

  test('lets uploads of unknown length in where there is room for them, however many come at once', async () => {
    const { storage, orgId } = await newAlmostFull(16_000);
    const names = Array.from({ length: 16 }, (_, index) => `${index}.txt`);
    const sizes = (size: number) =>
      Promise.all(
        names.map((name) =>
          storage.upload([
            ['key', name],
            ['file', file(size)],
          ]),
        ),
      );
    expect((await sizes(1000)).map(({ status }) => status)).toEqual(names.map(() => 200));
    await eventually(async () => expect(await usedOf(orgId)).toMatchObject({ used: gigabyte, held: 0 }));
    expect((await storage.upload([['file', file(1)]])).status).toBe(402);
  });

  test('stays exact while objects are replaced and deleted at the same time', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const storage = await storageOf(client);
    const keys = ['a.txt', 'b.txt', 'c.txt'];
    const acts = Array.from({ length: 60 }, (_, index) => {
      const key = keys[index % keys.length]!;
      return index % 4 === 3 ? storage.remove(orgId, key) : storage.put(orgId, key, 'x'.repeat(1 + (index % 7) * 10));
    });
    const statuses = new Set((await Promise.all(acts)).map(({ status }) => status));
    expect([...statuses].every((status) => [200, 204, 404].includes(status))).toBe(true);
    const { data } = await client.call('storage.objects.list', { path: { bucketName: orgId }, query: {} });
    const stored = data.reduce((sum, { size }) => sum + size, 0);
    await eventually(async () => expect(await usedOf(orgId)).toMatchObject({ used: stored, held: 0 }));
    const usage = await client.call('storage.usage.read', { query: {} });
    expect(usage.data).toEqual([{ bucket: orgId, objectCount: data.length, usedBytes: stored }]);
  });

  test('is given back when an object or its bucket is deleted', async () => {
    const client = await newTenantClient();
    const storage = await storageOf(client);
    const name = client.orgId.replace('_', '-');
    await client.call('storage.buckets.create', { body: { name } });
    for (const key of ['a.txt', 'b.txt', 'c.txt']) await storage.put(name, key, '12345');
    await storage.remove(name, 'a.txt');
    await eventually(async () => expect(await usedOf(client.orgId)).toMatchObject({ used: 10, held: 0 }));
    await client.call('storage.buckets.delete', { path: { bucketName: name } });
    await eventually(async () => expect(await usedOf(client.orgId)).toMatchObject({ used: 0, held: 0 }));
  });
});

describe('the quota of bandwidth', () => {
  test('counts what was sent, and answers 402 before the first byte', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const storage = await storageOf(client);
    await storage.put(orgId, 'a.txt', 'x'.repeat(1000));
    expect((await storage.getPublic(orgId, 'a.txt')).status).toBe(200);
    expect((await storage.getPublic(orgId, 'a.txt', { range: 'bytes=0-9' })).status).toBe(206);
    const [etag] = [(await storage.getPublic(orgId, 'a.txt', { range: 'bytes=0-9' })).headers.etag!];
    expect((await storage.getPublic(orgId, 'a.txt', { 'if-none-match': etag })).status).toBe(304);
    await eventually(async () => {
      const { bandwidth } = await client.call('storage.usage.read', { query: {} });
      expect(bandwidth.usedGb).toBe(1020 / gigabyte);
    });
    const used = 5 * gigabyte - 999;
    await withCounters((counters) =>
      counters.updateOne(bandwidthCounterOf(orgId), { $set: { used }, $inc: { revision: 1 } }),
    );
    const refused = await eventually(async () => {
      const answer = await storage.getPublic(orgId, 'a.txt');
      expect(answer.status).toBe(402);
      return answer;
    });
    // It is no concern of a visitor whose plan it is.
    expect(refused.text).not.toContain('upgradeUrl');
    expect((await storage.get(orgId, 'a.txt')).status).toBe(402);
    expect((await storage.getPublic(orgId, 'a.txt', { 'if-none-match': etag })).status).toBe(304);
  });

  test('holds little for readers that read slowly, and charges what they have read', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const storage = await storageOf(client);
    const size = 48 * mebibyte;
    await storage.put(orgId, 'large.bin', Buffer.alloc(size));
    const readers = await Promise.all([1, 2, 3].map(() => openAndStop(`${storage.url}/cdn/${orgId}/large.bin`)));
    // The connections take some megabytes for a reader that has stopped.
    await eventually(async () => expect(await bandwidthOf(orgId)).toBeGreaterThan(0));
    expect(await bandwidthOf(orgId)).toBeLessThan((readers.length * size) / 2);
    for (const reader of readers) reader.destroy();
    const whole = await fetch(`${storage.url}/cdn/${orgId}/large.bin`);
    expect((await whole.arrayBuffer()).byteLength).toBe(size);
    await eventually(async () => expect(await bandwidthOf(orgId)).toBeGreaterThanOrEqual(size));
  });

  test('answers 402 before the first byte of an object of which only a part would fit', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const storage = await storageOf(client);
    await storage.put(orgId, 'small.bin', 'x');
    await storage.put(orgId, 'large.bin', Buffer.alloc(3 * mebibyte));
    await storage.getPublic(orgId, 'small.bin');
    await eventually(async () => expect(await bandwidthOf(orgId)).toBe(1));
    await withCounters((counters) =>
      counters.updateOne(bandwidthCounterOf(orgId), {
        $set: { used: 5 * gigabyte - 3 * mebibyte + 1 },
        $inc: { revision: 1 },
      }),
    );
    await eventually(async () => expect((await storage.getPublic(orgId, 'large.bin')).status).toBe(402));
    expect((await storage.getPublic(orgId, 'large.bin', { range: 'bytes=1-' })).status).toBe(206);
    await eventually(async () => expect(await bandwidthOf(orgId)).toBe(5 * gigabyte));
  });
});

const mebibyte = 1024 * 1024;

const bandwidthCounterOf = (orgId: string) => ({
  _id: `${orgId}:storage.bandwidthGbPerMonth:${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`,
  orgId,
});

/** The used bandwidth, in bytes, with open reservations. */
const bandwidthOf = async (orgId: string): Promise<number> =>
  (await withCounters((counters) => counters.findOne(bandwidthCounterOf(orgId))))?.used ?? 0;

/** Asks for a file and reads nothing after the first bytes. */
function openAndStop(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    openRequest(url, { agent: false }, (response) => {
      response.once('error', () => undefined).pause();
      resolve(response);
    }).once('error', reject);
  });
}
