import { Binary, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'bson';
import { type Case, type Group, holding, ids, missing, refused } from '../case.ts';
import type { Document, Filter } from '../driver.ts';

/** A filter's answer must be the same without an index and with one on every path it names. */
function matches(says: string, given: Document[], filter: Filter, expected: number[]): Case {
  return {
    says,
    given,
    when: async ({ collection }) => {
      const scanned = ids(await collection.find(filter).toArray());
      for (const path of pathsOf(filter)) await collection.createIndex({ [path]: 1 });
      const indexed = ids(await collection.find(filter).toArray());
      return { scanned: scanned.sort(), indexed: indexed.sort() };
    },
    answer: { scanned: expected, indexed: expected },
  };
}

function refuses(says: string, filter: Filter, code: number, naming: string): Case {
  return {
    says,
    given: holding(1),
    when: ({ collection }) => collection.find(filter).toArray(),
    answer: refused(code, naming),
  };
}

function pathsOf(filter: Filter): string[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (['$and', '$or', '$nor'].includes(key)) return (value as Filter[]).flatMap(pathsOf);
    // Places in arrays are found without an index.
    return key.startsWith('$') || key === '_id' || /\.\d/.test(key) ? [] : [key];
  });
}

const early = new Date('2024-01-01T00:00:00Z');
const late = new Date('2025-01-01T00:00:00Z');
const id = new ObjectId('65a000000000000000000001');
const laterId = new ObjectId('65a000000000000000000002');
const uuid = new UUID('0190a000-0000-7000-8000-000000000001');
const long = (digits: string) => Long.fromString(digits);
const decimal = (digits: string) => Decimal128.fromString(digits);
const nested = [
  { _id: 1, a: { b: null } },
  { _id: 2, a: {} },
  { _id: 3, a: 5 },
  { _id: 4 },
  { _id: 5, a: [] },
  { _id: 6, a: [4] },
  { _id: 7, a: [{ b: 1 }, {}] },
  { _id: 8, a: { b: 1 } },
  { _id: 9, a: null },
];

const equality: Case[] = [
  matches('an empty filter matches everything', holding(1, missing, null), {}, [1, 2, 3]),
  matches(
    'equality compares numbers by value whatever their type',
    holding(new Int32(1), new Double(1), long('1'), '1', true),
    { v: 1 },
    [1, 2, 3],
  ),
  matches('zero equals negative zero', holding(0, new Double(-0), 1), { v: 0 }, [1, 2]),
  matches(
    'neighbouring longs beyond 2^53 are different numbers',
    holding(long('9007199254740992'), long('9007199254740993')),
    { v: long('9007199254740993') },
    [2],
  ),
  matches('true is not 1', holding(true, 1, 'true'), { v: true }, [1]),
  matches('texts are compared by case and by code point', holding('a', 'A', '\u00e1', 'a\u0301'), { v: '\u00e1' }, [3]),
  matches(
    'equality with null matches null and a missing field',
    holding(null, missing, 0, '', [], [null], {}),
    { v: null },
    [1, 2, 6],
  ),
  matches('a value equals an array that holds it', holding([1, 2], [3], 1), { v: 1 }, [1, 3]),
  matches(
    'an array equals one with the same elements in the same order',
    holding([1, 2], [2, 1], [1, 2, 3], 1),
    { v: [1, 2] },
    [1],
  ),
  matches('an empty array equals an empty array', holding([], null, missing, [1]), { v: [] }, [1]),
  matches(
    'a document equals one with the same fields in the same order',
    holding({ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }),
    { v: { a: 1, b: 2 } },
    [1],
  ),
  matches(
    'a document equals an array that holds it',
    holding([{ a: 1, b: 2 }], [{ a: 1 }]),
    { v: { a: 1, b: 2 } },
    [1],
  ),
  matches('an empty document equals an empty document', holding({}, { a: 1 }, null, []), { v: {} }, [1]),
  matches('dates are equal by instant', holding(early, late, early.getTime()), { v: new Date(early) }, [1]),
  matches(
    'object ids are equal by value',
    holding(id, laterId, id.toHexString()),
    { v: new ObjectId(id.toHexString()) },
    [1],
  ),
  matches('binaries are equal by bytes and subtype', holding(uuid, new Binary(uuid.buffer, 0)), { v: uuid }, [1]),
  matches('$eq is equality', holding(1, 2, [1]), { v: { $eq: 1 } }, [1, 3]),
  matches('_id is matched like any field', holding('a', 'b'), { _id: 2 } as unknown as Filter, [2]),
  matches(
    'conditions on several fields must all hold',
    [
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 1, b: 2 },
    ],
    { a: 1, b: 2 },
    [2],
  ),
];

