import { expect } from '@jest/globals';
import { Decimal128, Double, Int32, Long } from 'bson';
import { type Case, type Group, observe, refused, stored, storedTypes, typesOf } from '../case.ts';
import type { Document, Filter } from '../driver.ts';

/** What one document becomes, its types and the order of its fields included. */
function updates(says: string, before: Document, update: Document, after: Document, filter: Filter = {}): Case {
  return {
    says,
    given: [{ _id: 1, ...before }],
    when: async (scene) => {
      await scene.collection.updateOne(filter, update);
      return storedTypes(scene);
    },
    answer: typesOf({ _id: 1, ...after }),
  };
}

/** An update that is refused, and leaves what is stored as it was. */
function refuses(says: string, before: Document, update: unknown, code: number, naming: string, q = {}): Case {
  return {
    says,
    given: [{ _id: 1, ...before }],
    when: async (scene) => {
      const { collection, db } = scene;
      const reply = await db
        .command({ update: collection.collectionName, updates: [{ q, u: update }] })
        .catch((error: { code: number; message: string }) => ({
          writeErrors: [{ code: error.code, errmsg: error.message }],
        }));
      const [{ code: answered, errmsg }] = reply.writeErrors ?? [{}];
      return { code: answered, errmsg, stored: await stored(scene) };
    },
    answer: { code, errmsg: expect.stringContaining(naming), stored: [{ _id: 1, ...before }] },
  };
}

const long = (digits: string) => Long.fromString(digits);
const decimal = (digits: string) => Decimal128.fromString(digits);

const set: Case[] = [
  updates('$set adds a field', { a: 1 }, { $set: { b: 2 } }, { a: 1, b: 2 }),
  updates('$set keeps the place of a field', { a: 1, b: 2 }, { $set: { a: 'x' } }, { a: 'x', b: 2 }),
  updates('$set adds fields in the order of their names', {}, { $set: { c: 1, a: 2, b: 3 } }, { a: 2, b: 3, c: 1 }),
  updates('$set reaches along a path', { a: { b: 1, c: 2 } }, { $set: { 'a.b': 5 } }, { a: { b: 5, c: 2 } }),
  updates('$set makes the documents on a path', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }),
  updates('$set replaces a document whole', { a: { b: 1, c: 2 } }, { $set: { a: { d: 1 } } }, { a: { d: 1 } }),
  updates('$set reaches a place in an array', { a: [1, 2, 3] }, { $set: { 'a.1': 9 } }, { a: [1, 9, 3] }),
  updates(
    '$set reaches a field of a place in an array',
    { a: [{ b: 1 }, { b: 2 }] },
    { $set: { 'a.1.b': 9 } },
    { a: [{ b: 1 }, { b: 9 }] },
  ),
  updates('$set fills an array with null up to a place', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }),
  updates('$set makes a document, not an array, of a number in a path', {}, { $set: { 'a.0': 1 } }, { a: { 0: 1 } }),
  updates('$set changes the type of a number', { a: 1 }, { $set: { a: long('1') } }, { a: long('1') }),
  updates('$set to null keeps the field', { a: 1 }, { $set: { a: null } }, { a: null }),
  updates('$set without fields changes nothing', { a: 1 }, { $set: {} }, { a: 1 }),
  updates('$set of the _id that is there changes nothing', { a: 1 }, { $set: { _id: 1, a: 2 } }, { a: 2 }),
  updates('$unset removes a field', { a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }),
  updates('$unset of a missing field changes nothing', { a: 1 }, { $unset: { b: 1, 'c.d': 1 } }, { a: 1 }),
  updates('$unset reaches along a path', { a: { b: 1, c: 2 } }, { $unset: { 'a.b': 1 } }, { a: { c: 2 } }),
  updates('$unset leaves null at a place in an array', { a: [1, 2, 3] }, { $unset: { 'a.1': 1 } }, { a: [1, null, 3] }),
  updates('$unset through a scalar changes nothing', { a: 5 }, { $unset: { 'a.b': 1 } }, { a: 5 }),
  updates('$setOnInsert changes nothing that is there', { a: 1 }, { $setOnInsert: { a: 2, b: 3 } }, { a: 1 }),
  updates('$rename gives a field another name', { a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }),
  updates('$rename takes the place of a field', { a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }),
  updates('$rename of a missing field changes nothing', { a: 1 }, { $rename: { x: 'a' } }, { a: 1 }),
  updates(
    '$rename moves along paths',
    { a: { b: 1, c: 2 } },
    { $rename: { 'a.b': 'd.e' } },
    { a: { c: 2 }, d: { e: 1 } },
  ),
  updates(
    'operators work together on different fields',
    { a: 1, b: 2, c: 3 },
    { $set: { a: 5 }, $inc: { b: 1 }, $unset: { c: 1 } },
    { a: 5, b: 3 },
  ),
  updates('names inherited by JavaScript objects are set', {}, { $set: { constructor: 1 } }, { constructor: 1 }),
];

