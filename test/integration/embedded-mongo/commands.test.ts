import { beforeAll, describe, expect, test } from '@jest/globals';
import { commands } from '../../../embedded/mongo/commands/registry.ts';
import type { Collection } from './suite/driver.ts';
import { sharedServer } from './support/shared-server.ts';

const { client, database, emptyCollection } = sharedServer();

/** The commands the platform's plan names. */
const planned = [
  ...['hello', 'isMaster', 'ping', 'buildInfo', 'insert', 'find', 'getMore', 'killCursors', 'update', 'delete'],
  ...['findAndModify', 'aggregate', 'count', 'distinct', 'createIndexes', 'listIndexes', 'dropIndexes'],
  ...['listCollections', 'create', 'drop', 'dropDatabase', 'endSessions', 'explain', 'listDatabases'],
];

test.each(planned)('the command %s is known', (name) => {
  expect(commands.has(name)).toBe(true);
});

describe('a command that is not known', () => {
  test.each(['frobnicate', 'replSetGetStatus', '__proto__', 'constructor', ''])(
    '%p is refused by name',
    async (name) => {
      const answer = database().command(Object.fromEntries([[name, 1]]));
      await expect(answer).rejects.toMatchObject({ code: 59, codeName: 'CommandNotFound' });
      await expect(answer).rejects.toThrow(`'${name}'`);
    },
  );

  const known = ['mapReduce', 'collMod', 'renameCollection', 'commitTransaction', 'abortTransaction'];
  test.each(known)('%p, which MongoDB has, is refused as not supported', async (name) => {
    const answer = database().command({ [name]: 1 });
    await expect(answer).rejects.toMatchObject({ code: 115, codeName: 'CommandNotSupported' });
    await expect(answer).rejects.toThrow(name);
  });
});

describe('what a command would have to ignore is refused by name', () => {
  const cases: [string, (items: Collection) => Promise<unknown>][] = [
    ['collation', (items) => items.find({}, { collation: { locale: 'de' } }).toArray()],
    ['max', (items) => items.find({}, { max: { _id: 1 } }).toArray()],
    ['tailable', (items) => items.find({}, { tailable: true }).toArray()],
    ['collation', (items) => items.updateOne({}, { $set: { a: 1 } }, { collation: { locale: 'de' } })],
    ['collation', (items) => items.deleteOne({}, { collation: { locale: 'de' } })],
    ['expireAfterSeconds', (items) => items.createIndex({ at: 1 }, { expireAfterSeconds: 60 })],
    ['$in on a', (items) => items.createIndex({ a: 1 }, { partialFilterExpression: { a: { $in: [1, 2] } } })],
    ['$or', (items) => items.createIndex({ a: 1 }, { partialFilterExpression: { $or: [{ a: 1 }, { b: 1 }] } })],
    ['wildcard', (items) => items.createIndex({ '$**': 1, a: 1 })],
    ['let', (items) => items.updateOne({}, [{ $set: { a: '$$x' } }], { let: { x: 1 } })],
    ['capped', () => database().createCollection('capped', { capped: true, size: 1000 })],
    ['validator', () => database().createCollection('checked', { validator: { a: 1 } })],
    ['snapshot', (items) => items.find({}, { readConcern: { level: 'snapshot' } }).toArray()],
  ];

  test.each(cases)('%s', async (name, act) => {
    const answer = act(emptyCollection());
    await expect(answer).rejects.toMatchObject({ code: 115 });
    await expect(answer).rejects.toThrow(name);
  });
});

describe('transactions', () => {
  test('are refused by the driver, for the server offers none', async () => {
    const items = emptyCollection();
    const writing = client().withSession((session) => session.withTransaction(() => items.insertOne({}, { session })));
    await expect(writing).rejects.toThrow();
    expect(await items.countDocuments()).toBe(0);
  });

  test('are refused by name when a client asks all the same', async () => {
    const items = emptyCollection();
    const asked = { startTransaction: true, autocommit: false, txnNumber: 1 };
    const answer = database().command({ insert: items.collectionName, documents: [{}], ...asked });
    await expect(answer).rejects.toMatchObject({ code: 20, codeName: 'IllegalOperation' });
    await expect(answer).rejects.toThrow('Transaction');
    expect(await items.countDocuments()).toBe(0);
  });
});

