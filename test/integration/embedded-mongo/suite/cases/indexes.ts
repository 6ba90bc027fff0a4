import { Decimal128, Double, Long } from 'bson';
import { type Case, type Group, holding, ids, missing, outcome, refused, type Scene } from '../case.ts';
import type { Document, IndexDescription } from '../driver.ts';

const taken = refused(11000, 'E11000 duplicate key error');

/** Whether each of `documents` is accepted, one after the other, by a unique index. */
function admits(
  says: string,
  key: Record<string, 1 | -1>,
  documents: Document[],
  accepted: boolean[],
  more = {},
): Case {
  return {
    says,
    indexes: [{ key, unique: true, ...more }],
    when: async ({ collection }) => {
      const outcomes: unknown[] = [];
      for (const document of documents) outcomes.push(await outcome(collection.insertOne({ ...document })));
      return outcomes;
    },
    answer: accepted.map((one) => (one ? 'accepted' : taken)),
  };
}

const values = (...all: unknown[]) => all.map((v) => (v === missing ? {} : { v }));

const unique: Case[] = [
  admits('a value is accepted once', { v: 1 }, values('a', 'b', 'a'), [true, true, false]),
  admits('a missing field counts as null', { v: 1 }, values(missing, missing), [true, false]),
  admits('null and a missing field are the same', { v: 1 }, values(null, missing), [true, false]),
  admits(
    'numbers of one value are the same whatever their type',
    { v: 1 },
    values(1, Long.fromNumber(1), new Double(1), 1.5, '1'),
    [true, false, false, true, true],
  ),
  admits('a decimal is the same as a number of its value', { v: 1 }, values(2, Decimal128.fromString('2.0')), [
    true,
    false,
  ]),
  admits('zero and negative zero are the same', { v: 1 }, values(0, new Double(-0)), [true, false]),
  admits('NaN is accepted once', { v: 1 }, values(Number.NaN, Number.NaN), [true, false]),
  admits(
    'neighbouring longs beyond 2^53 are different',
    { v: 1 },
    values(Long.fromString('9007199254740993'), Long.fromString('9007199254740992'), new Double(9007199254740992)),
    [true, true, false],
  ),
  admits('texts are told by case', { v: 1 }, values('a', 'A'), [true, true]),
  admits(
    'documents are the same with the same fields in the same order',
    { v: 1 },
    values({ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1, b: 2 }),
    [true, true, false],
  ),
  admits(
    'a compound index counts the values together',
    { a: 1, b: -1 },
    [{ a: 1, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 1 }, { a: 1, b: 1 }, { a: 1 }, { a: 1, b: null }],
    [true, true, true, false, true, false],
  ),
  admits('a path counts', { 'a.b': 1 }, [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, { a: { b: 2 } }], [true, false, true]),
  admits('an array is in an index by each element', { v: 1 }, values([1, 2], [3], [2, 4], 3), [
    true,
    true,
    false,
    false,
  ]),
  admits('one document may repeat an element', { v: 1 }, values([1, 1], [1]), [true, false]),
  admits(
    'the documents of an array are in an index by their fields',
    { 'a.b': 1 },
    [{ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 3 }, { b: 2 }] }],
    [true, false],
  ),
  admits(
    'a sparse index leaves documents without the field',
    { v: 1 },
    values(missing, missing, null, null),
    [true, true, true, false],
    {
      sparse: true,
    },
  ),
  {
    says: 'a refusal names the index and the value',
    given: [{ _id: 1, org: 'o', email: 'a@b' }],
    indexes: [{ key: { org: 1, email: -1 }, unique: true, name: 'org_email' }],
    when: async ({ collection }) => {
      const error = await collection.insertOne({ org: 'o', email: 'a@b' }).catch((caught) => caught);
      const named = error.message.replace(error.message.match(/collection: (\S+)/)?.[1], 'NS');
      return { code: error.code, message: named, keyPattern: error.keyPattern, keyValue: error.keyValue };
    },
    answer: {
      code: 11000,
      message: 'E11000 duplicate key error collection: NS index: org_email dup key: { org: "o", email: "a@b" }',
      keyPattern: { org: 1, email: -1 },
      keyValue: { org: 'o', email: 'a@b' },
    },
  },
  {
    says: 'a refusal of an update names the value',
    given: [
      { _id: 1, v: 1 },
      { _id: 2, v: 2 },
    ],
    indexes: [{ key: { v: 1 }, unique: true }],
    when: async ({ collection }) => {
      const error = await collection.updateOne({ _id: 2 } as never, { $set: { v: 1 } }).catch((caught) => caught);
      return { code: error.code, keyValue: error.keyValue, stored: await collection.findOne({ _id: 2 } as never) };
    },
    answer: { code: 11000, keyValue: { v: 1 }, stored: { _id: 2, v: 2 } },
  },
  {
    says: 'a refusal in a bulk names the value',
    given: [{ _id: 1, v: 1 }],
    indexes: [{ key: { v: 1 }, unique: true }],
    when: async ({ db, collection }) => {
      const documents = [{ v: 2 }, { v: 1 }];
      const reply = await db.command({ insert: collection.collectionName, documents, ordered: false });
      const [{ index, code, keyPattern, keyValue }] = reply.writeErrors;
      return { n: reply.n, index, code, keyPattern, keyValue };
    },
    answer: { n: 1, index: 1, code: 11000, keyPattern: { v: 1 }, keyValue: { v: 1 } },
  },
  {
    says: 'a refused insert leaves nothing in any index',
    given: [{ _id: 1, a: 1, b: 1 }],
    indexes: [{ key: { a: 1 } }, { key: { b: 1 }, unique: true }],
    when: async ({ collection }) => {
      await collection.insertOne({ _id: 2, a: 5, b: 1 } as never).catch(() => undefined);
      return collection.find({ a: 5 }).toArray();
    },
    answer: [],
  },
  {
    says: 'a unique index over repeated values is refused and not made',
    given: holding(1, 1),
    when: async ({ collection }) => [
      await outcome(collection.createIndex({ v: 1 }, { unique: true })),
      (await collection.indexes()).length,
    ],
    answer: [taken, 1],
  },
  {
    says: 'of several new indexes none is made when one is refused',
    given: holding(1, 1),
    when: async ({ collection }) => [
      await outcome(collection.createIndexes([{ key: { w: 1 } }, { key: { v: 1 }, unique: true }])),
      (await collection.indexes()).length,
    ],
    answer: [taken, 1],
  },
  {
    says: 'an update to its own value is accepted',
    given: holding(1, 2),
    indexes: [{ key: { v: 1 }, unique: true }],
    when: async ({ collection }) =>
      (await collection.updateOne({ _id: 1 } as never, { $set: { v: 1, w: 1 } })).modifiedCount,
    answer: 1,
  },
  {
    says: 'of many inserts of one value at once one is accepted',
    indexes: [{ key: { v: 1 }, unique: true }],
    when: async ({ collection }) => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(collection.insertOne({ v: 1 }))));
      return outcomes.filter((one) => one === 'accepted').length;
    },
    answer: 1,
  },
];