const arithmetic: Case[] = [
  updates('$inc adds', { v: 1 }, { $inc: { v: 2 } }, { v: 3 }),
  updates('$inc subtracts', { v: 1 }, { $inc: { v: -2 } }, { v: -1 }),
  updates('$inc of a missing field sets it', {}, { $inc: { v: 2, 'a.b': 1 } }, { a: { b: 1 }, v: 2 }),
  updates('$inc keeps an int an int', { v: 1 }, { $inc: { v: new Int32(1) } }, { v: new Int32(2) }),
  updates('$inc of an int by a long gives a long', { v: 1 }, { $inc: { v: long('1') } }, { v: long('2') }),
  updates('$inc of a long by an int gives a long', { v: long('1') }, { $inc: { v: 1 } }, { v: long('2') }),
  updates('$inc of an int by a double gives a double', { v: 1 }, { $inc: { v: new Double(1) } }, { v: new Double(2) }),
  updates('$inc of a double by an int gives a double', { v: 1.5 }, { $inc: { v: 1 } }, { v: 2.5 }),
  updates('$inc of a double to a whole number stays a double', { v: 1.5 }, { $inc: { v: 0.5 } }, { v: new Double(2) }),
  updates('$inc of a long by a double gives a double', { v: long('1') }, { $inc: { v: 0.5 } }, { v: 1.5 }),
  updates(
    '$inc of an int beyond its range gives a long',
    { v: 2147483647 },
    { $inc: { v: 1 } },
    { v: long('2147483648') },
  ),
  updates(
    '$inc of an int below its range gives a long',
    { v: -2147483648 },
    { $inc: { v: -1 } },
    { v: long('-2147483649') },
  ),
  updates(
    '$inc of a long beyond 2^53 is exact',
    { v: long('9007199254740993') },
    { $inc: { v: 1 } },
    { v: long('9007199254740994') },
  ),
  refuses(
    '$inc of a long beyond its range is refused',
    { v: long('9223372036854775807') },
    { $inc: { v: 1 } },
    2,
    '9223372036854775807',
  ),
  updates('$inc of a double may reach infinity', { v: 1e308 }, { $inc: { v: 1e308 } }, { v: Infinity }),
  updates('$mul multiplies', { v: 3 }, { $mul: { v: 4 } }, { v: 12 }),
  updates('$mul of a missing field gives 0', {}, { $mul: { v: 4 } }, { v: 0 }),
  updates(
    '$mul of a missing field gives a 0 of the type of the factor',
    {},
    { $mul: { v: long('4') } },
    { v: long('0') },
  ),
  updates('$mul of an int by a double gives a double', { v: 3 }, { $mul: { v: 1.5 } }, { v: 4.5 }),
  updates(
    '$mul of an int beyond its range gives a long',
    { v: 65536 },
    { $mul: { v: 65536 } },
    { v: long('4294967296') },
  ),
  refuses(
    '$mul of a long beyond its range is refused',
    { v: long('9223372036854775807') },
    { $mul: { v: 2 } },
    2,
    '9223372036854775807',
  ),
  updates('$min takes the lesser', { v: 5 }, { $min: { v: 3 } }, { v: 3 }),
  updates('$min leaves what is less', { v: 5 }, { $min: { v: 7 } }, { v: 5 }),
  updates('$min of a missing field sets it', {}, { $min: { v: 7 } }, { v: 7 }),
  updates('$min leaves an equal number of another type', { v: 5 }, { $min: { v: long('5') } }, { v: 5 }),
  updates('$min knows the order of types', { v: 'a' }, { $min: { v: 100 } }, { v: 100 }),
  updates('$max takes the greater', { v: 5 }, { $max: { v: 7 } }, { v: 7 }),
  updates('$max leaves what is greater', { v: 5 }, { $max: { v: 3 } }, { v: 5 }),
  updates('$max of a missing field sets it', {}, { $max: { v: 3 } }, { v: 3 }),
  updates('$max knows the order of types', { v: 100 }, { $max: { v: 'a' } }, { v: 'a' }),
  updates('$max takes a later date', { v: new Date(1) }, { $max: { v: new Date(2) } }, { v: new Date(2) }),
  updates('$min of null stays null', { v: null }, { $min: { v: 1 } }, { v: null }),
  refuses('$inc of a text is refused', { v: 'a' }, { $inc: { v: 1 } }, 14, 'non-numeric'),
  refuses('$inc of null is refused', { v: null }, { $inc: { v: 1 } }, 14, 'non-numeric'),
  refuses('$inc by a text is refused', { v: 1 }, { $inc: { v: 'a' } }, 14, 'non-numeric'),
  refuses('$mul of a text is refused', { v: 'a' }, { $mul: { v: 2 } }, 14, 'non-numeric'),
  refuses('$mul by a text is refused', { v: 1 }, { $mul: { v: 'a' } }, 14, 'non-numeric'),
];