describe('a value that a unique index holds already', () => {
  const duplicate = {
    code: 11000,
    keyPattern: { org: 1, slug: 1 },
    keyValue: { org: 'o', slug: 's' },
  };

  async function collectionWithOne(): Promise<Collection> {
    const items = emptyCollection();
    await items.createIndex({ org: 1, slug: 1 }, { unique: true });
    await items.insertOne({ _id: 1 as never, org: 'o', slug: 's' });
    await items.insertOne({ _id: 2 as never, org: 'o', slug: 't' });
    return items;
  }

  test('is told with its pattern and value by an insert', async () => {
    const items = await collectionWithOne();
    await expect(items.insertOne({ org: 'o', slug: 's' })).rejects.toMatchObject(duplicate);
    await expect(items.insertOne({ org: 'o', slug: 's' })).rejects.toThrow(/E11000 .* index: org_1_slug_1 dup key/);
  });

  test('is told by each write of a bulk, which goes on when it is not ordered', async () => {
    const items = await collectionWithOne();
    const documents = ['s', 'u', 't', 'v'].map((slug) => ({ org: 'o', slug }));
    const answer = await database().command({ insert: items.collectionName, documents, ordered: false });
    expect(answer).toMatchObject({
      n: 2,
      writeErrors: [
        { index: 0, ...duplicate },
        { index: 2, ...duplicate, keyValue: { org: 'o', slug: 't' } },
      ],
    });
    expect(await items.countDocuments()).toBe(4);
  });

  test('is told by an update and changes nothing', async () => {
    const items = await collectionWithOne();
    await expect(items.updateOne({ slug: 't' }, { $set: { slug: 's' } })).rejects.toMatchObject(duplicate);
    expect(await items.distinct('slug')).toEqual(['s', 't']);
  });

  test('is told by findAndModify, for an update and for an upsert', async () => {
    const items = await collectionWithOne();
    await expect(items.findOneAndUpdate({ slug: 't' }, { $set: { slug: 's' } })).rejects.toMatchObject(duplicate);
    const upsert = { $setOnInsert: { org: 'o', slug: 's' } };
    await expect(items.findOneAndUpdate({ org: 'p' }, { ...upsert }, { upsert: true })).rejects.toMatchObject({
      code: 11000,
    });
    expect(await items.countDocuments()).toBe(2);
  });

  test('of _id is told as well', async () => {
    const items = await collectionWithOne();
    await expect(items.insertOne({ _id: 1 as never })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
    });
  });

  test('keeps a unique index from being made', async () => {
    const items = emptyCollection();
    await items.insertMany([{ a: 1 }, { a: 1 }]);
    await expect(items.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    expect(await items.indexes()).toHaveLength(1);
  });
});

describe('explain', () => {
  async function plan(filter: object, sort: Record<string, 1 | -1> = {}) {
    const items = database().collection('explained');
    const { queryPlanner, executionStats } = await items.find(filter).sort(sort).explain('executionStats');
    const scan = queryPlanner.winningPlan.inputStage ?? queryPlanner.winningPlan;
    return {
      stage: queryPlanner.winningPlan.stage === 'SORT' ? 'SORT' : scan.stage,
      indexName: scan.indexName,
      keys: executionStats.totalKeysExamined,
      documents: executionStats.totalDocsExamined,
      returned: executionStats.nReturned,
    };
  }

  beforeAll(async () => {
    const items = database().collection('explained');
    await items.createIndex({ org: 1, at: -1 }, { name: 'by org, newest first' });
    await items.createIndex({ tags: 1 });
    const documents = Array.from({ length: 100 }, (_, at) => ({ org: `org ${at % 4}`, at, tags: [at % 10, 'all'] }));
    await items.insertMany(documents);
  });

  const index = 'by org, newest first';
  const cases: [string, object, Record<string, 1 | -1>, object][] = [
    ['equality', { org: 'org 1' }, {}, { stage: 'IXSCAN', indexName: index, keys: 25, returned: 25 }],
    ['equality and a range', { org: 'org 1', at: { $gte: 89 } }, {}, { indexName: index, keys: 3, returned: 3 }],
    ['$in', { org: { $in: ['org 1', 'org 2'] } }, {}, { indexName: index, keys: 50, returned: 50 }],
    ['the order of an index', { org: 'org 1' }, { at: -1 }, { stage: 'IXSCAN', indexName: index, keys: 25 }],
    ['the opposite order', { org: 'org 1' }, { at: 1 }, { stage: 'IXSCAN', indexName: index, keys: 25 }],
    ['another order', { org: 'org 1' }, { tags: 1 }, { stage: 'SORT', keys: 25 }],
    ['an element of an array', { tags: 3 }, {}, { indexName: 'tags_1', keys: 10, returned: 10 }],
    ['no index', { at: 5 }, {}, { stage: 'COLLSCAN', keys: 0, documents: 100, returned: 1 }],
  ];

  test.each(cases)('shows what serves %s, and how much it reads', async (_, filter, sort, expected) => {
    expect(await plan(filter, sort)).toMatchObject(expected);
  });
});