const comparison: Case[] = [
  matches(
    'a range over numbers matches numbers only',
    holding(6, '6', null, missing, [7], [1, 9], { a: 7 }, true, late, 5),
    { v: { $gt: 5 } },
    [1, 5, 6],
  ),
  matches('$gte includes the bound', holding(4, 5, 6), { v: { $gte: 5 } }, [2, 3]),
  matches('$lt excludes the bound', holding(4, 5, 6), { v: { $lt: 5 } }, [1]),
  matches('$lte includes the bound', holding(4, 5, 6), { v: { $lte: 5 } }, [1, 2]),
  matches('a range over texts matches texts only', holding('a', 'b', 1, null, ['a']), { v: { $lt: 'b' } }, [1, 5]),
  matches(
    'texts are ordered by their bytes',
    holding('Z', 'a', 'é', 'zz', '\u{1F600}', '\uFFFD'),
    { v: { $gt: 'z' } },
    [3, 4, 5, 6],
  ),
  matches('a range over dates matches dates only', holding(early, late, late.getTime()), { v: { $gt: early } }, [2]),
  matches('a range over object ids matches object ids only', holding(id, laterId, 'f'), { v: { $gt: id } }, [2]),
  matches('false is less than true', holding(false, true, 0, 1), { v: { $gt: false } }, [2]),
  matches(
    'numbers of different types are ordered together',
    holding(new Int32(1), 1.5, long('2'), 2.5),
    { v: { $gt: 1, $lt: 2.5 } },
    [2, 3],
  ),
  matches(
    'a long is compared with a double without rounding',
    holding(long('9007199254740992'), long('9007199254740993')),
    { v: { $gt: new Double(9007199254740992) } },
    [2],
  ),
  matches('$gte null matches null and a missing field', holding(null, missing, 0, ''), { v: { $gte: null } }, [1, 2]),
  matches('$gt null matches nothing', holding(null, missing, 0, ''), { v: { $gt: null } }, []),
  matches(
    'arrays are compared element by element',
    holding([1, 2], [1, 3], [0, 9], [2], 5),
    { v: { $gte: [1, 2] } },
    [1, 2, 4],
  ),
  matches(
    'documents are compared field by field',
    holding({ a: 1 }, { a: 2 }, { b: 0 }, { a: 1, b: 0 }, { a: 0, z: 9 }),
    { v: { $gt: { a: 1 } } },
    [2, 3, 4],
  ),
  matches(
    'different elements of an array may meet the two ends of a range',
    holding([1, 9], [4], 4, [6, 9]),
    { v: { $gt: 3, $lt: 5 } },
    [1, 2, 3],
  ),
  matches(
    '$ne matches what equality does not, a missing field included',
    holding(1, [1, 2], 2, null, missing),
    { v: { $ne: 1 } },
    [3, 4, 5],
  ),
  matches(
    '$ne null matches what is there and not null',
    holding(null, missing, 0, [], [null]),
    { v: { $ne: null } },
    [3, 4],
  ),
  matches('$in matches any of its values', holding(1, 2, 3, [1, 5], '1'), { v: { $in: [1, 3] } }, [1, 3, 4]),
  matches('$in with null matches a missing field', holding(1, 2, null, missing), { v: { $in: [1, null] } }, [1, 3, 4]),
  matches('$in takes arrays as values', holding([1, 2], [2, 1], [1], 1), { v: { $in: [[1, 2]] } }, [1]),
  matches(
    '$in takes values of different types',
    holding(1, 'a', early, id, true),
    { v: { $in: ['a', id, 1] } },
    [1, 2, 4],
  ),
  matches('$in takes regular expressions', holding('ab', 'b', ['xa', 'ab'], 1), { v: { $in: [/^a/, 1] } }, [1, 3, 4]),
  matches('$in without values matches nothing', holding(1, missing), { v: { $in: [] } }, []),
  matches('$in yields a document once', holding([1, 2, 3]), { v: { $in: [1, 2, 3] } }, [1]),
  matches('$nin matches none of its values', holding(1, 2, [1, 5], null, missing), { v: { $nin: [1, null] } }, [2]),
  matches('$nin without values matches everything', holding(1, missing), { v: { $nin: [] } }, [1, 2]),
  refuses('$in needs an array', { v: { $in: 1 } } as unknown as Filter, 2, '$in'),
  refuses('$nin needs an array', { v: { $nin: 'a' } } as unknown as Filter, 2, '$nin'),
  refuses('$in takes no operators', { v: { $in: [{ $gt: 1 }] } }, 2, '$in'),
];