const names = async ({ collection }: Scene) => (await collection.indexes()).map(({ name }) => name);

function conflicts(says: string, first: IndexDescription, second: IndexDescription, answer: unknown): Case {
  return {
    says,
    indexes: [first],
    when: async (scene) => [await outcome(scene.collection.createIndexes([second])), (await names(scene)).length],
    answer: [answer, 2],
  };
}

const makes = (says: string, index: IndexDescription): Case => ({
  says,
  when: ({ collection }) => outcome(collection.createIndexes([index])),
  answer: 'accepted',
});

const life: Case[] = [
  {
    says: 'a new index is told',
    given: holding(1),
    when: async ({ db, collection }) => {
      const command = { createIndexes: collection.collectionName, indexes: [{ key: { v: 1 }, name: 'v_1' }] };
      const { numIndexesBefore, numIndexesAfter } = await db.command(command);
      const again = await db.command(command);
      return [numIndexesBefore, numIndexesAfter, again.numIndexesBefore, again.numIndexesAfter];
    },
    answer: [1, 2, 2, 2],
  },
  {
    says: 'an index makes its collection',
    when: async (scene) => {
      const name = await scene.collection.createIndex({ a: 1, b: -1 });
      return [name, await names(scene)];
    },
    answer: ['a_1_b_-1', ['_id_', 'a_1_b_-1']],
  },
  {
    says: 'indexes are listed with their keys and options',
    indexes: [
      { key: { a: 1, 'b.c': -1 }, name: 'first' },
      { key: { d: 1 }, unique: true },
    ],
    when: ({ collection }) => collection.indexes(),
    answer: [
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1, 'b.c': -1 }, name: 'first' },
      { v: 2, key: { d: 1 }, name: 'd_1', unique: true },
    ],
  },
  {
    says: 'indexes of a collection that is not there are refused',
    when: ({ collection }) => collection.indexes(),
    answer: refused(26),
  },
  conflicts('an index that is there is accepted again', { key: { v: 1 } }, { key: { v: 1 } }, 'accepted'),
  conflicts(
    'an index that is there under another name is refused',
    { key: { v: 1 }, name: 'x' },
    { key: { v: 1 }, name: 'y' },
    refused(85),
  ),
  conflicts(
    'a name that is there with another key is refused',
    { key: { v: 1 }, name: 'x' },
    { key: { w: 1 }, name: 'x' },
    refused(86),
  ),
  conflicts(
    'an index that is there with other options is refused',
    { key: { v: 1 } },
    { key: { v: 1 }, unique: true },
    refused(86),
  ),
  {
    says: 'the same fields in another direction are another index',
    indexes: [{ key: { v: 1 } }],
    when: async (scene) => {
      await scene.collection.createIndex({ v: -1 });
      return names(scene);
    },
    answer: ['_id_', 'v_1', 'v_-1'],
  },
  {
    says: 'an index is dropped by its name',
    indexes: [{ key: { v: 1 } }, { key: { w: 1 } }],
    when: async (scene) => {
      await scene.collection.dropIndex('v_1');
      return names(scene);
    },
    answer: ['_id_', 'w_1'],
  },
  {
    says: 'an index is dropped by its key',
    indexes: [{ key: { v: 1 } }, { key: { w: 1 } }],
    when: async (scene) => {
      await scene.db.command({ dropIndexes: scene.collection.collectionName, index: { w: 1 } });
      return names(scene);
    },
    answer: ['_id_', 'v_1'],
  },
  {
    says: 'all indexes but that of _id are dropped',
    indexes: [{ key: { v: 1 } }, { key: { w: 1 } }],
    when: async (scene) => {
      await scene.collection.dropIndexes();
      return names(scene);
    },
    answer: ['_id_'],
  },
  {
    says: 'a dropped unique index admits again',
    given: holding(1),
    indexes: [{ key: { v: 1 }, unique: true }],
    when: async ({ collection }) => {
      await collection.dropIndex('v_1');
      return outcome(collection.insertOne({ v: 1 }));
    },
    answer: 'accepted',
  },
  {
    says: 'an index that is not there cannot be dropped',
    given: holding(1),
    when: ({ collection }) => collection.dropIndex('nowhere'),
    answer: refused(27),
  },
  {
    says: 'the index of _id cannot be dropped',
    given: holding(1),
    when: ({ collection }) => collection.dropIndex('_id_'),
    answer: refused(72, '_id'),
  },
  {
    says: 'an index without fields is refused',
    when: ({ db, collection }) =>
      db.command({ createIndexes: collection.collectionName, indexes: [{ key: {}, name: 'x' }] }),
    answer: refused(67),
  },
  {
    says: 'a direction of 0 is refused',
    when: ({ db, collection }) =>
      db.command({ createIndexes: collection.collectionName, indexes: [{ key: { v: 0 }, name: 'x' }] }),
    answer: refused(67),
  },
  {
    says: 'two arrays in one compound index are refused',
    indexes: [{ key: { a: 1, b: 1 } }],
    when: ({ collection }) => collection.insertOne({ a: [1], b: [2] }),
    answer: refused(171, 'array'),
  },
  makes('an index may expire documents', { key: { at: 1 }, expireAfterSeconds: 60 }),
  makes('an index may hold some documents', { key: { v: 1 }, partialFilterExpression: { v: { $gt: 5 } } }),
  {
    says: 'a unique index of some documents counts those alone',
    when: async ({ collection }) => {
      await collection.createIndex({ v: 1 }, { unique: true, partialFilterExpression: { kind: 'a' } });
      const outcomes: unknown[] = [];
      for (const kind of ['a', 'b', 'b', 'a']) outcomes.push(await outcome(collection.insertOne({ v: 1, kind })));
      outcomes.push(await outcome(collection.updateOne({ kind: 'b' }, { $set: { kind: 'a' } })));
      outcomes.push(await outcome(collection.updateOne({ kind: 'a' }, { $unset: { kind: '' } })));
      outcomes.push(await outcome(collection.updateOne({ kind: 'b' }, { $set: { kind: 'a' } })));
      return outcomes;
    },
    answer: ['accepted', 'accepted', 'accepted', taken, taken, 'accepted', 'accepted'],
  },
  {
    says: 'an index of some documents is listed with what they have to meet',
    when: async ({ collection }) => {
      await collection.createIndex({ v: 1 }, { partialFilterExpression: { v: { $gt: 5 }, w: 'x' } });
      return collection.indexes();
    },
    answer: [
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { v: 1 }, name: 'v_1', partialFilterExpression: { v: { $gt: 5 }, w: 'x' } },
    ],
  },
  {
    says: 'an index of some documents hides none from a query for others',
    given: holding(7, 1, null),
    when: async ({ collection }) => {
      await collection.createIndex({ v: 1 }, { partialFilterExpression: { v: { $gt: 5 } } });
      const all = [{ v: { $gt: 5 } }, { v: { $gt: 0 } }, { v: 7 }, { v: null }, {}];
      return Promise.all(all.map(async (filter) => ids(await collection.find(filter).sort({ _id: 1 }).toArray())));
    },
    answer: [[1], [1, 2], [1], [3], [1, 2, 3]],
  },
  {
    says: 'a hint at an index that lacks documents of the query is refused',
    given: holding(7, 1),
    when: async ({ collection }) => {
      await collection.createIndex({ v: 1 }, { partialFilterExpression: { v: { $gt: 5 } } });
      return collection.find({ v: { $gt: 0 } }, { hint: { v: 1 } }).toArray();
    },
    answer: refused(2, 'hint'),
  },
  {
    says: 'an index of some documents may stand beside one of all, but not be sparse',
    when: async ({ collection }) => {
      const partialFilterExpression = { v: { $gt: 5 } };
      return [
        await outcome(collection.createIndex({ v: 1 })),
        await outcome(collection.createIndex({ v: 1 }, { name: 'some', partialFilterExpression })),
        await outcome(collection.createIndex({ v: 1 }, { name: 'some' })),
        await outcome(collection.createIndex({ w: 1 }, { sparse: true, partialFilterExpression })),
        (await collection.indexes()).length,
      ];
    },
    answer: ['accepted', 'accepted', refused(86, 'some'), refused(67, 'sparse'), 3],
  },
  makes('an index may hold texts by their words', { key: { v: 'text' } }),
  makes('an index may order texts by a language', { key: { v: 1 }, collation: { locale: 'de' } }),
  {
    says: 'an index on a place in an array is used',
    given: holding([5, 6], [6, 5]),
    when: async ({ collection }) => {
      await collection.createIndex({ 'v.0': 1 });
      return ids(await collection.find({ 'v.0': 6 }, { hint: { 'v.0': 1 } }).toArray());
    },
    answer: [2],
  },
  {
    says: 'a sparse index hides no document that meets a condition by an element without a key',
    given: [{ _id: 1, list: [{ x: 0 }, {}] }],
    indexes: [{ key: { 'list.x': 1 }, sparse: true }],
    when: async ({ collection }) =>
      ids(await collection.find({ $and: [{ 'list.x': null }, { 'list.x': 0 }] }).toArray()),
    answer: [1],
  },
  {
    says: 'a hint at an index that is not there is refused',
    given: holding(1),
    when: ({ collection }) => collection.find({}, { hint: { nowhere: 1 } }).toArray(),
    answer: refused(2, 'hint'),
  },
  {
    says: 'a hint does not change an answer',
    given: holding(3, 1, 2),
    indexes: [{ key: { v: 1 } }],
    when: async ({ collection }) => [
      ids(await collection.find({ v: { $gt: 1 } }, { hint: { v: 1 }, sort: { v: -1 } }).toArray()),
      ids(await collection.find({ v: { $gt: 1 } }, { hint: { $natural: 1 }, sort: { v: -1 } }).toArray()),
    ],
    answer: [
      [1, 3],
      [1, 3],
    ],
  },
];