const decimals: Case[] = [
  updates('$inc of a decimal is exact', { v: decimal('0.1') }, { $inc: { v: decimal('0.2') } }, { v: decimal('0.3') }),
  updates(
    '$inc of a decimal by an int gives a decimal',
    { v: decimal('1.5') },
    { $inc: { v: 1 } },
    { v: decimal('2.5') },
  ),
  updates(
    '$inc of an int by a decimal gives a decimal',
    { v: 1 },
    { $inc: { v: decimal('1.5') } },
    { v: decimal('2.5') },
  ),
  updates(
    '$inc of a long by a decimal gives a decimal',
    { v: long('9223372036854775807') },
    { $inc: { v: decimal('1') } },
    { v: decimal('9223372036854775808') },
  ),
  updates(
    '$inc of a decimal by a double gives a decimal',
    { v: decimal('1') },
    { $inc: { v: 0.25 } },
    { v: decimal('1.250000000000000') },
  ),
  updates(
    '$inc of a decimal keeps trailing zeros',
    { v: decimal('1.10') },
    { $inc: { v: decimal('2.20') } },
    { v: decimal('3.30') },
  ),
  updates('$mul of decimals is exact', { v: decimal('1.10') }, { $mul: { v: decimal('3') } }, { v: decimal('3.30') }),
  updates(
    'decimals round to 34 digits',
    { v: decimal('9999999999999999999999999999999999') },
    { $inc: { v: decimal('0.6') } },
    { v: decimal('1.000000000000000000000000000000000E+34') },
  ),
  updates('$max compares decimals', { v: decimal('1.5') }, { $max: { v: 2 } }, { v: 2 }),
];