const logic: Case[] = [
  matches('$and needs all', holding(1, 5, 9), { $and: [{ v: { $gt: 2 } }, { v: { $lt: 8 } }] }, [2]),
  matches('$or needs one', holding(1, 5, 9), { $or: [{ v: 1 }, { v: 9 }] }, [1, 3]),
  matches('$or yields a document once', holding([1, 2]), { $or: [{ v: 1 }, { v: 2 }] }, [1]),
  matches('$nor needs none', holding(1, 5, missing), { $nor: [{ v: 1 }, { v: 9 }] }, [2, 3]),
  matches(
    '$or beside a field needs both',
    [
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 1, b: 2 },
      { _id: 3, a: 2, b: 1 },
    ],
    { a: 1, $or: [{ b: 1 }, { b: 3 }] },
    [1],
  ),
  matches(
    'logic nests',
    holding(1, 2, 3, 4),
    { $or: [{ $and: [{ v: { $gt: 1 } }, { v: { $lt: 3 } }] }, { $nor: [{ v: { $lt: 4 } }] }] },
    [2, 4],
  ),
  matches(
    '$not matches what its condition does not',
    holding(1, 9, 'a', null, missing, [1, 9]),
    { v: { $not: { $gt: 5 } } },
    [1, 3, 4, 5],
  ),
  matches('$not takes a regular expression', holding('ab', 'b', 1, missing), { v: { $not: /^a/ } }, [2, 3, 4]),
  matches('$not beside another operator needs both', holding(1, 5, 9), { v: { $not: { $gt: 8 }, $gt: 2 } }, [2]),
  matches('$not of $in is $nin', holding(1, 2, missing), { v: { $not: { $in: [1] } } }, [2, 3]),
  refuses('$or needs an array', { $or: { v: 1 } } as unknown as Filter, 2, '$or'),
  refuses('$and needs at least one condition', { $and: [] }, 2, 'nonempty array'),
  refuses('$nor takes conditions only', { $nor: [1] } as unknown as Filter, 2, '$nor'),
  refuses('$not needs a condition', { v: { $not: 5 } } as unknown as Filter, 2, '$not'),
  refuses('$not needs a condition that is not empty', { v: { $not: {} } }, 2, '$not'),
];

const element: Case[] = [
  matches('$exists tells null from missing', holding(null, missing, 0, []), { v: { $exists: true } }, [1, 3, 4]),
  matches('$exists false matches a missing field', holding(null, missing, 0), { v: { $exists: false } }, [2]),
  matches('$type takes a name', holding('a', 1, null, missing), { v: { $type: 'string' } }, [1]),
  matches('$type takes a number', holding('a', 1, null), { v: { $type: 2 } }, [1]),
  matches(
    '$type number means every number',
    holding(new Int32(1), 1.5, long('1'), '1'),
    { v: { $type: 'number' } },
    [1, 2, 3],
  ),
  matches(
    '$type tells numbers apart',
    holding(new Int32(1), new Double(1), long('1')),
    { v: { $type: ['int', 'long'] } },
    [1, 3],
  ),
  matches('$type takes several', holding('a', null, 1, missing), { v: { $type: ['string', 'null'] } }, [1, 2]),
  matches('$type array matches an array', holding([], [1], 1), { v: { $type: 'array' } }, [1, 2]),
  matches('$type looks at the elements of an array', holding([1, 'a'], ['a'], 1), { v: { $type: 'int' } }, [1, 3]),
  matches(
    '$type knows the other types',
    holding(id, early, true, {}, uuid, /a/),
    { v: { $type: ['objectId', 'date', 'bool', 'object', 'binData', 'regex'] } },
    [1, 2, 3, 4, 5, 6],
  ),
  refuses('$type refuses a name that is no type', { v: { $type: 'nonsense' } } as unknown as Filter, 2, 'nonsense'),
];

