import { describe, expect, test } from '@jest/globals';
import { EJSON, ObjectId } from 'bson';
import fc from 'fast-check';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import type { Document } from './suite/driver.ts';
import { refusal, sharedServer } from './support/shared-server.ts';

const { database, collectionOf } = sharedServer();

const grade = { _id: 1, name: 'Ada', points: [1, 2], quiz: { a: 4, b: 6 }, list: [{ x: 1 }, { x: 2 }] };

const stages: { says: string; pipeline: Document[]; answer: Document }[] = [
  {
    says: '$set computes from the document as it is',
    pipeline: [{ $set: { total: { $add: ['$quiz.a', '$quiz.b'] }, name: { $toUpper: '$name' } } }],
    answer: { ...grade, name: 'ADA', total: 10 },
  },
  {
    says: '$addFields sets within documents and within each document of an array',
    pipeline: [{ $addFields: { 'quiz.c': 8, 'list.y': '$quiz.a' } }],
    answer: {
      ...grade,
      quiz: { a: 4, b: 6, c: 8 },
      list: [
        { x: 1, y: 4 },
        { x: 2, y: 4 },
      ],
    },
  },
  {
    says: 'a stage reads what the stage before it made',
    pipeline: [{ $set: { n: { $size: '$points' } } }, { $set: { twice: { $multiply: ['$n', 2] } } }, { $unset: 'n' }],
    answer: { ...grade, twice: 4 },
  },
  {
    says: '$unset removes one field or several',
    pipeline: [{ $unset: 'name' }, { $unset: ['points', 'quiz.a', 'list'] }],
    answer: { _id: 1, quiz: { b: 6 } },
  },
  { says: '$project keeps', pipeline: [{ $project: { name: 1 } }], answer: { _id: 1, name: 'Ada' } },
  {
    says: '$project computes',
    pipeline: [{ $project: { name: 1, most: '$quiz.b' } }],
    answer: { _id: 1, name: 'Ada', most: 6 },
  },
  {
    says: '$project of a field that is removed keeps the _id too',
    pipeline: [{ $project: { _id: 0, name: 1 } }],
    answer: { _id: 1, name: 'Ada' },
  },
  {
    says: '$replaceRoot puts a document in place, which keeps the _id',
    pipeline: [{ $replaceRoot: { newRoot: '$quiz' } }],
    answer: { _id: 1, a: 4, b: 6 },
  },
  {
    says: '$replaceWith fills in what is missing',
    pipeline: [{ $replaceWith: { $mergeObjects: [{ name: 'none', age: 0 }, '$$ROOT'] } }],
    answer: { ...grade, age: 0 },
  },
  {
    says: 'a dollar sign in a literal is no path',
    pipeline: [{ $set: { name: { $literal: '$quiz.a' } } }],
    answer: { ...grade, name: '$quiz.a' },
  },
  {
    says: '$concatArrays appends to an array',
    pipeline: [{ $set: { points: { $concatArrays: ['$points', [3]] } } }],
    answer: { ...grade, points: [1, 2, 3] },
  },
  { says: 'an _id of the same value changes nothing', pipeline: [{ $set: { _id: 1 } }], answer: grade },
  { says: 'the _id cannot be removed and stays', pipeline: [{ $unset: '_id' }], answer: grade },
  { says: 'what removes nothing changes nothing', pipeline: [{ $set: { none: '$nothing' } }], answer: grade },
];

describe('an update by a pipeline', () => {
  test.each(stages)('$says', async ({ pipeline, answer }) => {
    const items = await collectionOf(grade);
    const isSame = JSON.stringify(answer) === JSON.stringify(grade);
    expect(await items.updateOne({ _id: 1 as never }, pipeline)).toMatchObject({
      matchedCount: 1,
      modifiedCount: isSame ? 0 : 1,
    });
    expect(await items.findOne()).toEqual(answer);
  });

  test.each(stages)('of findAndModify: $says', async ({ pipeline, answer }) => {
    const items = await collectionOf(grade);
    expect(await items.findOneAndUpdate({}, pipeline, { returnDocument: 'after' })).toEqual(answer);
    expect(await items.findOne()).toEqual(answer);
  });

  test('of findAndModify answers the document as it was', async () => {
    const items = await collectionOf(grade);
    expect(await items.findOneAndUpdate({}, [{ $set: { name: 'Bob' } }])).toEqual(grade);
  });

  test('without a stage changes nothing', async () => {
    const items = await collectionOf(grade);
    const updates = [{ q: {}, u: [] }];
    expect(await database().command({ update: items.collectionName, updates })).toMatchObject({ n: 1, nModified: 0 });
    expect(await items.findOne()).toEqual(grade);
  });

  test('changes many documents, each by itself, and its indexes with them', async () => {
    const items = await collectionOf({ _id: 1, a: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 });
    await items.createIndex({ b: 1 });
    const pipeline = [{ $set: { b: { $multiply: ['$a', 10] } } }];
    expect(await items.updateMany({ a: { $gt: 1 } }, pipeline)).toMatchObject({ matchedCount: 2, modifiedCount: 2 });
    expect(await items.find({ b: { $gte: 20 } }, { hint: { b: 1 } }).toArray()).toEqual([
      { _id: 2, a: 2, b: 20 },
      { _id: 3, a: 3, b: 30 },
    ]);
  });

  test('is one of several statements of a bulk', async () => {
    const items = await collectionOf({ _id: 1, a: 1 });
    await items.bulkWrite([
      { updateOne: { filter: {}, update: [{ $set: { b: '$a' } }] } },
      { updateOne: { filter: {}, update: { $inc: { a: 1 } } } },
    ]);
    expect(await items.findOne()).toEqual({ _id: 1, a: 2, b: 1 });
  });

  test('puts the _id in front', async () => {
    const items = await collectionOf({ _id: 1, a: 1 });
    await items.updateOne({}, [{ $replaceWith: { b: '$a', _id: '$_id' } }]);
    expect(Object.keys((await items.findOne())!)).toEqual(['_id', 'b']);
  });
});

