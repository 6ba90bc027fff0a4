import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Decimal128 } from 'bson';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { type Collection, type Document, MongoClient } from './suite/driver.ts';
import { temporaryFolder } from './support/folder.ts';

const shared: { server?: EmbeddedMongo; client?: MongoClient; orders?: Collection } = {};
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

const orders: Document[] = [
  { _id: 1, shop: 'a', paid: true, total: 10, at: day(1), tags: ['new', 'gift'], buyer: { name: 'Ada', age: 36 } },
  { _id: 2, shop: 'a', paid: false, total: 20.5, at: day(2), tags: [], buyer: { name: 'Bob' } },
  { _id: 3, shop: 'b', paid: true, total: 5, at: day(3), tags: 'gift' },
  { _id: 4, shop: 'b', paid: true, total: null, at: day(4) },
  { _id: 5, shop: 'c', paid: true, at: day(5), tags: ['new'] },
];

beforeAll(async () => {
  shared.server = await startEmbeddedMongo({ dir: temporaryFolder() });
  shared.client = await MongoClient.connect(shared.server.url);
  shared.orders = shared.client.db('test').collection('orders');
  await shared.orders.createIndex({ shop: 1, at: -1 });
  await shared.orders.insertMany(orders.map((order) => ({ ...order })) as never);
});

afterAll(async () => {
  await shared.client?.close();
  await shared.server?.close();
});

function aggregate(...pipeline: Document[]): Promise<Document[]> {
  return shared.orders!.aggregate(pipeline).toArray();
}