const evaluation: Case[] = [
  matches('a regular expression matches texts', holding('abc', 'xabc', 1, null, missing), { v: /^ab/ }, [1]),
  matches('a regular expression matches the elements of an array', holding(['x', 'ab'], ['x']), { v: /^ab/ }, [1]),
  matches('a regular expression equals itself', holding(/ab/i, /ab/, 'AB'), { v: /ab/i }, [1, 3]),
  matches('an anchored regular expression equals itself', holding(/^ab/, /^ab/i, 'abc'), { v: /^ab/ }, [1, 3]),
  matches('$regex takes its options', holding('AB', 'ab', 'b'), { v: { $regex: '^a', $options: 'i' } }, [1, 2]),
  matches('$regex m anchors at lines', holding('x\nab', 'xab'), { v: { $regex: '^a', $options: 'm' } }, [1]),
  matches(
    '$regex s lets a dot match a line break',
    holding('a\nb', 'acb'),
    { v: { $regex: 'a.b', $options: 's' } },
    [1, 2],
  ),
  matches('$regex x ignores white space', holding('ab', 'a b'), { v: { $regex: 'a b # comment', $options: 'x' } }, [1]),
  matches('$regex stands beside other operators', holding('ab', 'ac', 'b'), { v: { $regex: '^a', $ne: 'ab' } }, [2]),
  matches('a regular expression may have special characters escaped', holding('a.b', 'axb'), { v: /^a\.b$/ }, [1]),
  matches('an anchored regular expression with alternatives', holding('ab', 'cd', 'xcd'), { v: /^ab|^cd/ }, [1, 2]),
  refuses('$regex refuses a broken pattern', { v: { $regex: '(' } }, 51091, 'Regular expression is invalid'),
  refuses('$regex refuses an unknown option', { v: { $regex: 'a', $options: 'z' } }, 51108, 'z'),
  refuses('$options needs a $regex', { v: { $options: 'i' } }, 2, '$options'),
  matches('$mod matches by remainder', holding(4, 5, 8, -4, '4', null), { v: { $mod: [4, 0] } }, [1, 3, 4]),
  matches('$mod truncates', holding(4.9, 5.1), { v: { $mod: [4, 0] } }, [1]),
  refuses('$mod refuses a zero divisor', { v: { $mod: [0, 1] } }, 2, 'divisor cannot be 0'),
  refuses('$mod needs two numbers', { v: { $mod: [1] } } as unknown as Filter, 2, 'mod'),
  matches('$bitsAllSet', holding(0b111, 0b101, '7'), { v: { $bitsAllSet: 0b110 } }, [1]),
  matches('$bitsAnySet', holding(0b100, 0b001), { v: { $bitsAnySet: 0b110 } }, [1]),
  matches('$bitsAllClear', holding(0b001, 0b101), { v: { $bitsAllClear: [1, 2] } }, [1]),
  matches('$bitsAnyClear', holding(0b111, 0b101), { v: { $bitsAnyClear: 0b110 } }, [2]),
  matches(
    '$expr compares fields',
    [
      { _id: 1, a: 1, b: 2 },
      { _id: 2, a: 2, b: 1 },
    ],
    { $expr: { $gt: ['$a', '$b'] } },
    [2],
  ),
  matches('$comment changes nothing', holding(1, 2), { v: 1, $comment: 'why' }, [1]),
];