describe('an upsert by a pipeline', () => {
  test('computes from what the filter says by equality', async () => {
    const items = await collectionOf();
    const pipeline = [{ $set: { twice: { $multiply: ['$a', 2] }, b: { $ifNull: ['$b', 'new'] } } }];
    const filter = { _id: 7 as never, a: 3, 'n.x': 1, c: { $gt: 5 } };
    const result = await items.updateOne(filter, pipeline, { upsert: true });
    expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 1, upsertedId: 7 });
    expect(await items.findOne()).toEqual({ _id: 7, a: 3, n: { x: 1 }, twice: 6, b: 'new' });
  });

  test('makes an _id when there is none, and keeps that of the filter when the pipeline drops it', async () => {
    const items = await collectionOf();
    const { upsertedId } = await items.updateOne({ a: 1 }, [{ $project: { a: 1 } }], { upsert: true });
    expect(ObjectId.isValid(String(upsertedId))).toBe(true);
    expect(await items.findOne()).toEqual({ _id: upsertedId, a: 1 });
    await items.updateOne({ _id: 5 as never }, [{ $replaceWith: { b: 1 } }], { upsert: true });
    expect(await items.findOne({ b: 1 })).toEqual({ _id: 5, b: 1 });
  });
});

const refused: { what: string; pipeline: unknown[]; code: number; codeName: string; filters?: Document[] }[] = [
  { what: '$match is not allowed', pipeline: [{ $match: {} }], code: 72, codeName: 'InvalidOptions' },
  { what: '$group is not allowed', pipeline: [{ $group: { _id: 1 } }], code: 72, codeName: 'InvalidOptions' },
  { what: '$unwind is not allowed', pipeline: [{ $unwind: '$a' }], code: 72, codeName: 'InvalidOptions' },
  { what: '$lookup is not allowed', pipeline: [{ $lookup: {} }], code: 72, codeName: 'InvalidOptions' },
  { what: '$facet is not allowed', pipeline: [{ $facet: {} }], code: 72, codeName: 'InvalidOptions' },
  { what: '$merge is not allowed', pipeline: [{ $merge: 'x' }], code: 72, codeName: 'InvalidOptions' },
  { what: '$inc', pipeline: [{ $inc: { a: 1 } }], code: 40324, codeName: 'Location40324' },
  { what: 'exactly one field', pipeline: [{ $set: { a: 1 }, $unset: 'b' }], code: 40323, codeName: 'Location40323' },
  { what: 'start with', pipeline: [{ $set: { 'list.$': 1 } }], code: 16410, codeName: 'Location16410' },
  { what: 'start with', pipeline: [{ $set: { 'list.$[]': 1 } }], code: 16410, codeName: 'Location16410' },
  { what: 'start with', pipeline: [{ $set: { 'list.$[i].x': 1 } }], code: 16410, codeName: 'Location16410' },
  { what: 'start with', pipeline: [{ $unset: 'list.$' }], code: 16410, codeName: 'Location16410' },
  { what: 'start with', pipeline: [{ $unset: ['a', 'list.$[].x'] }], code: 16410, codeName: 'Location16410' },
  { what: 'positional', pipeline: [{ $project: { 'list.$': 1 } }], code: 31324, codeName: 'Location31324' },
  { what: '_id', pipeline: [{ $set: { _id: 2 } }], code: 66, codeName: 'ImmutableField' },
  { what: '_id', pipeline: [{ $replaceWith: { _id: { $add: ['$_id', 1] } } }], code: 66, codeName: 'ImmutableField' },
  { what: '_id', pipeline: [{ $set: { '_id.x': 2 } }], code: 66, codeName: 'ImmutableField' },
  { what: 'newRoot', pipeline: [{ $replaceRoot: { newRoot: '$name' } }], code: 40228, codeName: 'Location40228' },
  { what: 'newRoot', pipeline: [{ $replaceWith: '$nothing' }], code: 40228, codeName: 'Location40228' },
  { what: '$size', pipeline: [{ $set: { n: { $size: '$name' } } }], code: 17124, codeName: 'Location17124' },
  { what: '$nonsense', pipeline: [{ $set: { n: { $nonsense: 1 } } }], code: 168, codeName: 'InvalidPipelineOperator' },
  { what: '$round', pipeline: [{ $set: { n: { $round: 1.5 } } }], code: 115, codeName: 'CommandNotSupported' },
  { what: '$x', pipeline: [{ $replaceWith: '$odd' }], code: 52, codeName: 'DollarPrefixedFieldName' },
  { what: 'arrayFilters', pipeline: [{ $set: { a: 1 } }], filters: [{ i: 1 }], code: 9, codeName: 'FailedToParse' },
];