/** Each stage after the documents are selected and before they are shown in the order of _id. */
const stages: { says: string; pipeline: Document[]; answer: Document[] }[] = [
  {
    says: '$group sums, averages, counts and picks',
    pipeline: [
      {
        $group: {
          _id: '$shop',
          total: { $sum: '$total' },
          mean: { $avg: '$total' },
          count: { $sum: 1 },
          least: { $min: '$total' },
          most: { $max: '$at' },
          first: { $first: '$_id' },
          last: { $last: '$_id' },
          all: { $push: '$total' },
          paid: { $addToSet: '$paid' },
        },
      },
    ],
    answer: [
      {
        ...{ _id: 'a', total: 30.5, mean: 15.25, count: 2, least: 10, most: day(2), first: 1, last: 2 },
        ...{ all: [10, 20.5], paid: [true, false] },
      },
      {
        ...{ _id: 'b', total: 5, mean: 5, count: 2, least: 5, most: day(4), first: 3, last: 4 },
        ...{ all: [5, null], paid: [true] },
      },
      {
        ...{ _id: 'c', total: 0, mean: null, count: 1, least: null, most: day(5), first: 5, last: 5 },
        ...{ all: [], paid: [true] },
      },
    ],
  },
  {
    says: '$group takes documents for keys, and one key for all',
    pipeline: [
      { $match: { shop: { $ne: 'c' } } },
      { $group: { _id: { shop: '$shop', paid: '$paid' }, n: { $sum: 1 } } },
    ],
    answer: [
      { _id: { shop: 'a', paid: false }, n: 1 },
      { _id: { shop: 'a', paid: true }, n: 1 },
      { _id: { shop: 'b', paid: true }, n: 2 },
    ],
  },
  {
    says: '$count counts',
    pipeline: [{ $match: { paid: true } }, { $count: 'paid' }],
    answer: [{ paid: 4 }],
  },
  { says: '$count of nothing yields nothing', pipeline: [{ $match: { shop: 'z' } }, { $count: 'n' }], answer: [] },
  {
    says: '$project keeps, renames and computes; _id first, then what is kept, then what is computed',
    pipeline: [
      { $match: { _id: 1 } },
      { $project: { twice: { $multiply: ['$total', 2] }, shop: 1, name: '$buyer.name', at: { $year: '$at' } } },
    ],
    answer: [{ _id: 1, shop: 'a', twice: 20, name: 'Ada', at: 2026 }],
  },
  {
    says: '$project drops',
    pipeline: [{ $match: { _id: 2 } }, { $project: { at: 0, 'buyer.name': 0, tags: 0 } }],
    answer: [{ _id: 2, shop: 'a', paid: false, total: 20.5, buyer: {} }],
  },
  {
    says: '$addFields and $set add beside and within, $unset removes',
    pipeline: [
      { $match: { _id: 1 } },
      { $addFields: { 'buyer.adult': { $gte: ['$buyer.age', 18] }, size: { $size: ['$tags'] } } },
      { $set: { shop: { $toUpper: '$shop' } } },
      { $unset: ['at', 'tags', 'paid'] },
    ],
    answer: [{ _id: 1, shop: 'A', total: 10, buyer: { name: 'Ada', age: 36, adult: true }, size: 2 }],
  },
  {
    says: '$unwind makes a document of each element and drops those without',
    pipeline: [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
    answer: [
      { _id: 1, tags: 'new' },
      { _id: 1, tags: 'gift' },
      { _id: 3, tags: 'gift' },
      { _id: 5, tags: 'new' },
    ],
  },
  {
    says: '$unwind numbers elements and keeps documents without when asked',
    pipeline: [
      { $unwind: { path: '$tags', includeArrayIndex: 'place', preserveNullAndEmptyArrays: true } },
      { $project: { tags: 1, place: 1 } },
    ],
    answer: [
      { _id: 1, tags: 'new', place: 0 },
      { _id: 1, tags: 'gift', place: 1 },
      { _id: 2, place: null },
      { _id: 3, tags: 'gift', place: null },
      { _id: 4, place: null },
      { _id: 5, tags: 'new', place: 0 },
    ],
  },
  {
    says: '$match after a $group, $skip and $limit',
    pipeline: [
      { $group: { _id: '$shop', n: { $sum: 1 } } },
      { $match: { n: 2 } },
      { $sort: { _id: -1 } },
      { $skip: 1 },
      { $limit: 5 },
    ],
    answer: [{ _id: 'a', n: 2 }],
  },
  {
    says: '$sortByCount orders groups by their size',
    pipeline: [{ $match: { _id: { $ne: 4 } } }, { $sortByCount: '$paid' }],
    answer: [
      { _id: false, count: 1 },
      { _id: true, count: 3 },
    ],
  },
  {
    says: '$bucket groups by ranges',
    pipeline: [{ $bucket: { groupBy: '$_id', boundaries: [0, 3, 10], output: { ids: { $push: '$_id' } } } }],
    answer: [
      { _id: 0, ids: [1, 2] },
      { _id: 3, ids: [3, 4, 5] },
    ],
  },
  {
    says: '$bucket takes what is in no range when it is told where to',
    pipeline: [{ $bucket: { groupBy: '$_id', boundaries: [2, 4], default: 'others' } }],
    answer: [
      { _id: 2, count: 2 },
      { _id: 'others', count: 3 },
    ],
  },
  {
    says: '$facet runs several pipelines over the same documents',
    pipeline: [{ $facet: { count: [{ $count: 'n' }], shops: [{ $group: { _id: '$shop' } }, { $sort: { _id: 1 } }] } }],
    answer: [{ count: [{ n: 5 }], shops: [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }] }],
  },
  {
    says: '$replaceRoot and $replaceWith put another document in place',
    pipeline: [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: '$buyer' } }, { $replaceWith: { who: '$name' } }],
    answer: [{ who: 'Ada' }],
  },
  {
    says: 'comparisons in expressions compare whole values, as MongoDB does',
    pipeline: [
      { $match: { _id: { $in: [1, 3] } } },
      { $project: { is: { $eq: ['$tags', 'gift'] }, above: { $gt: ['$shop', 10] }, none: { $eq: ['$none', null] } } },
    ],
    answer: [
      { _id: 1, is: false, above: true, none: false },
      { _id: 3, is: true, above: true, none: false },
    ],
  },
];

