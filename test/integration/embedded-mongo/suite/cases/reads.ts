import { Binary, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { type Case, type Group, holding, ids, missing, refused } from '../case.ts';
import type { Document } from '../driver.ts';

const ten = Array.from({ length: 10 }, (_, index) => ({ _id: index + 1, v: index % 3 }));

/** An order must be the same without an index and with one on the same keys. */
function sorts(says: string, given: Document[], sort: Record<string, 1 | -1>, expected: number[]): Case {
  return {
    says,
    given,
    when: async ({ collection }) => {
      const inMemory = ids(await collection.find().sort(sort).toArray());
      await collection.createIndex(sort);
      return { inMemory, byIndex: ids(await collection.find().sort(sort).toArray()) };
    },
    answer: { inMemory: expected, byIndex: expected },
  };
}

const sorting: Case[] = [
  sorts('ascending', holding(3, 1, 2), { v: 1 }, [2, 3, 1]),
  sorts('descending', holding(3, 1, 2), { v: -1 }, [1, 3, 2]),
  sorts(
    'by several keys',
    [
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 2, b: 1 },
      { _id: 3, a: 1, b: 2 },
    ],
    { a: 1, b: -1 },
    [3, 1, 2],
  ),
  sorts('by a path', [{ _id: 1, a: { b: 2 } }, { _id: 2, a: { b: 1 } }, { _id: 3 }], { 'a.b': 1 }, [3, 2, 1]),
  sorts(
    'by a path into the documents of an array',
    [
      { _id: 1, a: [{ b: 5 }, { b: 2 }] },
      { _id: 2, a: [{ b: 3 }, { b: 4 }] },
    ],
    { 'a.b': 1 },
    [1, 2],
  ),
  sorts(
    'by two fields of one array by those of one element',
    [
      {
        _id: 1,
        a: [
          { b: 1, c: 9 },
          { b: 2, c: 1 },
        ],
      },
      { _id: 2, a: [{ b: 1, c: 5 }] },
    ],
    { 'a.b': 1, 'a.c': 1 },
    [2, 1],
  ),
  {
    says: 'two arrays of one document are refused',
    given: [{ _id: 1, a: [1], b: [2] }],
    when: ({ collection }) => collection.find().sort({ a: 1, b: 1 }).toArray(),
    answer: refused(2, 'parallel arrays'),
  },
  sorts('by _id', [{ _id: 2 }, { _id: 3 }, { _id: 1 }], { _id: -1 }, [3, 2, 1]),
  sorts('numbers by value whatever their type', holding(Long.fromNumber(3), 1.5, 2, -1), { v: 1 }, [4, 2, 3, 1]),
  sorts(
    'a missing field and null come before values and are equal',
    holding(1, missing, null, 'a'),
    { v: 1, _id: 1 },
    [2, 3, 1, 4],
  ),
  sorts(
    'types in the order of BSON',
    holding(true, new Date(0), new ObjectId(), new Binary(Buffer.from('a')), { a: 1 }, 'a', 1, null),
    { v: 1 },
    [8, 7, 6, 5, 4, 3, 1, 2],
  ),
  sorts('dates by instant', holding(new Date(5), new Date(-5), new Date(0)), { v: 1 }, [2, 3, 1]),
  sorts('texts by bytes', holding('b', 'B', 'é', '\u{1F600}', '\uFFFD', ''), { v: 1 }, [6, 2, 1, 3, 5, 4]),
  sorts('an array ascending by its least element', holding([5, 1], [2, 9], 3), { v: 1 }, [1, 2, 3]),
  sorts('an array descending by its greatest element', holding([5, 1], [2, 9], 7), { v: -1 }, [2, 3, 1]),
  sorts('an empty array before null', holding(null, [], 1), { v: 1 }, [2, 1, 3]),
  sorts(
    'documents field by field',
    holding({ b: 1 }, { a: 2 }, { a: 1, b: 1 }, { a: 1 }, {}),
    { v: 1 },
    [5, 4, 3, 2, 1],
  ),
  sorts('false before true', holding(true, false), { v: 1 }, [2, 1]),
  sorts(
    'binaries by length, then subtype, then bytes',
    holding(
      new Binary(Buffer.from('b')),
      new Binary(Buffer.from('aa')),
      new Binary(Buffer.from('a')),
      new Binary(Buffer.from('a'), 128),
    ),
    { v: 1 },
    [3, 1, 4, 2],
  ),
  sorts(
    'decimals, infinities and NaN among numbers',
    holding(Infinity, new Decimal128('1.5'), 1, NaN, -Infinity, 2),
    { v: 1 },
    [4, 5, 3, 2, 6, 1],
  ),
  sorts(
    'the least and the greatest key at the ends',
    holding(1, new MaxKey(), new MinKey(), null, /a/, new Timestamp({ t: 1, i: 1 })),
    { v: 1 },
    [3, 4, 1, 6, 5, 2],
  ),
  sorts('arrays in arrays as arrays', holding([[1]], [5], [{ a: 1 }]), { v: 1 }, [2, 3, 1]),
  {
    says: 'a filter, an order, a skip and a limit together',
    given: ten,
    when: async ({ collection }) =>
      ids(
        await collection
          .find({ v: { $gt: 0 } })
          .sort({ v: -1, _id: 1 })
          .skip(1)
          .limit(3)
          .toArray(),
      ),
    answer: [6, 9, 2],
  },
  {
    says: 'a skip beyond the end leaves nothing',
    given: ten,
    when: ({ collection }) => collection.find().skip(20).toArray(),
    answer: [],
  },
  {
    says: 'limit 0 is no limit',
    given: ten,
    when: async ({ collection }) => (await collection.find().limit(0).toArray()).length,
    answer: 10,
  },
  {
    says: 'a negative limit is a limit of one batch',
    given: ten,
    when: async ({ collection }) => ids(await collection.find().sort({ _id: 1 }).limit(-2).toArray()),
    answer: [1, 2],
  },
  {
    says: 'a negative skip is refused',
    when: ({ db, collection }) => db.command({ find: collection.collectionName, skip: -1 }),
    answer: refused(51024, 'skip'),
  },
  {
    says: 'a direction that is neither 1 nor -1 is refused',
    given: ten,
    when: ({ db, collection }) => db.command({ find: collection.collectionName, sort: { v: 2 } }),
    answer: refused(15975, '$sort key ordering'),
  },
];