const arrays: Case[] = [
  matches('$size counts elements', holding([1, 2], [1], [], 2, missing), { v: { $size: 2 } }, [1]),
  matches('$size 0 matches an empty array', holding([], null, missing, [1]), { v: { $size: 0 } }, [1]),
  refuses('$size refuses a negative count', { v: { $size: -1 } }, 2, '$size'),
  matches('$all needs every value', holding([1, 2, 3], [1, 3], 1), { v: { $all: [1, 2] } }, [1]),
  matches('$all of one value matches a scalar', holding(1, [1], 2), { v: { $all: [1] } }, [1, 2]),
  matches('$all takes an array as a value', holding([1, 2], [2, 1]), { v: { $all: [[1, 2]] } }, [1]),
  matches('$all without values matches nothing', holding([], 1), { v: { $all: [] } }, []),
  matches(
    '$all takes $elemMatch',
    holding(
      [
        { a: 1, b: 1 },
        { a: 2, b: 2 },
      ],
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
    ),
    { v: { $all: [{ $elemMatch: { a: 1, b: 1 } }, { $elemMatch: { a: 2, b: 2 } }] } },
    [1],
  ),
  refuses('$all needs an array', { v: { $all: 1 } } as unknown as Filter, 2, '$all'),
  matches(
    '$elemMatch needs one element to meet everything',
    holding([1, 9], [4], 4),
    { v: { $elemMatch: { $gt: 3, $lt: 5 } } },
    [2],
  ),
  matches(
    '$elemMatch matches documents in an array',
    holding(
      [
        { a: 1, b: 1 },
        { a: 2, b: 2 },
      ],
      [{ a: 1, b: 2 }],
      { a: 1, b: 2 },
    ),
    { v: { $elemMatch: { a: 1, b: 2 } } },
    [2],
  ),
  matches(
    '$elemMatch takes logic',
    holding([{ a: 1 }], [{ b: 2 }], [{ c: 3 }]),
    { v: { $elemMatch: { $or: [{ a: 1 }, { b: 2 }] } } },
    [1, 2],
  ),
  matches(
    '$elemMatch nests',
    holding([{ w: [1, 5] }], [{ w: [5, 9] }]),
    { v: { $elemMatch: { w: { $elemMatch: { $gt: 6 } } } } },
    [2],
  ),
  matches(
    '$elemMatch takes $in and $ne',
    holding([1, 2], [2], [3]),
    { v: { $elemMatch: { $in: [1, 2], $ne: 2 } } },
    [1],
  ),
  matches(
    '$elemMatch knows no missing element',
    holding([{ a: 1 }], [null], [1]),
    { v: { $elemMatch: { $in: [null, 2] } } },
    [2],
  ),
  matches(
    '$elemMatch tells documents from null',
    holding([{ a: 1 }], [null], []),
    { v: { $elemMatch: { $ne: null } } },
    [1],
  ),
  matches(
    '$not of $elemMatch matches what is no array',
    holding([4], [9], 4, missing),
    { v: { $not: { $elemMatch: { $lt: 5 } } } },
    [2, 3, 4],
  ),
  matches(
    '$elemMatch finds a reference by its $id',
    holding([{ $ref: 'things', $id: 1 }], [{ $ref: 'things', $id: 2 }], [{ $id: 1 }]),
    { v: { $elemMatch: { $id: 1 } } },
    [1, 3],
  ),
  refuses('$elemMatch needs a condition', { v: { $elemMatch: 5 } } as unknown as Filter, 2, '$elemMatch'),
];