describe('an aggregation', () => {
  test.each(stages)('$says', async ({ pipeline, answer }) => {
    expect(await aggregate(...pipeline, { $sort: { _id: 1 } })).toEqual(answer);
  });

  const buckets: { says: string; options: Document; code: number }[] = [
    { says: 'of several types', options: { boundaries: [0, 'a'] }, code: 2 },
    { says: 'with a default inside', options: { boundaries: [0, 5], default: 3 }, code: 2 },
    { says: 'with an expression as a boundary', options: { boundaries: ['$a', '$b'] }, code: 115 },
    { says: 'with an expression as default', options: { boundaries: [0, 5], default: { $add: [1, 9] } }, code: 115 },
  ];

  test.each(buckets)('refuses buckets $says', async ({ options, code }) => {
    await expect(aggregate({ $bucket: { groupBy: '$total', ...options } })).rejects.toMatchObject({ code });
  });

  test('merges many documents of a group into one without holding them all', async () => {
    const items = shared.client!.db('test').collection('merged');
    const text = 'x'.repeat(50_000);
    await items.insertMany(Array.from({ length: 1000 }, (_, n) => ({ _id: n as never, inner: { n, text } })));
    const [merged] = await items.aggregate([{ $group: { _id: null, all: { $mergeObjects: '$inner' } } }]).toArray();
    expect(merged).toEqual({ _id: null, all: { n: 999, text } });
  });

  test('keeps the order of fields', async () => {
    const [order] = await aggregate({ $match: { _id: 1 } }, { $project: { z: '$total', at: 1, shop: 1 } });
    expect(Object.keys(order!)).toEqual(['_id', 'shop', 'at', 'z']);
  });

  test('of a collection that does not exist yields nothing', async () => {
    const nothing = shared.client!.db('test').collection('nothing');
    expect(await nothing.aggregate([{ $group: { _id: null, n: { $sum: 1 } } }]).toArray()).toEqual([]);
  });

  test('takes a sample without repetition', async () => {
    const sample = await aggregate({ $sample: { size: 3 } });
    expect(new Set(sample.map(({ _id }) => _id)).size).toBe(3);
    expect(await aggregate({ $sample: { size: 99 } })).toHaveLength(5);
  });

  test('yields many documents in batches, and only as many as are asked for', async () => {
    const many = shared.client!.db('test').collection('many');
    await many.insertMany(Array.from({ length: 1000 }, (_, n) => ({ _id: n as never, n })));
    const cursor = many.aggregate([{ $addFields: { twice: { $multiply: ['$n', 2] } } }], { batchSize: 100 });
    const twice: number[] = [];
    for await (const document of cursor) twice.push(document.twice);
    expect(twice).toEqual(Array.from({ length: 1000 }, (_, n) => n * 2));
  });
});

describe('what counts for countDocuments', () => {
  test.each([
    [{}, {}, 5],
    [{ shop: 'a' }, {}, 2],
    [{ shop: 'a', paid: true }, {}, 1],
    [{ shop: 'z' }, {}, 0],
    [{}, { skip: 1, limit: 3 }, 3],
    [{}, { skip: 4, limit: 3 }, 1],
  ])('%j with %j is right', async (filter, options, count) => {
    expect(await shared.orders!.countDocuments(filter, options)).toBe(count);
  });
});

describe('the first stages of an aggregation', () => {
  async function explained(...pipeline: Document[]) {
    const plan = await shared.orders!.aggregate(pipeline).explain('executionStats');
    const stage = plan.queryPlanner.winningPlan.inputStage ?? plan.queryPlanner.winningPlan;
    const { totalKeysExamined, totalDocsExamined } = plan.executionStats;
    return { stage: stage.stage, indexName: stage.indexName, totalKeysExamined, totalDocsExamined };
  }

  test('use an index for $match, $sort and $limit, and read no more than they need', async () => {
    const selected = [{ $match: { shop: 'a' } }, { $sort: { at: -1 } }, { $limit: 1 }];
    expect(await explained(...selected, { $group: { _id: '$paid' } })).toEqual({
      stage: 'IXSCAN',
      indexName: 'shop_1_at_-1',
      totalKeysExamined: 1,
      totalDocsExamined: 1,
    });
  });

  test('use an index for a $match after a $sort', async () => {
    expect(await explained({ $sort: { at: -1 } }, { $match: { shop: 'b' } })).toMatchObject({
      stage: 'IXSCAN',
      totalKeysExamined: 2,
    });
  });

  test('read everything where no index serves', async () => {
    expect(await explained({ $match: { paid: true } })).toMatchObject({ stage: 'COLLSCAN', totalDocsExamined: 5 });
  });
});