const dates: Case[] = [
  {
    says: '$currentDate sets the time of the server',
    given: [{ _id: 1 }],
    when: async ({ collection }) => {
      await collection.updateOne({}, {
        $currentDate: { a: true, b: { $type: 'date' }, c: { $type: 'timestamp' } },
      } as Document);
      const found = (await collection.findOne())!;
      const recent = (milliseconds: number) => Math.abs(milliseconds - Date.now()) < 60_000;
      return [recent(found.a.getTime()), recent(found.b.getTime()), recent(found.c.t * 1000)];
    },
    answer: [true, true, true],
  },
  refuses('$currentDate refuses a type it does not know', {}, { $currentDate: { a: { $type: 'x' } } }, 2, 'type'),
  refuses('$currentDate refuses a text', {}, { $currentDate: { a: 'now' } }, 2, 'urrentDate'),
];

const refusedUpdates: Case[] = [
  refuses('an unknown operator is refused by name', { v: 1 }, { $nonsense: { v: 1 } }, 9, '$nonsense'),
  refuses('a field among operators is refused', { v: 1 }, { $set: { a: 1 }, b: 1 }, 9, 'b'),
  refuses('an operator among the fields of a replacement is refused', { v: 1 }, { a: 1, $set: { b: 1 } }, 52, '$set'),
  refuses('an operator needs a document', { v: 1 }, { $set: 'a' }, 9, '$set'),
  refuses('an update needs a document', { v: 1 }, 5, 9, 'pdate'),
  refuses('an empty name is refused', { v: 1 }, { $set: { '': 1 } }, 56, 'empty'),
  refuses('a path with an empty part is refused', { v: 1 }, { $set: { 'a..b': 1 } }, 56, 'a..b'),
  refuses('two operators on one path are refused', { v: 1 }, { $set: { v: 1 }, $inc: { v: 1 } }, 40, 'v'),
  refuses('an operator on a path and its parent is refused', { v: 1 }, { $set: { 'a.b': 1, a: 1 } }, 40, 'a'),
  refuses('operators on a path and its parent are refused', { v: 1 }, { $set: { a: {} }, $inc: { 'a.b': 1 } }, 40, 'a'),
  refuses('a path through a scalar is refused', { a: 5 }, { $set: { 'a.b': 1 } }, 28, 'a'),
  refuses('a path through null is refused', { a: null }, { $set: { 'a.b': 1 } }, 28, 'a'),
  refuses('a name as a place in an array is refused', { a: [1] }, { $set: { 'a.b': 1 } }, 28, 'b'),
  refuses('$inc through a scalar is refused', { a: 5 }, { $inc: { 'a.b': 1 } }, 28, 'a'),
  refuses('a place far behind the end of an array is refused', { a: [1] }, { $set: { 'a.2000000': 1 } }, 34, ''),
  refuses('another _id is refused', { v: 1 }, { $set: { _id: 2 } }, 66, '_id'),
  refuses('no _id is refused', { v: 1 }, { $unset: { _id: 1 } }, 66, '_id'),
  refuses('a greater _id is refused', { v: 1 }, { $inc: { _id: 1 } }, 66, '_id'),
  refuses('$rename of _id is refused', { v: 1 }, { $rename: { _id: 'v' } }, 66, '_id'),
  refuses('$rename to _id is refused', { v: 2 }, { $rename: { v: '_id' } }, 66, '_id'),
  refuses('a replacement with another _id is refused', { v: 1 }, { _id: 2, v: 1 }, 66, '_id'),
  refuses('$rename needs a text', { v: 1 }, { $rename: { v: 5 } }, 2, 'rename'),
  refuses('$rename to the same name is refused', { v: 1 }, { $rename: { v: 'v' } }, 2, 'differ'),
  refuses('$rename and $set of the source are refused', { v: 1 }, { $rename: { v: 'w' }, $set: { v: 1 } }, 40, 'v'),
  refuses('$rename and $set of the target are refused', { v: 1 }, { $rename: { v: 'w' }, $set: { w: 1 } }, 40, 'w'),
  refuses('$rename out of an array is refused', { a: [{ b: 1 }] }, { $rename: { 'a.0.b': 'c' } }, 2, 'array'),
  {
    says: 'a replacement of many documents is refused',
    given: [{ _id: 1 }],
    when: async ({ db, collection }) => {
      const reply = await db.command({
        update: collection.collectionName,
        updates: [{ q: {}, u: { v: 1 }, multi: true }],
      });
      return [reply.writeErrors[0].code, await collection.findOne()];
    },
    answer: [9, { _id: 1 }],
  },
  {
    says: 'an update without an update is refused',
    when: ({ db, collection }) => db.command({ update: collection.collectionName, updates: [{ q: {} }] }),
    answer: refused(40414, 'u'),
  },
  {
    says: 'a refused update of one of many documents keeps those before it',
    given: [
      { _id: 1, v: 1 },
      { _id: 2, v: 'a' },
      { _id: 3, v: 3 },
    ],
    when: async (scene) => {
      const code = await scene.collection.updateMany({}, { $inc: { v: 1 } }).catch((error) => error.code);
      return [code, await stored(scene)];
    },
    answer: [
      14,
      [
        { _id: 1, v: 2 },
        { _id: 2, v: 'a' },
        { _id: 3, v: 3 },
      ],
    ],
  },
];

