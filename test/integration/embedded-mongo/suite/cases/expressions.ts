import { Decimal128, Double, Long } from 'bson';
import { type Case, type Group, holding, missing, refused } from '../case.ts';
import { aggregates } from './aggregate.ts';

/** The value of an expression for each of the documents 1, 2, 3, … that hold these values in `v`. */
function computes(says: string, expression: unknown, given: unknown[], answer: unknown[]): Case {
  return aggregates(
    says,
    [{ $sort: { _id: 1 } }, { $project: { _id: 0, is: expression } }],
    answer.map((is) => (is === missing ? {} : { is })),
    holding(...given),
  );
}

function failsFor(says: string, expression: unknown, v: unknown, code: number, naming: string): Case {
  return {
    says,
    given: holding(v),
    when: ({ collection }) => collection.aggregate([{ $project: { is: expression } }]).toArray(),
    answer: refused(code, naming),
  };
}

// An object literal with a field `then` looks like a promise to the linter.
const branch = (test: unknown, result: unknown) =>
  Object.fromEntries([
    ['case', test],
    ['then', result],
  ]);
const choice = (test: unknown, result: unknown, other: unknown) =>
  Object.fromEntries([
    ['if', test],
    ['then', result],
    ['else', other],
  ]);
const long = (digits: string) => Long.fromString(digits);
const decimal = (digits: string) => Decimal128.fromString(digits);

const numbers: Case[] = [
  computes('$add of ints is an int', { $add: ['$v', 1] }, [1, 2.5, long('5')], [2, 3.5, long('6')]),
  computes('$add of ints beyond 32 bits is a long', { $add: ['$v', 1] }, [2147483647], [long('2147483648')]),
  computes('$add of longs is exact', { $add: ['$v', 2] }, [long('9007199254740993')], [long('9007199254740995')]),
  computes('$add of decimals is exact', { $add: ['$v', decimal('0.2')] }, [decimal('0.1')], [decimal('0.3')]),
  computes('$add of null or nothing is null', { $add: ['$v', 1] }, [null, missing], [null, null]),
  computes(
    '$add moves a date by milliseconds',
    { $add: ['$v', 1000] },
    [new Date('2024-01-01T00:00:00Z')],
    [new Date('2024-01-01T00:00:01Z')],
  ),
  failsFor('$add of a text is refused', { $add: ['$v', 1] }, 'a', 14, '$add'),
  failsFor('$add of two dates is refused', { $add: ['$v', '$v'] }, new Date(0), 16612, '$add'),
  computes('$subtract keeps types', { $subtract: ['$v', 1] }, [3, 2.5, long('5'), null], [2, 1.5, long('4'), null]),
  computes('$subtract of dates is milliseconds', { $subtract: ['$v', new Date(0)] }, [new Date(5)], [long('5')]),
  computes(
    '$multiply keeps types',
    { $multiply: ['$v', 2] },
    [3, 1.5, long('4'), null],
    [6, new Double(3), long('8'), null],
  ),
  computes('$divide gives a double', { $divide: ['$v', 2] }, [4, 5], [new Double(2), 2.5]),
  failsFor('$divide by zero is refused', { $divide: [1, '$v'] }, 0, 2, 'zero'),
  computes(
    '$mod keeps the sign of the dividend',
    { $mod: ['$v', 3] },
    [7, -7, 7.5, long('7')],
    [1, -1, 1.5, long('1')],
  ),
  computes(
    '$mod by a double beyond 32 bits is a double',
    { $mod: ['$v', new Double(5e9)] },
    [7, long('7')],
    [new Double(7), new Double(7)],
  ),
  failsFor('$add of a text before null is refused', { $add: ['$v', null] }, 'a', 14, '$add'),
  computes('$add of null before a text is null', { $add: [null, '$v'] }, ['a'], [null]),
  failsFor('$multiply of a text before null is refused', { $multiply: ['$v', null] }, 'a', 14, '$multiply'),
  failsFor('$mod by zero is refused', { $mod: [1, '$v'] }, 0, 16610, 'zero'),
];