function projects(says: string, given: Document, projection: Document, answer: unknown, filter = {}): Case {
  return {
    says,
    given: [given],
    when: async ({ collection }) => JSON.stringify(await collection.findOne(filter, { projection })),
    answer: JSON.stringify(answer),
  };
}

const person = { _id: 1, a: 1, b: { c: 2, d: 3 }, e: [{ f: 1, g: 2 }, { f: 3 }], h: [1, 2, 3, 4] };
const refusesProjection = (says: string, projection: Document, code: number): Case => ({
  says,
  given: [person],
  when: ({ collection }) => collection.findOne({}, { projection }),
  answer: refused(code),
});

const projection: Case[] = [
  projects('fields are included, and _id', person, { a: 1 }, { _id: 1, a: 1 }),
  projects('_id may be left out', person, { a: 1, _id: 0 }, { a: 1 }),
  projects('fields are excluded', person, { b: 0, e: false, h: 0 }, { _id: 1, a: 1 }),
  projects('_id alone is excluded', { _id: 1, a: 1 }, { _id: 0 }, { a: 1 }),
  projects('_id alone is included', person, { _id: 1 }, { _id: 1 }),
  projects(
    'included fields keep the order of the document',
    person,
    { h: 1, a: true },
    { _id: 1, a: 1, h: [1, 2, 3, 4] },
  ),
  projects('a path is included', person, { 'b.c': 1 }, { _id: 1, b: { c: 2 } }),
  projects('a path is excluded', { _id: 1, b: { c: 2, d: 3 } }, { 'b.c': 0 }, { _id: 1, b: { d: 3 } }),
  projects(
    'a path into the documents of an array is included',
    person,
    { 'e.f': 1 },
    { _id: 1, e: [{ f: 1 }, { f: 3 }] },
  ),
  projects(
    'a path into the documents of an array is excluded',
    { _id: 1, e: [{ f: 1, g: 2 }, 5] },
    { 'e.f': 0 },
    { _id: 1, e: [{ g: 2 }, 5] },
  ),
  projects(
    'a path through scalars of an array leaves them out',
    { _id: 1, e: [1, { f: 1 }, 2] },
    { 'e.f': 1 },
    { _id: 1, e: [{ f: 1 }] },
  ),
  projects(
    'a path that leads nowhere leaves an empty document',
    { _id: 1, b: { d: 1 } },
    { 'b.c': 1 },
    { _id: 1, b: {} },
  ),
  projects('a path through a scalar leaves nothing', { _id: 1, b: 5 }, { 'b.c': 1 }, { _id: 1 }),
  projects('a document may say the paths', person, { b: { c: 1 } }, { _id: 1, b: { c: 2 } }),
  projects(
    '$slice takes the first',
    { _id: 1, a: 1, h: [1, 2, 3, 4] },
    { h: { $slice: 2 } },
    { _id: 1, a: 1, h: [1, 2] },
  ),
  projects('$slice takes the last', { _id: 1, h: [1, 2, 3, 4] }, { h: { $slice: -1 } }, { _id: 1, h: [4] }),
  projects(
    '$slice takes some from a place',
    { _id: 1, h: [1, 2, 3, 4] },
    { h: { $slice: [1, 2] } },
    { _id: 1, h: [2, 3] },
  ),
  projects('$slice beside an included field includes', person, { a: 1, h: { $slice: 1 } }, { _id: 1, a: 1, h: [1] }),
  projects(
    '$elemMatch takes the first matching element',
    person,
    { e: { $elemMatch: { f: 3 } } },
    { _id: 1, e: [{ f: 3 }] },
  ),
  projects(
    '$elemMatch without a matching element leaves the field out',
    person,
    { e: { $elemMatch: { f: 9 } } },
    { _id: 1 },
  ),
  projects(
    'the positional operator takes the element the filter matched',
    person,
    { 'e.$': 1 },
    { _id: 1, e: [{ f: 3 }] },
    { 'e.f': 3 },
  ),
  projects(
    'the positional operator takes the scalar the filter matched',
    person,
    { 'h.$': 1 },
    { _id: 1, h: [3] },
    { h: { $gte: 3 } },
  ),
  refusesProjection('an exclusion among inclusions is refused', { a: 1, b: 0 }, 31254),
  refusesProjection('an inclusion among exclusions is refused', { a: 0, b: 1 }, 31253),
  refusesProjection('a path and its parent are refused', { b: 1, 'b.c': 1 }, 31249),
];

