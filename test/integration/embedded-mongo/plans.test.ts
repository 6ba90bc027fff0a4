import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { ids } from './suite/case.ts';
import { type Collection, type Document, MongoClient } from './suite/driver.ts';
import { temporaryFolder } from './support/folder.ts';

const documents = 4000;
const shared: { server?: EmbeddedMongo; client?: MongoClient; items?: Collection } = {};

beforeAll(async () => {
  shared.server = await startEmbeddedMongo({ dir: temporaryFolder() });
  shared.client = await MongoClient.connect(shared.server.url);
  shared.items = shared.client.db('test').collection('items');
  await shared.items.createIndexes([
    { key: { pending: 1 } },
    { key: { customer: 1 } },
    { key: { kind: 1, at: -1 } },
    { key: { kind: 1, at: -1, _id: -1 } },
    { key: { rare: 1 }, sparse: true },
    { key: { owner: 1, at: 1 }, partialFilterExpression: { owner: { $exists: true } } },
  ]);
  const all = Array.from({ length: documents }, (_, n) => ({
    ...{
      _id: n as never,
      pending: n % 10 !== 0,
      customer: `customer ${n % 1000}`,
      kind: n % 8,
      at: (n * 7) % documents,
    },
    ...(n % 500 === 0 ? { rare: n } : {}),
    ...(n % 20 === 0 ? { owner: n % 200 === 0 ? null : n % 60 } : {}),
  }));
  await shared.items.insertMany(all);
});

afterAll(async () => {
  await shared.client?.close();
  await shared.server?.close();
});

type Options = { sort?: Record<string, 1 | -1>; limit?: number };

/** How a query is answered; that it is the answer of a scan is part of it. */
async function plan(filter: Document, options: Options = {}) {
  const items = shared.items!;
  const found = ids(await items.find(filter, options).toArray());
  const scanned = ids(await items.find(filter, { ...options, hint: { $natural: 1 } }).toArray());
  expect(options.sort ? found : found.sort()).toEqual(options.sort ? scanned : scanned.sort());
  const { queryPlanner, executionStats } = await items.find(filter, options).explain('executionStats');
  const { winningPlan } = queryPlanner;
  const scan = winningPlan.inputStage ?? winningPlan;
  return {
    stage: winningPlan.stage === 'SORT' ? 'SORT' : scan.stage,
    indexName: scan.indexName,
    estimatedKeys: scan.estimatedKeys,
    keys: executionStats.totalKeysExamined,
  };
}

