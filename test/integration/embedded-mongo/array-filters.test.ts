import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import type { Document } from './suite/driver.ts';
import { refusal, sharedServer } from './support/shared-server.ts';

const { database, collectionOf } = sharedServer();

type Row = { says: string; given: Document; update: Document; filters?: Document[]; answer: Document };

const rows: Row[] = [
  {
    says: '$[identifier] is each element its filter matches',
    given: { a: [0, 1, 0, 1] },
    update: { $set: { 'a.$[i]': 2 } },
    filters: [{ i: 0 }],
    answer: { a: [2, 1, 2, 1] },
  },
  {
    says: 'a filter has conditions of one element',
    given: { a: [1, 5, 9, 'x'] },
    update: { $inc: { 'a.$[i]': 10 } },
    filters: [{ i: { $gt: 1, $lt: 9 } }],
    answer: { a: [1, 15, 9, 'x'] },
  },
  {
    says: 'a filter has several fields of a document',
    given: {
      a: [
        { x: 1, y: 1 },
        { x: 1, y: 2 },
      ],
    },
    update: { $set: { 'a.$[i].z': true } },
    filters: [{ 'i.x': 1, 'i.y': { $gte: 2 } }],
    answer: {
      a: [
        { x: 1, y: 1 },
        { x: 1, y: 2, z: true },
      ],
    },
  },
  {
    says: 'a filter has $or, $and and $nor',
    given: { a: [0, 1, 2, 3], b: [1, 2] },
    update: { $set: { 'a.$[i]': 9, 'b.$[j]': 9 } },
    filters: [{ $or: [{ i: 0 }, { $and: [{ i: { $gt: 2 } }, {}] }] }, { $nor: [{ j: 1 }] }],
    answer: { a: [9, 1, 2, 9], b: [1, 9] },
  },
  {
    says: 'a filter looks into documents and arrays',
    given: { a: [{ t: ['x'] }, { t: ['y'] }, { n: { t: 1 } }] },
    update: { $set: { 'a.$[i].hit': 1 } },
    filters: [{ $or: [{ 'i.t': 'x' }, { 'i.n.t': 1 }] }],
    answer: { a: [{ t: ['x'], hit: 1 }, { t: ['y'] }, { n: { t: 1 }, hit: 1 }] },
  },
  {
    says: 'an element that is an array is matched by its elements',
    given: { a: [[0], [1]] },
    update: { $addToSet: { 'a.$[i]': 2 } },
    filters: [{ i: 0 }],
    answer: { a: [[0, 2], [1]] },
  },
  {
    says: 'identifiers nest',
    given: {
      a: [
        { b: 0, c: [{ d: 0 }, { d: 1 }] },
        { b: 1, c: [{ d: 0 }, { d: 1 }] },
      ],
    },
    update: { $set: { 'a.$[i].c.$[j].d': 2 } },
    filters: [{ 'i.b': 0 }, { 'j.d': 0 }],
    answer: {
      a: [
        { b: 0, c: [{ d: 2 }, { d: 1 }] },
        { b: 1, c: [{ d: 0 }, { d: 1 }] },
      ],
    },
  },
  {
    says: 'an identifier stands below $[]',
    given: {
      a: [
        [0, 1],
        [0, 1],
      ],
    },
    update: { $set: { 'a.$[].$[j]': 2 } },
    filters: [{ j: 0 }],
    answer: {
      a: [
        [2, 1],
        [2, 1],
      ],
    },
  },
  {
    says: 'an identifier stands behind a position',
    given: { a: [{ b: [1, 2] }, { b: [1, 2] }] },
    update: { $set: { 'a.1.b.$[i]': 0 } },
    filters: [{ i: 2 }],
    answer: { a: [{ b: [1, 2] }, { b: [1, 0] }] },
  },
  {
    says: 'elements are chosen before any is changed',
    given: { a: [0, 5] },
    update: { $set: { 'a.$[i]': 5, 'a.$[j]': 6 } },
    filters: [{ i: 0 }, { j: 5 }],
    answer: { a: [5, 6] },
  },
  {
    says: 'two identifiers may change different fields of one element',
    given: { a: [{ x: 0, b: [{ y: 0, c: 0, d: 0 }] }] },
    update: { $set: { 'a.$[i].b.$[k].c': 1, 'a.$[j].b.$[k].d': 1 } },
    filters: [{ 'i.x': 0 }, { 'j.x': 0 }, { 'k.y': 0 }],
    answer: { a: [{ x: 0, b: [{ y: 0, c: 1, d: 1 }] }] },
  },
  {
    says: 'two identifiers may change one field of different elements',
    given: { a: [{ x: 0 }, { x: 1 }] },
    update: { $set: { 'a.$[i].c': 1, 'a.$[j].c': 2 } },
    filters: [{ 'i.x': 0 }, { 'j.x': 1 }],
    answer: {
      a: [
        { x: 0, c: 1 },
        { x: 1, c: 2 },
      ],
    },
  },
  {
    says: 'a filter serves several paths',
    given: { a: [1, 2], b: [1, 2] },
    update: { $inc: { 'a.$[i]': 10 }, $unset: { 'b.$[i]': '' } },
    filters: [{ i: 1 }],
    answer: { a: [11, 2], b: [null, 2] },
  },
  {
    says: 'a filter that matches nothing changes nothing',
    given: { a: [1, 2] },
    update: { $set: { 'a.$[i]': 0 } },
    filters: [{ i: 3 }],
    answer: { a: [1, 2] },
  },
  {
    says: '$min, $max and $mul',
    given: { a: [{ k: 1, v: 5, w: 5, m: 2 }, { k: 2 }] },
    update: { $min: { 'a.$[i].v': 3 }, $max: { 'a.$[i].w': 8 }, $mul: { 'a.$[i].m': 3 } },
    filters: [{ 'i.k': 1 }],
    answer: { a: [{ k: 1, v: 3, w: 8, m: 6 }, { k: 2 }] },
  },
  {
    says: '$push, $pull, $pullAll and $pop',
    given: { a: [[1, 2, 3]], b: [[1, 2, 3]], c: [[1, 2, 3]], d: [[1, 2, 3]] },
    update: { $push: { 'a.$[i]': 4 }, $pull: { 'b.$[i]': 2 }, $pullAll: { 'c.$[i]': [1, 3] }, $pop: { 'd.$[i]': 1 } },
    filters: [{ i: 1 }],
    answer: { a: [[1, 2, 3, 4]], b: [[1, 3]], c: [[2]], d: [[1, 2]] },
  },
  {
    says: '$setOnInsert changes nothing that is there',
    given: { a: [1] },
    update: { $setOnInsert: { 'a.$[i]': 5 } },
    filters: [{ i: 1 }],
    answer: { a: [1] },
  },
  {
    says: '$[] is every element, without a filter',
    given: { a: [{ b: 0 }, { b: 1 }] },
    update: { $set: { 'a.$[].b': 2 } },
    answer: { a: [{ b: 2 }, { b: 2 }] },
  },
];