const many = Array.from({ length: 250 }, (_, index) => ({ _id: index }));

const cursors: Case[] = [
  {
    says: 'a result beyond the first batch is fetched by getMore to the last',
    given: ten,
    when: async ({ db, collection }) => {
      const name = collection.collectionName;
      const first = await db.command({ find: name, batchSize: 4, sort: { _id: 1 } });
      const second = await db.command({ getMore: asLong(first.cursor.id), collection: name, batchSize: 4 });
      const third = await db.command({ getMore: asLong(first.cursor.id), collection: name, batchSize: 4 });
      return {
        batches: [first.cursor.firstBatch, second.cursor.nextBatch, third.cursor.nextBatch].map(ids),
        open: [first, second, third].map(({ cursor }) => !asLong(cursor.id).isZero()),
        of: first.cursor.ns === `${db.databaseName}.${name}`,
      };
    },
    answer: {
      batches: [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [9, 10],
      ],
      open: [true, true, false],
      of: true,
    },
  },
  {
    says: 'a first batch holds 101 documents',
    given: many,
    when: async ({ db, collection }) =>
      (await db.command({ find: collection.collectionName })).cursor.firstBatch.length,
    answer: 101,
  },
  {
    says: 'a cursor yields everything once',
    given: many,
    when: async ({ collection }) => new Set(ids(await collection.find({}, { batchSize: 7 }).toArray())).size,
    answer: 250,
  },
  {
    says: 'a batch size of 0 opens a cursor without documents',
    given: ten,
    when: async ({ db, collection }) => {
      const { cursor } = await db.command({ find: collection.collectionName, batchSize: 0 });
      const next = await db.command({ getMore: asLong(cursor.id), collection: collection.collectionName });
      return [cursor.firstBatch.length, next.cursor.nextBatch.length];
    },
    answer: [0, 10],
  },
  {
    says: 'a limit holds over batches',
    given: many,
    when: async ({ collection }) => (await collection.find({}, { batchSize: 3, limit: 8 }).toArray()).length,
    answer: 8,
  },
  {
    says: 'a single batch closes its cursor',
    given: ten,
    when: async ({ db, collection }) => {
      const { cursor } = await db.command({ find: collection.collectionName, batchSize: 3, singleBatch: true });
      return [cursor.firstBatch.length, asLong(cursor.id).isZero()];
    },
    answer: [3, true],
  },
  {
    says: 'a result that fits leaves no cursor',
    given: ten,
    when: async ({ db, collection }) =>
      asLong((await db.command({ find: collection.collectionName })).cursor.id).isZero(),
    answer: true,
  },
  {
    says: 'a collection that is not there yields nothing',
    when: async ({ db }) => (await db.command({ find: 'nowhere' })).cursor.firstBatch,
    answer: [],
  },
  {
    says: 'a cursor that is not there is refused',
    when: ({ db, collection }) =>
      db.command({ getMore: Long.fromString('123456789'), collection: collection.collectionName }),
    answer: refused(43),
  },
  {
    says: 'a killed cursor is gone',
    given: ten,
    when: async ({ db, collection }) => {
      const name = collection.collectionName;
      const { cursor } = await db.command({ find: name, batchSize: 2 });
      const id = asLong(cursor.id);
      const killed = await db.command({ killCursors: name, cursors: [id, Long.fromString('123456789')] });
      const after = await db.command({ getMore: id, collection: name }).catch((error: { code: number }) => error.code);
      return { killed: killed.cursorsKilled.length, notFound: killed.cursorsNotFound.length, after };
    },
    answer: { killed: 1, notFound: 1, after: 43 },
  },
  {
    says: 'a cursor belongs to its collection',
    given: ten,
    when: async ({ db, collection }) => {
      const { cursor } = await db.command({ find: collection.collectionName, batchSize: 2 });
      return db.command({ getMore: asLong(cursor.id), collection: 'another' });
    },
    answer: refused(13),
  },
  {
    says: 'a cursor goes on while its collection is written',
    given: many.slice(0, 60),
    when: async ({ collection }) => {
      const cursor = collection.find({ _id: { $lt: 40 } } as never, { batchSize: 10, sort: { _id: 1 } });
      const seen: unknown[] = [];
      for await (const { _id } of cursor) {
        seen.push(_id);
        await collection.deleteOne({ _id: Number(_id) + 40 } as never);
      }
      return [seen.length, new Set(seen).size];
    },
    answer: [40, 40],
  },
  {
    says: 'batches stay below the size of a message',
    given: Array.from({ length: 17 }, (_, _id) => ({ _id, text: 'x'.repeat(1024 * 1024) })),
    when: async ({ db, collection }) => {
      const { cursor } = await db.command({ find: collection.collectionName });
      return { inParts: cursor.firstBatch.length < 17, all: (await collection.find().toArray()).length };
    },
    answer: { inParts: true, all: 17 },
  },
  {
    says: 'a cursor that follows a collection is refused',
    given: ten,
    when: ({ collection }) => collection.find({}, { tailable: true }).toArray(),
    answer: refused(2, 'tailable'),
  },
  {
    says: 'a negative batch size is refused',
    when: ({ db, collection }) => db.command({ find: collection.collectionName, batchSize: -1 }),
    answer: refused(51024, 'batchSize'),
  },
  { says: 'findOne of nothing is null', when: ({ collection }) => collection.findOne({ v: 1 }), answer: null },
];

