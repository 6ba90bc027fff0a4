import { describe, expect, test } from '@jest/globals';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

type Stored = { _id: string; orgId: string; former: { isReleased: boolean }[]; versions: string[] };
type Released = { _id: string; orgId: string };

async function inDatabase<T>(work: Parameters<typeof withDatabase<T>>[1]): Promise<T> {
  return await withDatabase(await databaseUrlOf(await sharedPlatform()), work);
}

describe('one key that is overwritten 64 times at once', () => {
  test('has each upload succeed, few versions in a document, and each version released', async () => {
    const client = await newTenantClient();
    const { orgId } = client;
    const storage = await storageOf(client);
    const overwrite = () =>
      Promise.all(Array.from({ length: 64 }, (_, index) => storage.put(orgId, 'latest.txt', 'x'.repeat(1 + index))));
    const answers = [...(await overwrite()), ...(await overwrite()), ...(await overwrite())];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));

    const documents = await inDatabase((database) =>
      database.collection<Stored>('storage_objects').find({ orgId }).toArray(),
    );
    expect(Math.max(...documents.map(({ former }) => former.length))).toBeLessThanOrEqual(51);
    expect(Math.max(...documents.map(({ versions }) => versions.length))).toBeLessThanOrEqual(52);
    const versions = new Set(answers.map(({ body }) => body.version));
    expect(new Set(documents.flatMap((one) => one.versions))).toEqual(versions);

    const present = await client.call('storage.objects.list', { path: { bucketName: orgId }, query: {} });
    const [{ size, version } = { size: -1, version: '' }] = present.data;
    await eventually(async () => {
      const usage = await client.call('storage.usage.read', { query: {} });
      expect(usage.storage.usedGb).toBeCloseTo(size / 1e9, 12);
      expect(usage.data).toEqual([{ bucket: orgId, objectCount: 1, usedBytes: size }]);
    });
    const released = await inDatabase((database) =>
      database
        .collection<Released>('billing_takes')
        .find({ orgId, _id: /:release:/ })
        .toArray(),
    );
    const keys = released.map(({ _id }) => _id.slice(_id.lastIndexOf(':') + 1));
    expect(new Set(keys)).toEqual(new Set([...versions].filter((one) => one !== version)));
  });
});