const expressions: Case[] = [
  computes('a path of an array is the values of its documents', '$v.a', [[{ a: 1 }, { b: 2 }, 3, { a: 4 }]], [[1, 4]]),
  computes('a number in a path is a name', '$v.0', [[5], { 0: 6 }], [[], 6]),
  computes('$$ROOT is the document', '$$ROOT', [1], [{ _id: 1, v: 1 }]),
  computes('$literal is what it holds', { $literal: '$v' }, [1], ['$v']),
  computes('a list is an array, with null for what is missing', ['$v', 1], [missing], [[null, 1]]),
  computes('$cmp orders any types', { $cmp: ['$v', 5] }, ['a', 5, null, missing], [1, 0, -1, -1]),
  computes(
    '$eq compares numbers by value',
    { $eq: ['$v', 1] },
    [1, new Double(1), '1', missing],
    [true, true, false, false],
  ),
  computes(
    'documents are equal when their fields stand in the same order',
    { $eq: ['$v', { $literal: { a: 1, b: 2 } }] },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [true, false],
  ),
  computes('$gt orders types', { $gt: ['$v', 5] }, [6, 5, 'a', null], [true, false, true, false]),
  computes(
    '$and, $or and $not take what is true',
    { $and: ['$v', { $or: [0, { $not: [null] }] }] },
    [1, 0, 'a', '', null],
    [true, false, true, true, false],
  ),
  computes('$cond chooses', { $cond: ['$v', 'yes', 'no'] }, [true, 0, missing], ['yes', 'no', 'no']),
  computes('$cond may have names', { $cond: choice('$v', 1, 2) }, [true, false], [1, 2]),
  computes('$ifNull takes the first that is there', { $ifNull: ['$v', '$w', 3] }, [1, null, missing], [1, 3, 3]),
  computes(
    '$switch takes the first branch',
    {
      $switch: {
        branches: [branch({ $lt: ['$v', 5] }, 'low'), branch({ $lt: ['$v', 9] }, 'high')],
        default: 'off',
      },
    },
    [1, 7, 9],
    ['low', 'high', 'off'],
  ),
  failsFor(
    '$switch without a branch that matches is refused',
    { $switch: { branches: [branch(false, 1)] } },
    1,
    40066,
    '$switch',
  ),
  computes('$concat joins texts', { $concat: ['$v', '!'] }, ['a', null, missing], ['a!', null, null]),
  failsFor('$concat of a number before null is refused', { $concat: ['$v', null] }, 1, 16702, '$concat'),
  computes('$concat of null before a number is null', { $concat: [null, '$v'] }, [1], [null]),
  failsFor(
    '$concatArrays of a number before null is refused',
    { $concatArrays: ['$v', null] },
    1,
    28664,
    '$concatArrays',
  ),
  failsFor('a path with a $ in it is refused', '$v.$w', 1, 16410, '$w'),
  failsFor('$concat of a number is refused', { $concat: ['$v', '!'] }, 1, 16702, '$concat'),
  computes('$toUpper of null is empty', { $toUpper: '$v' }, ['aé', null, missing], ['Aé', '', '']),
  computes('$toLower changes ASCII alone', { $toLower: '$v' }, ['AÉ'], ['aÉ']),
  computes('$strLenCP counts characters', { $strLenCP: '$v' }, ['a😀'], [2]),
  computes('$strLenBytes counts bytes', { $strLenBytes: '$v' }, ['a😀'], [5]),
  computes(
    '$type names a type',
    { $type: '$v' },
    [1, long('1'), 1.5, 'a', [1], null, missing],
    ['int', 'long', 'double', 'string', 'array', 'null', 'missing'],
  ),
  computes('$isArray tells', { $isArray: '$v' }, [[1], 1], [true, false]),
  computes('$size counts, and takes a list of one', { $size: ['$v'] }, [[1, 2]], [2]),
  failsFor('$size of no array is refused', { $size: '$v' }, 1, 17124, '$size'),
  computes('$arrayElemAt takes from both ends', { $arrayElemAt: ['$v', -1] }, [[1, 2], [], null], [2, missing, null]),
  computes('$in finds an element', { $in: ['$v', [1, 'a']] }, [1, new Double(1), 'b'], [true, true, false]),
  failsFor('$in without an array is refused', { $in: [1, '$v'] }, 1, 40081, '$in'),
  computes('$concatArrays joins', { $concatArrays: ['$v', [3]] }, [[1], null], [[1, 3], null]),
  computes(
    '$mergeObjects takes the later fields',
    { $mergeObjects: ['$v', { b: 2 }] },
    [{ a: 1, b: 1 }, null],
    [{ a: 1, b: 2 }, { b: 2 }],
  ),
  computes(
    'the parts of a date are those of UTC',
    [
      { $year: '$v' },
      { $month: '$v' },
      { $dayOfMonth: '$v' },
      { $hour: '$v' },
      { $minute: '$v' },
      { $second: '$v' },
      { $millisecond: '$v' },
    ],
    [new Date('2024-02-29T23:59:58.123Z')],
    [[2024, 2, 29, 23, 59, 58, 123]],
  ),
  computes(
    'the day of a year and of a week',
    [{ $dayOfYear: '$v' }, { $dayOfWeek: '$v' }],
    [new Date('2024-12-31T00:00:00Z')],
    [[366, 3]],
  ),
  computes('a part of no date is null', { $year: '$v' }, [null, missing], [null, null]),
  failsFor('a part of a number is refused', { $year: '$v' }, 5, 16006, 'Date'),
];