function asLong(id: Long | number): Long {
  return Long.fromValue(id);
}

const counting: Case[] = [
  {
    says: 'countDocuments counts what matches',
    given: ten,
    when: ({ collection }) => collection.countDocuments({ v: 0 }),
    answer: 4,
  },
  {
    says: 'countDocuments takes a skip and a limit',
    given: ten,
    when: ({ collection }) => collection.countDocuments({ v: 0 }, { skip: 1, limit: 2 }),
    answer: 2,
  },
  {
    says: 'an estimated count is exact when nothing else writes',
    given: ten,
    when: ({ collection }) => collection.estimatedDocumentCount(),
    answer: 10,
  },
  {
    says: 'count counts what matches',
    given: ten,
    when: async ({ db, collection }) =>
      (await db.command({ count: collection.collectionName, query: { v: { $gte: 1 } } })).n,
    answer: 6,
  },
  {
    says: 'count takes a skip and a limit',
    given: ten,
    when: async ({ db, collection }) =>
      (await db.command({ count: collection.collectionName, query: {}, skip: 8, limit: 5 })).n,
    answer: 2,
  },
  {
    says: 'a collection that is not there counts 0',
    when: async ({ collection }) => [await collection.countDocuments(), await collection.estimatedDocumentCount()],
    answer: [0, 0],
  },
  {
    says: 'distinct values are given once',
    given: ten,
    when: async ({ collection }) => (await collection.distinct('v')).sort(),
    answer: [0, 1, 2],
  },
  {
    says: 'distinct takes a filter',
    given: ten,
    when: async ({ collection }) => (await collection.distinct('v', { _id: { $lt: 3 } } as never)).sort(),
    answer: [0, 1],
  },
  {
    says: 'distinct unfolds arrays',
    given: holding([1, 2], [2, 3], 4),
    when: async ({ collection }) => (await collection.distinct('v')).sort(),
    answer: [1, 2, 3, 4],
  },
  {
    says: 'distinct reaches along a path',
    given: [
      { _id: 1, a: { b: 1 } },
      { _id: 2, a: [{ b: 2 }, { b: 1 }] },
    ],
    when: async ({ collection }) => (await collection.distinct('a.b')).sort(),
    answer: [1, 2],
  },
  {
    says: 'distinct knows null but no missing field',
    given: holding(null, missing, 1),
    when: async ({ collection }) => new Set(await collection.distinct('v')),
    answer: new Set([null, 1]),
  },
  {
    says: 'distinct takes numbers of the same value as one',
    given: holding(1, Long.fromNumber(1), '1'),
    when: async ({ collection }) => (await collection.distinct('v')).length,
    answer: 2,
  },
  {
    says: 'distinct of a collection that is not there is empty',
    when: ({ collection }) => collection.distinct('v'),
    answer: [],
  },
  {
    says: 'distinct needs a text as its key',
    when: ({ db, collection }) => db.command({ distinct: collection.collectionName, key: 5 }),
    answer: refused(14, 'key'),
  },
];