describe('an aggregation is refused', () => {
  const refused = [
    { what: '$lookup', code: 115, stage: { $lookup: { from: 'shops', as: 'shop' } } },
    { what: '$out', code: 115, stage: { $out: 'elsewhere' } },
    { what: '$merge', code: 115, stage: { $merge: 'elsewhere' } },
    { what: '$unionWith', code: 115, stage: { $unionWith: 'shops' } },
    { what: '$graphLookup', code: 115, stage: { $graphLookup: {} } },
    { what: '$expr', code: 115, stage: { $match: { $expr: { $eq: [1, 1] } } } },
    { what: '$function', code: 115, stage: { $project: { x: { $function: { body: 'x', args: [], lang: 'js' } } } } },
    { what: '$accumulator', code: 115, stage: { $group: { _id: 1, x: { $accumulator: {} } } } },
    { what: '$toDecimal', code: 115, stage: { $project: { x: { $toDecimal: '$total' } } } },
    { what: '$round', code: 115, stage: { $project: { x: { $round: '$total' } } } },
    { what: '$dateAdd', code: 115, stage: { $project: { x: { $dateAdd: {} } } } },
    { what: '$top', code: 115, stage: { $group: { _id: 1, x: { $top: {} } } } },
    { what: '$setWindowFields', code: 115, stage: { $setWindowFields: { output: {} } } },
    { what: '$redact', code: 115, stage: { $redact: '$$KEEP' } },
    { what: '$densify', code: 115, stage: { $densify: { field: 'at' } } },
    { what: '$nonsense', code: 40324, stage: { $nonsense: {} } },
    { what: '$nonsense', code: 168, stage: { $project: { x: { $add: [{ $nonsense: 1 }, 1] } } } },
    { what: '$nonsense', code: 168, stage: { $facet: { x: [{ $group: { _id: { $nonsense: 1 } } }] } } },
    { what: '$facet', code: 2, stage: { $facet: { x: [{ $facet: { y: [{ $count: 'n' }] } }] } } },
    { what: '$nonsense', code: 15952, stage: { $group: { _id: 1, x: { $nonsense: 1 } } } },
    { what: '$add', code: 15952, stage: { $group: { _id: 1, x: { $add: [1, 2] } } } },
    { what: '_id', code: 15955, stage: { $group: { total: { $sum: '$total' } } } },
    { what: 'positional', code: 31324, stage: { $project: { 'tags.$': 1 } } },
    { what: '$[]', code: 16410, stage: { $project: { 'tags.$[]': 1 } } },
    { what: '$', code: 16410, stage: { $unset: ['at', 'tags.$'] } },
    { what: '$limit', code: 15958, stage: { $limit: 0 } },
    { what: '$skip', code: 15956, stage: { $skip: -1 } },
    { what: '$unwind', code: 2, stage: { $unwind: 'tags' } },
    { what: '$count', code: 2, stage: { $count: '$n' } },
    { what: '$size', code: 17124, stage: { $project: { x: { $size: '$shop' } } } },
    { what: '$bucket', code: 2, stage: { $bucket: { groupBy: '$_id', boundaries: [3, 1] } } },
    { what: '$switch', code: 40066, stage: { $bucket: { groupBy: '$_id', boundaries: [1, 3] } } },
    { what: 'exactly one field', code: 40323, stage: { $match: {}, $limit: 1 } },
    { what: 'exactly one field', code: 40323, stage: {} },
  ];

  test.each(refused)('over $stage, naming $what', async ({ what, code, stage }) => {
    await expect(aggregate(stage)).rejects.toMatchObject({ code, message: expect.stringContaining(what) });
  });

  test('with options that would be ignored', async () => {
    const collation = shared.orders!.aggregate([], { collation: { locale: 'de' } }).toArray();
    await expect(collation).rejects.toMatchObject({ code: 115, message: expect.stringContaining('collation') });
    const variables = shared.orders!.aggregate([], { let: { x: 1 } }).toArray();
    await expect(variables).rejects.toMatchObject({ code: 115, message: expect.stringContaining('let') });
  });

  test('over a whole database', async () => {
    const stages = shared.client!.db('test').aggregate([{ $documents: [] }]);
    await expect(stages.toArray()).rejects.toMatchObject({ code: 115 });
  });

  test('where a sum of a double and a Decimal128 would be neither', async () => {
    const items = shared.client!.db('test').collection('mixed');
    await items.insertMany([{ v: Decimal128.fromString('1.5') }, { v: 0.5 }]);
    const computing = items.aggregate([{ $group: { _id: null, sum: { $sum: '$v' } } }]).toArray();
    await expect(computing).rejects.toMatchObject({ code: 115, message: expect.stringContaining('decimals') });
  });
});