const three = [
  { _id: 1, v: 1, w: 'a' },
  { _id: 2, v: 1, w: 'b' },
  { _id: 3, v: 2, w: 'c' },
];

const results: Case[] = [
  {
    says: 'updateOne changes one of several matches and tells so',
    given: three,
    when: async (scene) => {
      const result = await scene.collection.updateOne({ v: 1 }, { $set: { x: 1 } });
      return [result, (await stored(scene)).filter(({ x }) => x === 1).length];
    },
    answer: [{ acknowledged: true, matchedCount: 1, modifiedCount: 1, upsertedCount: 0, upsertedId: null }, 1],
  },
  {
    says: 'updateMany changes every match and tells so',
    given: three,
    when: async (scene) => {
      const result = await scene.collection.updateMany({ v: 1 }, { $set: { x: 1 } });
      return [result.matchedCount, result.modifiedCount, (await stored(scene)).map(({ x }) => x)];
    },
    answer: [2, 2, [1, 1, undefined]],
  },
  {
    says: 'an update that changes nothing matches and modifies nothing',
    given: three,
    when: async ({ collection }) => {
      const result = await collection.updateMany({ v: 1 }, { $set: { v: 1 } });
      return [result.matchedCount, result.modifiedCount];
    },
    answer: [2, 0],
  },
  {
    says: 'an update without a match does nothing',
    given: three,
    when: async ({ collection }) => {
      const result = await collection.updateOne({ v: 9 }, { $set: { x: 1 } });
      return [result.matchedCount, result.modifiedCount, result.upsertedCount];
    },
    answer: [0, 0, 0],
  },
  {
    says: 'an update of what it filters by changes each document once',
    given: Array.from({ length: 50 }, (_, index) => ({ _id: index, v: index })),
    indexes: [{ key: { v: 1 } }],
    when: async (scene) => {
      const result = await scene.collection.updateMany({ v: { $gte: 0 } }, { $inc: { v: 10 } });
      const sum = (await stored(scene)).reduce((total, { v }) => total + v, 0);
      return [result.modifiedCount, sum];
    },
    answer: [50, 1225 + 500],
  },
  {
    says: 'replaceOne leaves nothing but _id',
    given: three,
    when: async (scene) => {
      await scene.collection.replaceOne({ _id: 2 } as never, { z: 1, a: 2 });
      return typesOf(...(await stored(scene)).slice(1, 2));
    },
    answer: typesOf({ _id: 2, z: 1, a: 2 }),
  },
  {
    says: 'an update by a pipeline computes',
    given: three,
    when: async (scene) => {
      await scene.collection.updateOne({ w: 'c' }, [{ $set: { x: '$w' } }]);
      return (await stored(scene))[2];
    },
    answer: { _id: 3, v: 2, w: 'c', x: 'c' },
  },
  {
    says: 'a replacement may name the _id that is there',
    given: three,
    when: async (scene) => {
      await scene.collection.replaceOne({ v: 2 }, { _id: 3, n: 1 } as Document);
      return (await stored(scene))[2];
    },
    answer: { _id: 3, n: 1 },
  },
];

