import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { newId } from '../../../lib/data/ids.ts';
import type { ObjectStore } from '../../../services/storage/store/object-store.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'erase-storage-'));
process.env.DATA_DIR = folder;

const { call } = await import('../../../lib/contract/context.ts');
const { nativeCollection } = await import('../../../lib/data/collection.ts');
const { eraseOrganization } = await import('../../../services/storage/cleanup.ts');
const { objectStore, objectStoreLifecycle } = await import('../../../services/storage/store/running-store.ts');
const { BucketModel } = await import('../../../models/storage/bucket.ts');
const { BucketNameModel, erasedOwner } = await import('../../../models/storage/bucket-name.ts');
const { DerivativeModel } = await import('../../../models/storage/derivative.ts');
const { DerivativeUsageModel } = await import('../../../models/storage/derivative-usage.ts');
const { ObjectModel } = await import('../../../models/storage/object.ts');
const { UploadModel } = await import('../../../models/storage/upload.ts');

const models = [BucketModel, BucketNameModel, DerivativeModel, DerivativeUsageModel, ObjectModel, UploadModel];
const broker = new ServiceBroker({ logger: false });
let database: OwnDatabase;
let store: ObjectStore;

broker.createService({
  name: 'storage',
  mixins: [objectStoreLifecycle()],
  actions: { 'organizations.erase': eraseOrganization },
} as ServiceSchema);

beforeAll(async () => {
  database = await connectOwnDatabase(...models);
  await broker.start();
  store = objectStore();
});

afterAll(async () => {
  await broker.stop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

type Sizes = { objects: number; uploads: number; buckets: number };

async function insert(model: { collection: unknown }, documents: object[]): Promise<void> {
  if (documents.length > 0) await nativeCollection<{ _id: string }>(model).insertMany(documents as never);
}

const many = (count: number, make: () => object): object[] => Array.from({ length: count }, make);

/** An organization with objects of a present and two former versions each; the first upload has a file. */
async function newOrganization({ objects, uploads, buckets }: Sizes): Promise<string> {
  const orgId = newId('org');
  const at = new Date();
  const fileOf = () => `${orgId}/${newId('obj')}/${newId('ver')}`;
  const version = () => ({ version: newId('ver'), file: fileOf(), size: 1, charges: [] });
  await insert(
    ObjectModel,
    many(objects, () => ({
      ...version(),
      _id: newId('obj'),
      orgId,
      key: newId('obj'),
      former: [version(), version()],
    })),
  );
  const records = many(uploads, () => ({ _id: newId('ver'), orgId, file: fileOf(), dueAt: at })) as { file: string }[];
  await insert(UploadModel, records);
  const [first] = records;
  if (first) await store.put(first.file, Readable.from([Buffer.from('abc')]));
  await insert(
    BucketModel,
    many(buckets, () => {
      const _id = newId('bkt');
      return { _id, orgId, name: _id, place: _id, deletedAt: at };
    }),
  );
  await insert(BucketModel, [{ _id: newId('bkt'), orgId, name: orgId, place: '1', deletedAt: null }]);
  await insert(BucketNameModel, [{ _id: orgId, orgId }]);
  return orgId;
}

const countsOf = (orgId: string) =>
  Promise.all(models.map((model) => nativeCollection(model).countDocuments({ orgId })));
const sizeOf = async (orgId: string) => (await countsOf(orgId)).reduce((sum, count) => sum + count, 0);

test('a great organization is erased in parts, and nothing of another', async () => {
  const orgId = await newOrganization({ objects: 700, uploads: 600, buckets: 1300 });
  const other = await newOrganization({ objects: 2, uploads: 2, buckets: 2 });
  const before = await countsOf(other);
  expect(await store.list(`${orgId}/`, '')).toHaveLength(1);
  const removed: number[] = [];
  for (let isComplete = false, size = await sizeOf(orgId); !isComplete; ) {
    ({ isComplete } = await call(broker, 'storage.organizations.erase', { body: { orgId } }));
    removed.push(size - (await sizeOf(orgId)));
    size = await sizeOf(orgId);
  }
  expect(removed.length).toBeGreaterThan(3);
  expect(Math.max(...removed)).toBeLessThanOrEqual(1000);
  expect(await countsOf(orgId)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await store.list(`${orgId}/`, '')).toEqual([]);
  expect(await BucketNameModel.findOne({ _id: orgId, orgId: erasedOwner }).lean()).not.toBeNull();
  expect(await countsOf(other)).toEqual(before);
  expect(await store.list(`${other}/`, '')).toHaveLength(1);
});