const paths: Case[] = [
  matches(
    'a path reaches into documents',
    [
      { _id: 1, a: { b: { c: 1 } } },
      { _id: 2, a: { b: 1 } },
    ],
    { 'a.b.c': 1 },
    [1],
  ),
  matches(
    'a path reaches into the documents of an array',
    [
      { _id: 1, a: [{ b: 1 }, { b: 2 }] },
      { _id: 2, a: [{ b: 3 }] },
    ],
    { 'a.b': 2 },
    [1],
  ),
  matches(
    'a path reaches through arrays at several levels',
    [
      { _id: 1, a: [{ b: [{ c: 1 }, { c: 2 }] }] },
      { _id: 2, a: [{ b: { c: 3 } }] },
    ],
    { 'a.b.c': 2 },
    [1],
  ),
  matches(
    'a number in a path is a place in an array',
    [
      { _id: 1, a: [5, 6] },
      { _id: 2, a: [6, 5] },
    ],
    { 'a.0': 5 },
    [1],
  ),
  matches(
    'a number in a path is a key as well',
    [
      { _id: 1, a: { 0: 5 } },
      { _id: 2, a: 5 },
    ],
    { 'a.0': 5 },
    [1],
  ),
  matches(
    'a number in a path may be a key of the documents of an array',
    [
      { _id: 1, a: [{ 0: 5 }] },
      { _id: 2, a: [{ 1: 5 }] },
    ],
    { 'a.0': 5 },
    [1],
  ),
  matches(
    'a path goes on behind a place in an array',
    [
      { _id: 1, a: [{ b: 1 }, { b: 2 }] },
      { _id: 2, a: [{ b: 2 }, { b: 1 }] },
    ],
    { 'a.1.b': 2 },
    [1],
  ),
  matches('null on a path matches a missing end', nested, { 'a.b': null }, [1, 2, 3, 4, 7, 9]),
  matches('$ne null on a path is the opposite', nested, { 'a.b': { $ne: null } }, [5, 6, 8]),
  matches('$exists on a path', nested, { 'a.b': { $exists: true } }, [1, 7, 8]),
  matches('$exists false on a path', nested, { 'a.b': { $exists: false } }, [2, 3, 4, 5, 6, 9]),
  matches('$in with null on a path', nested, { 'a.b': { $in: [null, 7] } }, [1, 2, 3, 4, 7, 9]),
  matches(
    '$size on a path',
    [
      { _id: 1, a: { b: [1, 2] } },
      { _id: 2, a: [{ b: [1] }, { b: [1, 2] }] },
      { _id: 3, a: [1, 2] },
    ],
    { 'a.b': { $size: 2 } },
    [1, 2],
  ),
  matches(
    'conditions on two paths of an array may be met by different elements',
    [
      {
        _id: 1,
        a: [
          { b: 1, c: 2 },
          { b: 2, c: 1 },
        ],
      },
    ],
    { 'a.b': 1, 'a.c': 1 },
    [1],
  ),
  matches(
    '$elemMatch on a path behind an array',
    [
      { _id: 1, a: [{ b: [1, 5] }, { b: [9] }] },
      { _id: 2, a: [{ b: [1] }, { b: [7] }] },
    ],
    { 'a.b': { $elemMatch: { $gt: 4, $lt: 6 } } },
    [1],
  ),
  matches(
    'names inherited by JavaScript objects are fields like others',
    [
      { _id: 1, constructor: 1 },
      { _id: 2, v: 1 },
      { _id: 3, toString: null },
    ],
    { constructor: { $exists: true } },
    [1],
  ),
];

const arraysInArrays: Case[] = [
  matches('a value does not equal an array in an array that holds it', holding([[1]], [1]), { v: 1 }, [2]),
  matches('an array equals an array that holds it', holding([1, 2], [[1, 2], 5], [[2, 1]]), { v: [1, 2] }, [1, 2]),
  matches('an empty array equals an array that holds an empty array', holding([], [[]], [1]), { v: [] }, [1, 2]),
  matches('$in matches an array in an array', holding([[1, 2]], [[1], 2]), { v: { $in: [[1, 2]] } }, [1]),
  matches('$size counts an array in an array once', holding([[1, 2]], [[1], [2]]), { v: { $size: 2 } }, [2]),
  matches(
    '$all matches an array in an array as one value',
    holding([[1, 2], 3], [[1], [2]]),
    { v: { $all: [[1, 2]] } },
    [1],
  ),
  matches('$elemMatch matches an array as one element', holding([[4]], [4]), { v: { $elemMatch: { $gt: 3 } } }, [2]),
  matches(
    '$elemMatch reaches into an array in an array',
    holding([[1, 5]], [[1]]),
    { v: { $elemMatch: { $elemMatch: { $gt: 4 } } } },
    [1],
  ),
  matches(
    'a path does not reach through an array in an array',
    [
      { _id: 1, a: [[{ b: 1 }]] },
      { _id: 2, a: [{ b: 1 }] },
    ],
    { 'a.b': 1 },
    [2],
  ),
  matches(
    'a place in a path reaches through an array in an array',
    [
      { _id: 1, a: [[{ b: 1 }]] },
      { _id: 2, a: [[{ b: 2 }]] },
    ],
    { 'a.0.b': 1 },
    [1],
  ),
  matches('a range over arrays matches an array in an array', holding([[5]], [[1]], [5]), { v: { $lt: [2] } }, [2]),
];