/** The stages of the plan that answers a query, from the outermost to the scan, and the index it uses. */
function plans(says: string, query: Document, stages: string[], index?: string): Case {
  return {
    says,
    given: Array.from({ length: 20 }, (_, at) => ({ _id: at, a: at % 4, b: at, tags: [at, at + 1] })),
    indexes: [{ key: { a: 1, b: -1 } }, { key: { b: 1 } }, { key: { tags: 1 } }],
    when: async ({ db, collection }) => {
      const explained = await db.command({ explain: { find: collection.collectionName, ...query } });
      const plan = explained.queryPlanner.winningPlan;
      return plan ? stagesOf(plan) : 'no stages';
    },
    answer: { stages, index },
  };
}

function stagesOf(plan: Document): { stages: string[]; index: string | undefined } {
  const stage = plan.queryPlan ?? plan;
  if (!stage.inputStage) return { stages: [stage.stage], index: stage.indexName };
  const inner = stagesOf(stage.inputStage);
  return { stages: [stage.stage, ...inner.stages], index: inner.index };
}

const explain: Case[] = [
  plans('equality uses an index', { filter: { b: 5 } }, ['FETCH', 'IXSCAN'], 'b_1'),
  plans('equality of an element uses an index', { filter: { tags: 5 } }, ['FETCH', 'IXSCAN'], 'tags_1'),
  plans('a range uses an index', { filter: { b: { $gt: 5, $lt: 9 } } }, ['FETCH', 'IXSCAN'], 'b_1'),
  plans('$in uses an index', { filter: { b: { $in: [1, 5] } } }, ['FETCH', 'IXSCAN'], 'b_1'),
  plans('an order uses an index', { sort: { b: 1 } }, ['FETCH', 'IXSCAN'], 'b_1'),
  plans('an order backwards uses an index', { sort: { b: -1 } }, ['FETCH', 'IXSCAN'], 'b_1'),
  plans(
    'equality and an order use a compound index',
    { filter: { a: 1 }, sort: { b: -1 } },
    ['FETCH', 'IXSCAN'],
    'a_1_b_-1',
  ),
  plans(
    'equality and an order backwards use a compound index',
    { filter: { a: 1 }, sort: { b: 1 } },
    ['FETCH', 'IXSCAN'],
    'a_1_b_-1',
  ),
  plans(
    'equality and a range use a compound index',
    { filter: { a: 1, b: { $gte: 3 } } },
    ['FETCH', 'IXSCAN'],
    'a_1_b_-1',
  ),
  plans('an order of two directions uses a compound index', { sort: { a: 1, b: -1 } }, ['FETCH', 'IXSCAN'], 'a_1_b_-1'),
  plans('an order an index does not give is sorted', { sort: { a: 1, b: 1 } }, ['SORT', 'COLLSCAN']),
  plans('a field without an index reads everything', { filter: { c: 1 } }, ['COLLSCAN']),
];

export const indexGroups: Group[] = [
  { group: 'unique index', cases: unique },
  { group: 'index', cases: life },
  { group: 'explain', cases: explain },
];