function upserts(says: string, filter: Document, update: Document, answer: Document): Case {
  return {
    says,
    given: [{ _id: 'other' }],
    when: async (scene) => {
      const result = await scene.collection.updateOne(filter, update, { upsert: true });
      const inserted = (await stored(scene)).filter(({ _id }) => _id !== 'other');
      const counts = [result.matchedCount, result.modifiedCount, result.upsertedCount];
      return [counts, String(result.upsertedId) === String(inserted[0]!._id), inserted];
    },
    answer: [[0, 0, 1], true, [answer]],
  };
}

const anyId = expect.objectContaining({ _bsontype: 'ObjectId' });

const upserting: Case[] = [
  upserts(
    'an upsert inserts what its filter equals',
    { a: 1, b: 'x' },
    { $set: { c: 2 } },
    { _id: anyId, a: 1, b: 'x', c: 2 },
  ),
  upserts('an upsert takes the _id of its filter', { _id: 7 }, { $set: { v: 1 } }, { _id: 7, v: 1 }),
  upserts('an upsert takes the _id of its update', { v: 1 }, { $setOnInsert: { _id: 7 } }, { _id: 7, v: 1 }),
  upserts(
    'an upsert takes paths of its filter',
    { 'a.b': 1 },
    { $set: { 'a.c': 2 } },
    { _id: anyId, a: { b: 1, c: 2 } },
  ),
  upserts(
    'an upsert takes $eq and $and of its filter',
    { $and: [{ a: { $eq: 1 } }, { b: 2 }] },
    { $set: { c: 3 } },
    { _id: anyId, a: 1, b: 2, c: 3 },
  ),
  upserts(
    'an upsert leaves ranges of its filter',
    { a: { $gt: 1 }, b: { $ne: 2 }, d: { $exists: false } },
    { $set: { c: 3 } },
    { _id: anyId, c: 3 },
  ),
  upserts(
    'an upsert counts from what its filter equals',
    { a: 1 },
    { $inc: { a: 2, b: 5 } },
    { _id: anyId, a: 3, b: 5 },
  ),
  upserts(
    'an upsert does $setOnInsert',
    { a: 1 },
    { $set: { b: 2 }, $setOnInsert: { c: 3 } },
    { _id: anyId, a: 1, b: 2, c: 3 },
  ),
  upserts(
    'an upsert pushes to a new array',
    { a: 1 },
    { $push: { b: 2 }, $addToSet: { c: { $each: [1, 1] } } },
    { _id: anyId, a: 1, b: [2], c: [1] },
  ),
  {
    says: 'an upsert keeps null',
    when: async (scene) => {
      await scene.collection.updateOne(
        { _id: 1 } as never,
        { $set: { a: null }, $setOnInsert: { b: null } },
        { upsert: true },
      );
      return stored(scene);
    },
    answer: [{ _id: 1, a: null, b: null }],
  },
  {
    says: 'an upsert that matches does no $setOnInsert',
    given: [{ _id: 1, a: 1 }],
    when: async (scene) => {
      await scene.collection.updateOne({ a: 1 }, { $set: { b: 2 }, $setOnInsert: { c: 3 } }, { upsert: true });
      return stored(scene);
    },
    answer: [{ _id: 1, a: 1, b: 2 }],
  },
  {
    says: 'an upsert of a replacement takes nothing of its filter but _id',
    when: async (scene) => {
      await scene.collection.replaceOne({ _id: 5, a: 1 } as never, { b: 2 }, { upsert: true });
      return stored(scene);
    },
    answer: [{ _id: 5, b: 2 }],
  },
  {
    says: 'an upsert of many inserts one',
    when: async (scene) => {
      const result = await scene.collection.updateMany({ a: 1 }, { $set: { b: 1 } }, { upsert: true });
      return [result.upsertedCount, (await stored(scene)).length];
    },
    answer: [1, 1],
  },
  {
    says: 'an upsert with another _id than its filter is refused',
    when: ({ collection }) => collection.updateOne({ _id: 1 } as never, { $set: { _id: 2 } }, { upsert: true }),
    answer: refused(66, '_id'),
  },
  {
    says: 'an upsert against a unique index is refused',
    given: [{ _id: 1, a: 1 }],
    indexes: [{ key: { a: 1 }, unique: true }],
    when: ({ collection }) => collection.updateOne({ _id: 2 } as never, { $set: { a: 1 } }, { upsert: true }),
    answer: refused(11000, 'E11000'),
  },
  {
    says: 'of many upserts at once one inserts',
    indexes: [{ key: { a: 1 }, unique: true }],
    when: async (scene) => {
      const attempts = Array.from({ length: 20 }, () =>
        scene.collection.updateOne({ a: 1 }, { $inc: { n: 1 } }, { upsert: true }),
      );
      await Promise.all(attempts);
      return (await stored(scene)).map(({ a, n }) => ({ a, n }));
    },
    answer: [{ a: 1, n: 20 }],
  },
  {
    says: 'of many guarded updates at once one is done',
    given: [{ _id: 1, owner: null }],
    when: async (scene) => {
      const attempts = Array.from({ length: 20 }, (_, owner) =>
        scene.collection.updateOne({ _id: 1, owner: null } as never, { $set: { owner } }),
      );
      const done = await Promise.all(attempts);
      return done.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0);
    },
    answer: 1,
  },
];