describe('array filters', () => {
  test.each(rows)('$says', async ({ given, update, filters, answer }) => {
    const before = { _id: 1, ...given };
    const options = filters ? { arrayFilters: filters } : {};
    const items = await collectionOf(before);
    await items.updateOne({}, update, options);
    expect(await items.findOne()).toEqual({ _id: 1, ...answer });
    const others = await collectionOf(before);
    const after = await others.findOneAndUpdate({}, update, { ...options, returnDocument: 'after' });
    expect(after).toEqual({ _id: 1, ...answer });
  });

  test('are of each statement of a bulk, and of many documents', async () => {
    const items = await collectionOf({ _id: 1, a: [0, 1] }, { _id: 2, a: [0, 2] });
    await items.createIndex({ a: 1 });
    const result = await items.bulkWrite([
      { updateMany: { filter: {}, update: { $set: { 'a.$[i]': 3 } }, arrayFilters: [{ i: 0 }] } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { 'a.$[i]': 4 } }, arrayFilters: [{ i: 2 }] } },
    ] as never);
    expect(result).toMatchObject({ matchedCount: 3, modifiedCount: 3 });
    expect(await items.find({ a: 3 }, { hint: { a: 1 } }).toArray()).toEqual([
      { _id: 1, a: [3, 1] },
      { _id: 2, a: [3, 4] },
    ]);
  });

  test('choose among the elements that an upsert takes from its filter', async () => {
    const items = await collectionOf();
    const options = { arrayFilters: [{ i: 0 }], upsert: true };
    await items.updateOne({ _id: 1 as never, a: [0, 5] }, { $setOnInsert: { 'a.$[i]': 1 } }, options);
    expect(await items.findOne()).toEqual({ _id: 1, a: [1, 5] });
  });

  test('stand beside the positional operator', async () => {
    const items = await collectionOf({
      _id: 1,
      a: [
        { n: 1, t: [1, 2] },
        { n: 2, t: [1, 2] },
      ],
    });
    await items.updateOne({ 'a.n': 2 }, { $set: { 'a.$.t.$[i]': 0 } }, { arrayFilters: [{ i: 1 }] });
    expect((await items.findOne())!.a[1]).toEqual({ n: 2, t: [0, 2] });
  });
});