const exoticNumbers: Case[] = [
  matches('NaN equals NaN and nothing else', holding(NaN, 0, null, missing), { v: NaN }, [1]),
  matches('a decimal NaN equals a double NaN', holding(NaN, decimal('NaN'), 0), { v: NaN }, [1, 2]),
  matches('NaN is in no range', holding(NaN, 1), { v: { $lt: 5 } }, [2]),
  matches('$gte NaN matches NaN alone', holding(NaN, 1, 'a'), { v: { $gte: NaN } }, [1]),
  matches('$in matches NaN', holding(NaN, 1), { v: { $in: [NaN] } }, [1]),
  matches(
    'infinity is above every number',
    holding(Infinity, 1e308, long('9223372036854775807')),
    { v: { $gt: 1e308 } },
    [1],
  ),
  matches('negative infinity is below every number', holding(-Infinity, -1e308, 0), { v: { $lt: -1e308 } }, [1]),
  matches(
    'a decimal equals the numbers of the same value',
    holding(decimal('1.0'), 1, long('1'), '1'),
    { v: decimal('1') },
    [1, 2, 3],
  ),
  matches('a decimal is not the double it is printed as', holding(9.99, decimal('9.99')), { v: 9.99 }, [1]),
  matches(
    'decimals are ordered among numbers',
    holding(decimal('1.5'), 1, 2, decimal('2.5')),
    { v: { $gt: 1, $lt: decimal('2.1') } },
    [1, 3],
  ),
  matches(
    'decimals beyond doubles are ordered',
    holding(decimal('1E+6000'), decimal('-1E+6000'), decimal('1E-6000'), 0),
    { v: { $gt: 0 } },
    [1, 3],
  ),
  matches('$type knows decimals', holding(decimal('1'), 1), { v: { $type: 'decimal' } }, [1]),
  matches('$mod takes decimals', holding(decimal('8'), decimal('9')), { v: { $mod: [4, 0] } }, [1]),
];

const refusals: Case[] = [
  refuses(
    'an unknown operator of a field is refused by name',
    { v: { $nonsense: 1 } } as unknown as Filter,
    2,
    '$nonsense',
  ),
  refuses(
    'an unknown operator beside a known one is refused by name',
    { v: { $gt: 1, $nonsense: 1 } } as unknown as Filter,
    2,
    '$nonsense',
  ),
  refuses(
    'an unknown operator beside fields is refused by name',
    { $nonsense: [] } as unknown as Filter,
    2,
    '$nonsense',
  ),
  {
    says: 'an unknown operator is refused where nothing is stored',
    when: ({ collection }) => collection.find({ v: { $nonsense: 1 } } as unknown as Filter).toArray(),
    answer: refused(2, '$nonsense'),
  },
];

export const filterGroups: Group[] = [
  { group: 'filter by equality', cases: equality },
  { group: 'filter by comparison', cases: comparison },
  { group: 'filter by logic', cases: logic },
  { group: 'filter by element', cases: element },
  { group: 'filter by evaluation', cases: evaluation },
  { group: 'filter by array', cases: arrays },
  { group: 'filter by path', cases: paths },
  { group: 'filter by array in array', cases: arraysInArrays },
  { group: 'filter by NaN, infinity and decimals', cases: exoticNumbers },
  { group: 'filter refusals', cases: refusals },
];