const collections: Case[] = [
  {
    says: 'a collection begins with its first document',
    when: async ({ db, collection }) => {
      const before = await db.listCollections({ name: collection.collectionName }).toArray();
      await collection.insertOne({ v: 1 });
      return [before.length, (await db.listCollections({ name: collection.collectionName }).toArray()).length];
    },
    answer: [0, 1],
  },
  {
    says: 'a collection is described',
    given: ten,
    when: async ({ db, collection }) => {
      const [found] = await db.listCollections({ name: collection.collectionName }).toArray();
      return {
        type: found!.type,
        named: found!.name === collection.collectionName,
        readOnly: (found as Document).info.readOnly,
        id: (found as Document).idIndex,
      };
    },
    answer: { type: 'collection', named: true, readOnly: false, id: { v: 2, key: { _id: 1 }, name: '_id_' } },
  },
  {
    says: 'collections are listed by name alone',
    given: ten,
    when: async ({ db, collection }) => {
      const listed = await db.listCollections({}, { nameOnly: true }).toArray();
      return [listed.some(({ name }) => name === collection.collectionName), new Set(listed.flatMap(Object.keys))];
    },
    answer: [true, new Set(['name', 'type'])],
  },
  {
    says: 'a collection is created without documents',
    when: async ({ db, collection }) => {
      await db.createCollection(collection.collectionName);
      return (await db.listCollections({ name: collection.collectionName }).toArray()).length;
    },
    answer: 1,
  },
  {
    says: 'a dropped collection is gone with its indexes',
    given: ten,
    indexes: [{ key: { v: 1 } }],
    when: async ({ collection }) => {
      const dropped = await collection.drop();
      const count = await collection.countDocuments();
      await collection.insertOne({ v: 1 });
      return { dropped, count, indexes: (await collection.indexes()).map(({ name }) => name) };
    },
    answer: { dropped: true, count: 0, indexes: ['_id_'] },
  },
  {
    says: 'a dropped database is gone',
    when: async ({ client, db }) => {
      const other = client.db(`${db.databaseName}_drop`);
      await other.collection('a').insertOne({ v: 1 });
      await other.collection('b').insertOne({ v: 1 });
      await other.dropDatabase();
      return [await other.listCollections().toArray(), await other.collection('a').countDocuments()];
    },
    answer: [[], 0],
  },
  {
    says: 'dropping a database that is not there is no error',
    when: ({ client, db }) => client.db(`${db.databaseName}_none`).dropDatabase(),
    answer: true,
  },
  {
    says: 'names of collections are told by case',
    when: async ({ db }) => {
      await db.collection('Case').insertOne({ v: 1 });
      await db.collection('case').insertMany([{ v: 2 }, { v: 3 }]);
      return [await db.collection('Case').countDocuments(), await db.collection('case').countDocuments()];
    },
    answer: [1, 2],
  },
  ...['with.dots', 'with space', 'ümläut', '__proto__', 'constructor', `quo"te'; --`, 'a'.repeat(100)].map((name) => ({
    says: `a collection may be named ${name.slice(0, 20)}`,
    when: async ({ db }: { db: import('../driver.ts').Db }) => {
      const named = db.collection(name);
      await named.insertOne({ v: 1 });
      await named.createIndex({ v: 1 });
      const listed = (await db.listCollections({ name }).toArray()).map((found) => found.name);
      const found = (await named.find({ v: 1 }).toArray()).length;
      await named.drop();
      return { listed, found };
    },
    answer: { listed: [name], found: 1 },
  })),
  {
    says: 'a name with a dollar sign is refused',
    when: ({ db }) => db.command({ create: 'a$b' }),
    answer: refused(73),
  },
  {
    says: 'a collection that is there cannot be created otherwise',
    given: ten,
    when: ({ db, collection }) => db.command({ create: collection.collectionName, capped: true, size: 4096 }),
    answer: refused(48),
  },
];

