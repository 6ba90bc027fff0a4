import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { runJob } from '../../support/operator.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

describe('the recount of what is stored', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform({ entry: 'test/support/operated-platform.ts' });
  });
  afterAll(() => platform.stop());

  type Document = { _id: string; orgId: string };
  type Replaced = { former: { version: string }[] };

  type Filter = { orgId: string; [name: string]: unknown };

  const change = async (collection: string, filter: Filter, fields: object) =>
    await withDatabase(await databaseUrlOf(platform), (database) =>
      database.collection<Document>(collection).updateMany(filter, { $set: fields }),
    );
  const count = async (collection: string, filter: Filter) =>
    await withDatabase(await databaseUrlOf(platform), (database) =>
      database.collection<Document>(collection).countDocuments(filter),
    );

  const recount = () => runJob(platform.url, 'storage.recount');
  const sweep = () => runJob(platform.url, 'storage.cleanup');

  /** Sweeps until no such object remains: a sweep trusts for half a second that a recount runs. */
  async function sweepAll(objects: Filter): Promise<void> {
    await eventually(async () => {
      await sweep();
      expect(await count('storage_objects', objects)).toBe(0);
    });
  }

  /** Objects of 5 and 30 bytes, and former versions of 10, 20 and 40. */
  async function newParty(): Promise<{ client: Client; orgId: string }> {
    const tenant = await createTenant(await databaseUrlOf(platform));
    const client = clientOf({ url: platform.url, ...tenant });
    const storage = await storageOf(client);
    const { orgId } = tenant;
    for (const size of [10, 20, 30]) await storage.put(orgId, 'a.txt', 'x'.repeat(size));
    await storage.put(orgId, 'b.txt', 'x'.repeat(5));
    await storage.put(orgId, 'c.txt', 'x'.repeat(40));
    await storage.remove(orgId, 'c.txt');
    await expectUsage(client);
    return { client, orgId };
  }

  async function expectUsage(client: Client): Promise<void> {
    await eventually(async () => {
      const usage = await client.call('storage.usage.read', { query: {} });
      expect(usage.storage.usedGb).toBeCloseTo(35 / 1e9, 12);
      expect(usage.data).toMatchObject([{ objectCount: 2, usedBytes: 35 }]);
    });
  }

  test('changes nothing that is right', async () => {
    const { client, orgId } = await newParty();
    await change('storage_buckets', { orgId }, { isChanged: true });
    await recount();
    await expectUsage(client);
  });

  test('ends while an organization changes all the time', async () => {
    const { client, orgId } = await newParty();
    const storage = await storageOf(client);
    let hasEnded = false;
    const lane = async (key: string) => {
      while (!hasEnded) await storage.put(orgId, key, 'x');
    };
    const lanes = ['d.txt', 'e.txt', 'f.txt', 'g.txt'].map(lane);
    await recount().finally(() => {
      hasEnded = true;
    });
    await Promise.all(lanes);
  });

  test('corrects a gauge and the counts of a bucket beside writes, of which it makes nothing wrong', async () => {
    const { client, orgId } = await newParty();
    const storage = await storageOf(client);
    let hasEnded = false;
    const lane = async (key: string) => {
      while (!hasEnded) {
        await storage.put(orgId, key, 'x');
        await storage.remove(orgId, key);
      }
    };
    const lanes = ['d.txt', 'e.txt', 'f.txt'].map(lane);
    const drift = 1_000_000;
    await withDatabase(await databaseUrlOf(platform), async (database) => {
      const gauge = { _id: `${orgId}:storage.storageGb:gauge` };
      await database
        .collection<Document>('billing_counters')
        .updateOne(gauge, { $inc: { used: drift, revision: 1 } } as never);
      await database
        .collection<Document>('storage_buckets')
        .updateOne({ orgId }, { $inc: { objectCount: 5000, usedBytes: drift } } as never);
    });
    try {
      await recount();
      const usage = await client.call('storage.usage.read', { query: {} });
      expect(usage.storage.usedGb * 1e9).toBeLessThan(drift / 100);
      expect(usage.data[0]!.usedBytes).toBeLessThan(drift / 100);
      expect(usage.data[0]!.objectCount).toBeLessThan(100);
    } finally {
      hasEnded = true;
      await Promise.all(lanes);
    }
    // What was under way is counted when it has ended, and objects are not cleaned up before.
    await recount();
    await expectUsage(client);
  });

  test('sees former versions until its end, also while they are swept', async () => {
    const { client, orgId } = await newParty();
    const past = new Date(Date.now() - 3_600_000);
    const ended = { formerSince: past, 'former.0.endedAt': past };
    await change('storage_objects', { orgId, formerSince: { $ne: null } }, ended);
    await withDatabase(await databaseUrlOf(platform), (database) =>
      database
        .collection<Document & { leaseUntil: Date }>('storage_recounts')
        .insertOne({ _id: orgId, orgId, leaseUntil: new Date(Date.now() + 60_000) }),
    );
    expect(await count('storage_objects', { orgId, formerSince: past })).toBe(2);
    const tenBytes = { orgId, 'former.0.size': 10 };
    await sweep();
    expect(await count('storage_objects', tenBytes)).toBe(1);
    await change('storage_recounts', { orgId }, { leaseUntil: new Date(0) });
    await sweepAll(tenBytes);
    // A recount that was abandoned is repeated, and its record removed.
    await recount();
    await expectUsage(client);
    expect(await count('storage_recounts', { orgId })).toBe(0);
  });

  test('does not count what was released already and not noted', async () => {
    const { client, orgId } = await newParty();
    await change('storage_objects', { orgId, formerSince: { $ne: null } }, { 'former.0.isReleased': false });
    await change('storage_buckets', { orgId }, { isChanged: true });
    await recount();
    await expectUsage(client);
  });

  test('releases what a crash has left out before it corrects a gauge, so that the sweep does not lower it again', async () => {
    const { client, orgId } = await newParty();
    const past = new Date(0);
    const replaced = { orgId, formerSince: { $ne: null } };
    // As if billing had never released the versions of 10 and 40 bytes, and the gauge was wrong by 1,000 as well.
    await withDatabase(await databaseUrlOf(platform), async (database) => {
      const objects = await database.collection<Document & Replaced>('storage_objects').find(replaced).toArray();
      const keys = objects.map(({ former }) => `${orgId}:storage.storageGb:release:${former[0]!.version}`);
      const { deletedCount } = await database.collection<Document>('billing_takes').deleteMany({ _id: { $in: keys } });
      expect(deletedCount).toBe(2);
      await database
        .collection<Document>('billing_counters')
        .updateOne({ _id: `${orgId}:storage.storageGb:gauge` }, { $inc: { used: 1050, revision: 1 } } as never);
    });
    await change('storage_objects', replaced, {
      formerSince: past,
      'former.0.endedAt': past,
      'former.0.isReleased': false,
    });
    await change('storage_buckets', { orgId }, { isChanged: true });
    await recount();
    await expectUsage(client);
    await sweepAll({ orgId, formerSince: past });
    await expectUsage(client);
  });

  test('corrects a gauge and the counts of a bucket', async () => {
    const { client, orgId } = await newParty();
    await withDatabase(await databaseUrlOf(platform), (database) =>
      database
        .collection<Document>('billing_counters')
        .updateOne({ _id: `${orgId}:storage.storageGb:gauge` }, { $set: { used: 1000 }, $inc: { revision: 1 } }),
    );
    await change('storage_buckets', { orgId }, { isChanged: true, objectCount: 7, usedBytes: 1000 });
    await recount();
    await expectUsage(client);
  });
});