const parseContext = 'Error parsing array filter :: caused by :: ';
const identifierRule = 'The top-level field name must be an alphanumeric string beginning with a lowercase letter';

type Refused = { update: Document; filters?: unknown; code: number; codeName: string; message: string };

const unsuitable: Refused[] = [
  {
    update: { $set: { 'a.$[i]': 5 } },
    code: 2,
    codeName: 'BadValue',
    message: "No array filter found for identifier 'i' in path 'a.$[i]'",
  },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{ j: 0 }],
    code: 2,
    codeName: 'BadValue',
    message: "No array filter found for identifier 'i' in path 'a.$[i]'",
  },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{ i: 0 }, { j: 0 }],
    code: 9,
    codeName: 'FailedToParse',
    message: "The array filter for identifier 'j' was not used in the update { $set: { a.$[i]: 5 } }",
  },
  {
    update: { $rename: { a: 'b' } },
    filters: [{ i: 0 }],
    code: 9,
    codeName: 'FailedToParse',
    message: "The array filter for identifier 'i' was not used in the update",
  },
  {
    update: { b: 1 },
    filters: [{ i: 0 }],
    code: 9,
    codeName: 'FailedToParse',
    message: "The array filter for identifier 'i' was not used in the update",
  },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{ i: 0, j: 0 }],
    code: 9,
    codeName: 'FailedToParse',
    message: `${parseContext}Expected a single top-level field name, found 'i' and 'j'`,
  },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{ $or: [{ i: 0 }, { 'j.x': 0 }] }],
    code: 9,
    codeName: 'FailedToParse',
    message: 'Expected a single top-level field name',
  },
  {
    update: { $set: { 'a.$[i]': 5, 'a.$[j]': 6 } },
    filters: [{ i: 0 }, { j: 0 }, { i: 1 }],
    code: 9,
    codeName: 'FailedToParse',
    message: 'Found multiple array filters with the same top-level field name i',
  },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{}],
    code: 9,
    codeName: 'FailedToParse',
    message: 'Cannot use an expression without a top-level field name in arrayFilters',
  },
  {
    update: { $set: { 'a.$[I]': 5 } },
    filters: [{ I: 0 }],
    code: 2,
    codeName: 'BadValue',
    message: `${parseContext}${identifierRule}, found 'I'`,
  },
  {
    update: { $set: { 'a.$[i_j]': 5 } },
    filters: [{ i_j: 0 }],
    code: 2,
    codeName: 'BadValue',
    message: `${identifierRule}, found 'i_j'`,
  },
  {
    update: { $set: { 'a.$[1i]': 5 } },
    filters: [{ '1i': 0 }],
    code: 2,
    codeName: 'BadValue',
    message: `${identifierRule}, found '1i'`,
  },
  { update: { $set: { 'a.$[$i]': 5 } }, filters: [{ $i: 0 }], code: 2, codeName: 'BadValue', message: '$i' },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{ i: { $nonsense: 1 } }],
    code: 2,
    codeName: 'BadValue',
    message: `${parseContext}Unknown query operator $nonsense`,
  },
  {
    update: { $set: { 'a.$[i]': 5 } },
    filters: [{ $expr: { $eq: ['$i', 1] } }],
    code: 115,
    codeName: 'CommandNotSupported',
    message: '$expr',
  },
  {
    update: { $set: { 'a.$[i]': 0, 'a.0': 0 } },
    filters: [{ i: 0 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Updating the path 'a.0' would create a conflict at 'a'",
  },
  {
    update: { $set: { 'a.$[i]': 0, 'a.$': 0 } },
    filters: [{ i: 0 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Updating the path 'a.$' would create a conflict at 'a'",
  },
  {
    update: { $set: { 'a.$[i]': 0 }, $inc: { 'a.b': 1 } },
    filters: [{ i: 0 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Updating the path 'a.b' would create a conflict at 'a'",
  },
  {
    update: { $set: { 'a.$[i]': 0 }, $inc: { 'a.$[i].x': 1 } },
    filters: [{ i: 0 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Updating the path 'a.$[i].x' would create a conflict at 'a.$[i]'",
  },
  {
    update: { $set: { 'a.$[i]': 1, 'a.$[j]': 1 } },
    filters: [{ i: { $lt: 2 } }, { j: 1 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Update created a conflict at 'a.0'",
  },
  {
    update: { $set: { 'd.$[i].b.$[k].c': 1, 'd.$[j].b.$[k].c': 2 } },
    filters: [{ 'i.x': 0 }, { 'j.x': 0 }, { 'k.y': 9 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Update created a conflict at 'd.0.b.$[k].c'",
  },
  {
    update: { $set: { 'd.$[i].b.$[k].c': 1, 'd.$[j].b.$[m].c': 2 } },
    filters: [{ 'i.x': 0 }, { 'j.x': 0 }, { 'k.y': 0 }, { 'm.y': 0 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Update created a conflict at 'd.0.b.0.c'",
  },
  {
    update: { $set: { 'a.$[]': 1, 'a.$[i]': 1 } },
    filters: [{ i: 1 }],
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Update created a conflict at 'a.0'",
  },
  {
    update: { $set: { 'none.$[i]': 1 } },
    filters: [{ i: 1 }],
    code: 2,
    codeName: 'BadValue',
    message: "The path 'none' must exist in the document in order to apply array updates.",
  },
  {
    update: { $unset: { 'none.x.$[i]': 1 } },
    filters: [{ i: 1 }],
    code: 2,
    codeName: 'BadValue',
    message: "The path 'none.x' must exist in the document in order to apply array updates.",
  },
  {
    update: { $set: { 's.$[i]': 1 } },
    filters: [{ i: 1 }],
    code: 2,
    codeName: 'BadValue',
    message: 'Cannot apply array updates to non-array element s: 5',
  },
  {
    update: { $set: { '$[i].a': 1 } },
    filters: [{ i: 1 }],
    code: 2,
    codeName: 'BadValue',
    message: "element in the first position in path '$[i].a'",
  },
  {
    update: { $set: { '$.a': 1 } },
    code: 2,
    codeName: 'BadValue',
    message: "Cannot have positional (i.e. '$') element in the first position in path '$.a'",
  },
  {
    update: { $set: { 'a.$.b.$': 1 } },
    code: 2,
    codeName: 'BadValue',
    message: "Too many positional (i.e. '$') elements found in path 'a.$.b.$'",
  },
  {
    update: { $set: { 'a.$': 1, 'a.0': 2 } },
    code: 40,
    codeName: 'ConflictingUpdateOperators',
    message: "Update created a conflict at 'a.0'",
  },
  {
    update: { $rename: { 'a.$[i]': 'b' } },
    filters: [{ i: 1 }],
    code: 2,
    codeName: 'BadValue',
    message: 'The source field for $rename may not be dynamic: a.$[i]',
  },
  {
    update: { $rename: { s: 'a.$[]' } },
    code: 2,
    codeName: 'BadValue',
    message: 'The destination field for $rename may not be dynamic: a.$[]',
  },
  {
    update: { $set: { 'a.$[i.j]': 1 } },
    filters: [{ 'i.j': 0 }],
    code: 115,
    codeName: 'CommandNotSupported',
    message: '$[i',
  },
];

describe('array filters are refused and nothing is changed', () => {
  const before = { _id: 1, a: [1, 2], d: [{ x: 0, b: [{ y: 0 }] }], s: 5 };

  test.each(unsuitable)('$update with $filters', async ({ update, filters, code, codeName, message }) => {
    const items = await collectionOf(before);
    const naming = { code, errmsg: expect.stringContaining(message) };
    const updates = [{ q: { a: 1 }, u: update, ...(filters ? { arrayFilters: filters } : {}) }];
    expect(await refusal(database(), { update: items.collectionName, updates })).toEqual(naming);
    const modify = {
      findAndModify: items.collectionName,
      query: { a: 1 },
      update,
      ...(filters ? { arrayFilters: filters } : {}),
    };
    expect(await refusal(database(), modify)).toEqual({ ...naming, codeName });
    expect(await items.findOne()).toEqual(before);
  });

  const malformed: { filters: unknown; path: string }[] = [
    { filters: { i: 1 }, path: 'arrayFilters' },
    { filters: 'i', path: 'arrayFilters' },
    { filters: [{ i: 1 }, 'i'], path: 'arrayFilters.1' },
  ];

  test.each(malformed)('by the whole command, when they are $filters', async ({ filters, path }) => {
    const items = await collectionOf(before);
    const naming = { code: 14, codeName: 'TypeMismatch', errmsg: expect.stringContaining(`${path}'`) };
    const u = { $set: { 'a.$[i]': 5 } };
    const updates = [
      { q: {}, u: { $set: { b: 1 } } },
      { q: {}, u, arrayFilters: filters },
    ];
    expect(await refusal(database(), { update: items.collectionName, updates })).toEqual(naming);
    const modify = { findAndModify: items.collectionName, update: u, arrayFilters: filters };
    expect(await refusal(database(), modify)).toEqual(naming);
    expect(await items.findOne()).toEqual(before);
  });

  test('when findAndModify removes', async () => {
    const items = await collectionOf(before);
    const command = { findAndModify: items.collectionName, remove: true, arrayFilters: [{ i: 0 }] };
    expect(await refusal(database(), command)).toMatchObject({ code: 9, codeName: 'FailedToParse' });
    expect(await items.countDocuments()).toBe(1);
  });
});

type Part = { x: number; b: { y: number; z?: number }[] };

const small = fc.integer({ min: 0, max: 3 });
const parts = fc.array(fc.record({ x: small, b: fc.array(fc.record({ y: small }), { maxLength: 3 }) }), {
  maxLength: 4,
});

test(
  'an update by array filters changes what a model changes',
  async () => {
    await fc.assert(
      fc.asyncProperty(parts, small, small, small, fc.boolean(), async (a, least, y, by, all) => {
        const items = await collectionOf({ _id: 1, a });
        const inner = all ? '$[]' : '$[j]';
        await items.updateOne(
          {},
          { $inc: { 'a.$[i].x': by, [`a.$[k].b.${inner}.z`]: by }, $set: { [`a.$[k].b.${inner}.y`]: 9 } },
          { arrayFilters: [{ 'i.x': { $gte: least } }, { 'k.b.y': y }, ...(all ? [] : [{ 'j.y': y }])] },
        );
        const model: Part[] = a.map((part) => ({
          x: part.x >= least ? part.x + by : part.x,
          b: part.b.some((one) => one.y === y)
            ? part.b.map((one) => (all || one.y === y ? { y: 9, z: by } : one))
            : part.b,
        }));
        expect(await items.findOne()).toEqual({ _id: 1, a: model });
        await items.drop();
      }),
      { numRuns: propertyCases(40, 5000) },
    );
  },
  propertyTimeout,
);
