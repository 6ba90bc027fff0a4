import { describe, expect, test } from '@jest/globals';
import { backupEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { Document } from './suite/driver.ts';
import { temporaryFolder } from './support/folder.ts';
import { withServer } from './support/server.ts';
import { refusal, sharedServer } from './support/shared-server.ts';

const { database, collectionOf } = sharedServer();

const texts = { default_language: 'english', language_override: 'language', textIndexVersion: 3 };
const textKey = { _fts: 'text', _ftsx: 1 };

const accepted: { says: string; index: Document; listed: Document }[] = [
  { says: 'hashed', index: { key: { a: 'hashed' } }, listed: { key: { a: 'hashed' } } },
  {
    says: 'hashed with others',
    index: { key: { b: -1, 'a.x': 'hashed' } },
    listed: { key: { b: -1, 'a.x': 'hashed' } },
  },
  {
    says: 'hashed and sparse',
    index: { key: { a: 'hashed' }, sparse: true },
    listed: { key: { a: 'hashed' }, sparse: true },
  },
  {
    says: 'hashed of some documents',
    index: { key: { a: 'hashed' }, partialFilterExpression: { b: 1 } },
    listed: { key: { a: 'hashed' }, partialFilterExpression: { b: 1 } },
  },
  { says: 'a wildcard', index: { key: { '$**': 1 } }, listed: { key: { '$**': 1 } } },
  { says: 'a wildcard below a path', index: { key: { 'a.b.$**': -1 } }, listed: { key: { 'a.b.$**': -1 } } },
  {
    says: 'a wildcard of some fields',
    index: { key: { '$**': 1 }, wildcardProjection: { a: 1, 'b.c': 1 } },
    listed: { key: { '$**': 1 }, wildcardProjection: { a: 1, 'b.c': 1 } },
  },
  { says: 'text', index: { key: { a: 'text' } }, listed: { key: textKey, weights: { a: 1 }, ...texts } },
  {
    says: 'text with weights and a language',
    index: { key: { b: 'text', a: 'text' }, weights: { b: 5, c: 2 }, default_language: 'de', language_override: 'l' },
    listed: {
      ...{ key: textKey, weights: { a: 1, b: 5, c: 2 }, default_language: 'de', language_override: 'l' },
      textIndexVersion: 3,
    },
  },
  {
    says: 'text between other fields',
    index: { key: { x: 1, a: 'text', y: -1 } },
    listed: { key: { x: 1, ...textKey, y: -1 }, weights: { a: 1 }, ...texts },
  },
  {
    says: '2dsphere',
    index: { key: { a: '2dsphere' } },
    listed: { key: { a: '2dsphere' }, '2dsphereIndexVersion': 3 },
  },
  {
    says: '2dsphere with others',
    index: { key: { x: 1, 'a.p': '2dsphere' } },
    listed: { key: { x: 1, 'a.p': '2dsphere' }, '2dsphereIndexVersion': 3 },
  },
  { says: '2d', index: { key: { a: '2d' } }, listed: { key: { a: '2d' } } },
  {
    says: '2d with bounds',
    index: { key: { a: '2d', x: 1 }, min: -10, max: 10, bits: 20 },
    listed: { key: { a: '2d', x: 1 }, min: -10, max: 10, bits: 20 },
  },
];

const create = (name: string, index: Document) => ({ createIndexes: name, indexes: [{ name: 'kind', ...index }] });

describe('an index of a kind', () => {
  test.each(accepted)('$says is listed with its key and options, and dropped', async ({ index, listed }) => {
    const items = await collectionOf({ _id: 1 });
    expect(await database().command(create(items.collectionName, index))).toMatchObject({ numIndexesAfter: 2 });
    // The same once more is the same index.
    expect(await database().command(create(items.collectionName, index))).toMatchObject({ numIndexesAfter: 2 });
    expect((await items.indexes())[1]).toEqual({ v: 2, name: 'kind', ...listed });
    await database().command({ dropIndexes: items.collectionName, index: listed.key });
    expect(await items.indexes()).toHaveLength(1);
  });

  test('is there after a restart, and in a backup', async () => {
    const dir = temporaryFolder();
    await withServer(dir, async ({ client }) => {
      for (const [at, { index }] of accepted.entries()) {
        const items = client.db('test').collection<Document>(`kind_${at}`);
        await items.insertOne({ _id: 1 as never, x: 1, language: 'da', l: 'fr' });
        await client.db('test').command(create(items.collectionName, index));
        await items.insertOne({ _id: 2 as never, x: 2 });
      }
    });
    await backupEmbeddedMongo({ dir, file: `${dir}/backup` });
    await withServer(dir, async ({ client }) => {
      for (const [at, { listed }] of accepted.entries()) {
        const items = client.db('test').collection<Document>(`kind_${at}`);
        expect((await items.indexes())[1]).toEqual({ v: 2, name: 'kind', ...listed });
        expect(await items.find({ x: { $gte: 1 } }).toArray()).toHaveLength(2);
      }
    });
  });
});

type Refused = { index: Document; code: number; codeName: string; naming: string };

const wrong: Refused[] = [
  { index: { key: { a: 'hashed' }, unique: true }, code: 16764, codeName: 'Location16764', naming: 'uniqueness' },
  { index: { key: { a: 'hashed', b: 'hashed' } }, code: 31303, codeName: 'Location31303', naming: 'found 2' },
  { index: { key: { a: 'hashed', b: 'text' } }, code: 67, codeName: 'CannotCreateIndex', naming: 'more than one' },
  { index: { key: { a: 'soundex' } }, code: 67, codeName: 'CannotCreateIndex', naming: "'soundex'" },
  { index: { key: { a: 'geoHaystack' } }, code: 67, codeName: 'CannotCreateIndex', naming: "'geoHaystack'" },
  { index: { key: { a: 'wildcard' } }, code: 67, codeName: 'CannotCreateIndex', naming: "'wildcard'" },
  { index: { key: { '$**': 1 }, unique: true }, code: 67, codeName: 'CannotCreateIndex', naming: 'unique' },
  { index: { key: { '$**': 1 }, sparse: true }, code: 67, codeName: 'CannotCreateIndex', naming: 'sparse' },
  { index: { key: { '$**': 0 } }, code: 67, codeName: 'CannotCreateIndex', naming: 'direction' },
  { index: { key: { '$**': 1 }, wildcardProjection: {} }, code: 9, codeName: 'FailedToParse', naming: 'empty' },
  { index: { key: { '$**': 1 }, wildcardProjection: 1 }, code: 14, codeName: 'TypeMismatch', naming: 'object' },
  { index: { key: { 'a.$**': 1 }, wildcardProjection: { a: 1 } }, code: 9, codeName: 'FailedToParse', naming: '$**' },
  { index: { key: { '$**': 1, a: 1 } }, code: 115, codeName: 'CommandNotSupported', naming: 'wildcard' },
  {
    index: { key: { a: 1 }, wildcardProjection: { a: 1 } },
    code: 115,
    codeName: 'CommandNotSupported',
    naming: 'wildcardProjection',
  },
  { index: { key: { a: 'text' }, unique: true }, code: 115, codeName: 'CommandNotSupported', naming: 'unique' },
  { index: { key: { '$**': 'text' } }, code: 115, codeName: 'CommandNotSupported', naming: '$**' },
  { index: { key: { a: 'text' }, textIndexVersion: 2 }, code: 115, codeName: 'CommandNotSupported', naming: '2' },
  {
    index: { key: { a: 'text' }, default_language: 'klingon' },
    code: 67,
    codeName: 'CannotCreateIndex',
    naming: 'default_language',
  },
  {
    index: { key: { a: 'text' }, language_override: 'a.b' },
    code: 67,
    codeName: 'CannotCreateIndex',
    naming: 'language_override',
  },
  { index: { key: { a: 'text' }, weights: { a: 0 } }, code: 67, codeName: 'CannotCreateIndex', naming: 'weight' },
  { index: { key: { a: 'text' }, weights: { a: 'x' } }, code: 67, codeName: 'CannotCreateIndex', naming: 'numeric' },
  { index: { key: { a: 'text' }, weights: 5 }, code: 67, codeName: 'CannotCreateIndex', naming: 'weights' },
  { index: { key: { a: 'text', b: 1, c: 'text' } }, code: 67, codeName: 'CannotCreateIndex', naming: 'adjacent' },
  { index: { key: { a: 'text', b: 2 } }, code: 67, codeName: 'CannotCreateIndex', naming: '1 or -1' },
  { index: { key: { a: '2dsphere' }, unique: true }, code: 115, codeName: 'CommandNotSupported', naming: 'unique' },
  {
    index: { key: { a: '2dsphere' }, '2dsphereIndexVersion': 2 },
    code: 115,
    codeName: 'CommandNotSupported',
    naming: '2',
  },
  {
    index: { key: { a: '2dsphere' }, finestIndexedLevel: 3 },
    code: 115,
    codeName: 'CommandNotSupported',
    naming: 'finestIndexedLevel',
  },
  { index: { key: { x: 1, a: '2d' } }, code: 16801, codeName: 'Location16801', naming: 'first' },
  { index: { key: { a: '2d', b: '2d' } }, code: 16800, codeName: 'Location16800', naming: '2 geo fields' },
  { index: { key: { a: '2d' }, min: 5, max: 5 }, code: 72, codeName: 'InvalidOptions', naming: '[5, 5]' },
  { index: { key: { a: '2d' }, bits: 33 }, code: 72, codeName: 'InvalidOptions', naming: '33' },
  { index: { key: { a: '2d' }, min: 'x' }, code: 14, codeName: 'TypeMismatch', naming: 'min' },
  { index: { key: { a: 1 }, weights: { a: 1 } }, code: 115, codeName: 'CommandNotSupported', naming: 'weights' },
];

describe('an index is refused and not made', () => {
  test.each(wrong)('$index', async ({ index, code, codeName, naming }) => {
    const items = await collectionOf({ _id: 1 });
    const answer = await refusal(database(), create(items.collectionName, index));
    expect(answer).toEqual({ code, codeName, errmsg: expect.stringContaining(naming) });
    expect(await items.indexes()).toHaveLength(1);
  });

  test('when it is a second one of text', async () => {
    const items = await collectionOf({ _id: 1 });
    await items.createIndex({ a: 'text' }, { name: 'first' });
    await expect(items.createIndex({ x: 1, b: 'text' })).rejects.toMatchObject({
      code: 67,
      message: expect.stringContaining('"first"'),
    });
    await expect(items.createIndex({ b: 'text' })).rejects.toMatchObject({ code: 85 });
    await expect(items.createIndex({ b: 'text' }, { name: 'first' })).rejects.toMatchObject({ code: 86 });
  });
});

test('an index of another kind on the same field is another index', async () => {
  const items = await collectionOf({ _id: 1 });
  await items.createIndex({ a: 1 });
  await items.createIndex({ a: 'hashed' });
  await items.createIndex({ a: '2dsphere' });
  await items.createIndex({ a: 'text' });
  expect((await items.indexes()).map(({ key }) => key)).toEqual([
    { _id: 1 },
    { a: 1 },
    { a: 'hashed' },
    { a: '2dsphere' },
    textKey,
  ]);
});

/** What MongoDB refuses to store because of an index, beside what it takes. */
const documents: { key: Document; options?: Document; taken: Document[]; refused: [Document, number][] }[] = [
  {
    key: { 'a.x': 'hashed', b: 1 },
    taken: [{ a: { x: 1 } }, { a: 5 }, {}, { c: [1] }],
    refused: [
      [{ a: { x: [1] } }, 16766],
      [{ a: { x: [] } }, 16766],
      [{ a: [{ x: 1 }] }, 16766],
      [{ b: [1] }, 16766],
    ],
  },
  {
    key: { a: 'hashed' },
    options: { partialFilterExpression: { b: 1 } },
    taken: [{ a: [1] }, { a: [1], b: 2 }],
    refused: [[{ a: [1], b: 1 }, 16766]],
  },
  {
    key: { 'a.t': 'text', b: 1 },
    taken: [
      { a: { t: 'words', language: 'German' } },
      { language: 'es' },
      { a: { t: 5 } },
      { c: { language: 5 } },
      { a: [{ t: ['words'], language: 'none' }] },
    ],
    refused: [
      [{ language: 5 }, 17261],
      [{ language: 'klingon' }, 17262],
      [{ a: { language: null } }, 17261],
      [{ a: [{ t: 'words', language: 'xx' }] }, 17262],
      [{ a: { t: { language: 'xx' } } }, 17262],
      [{ b: [1] }, 201],
    ],
  },
  {
    key: { a: '2dsphere' },
    taken: [
      {},
      { a: null },
      { a: [] },
      { a: {} },
      { a: [1, 2] },
      { a: { lng: 180, lat: -90 } },
      { a: { type: 'Point', coordinates: [1.5, 2, 300], name: 'x' } },
    ],
    refused: [
      [{ a: 'here' }, 16755],
      [{ a: 5 }, 16755],
      [{ a: [1] }, 16755],
      [{ a: [1, 2, 3] }, 16755],
      [{ a: [181, 0] }, 16755],
      [{ a: [0, 91] }, 16755],
      [{ a: [Number.NaN, 0] }, 16755],
      [{ a: [[1, 2]] }, 16755],
      [{ a: { type: 'Point' } }, 16755],
      [{ a: { type: 'Point', coordinates: ['1', 2] } }, 16755],
      [{ a: { type: 'Point', coordinates: [1, 200] } }, 16755],
      [{ a: { type: 'Circle', coordinates: [1, 2] } }, 16755],
      [{ a: { type: 'Point', coordinates: [1, 2], crs: {} } }, 115],
      [{ a: { type: 'Polygon', coordinates: [] } }, 115],
    ],
  },
  {
    key: { 'a.p': '2dsphere' },
    taken: [{ a: [{ p: [1, 2] }, {}] }, { a: [{ p: null }, { p: null }] }],
    refused: [[{ a: [{ p: [1, 2] }, { p: null }] }, 16755]],
  },
  {
    key: { a: '2d' },
    options: { min: -10, max: 10 },
    taken: [{}, { a: 'x' }, { a: null }, { a: [] }, { a: [10, -10] }, { a: { x: 1, y: 2, z: 3 } }, { a: [[1, 2], []] }],
    refused: [
      [{ a: [11, 0] }, 13027],
      [{ a: [1] }, 13068],
      [{ a: [1, 'x'] }, 13026],
      [{ a: ['x'] }, 16804],
      [
        {
          a: [
            [1, 2],
            [1, 20],
          ],
        },
        13027,
      ],
    ],
  },
];

describe('a document that an index of a kind cannot take', () => {
  test.each(documents)('with $key is not stored', async ({ key, options, taken, refused }) => {
    const items = await collectionOf();
    await items.createIndex(key as never, options);
    await items.insertMany(taken.map((document) => ({ ...document })) as never);
    const target = { _id: 'target' as never };
    await items.insertOne({ ...target });
    for (const [document, code] of refused) {
      await expect(items.insertOne({ ...document })).rejects.toMatchObject({ code });
      await expect(items.updateOne(target, { $set: document })).rejects.toMatchObject({ code });
      await expect(items.replaceOne(target, document)).rejects.toMatchObject({ code });
      await expect(items.findOneAndReplace({ none: 1 }, document, { upsert: true })).rejects.toMatchObject({ code });
    }
    expect(await items.findOne(target)).toEqual(target);
    expect(await items.countDocuments()).toBe(taken.length + 1);
    await items.deleteMany({});
  });

  test.each(documents)('with $key keeps the index from being made', async ({ key, options, taken, refused }) => {
    for (const [document, code] of refused) {
      const items = await collectionOf(...taken, document);
      await expect(items.createIndex(key as never, options)).rejects.toMatchObject({ code });
      expect(await items.indexes()).toHaveLength(1);
    }
  });
});

describe('queries beside indexes of kinds', () => {
  const rows: Document[] = [
    { _id: 1, a: 5, t: 'red apple', p: [1, 2] },
    { _id: 2, a: 5.0, t: 'green', p: [3, 4] },
    { _id: 3, a: '5', t: 'red' },
    { _id: 4, t: null },
    { _id: 5, a: null, n: { a: 5 } },
  ];

  async function indexed() {
    const items = await collectionOf(...rows);
    await items.createIndex({ a: 'hashed' });
    await items.createIndex({ '$**': 1 });
    await items.createIndex({ t: 'text', a: 1 });
    await items.createIndex({ p: '2dsphere' });
    await items.createIndex({ p: '2d' });
    return items;
  }

  test.each<[Document, number[]]>([
    [{ a: 5 }, [1, 2]],
    [{ a: { $in: [5, '5'] } }, [1, 2, 3]],
    [{ a: null }, [4, 5]],
    [{ a: { $gt: 4 } }, [1, 2]],
    [{ t: 'red' }, [3]],
    [{ t: /red/ }, [1, 3]],
    [{ t: null }, [4, 5]],
    [{ p: [1, 2] }, [1]],
    [{ p: { $exists: false } }, [3, 4, 5]],
    [{ 'n.a': 5 }, [5]],
    [{}, [1, 2, 3, 4, 5]],
  ])('%j is answered as without them', async (filter, found) => {
    const items = await indexed();
    for (const field of ['_id', 'a', 'p', 't']) {
      const all = await items.find(filter, { sort: { [field]: 1 } }).toArray();
      expect(all.map(({ _id }) => _id as unknown).sort()).toEqual(found);
    }
    expect(await items.countDocuments(filter)).toBe(found.length);
  });

  test.each(['text', '2dsphere', '2d'])('a partial index of the kind %s hides no document', async (kind) => {
    const items = await collectionOf(...rows);
    await items.createIndex({ q: kind } as never, { partialFilterExpression: { a: 5 } });
    for (const sort of ['q', '_id', 'a']) {
      expect(await items.find({ a: 5 }, { sort: { [sort]: 1 } }).toArray()).toHaveLength(2);
    }
  });

  test('equality is found by a hashed index', async () => {
    const items = await indexed();
    const { executionStats, queryPlanner } = await items.find({ a: 5 }).explain('executionStats');
    expect(queryPlanner.winningPlan.inputStage).toMatchObject({ indexName: 'a_hashed', keyPattern: { a: 'hashed' } });
    expect(executionStats.totalDocsExamined).toBe(2);
    expect(await items.find({ a: 5 }, { hint: { a: 'hashed' } as never }).toArray()).toHaveLength(2);
    await expect(items.find({ a: 5 }, { hint: { a: 1 } }).toArray()).rejects.toMatchObject({ code: 2 });
  });

  test.each(['$**_1', 't_text_a_1', 'p_2dsphere', 'p_2d'])('a hint at %s is refused by name', async (hint) => {
    const items = await indexed();
    await expect(items.find({}, { hint }).toArray()).rejects.toMatchObject({
      code: 115,
      message: expect.stringContaining(hint),
    });
  });

  const point = { $geometry: { type: 'Point', coordinates: [1, 2] } };

  test.each<[string, Document]>([
    ['$text', { $text: { $search: 'red' } }],
    ['$near', { p: { $near: point } }],
    ['$near', { p: { $near: [1, 2], $maxDistance: 1 } }],
    ['$nearSphere', { p: { $nearSphere: point } }],
    ['$geoWithin', { p: { $geoWithin: { $center: [[1, 2], 3] } } }],
    [
      '$within',
      {
        p: {
          $within: {
            $box: [
              [0, 0],
              [9, 9],
            ],
          },
        },
      },
    ],
    ['$geoIntersects', { p: { $geoIntersects: point } }],
    ['$near', { p: { $not: { $near: point } } }],
    ['$geoWithin', { $or: [{ a: 1 }, { p: { $geoWithin: {} } }] }],
  ])('%s is refused by name', async (name, filter) => {
    const items = await indexed();
    const refused = { code: 115, message: expect.stringContaining(name) };
    await expect(items.find(filter).toArray()).rejects.toMatchObject(refused);
    await expect(items.updateMany(filter, { $set: { x: 1 } })).rejects.toMatchObject(refused);
    await expect(items.aggregate([{ $match: filter }]).toArray()).rejects.toMatchObject(refused);
    await expect(items.deleteMany(filter)).rejects.toMatchObject(refused);
  });
});