const large = 'x'.repeat(1_000_000);

const limits: Case[] = [
  {
    says: 'a find that takes longer than maxTimeMS is ended',
    given: Array.from({ length: 30_000 }, (_, _id) => ({ _id, v: _id, text: 'some text' })),
    when: ({ collection }) =>
      collection.find({ text: { $regex: '(a|b|c)*none$' } }, { sort: { text: 1, v: -1 }, maxTimeMS: 1 }).toArray(),
    answer: refused(50, 'time limit'),
  },
  {
    says: 'the time of a cursor counts over its batches',
    given: Array.from({ length: 10_000 }, (_, _id) => ({ _id, v: _id % 7 })),
    when: async ({ collection }) => {
      const cursor = collection.find({}, { batchSize: 2, maxTimeMS: 5 });
      let read = 0;
      for await (const _ of cursor) read += 1;
      return read;
    },
    answer: refused(50, 'time limit'),
  },
  {
    says: 'a maxTimeMS that is no count is refused',
    when: ({ db, collection }) => db.command({ find: collection.collectionName, maxTimeMS: -1 }),
    answer: refused(51024, 'maxTimeMS'),
  },
  {
    says: 'distinct values of more than 16 MiB are refused',
    when: async ({ collection }) => {
      for (let _id = 0; _id < 17; _id += 1) await collection.insertOne({ _id, v: `${_id}${large}` } as never);
      return collection.distinct('v');
    },
    answer: refused(17217, 'distinct too big'),
  },
];

export const readGroups: Group[] = [
  { group: 'limits of reads', cases: limits },
  { group: 'sort, skip and limit', cases: sorting },
  { group: 'projection', cases: projection },
  { group: 'cursors', cases: cursors },
  { group: 'count and distinct', cases: counting },
  { group: 'collections', cases: collections },
];