const identities: Case[] = [
  {
    says: 'a path into _id changes nothing and is refused',
    given: [{ _id: { a: 1 } as never, v: 1 }],
    when: async (scene) => {
      const refusal = await observe(() => scene.collection.updateOne({}, { $set: { '_id.a': 2 } }));
      return { refusal, stored: await stored(scene) };
    },
    answer: { refusal: refused(66, '_id'), stored: [{ _id: { a: 1 }, v: 1 }] },
  },
  {
    says: 'a path into _id that removes is refused',
    given: [{ _id: { a: 1, b: 2 } as never, v: 1 }],
    when: async (scene) => {
      const refusal = await observe(() => scene.collection.updateOne({}, { $unset: { '_id.b': '' } }));
      return { refusal, stored: await stored(scene) };
    },
    answer: { refusal: refused(66, '_id'), stored: [{ _id: { a: 1, b: 2 }, v: 1 }] },
  },
  {
    says: 'an upsert whose filter says two things about a path is refused',
    when: async (scene) => {
      const filter = { a: { b: 1 }, 'a.b': 2 };
      const refusal = await observe(() => scene.collection.updateOne(filter, { $set: { v: 1 } }, { upsert: true }));
      return { refusal, stored: await stored(scene) };
    },
    answer: { refusal: refused(54, 'a.b'), stored: [] },
  },
  {
    says: 'an upsert whose filter reaches into a value it sets is refused',
    when: async (scene) => {
      const filter = { 'a.b': 2, a: 1 };
      const refusal = await observe(() => scene.collection.updateOne(filter, { $set: { v: 1 } }, { upsert: true }));
      return { refusal, stored: await stored(scene) };
    },
    answer: { refusal: refused(54, 'a.b'), stored: [] },
  },
];

export const updateGroups: Group[] = [
  { group: 'updates of _id and by contradicting filters', cases: identities },
  { group: 'update of fields', cases: set },
  { group: 'update by arithmetic', cases: arithmetic },
  { group: 'update of decimals', cases: decimals },
  { group: 'update to the current date', cases: dates },
  { group: 'update refusals', cases: refusedUpdates },
  { group: 'update results', cases: results },
  { group: 'upsert', cases: upserting },
];