const fields: Case[] = [
  aggregates(
    '$addFields sets a field in each document of an array',
    [{ $addFields: { 'v.b': 2 } }],
    [{ _id: 1, v: [{ a: 1, b: 2 }, { b: 2 }] }],
    holding([{ a: 1 }, 5]),
  ),
  aggregates(
    '$addFields puts a document in place of a value',
    [{ $addFields: { 'v.b': 2 } }],
    [{ _id: 1, v: { b: 2 } }],
    holding(5),
  ),
  aggregates('$addFields with nothing removes', [{ $addFields: { v: '$none' } }], [{ _id: 1 }], holding(5)),
  aggregates(
    '$addFields with $$REMOVE removes',
    [{ $addFields: { v: { $cond: [true, '$$REMOVE', 1] } } }],
    [{ _id: 1 }],
    holding(5),
  ),
  aggregates(
    '$project keeps and computes within documents',
    [{ $project: { v: { a: 1, c: { $add: [1, 1] } } } }],
    [{ _id: 1, v: { a: 1, c: 2 } }],
    holding({ a: 1, b: 2 }),
  ),
  aggregates(
    '$project computes within each document of an array',
    [{ $project: { 'v.a': 1, 'v.c': 'x' } }],
    [{ _id: 1, v: [{ a: 1, c: 'x' }, { c: 'x' }] }],
    holding([{ a: 1, b: 2 }, { b: 3 }]),
  ),
  aggregates(
    '$avg leaves what is no number',
    [{ $group: { _id: null, is: { $avg: '$v' } } }],
    [{ _id: null, is: 1.5 }],
    holding(1, 2, 'a', null),
  ),
  aggregates(
    '$avg of nothing is null',
    [{ $group: { _id: null, is: { $avg: '$v' } } }],
    [{ _id: null, is: null }],
    holding('a'),
  ),
  aggregates(
    '$sum of doubles keeps what rounding would lose',
    [{ $sort: { _id: 1 } }, { $group: { _id: null, is: { $sum: '$v' } } }],
    [{ _id: null, is: new Double(2) }],
    holding(1e100, 2.5, -1e100, -0.5),
  ),
  aggregates(
    '$min and $max leave null, and order types',
    [{ $group: { _id: null, min: { $min: '$v' }, max: { $max: '$v' } } }],
    [{ _id: null, min: 2, max: 'a' }],
    holding(null, 'a', 2, missing),
  ),
  aggregates(
    '$first and $last of nothing are null',
    [{ $sort: { _id: 1 } }, { $group: { _id: null, first: { $first: '$v' }, last: { $last: '$v' } } }],
    [{ _id: null, first: null, last: 2 }],
    holding(missing, 2),
  ),
  aggregates(
    '$push leaves what is missing',
    [{ $sort: { _id: 1 } }, { $group: { _id: null, all: { $push: '$v' } } }],
    [{ _id: null, all: [1, null] }],
    holding(1, missing, null),
  ),
  aggregates(
    'numbers of one value are one group',
    [{ $sort: { _id: 1 } }, { $group: { _id: '$v', n: { $sum: 1 } } }],
    [{ _id: 1, n: 3 }],
    holding(1, new Double(1), long('1')),
  ),
  aggregates(
    '$mergeObjects of a group takes the later fields',
    [{ $sort: { _id: 1 } }, { $group: { _id: null, is: { $mergeObjects: '$v' } } }],
    [{ _id: null, is: { a: 2, b: 1 } }],
    holding({ a: 1, b: 1 }, null, { a: 2 }),
  ),
];

export const expressionGroups: Group[] = [
  { group: 'aggregate numbers', cases: numbers },
  { group: 'aggregate expressions', cases: expressions },
  { group: 'aggregate fields', cases: fields },
];
