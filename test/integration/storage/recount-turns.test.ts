import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { newSweep } from '../../../lib/data/sweep.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { RecountModel } from '../../../models/storage/recount.ts';
import { recountChanged } from '../../../services/storage/recount.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

/* The recount in this process, with a database of its own. Of billing there are the actions that it calls. */

const models = [BucketModel, ObjectModel, RecountModel];
const broker = new ServiceBroker({ logger: false });
let database: OwnDatabase;
/** The organizations in the order in which they were counted. */
let counted: string[] = [];
let whenCounted = (_orgId: string): void => undefined;

broker.createService({
  name: 'billing',
  actions: {
    'quota.read-gauge': ({ params: { body } }: { params: { body: { orgId: string } } }) => {
      if (counted.at(-1) !== body.orgId) counted.push(body.orgId);
      whenCounted(body.orgId);
      return { used: 0, revision: 1, open: [] };
    },
    'quota.correct-gauge': () => ({}),
  },
});

beforeAll(async () => {
  database = await connectOwnDatabase(...models);
  await broker.start();
});

afterAll(async () => {
  await broker.stop();
  await database.close();
});

afterEach(async () => {
  counted = [];
  whenCounted = () => undefined;
  for (const model of models) await nativeCollection(model).deleteMany({});
});

/** An organization with so many objects of one byte, as many as the count of its bucket says. */
async function insertObjects(orgId: string, objects: number): Promise<void> {
  const [bucketId, at] = [newId('bkt'), new Date(0)];
  const bucket = { _id: bucketId, orgId, name: bucketId, place: '1', isPublic: false, corsOrigins: [], expiry: [] };
  await nativeCollection<BucketDocument>(BucketModel).insertOne({
    ...{ ...bucket, allowedMimeTypes: null, maxObjectBytes: null, cacheControl: null, hasExpiry: false },
    ...{ objectCount: objects, usedBytes: 0, isChanged: true, createdAt: at, updatedAt: at },
    ...{ deletedAt: null, sweepAt: null },
  });
  await nativeCollection<ObjectDocument>(ObjectModel).insertMany(
    Array.from({ length: objects }, (): ObjectDocument => {
      const [_id, version] = [newId('obj'), newId('ver')];
      return {
        ...{ _id, orgId, revision: 1, bucketId, key: _id, version, file: _id, size: 1, charges: [], sha256: '' },
        ...{ mimeType: 'a/b', isPublic: true, metadata: {}, uploadedAt: at, updatedAt: at, former: [] },
        ...{ formerSince: null, versions: [version] },
      };
    }),
  );
}

const bucketOf = (orgId: string) => BucketModel.findOne({ orgId }).lean<BucketDocument>();
const run = (controller = new AbortController()) => newSweep('storage.recount', quietLogger, controller.signal);
const sorted = (count: number): string[] => Array.from({ length: count }, () => newId('org')).sort();

test('organizations with very many objects are counted after all others', async () => {
  const orgIds = sorted(4) as [string, string, string, string];
  const [large, first, larger, second] = orgIds;
  for (const orgId of [large, larger]) await insertObjects(orgId, 30);
  for (const orgId of [first, second]) await insertObjects(orgId, 5);
  await recountChanged({ broker }, run(), 20);
  expect(counted).toEqual([first, second, large, larger]);
  const buckets = await Promise.all(orgIds.map(bucketOf));
  expect(buckets.map((bucket) => bucket?.usedBytes)).toEqual([30, 5, 30, 5]);
});

test('a count ends when its run is aborted, and the next run makes it anew', async () => {
  const [orgId] = sorted(1) as [string];
  await insertObjects(orgId, 1200);
  const controller = new AbortController();
  whenCounted = () => controller.abort();
  await recountChanged({ broker }, run(controller));
  expect(await bucketOf(orgId)).toMatchObject({ usedBytes: 0, isChanged: true });
  expect(await RecountModel.countDocuments({ orgId })).toBe(0);
  whenCounted = () => undefined;
  await recountChanged({ broker }, run());
  expect(await bucketOf(orgId)).toMatchObject({ usedBytes: 1200, isChanged: false });
});