describe('an update by a pipeline is refused and changes nothing', () => {
  const before = { ...grade, odd: { $x: 1 } };

  test.each(refused)('%j', async ({ what, pipeline, filters, code, codeName }) => {
    const items = await collectionOf(before);
    const arrayFilters = filters && { arrayFilters: filters };
    const updates = [{ q: {}, u: pipeline, ...arrayFilters }];
    const naming = { code, errmsg: expect.stringContaining(what) };
    expect(await refusal(database(), { update: items.collectionName, updates })).toEqual(naming);
    const modify = { findAndModify: items.collectionName, query: {}, update: pipeline, ...arrayFilters };
    expect(await refusal(database(), modify)).toEqual({ ...naming, codeName });
    expect(await items.findOne()).toEqual(before);
  });

  test('when an upsert would get another _id than the filter says', async () => {
    const items = await collectionOf();
    const upsert = items.updateOne({ _id: 1 as never }, [{ $set: { _id: 2 } }], { upsert: true });
    await expect(upsert).rejects.toMatchObject({ code: 66 });
    expect(await items.countDocuments()).toBe(0);
  });
});

const small = fc.integer({ min: -3, max: 3 });
const inner = fc.record({ x: small, y: small }, { requiredKeys: [] });
const given = fc.record(
  { a: small, b: fc.oneof(small, fc.constantFrom('text', null)), n: inner, list: fc.array(inner, { maxLength: 3 }) },
  { requiredKeys: [] },
);
const path = fc.constantFrom('a', 'b', 'n', 'n.x', 'list', 'list.x');
const read = path.map((name) => `$${name}`);
const expression: fc.Arbitrary<unknown> = fc.oneof(
  small,
  read,
  fc.array(read, { maxLength: 2 }),
  fc.tuple(read, small).map((operands) => ({ $add: operands })),
  fc.tuple(read, read).map((operands) => ({ $ifNull: operands })),
  fc.tuple(read, read).map(([test_, then]) => ({ $cond: [test_, then, '$$REMOVE'] })),
  fc.record({ p: read, q: small }),
);
const fields = (value: fc.Arbitrary<unknown>) => fc.tuple(path, value).map((entry) => Object.fromEntries([entry]));
const stage: fc.Arbitrary<Document> = fc.oneof(
  fields(expression).map((set) => ({ $set: set })),
  fields(expression).map((set) => ({ $addFields: set })),
  path.map((name) => ({ $unset: name })),
  fc.tuple(fields(fc.constant(1)), fc.boolean()).map(([kept, id]) => ({ $project: id ? kept : { _id: 0, ...kept } })),
  fields(fc.constant(0)).map((dropped) => ({ $project: dropped })),
  read.map((value) => ({ $replaceWith: { $mergeObjects: ['$$ROOT', { c: value }] } })),
  fc.constantFrom('$n', '$$ROOT', '$b').map((newRoot) => ({ $replaceRoot: { newRoot } })),
);

/** What an action makes of the documents, with their types, or the code it is refused with. */
function outcome(action: Promise<Document[]>): Promise<unknown> {
  return action.then(
    (documents) => documents.map((document) => EJSON.stringify(document, { relaxed: false })),
    ({ code }) => Number(code),
  );
}

test(
  'an update by a pipeline stores what an aggregation by its stages answers, with the _id',
  async () => {
    await fc.assert(
      fc.asyncProperty(given, fc.array(stage, { minLength: 1, maxLength: 4 }), async (document, pipeline) => {
        const items = await collectionOf({ _id: 1, ...document });
        const exact = { promoteValues: false };
        const answered = await outcome(
          items
            .aggregate(pipeline, exact)
            .toArray()
            .then((documents) => documents.map((result) => ({ _id: 1, ...result }))),
        );
        const updated = items.updateOne({}, pipeline).then(() => items.find({}, exact).toArray());
        expect(await outcome(updated as Promise<Document[]>)).toEqual(answered);
        await items.drop();
      }),
      { numRuns: propertyCases(50, 5000) },
    );
  },
  propertyTimeout,
);