describe('a plan', () => {
  test('is by the index with the fewest keys for these values, and tells its estimate', async () => {
    expect(await plan({ pending: true, customer: 'customer 7' })).toMatchObject({
      indexName: 'customer_1',
      estimatedKeys: 4,
      keys: 4,
    });
    expect(await plan({ pending: false, kind: { $gte: 0 } })).toMatchObject({ indexName: 'pending_1', keys: 400 });
  });

  test('is by an index however many values $in has', async () => {
    const many = Array.from({ length: 5000 }, (_, n) => `customer ${n + 990}`);
    expect(await plan({ customer: { $in: many } })).toMatchObject({
      stage: 'IXSCAN',
      indexName: 'customer_1',
      keys: 40,
    });
  });

  test('gives the order behind the values of $in, and reads no more than the limit needs', async () => {
    const newest = await plan({ kind: { $in: [1, 3, 5] } }, { sort: { at: -1 }, limit: 10 });
    expect(newest).toMatchObject({ stage: 'IXSCAN', indexName: 'kind_1_at_-1' });
    expect(newest.keys).toBeLessThan(20);
    const oldest = await plan({ kind: { $in: [1, 3, 5] }, at: { $gt: 100 } }, { sort: { at: 1 }, limit: 10 });
    expect(oldest).toMatchObject({ stage: 'IXSCAN', indexName: 'kind_1_at_-1' });
    expect(oldest.keys).toBeLessThan(20);
  });

  test('is by a sparse index for what exists', async () => {
    expect(await plan({ rare: { $exists: true } })).toMatchObject({ indexName: 'rare_1', keys: 8 });
    expect(await plan({ rare: { $exists: false } })).toMatchObject({ stage: 'COLLSCAN' });
  });

  test('is by a partial index for what it has all of', async () => {
    expect(await plan({ owner: 40 }, { sort: { at: -1 } })).toMatchObject({ indexName: 'owner_1_at_1', keys: 60 });
    expect(await plan({ owner: { $in: [20, 40] } })).toMatchObject({ indexName: 'owner_1_at_1', keys: 120 });
    expect(await plan({ owner: { $gt: 30 } })).toMatchObject({ indexName: 'owner_1_at_1', keys: 60 });
    expect(await plan({ owner: { $exists: true } })).toMatchObject({ indexName: 'owner_1_at_1', keys: 200 });
    for (const owner of [null, { $in: [20, null] }, { $ne: 20 }, { $exists: false }, { $gte: null }]) {
      expect(await plan({ owner })).toMatchObject({ stage: 'COLLSCAN' });
    }
    expect(await plan({}, { sort: { owner: 1 } })).toMatchObject({ stage: 'SORT' });
  });

  test('is by the indexes of the branches of an $or beside other conditions', async () => {
    const filter = { pending: { $in: [true, false] }, $or: [{ customer: 'customer 7' }, { rare: 500 }] };
    expect(await plan(filter)).toMatchObject({ stage: 'OR', keys: 5 });
    expect(await plan({ customer: 'customer 7', $or: [{ pending: true }, { kind: 1 }] })).toMatchObject({
      indexName: 'customer_1',
      keys: 4,
    });
  });

  test('begins at the place of a cursor in an order', async () => {
    const rows = await shared.items!.find({ kind: 5 }, { sort: { at: -1, _id: -1 } }).toArray();
    const { at, _id } = rows[400]!;
    const behind = { kind: 5, at: { $lte: at }, $or: [{ at: { $lt: at } }, { _id: { $lt: _id } }] };
    const next = await plan(behind, { sort: { at: -1, _id: -1 }, limit: 10 });
    expect(next).toMatchObject({ stage: 'IXSCAN', indexName: 'kind_1_at_-1__id_-1' });
    expect(next.keys).toBeLessThan(15);
  });

  test('reads an order whose first documents give what the limit needs, however many keys each index has', async () => {
    const sort = { kind: 1, at: -1 } as const;
    const most = await plan({ pending: true }, { sort, limit: 10 });
    expect(most).toMatchObject({ stage: 'IXSCAN', indexName: 'kind_1_at_-1' });
    expect(most.keys).toBeLessThan(20);
    const some = await plan({ pending: false }, { sort, limit: 10 });
    expect(some).toMatchObject({ stage: 'IXSCAN', indexName: 'kind_1_at_-1' });
    expect(some.keys).toBeLessThan(64);
  });

  test('sorts what another index finds when the first documents of the order do not match', async () => {
    const last = Array.from({ length: 125 }, (_, n) => `customer ${8 * n + 7}`);
    const found = await plan({ customer: { $in: last } }, { sort: { kind: 1, at: -1 }, limit: 10 });
    expect(found).toMatchObject({ stage: 'SORT', keys: 500 });
  });

  test('sorts the few rather than searching an order for them', async () => {
    const few = await plan({ customer: 'customer 7', kind: 7 }, { sort: { at: -1 }, limit: 3 });
    expect(few).toMatchObject({ stage: 'SORT', keys: 4 });
  });
});

test('all documents are counted without reading any index twice', async () => {
  expect(await shared.items!.countDocuments()).toBe(documents);
  await shared.items!.insertOne({ _id: -1 as never });
  expect(await shared.items!.countDocuments()).toBe(documents + 1);
  await shared.items!.deleteOne({ _id: -1 as never });
  expect(await shared.items!.estimatedDocumentCount()).toBe(documents);
});
