import { expect } from '@jest/globals';
import { Double } from 'bson';
import { bytesOf, refused, typesOf } from './case.ts';
import { alike, type Differences, explained, notRun } from './differences.ts';

const accepted = 'accepted';
const taken = refused(11000, 'E11000');
const updated = expect.objectContaining({ modifiedCount: 1 });
const matches = (...found: number[]) => ({ scanned: found, indexed: found });
const array = (...v: unknown[]) => typesOf({ _id: 1, v });
const dollarRefused = { code: 52, errmsg: expect.stringContaining('dollar ($)'), stored: [{ _id: 1, v: 1 }] };
/** A refusal by closing the connection. */
const cutOff = { refused: { message: expect.stringContaining('closed') } };

/** Where FerretDB 1 over SQLite answers otherwise than MongoDB. */
export const ferretDifferences: Differences = {
  ...alike('it has not implemented this, and says so', refused(238), {
    'filter by evaluation': ['$regex x ignores white space', '$expr compares fields'],
    'filter by array': [
      '$elemMatch takes logic',
      '$elemMatch takes $in and $ne',
      '$elemMatch tells documents from null',
    ],
    projection: [
      'a document may say the paths',
      '$slice takes the first',
      '$slice takes the last',
      '$slice takes some from a place',
      '$slice beside an included field includes',
      '$elemMatch takes the first matching element',
      '$elemMatch without a matching element leaves the field out',
    ],
    findAndModify: ['takes a projection'],
    'update by position': ['$[name] is every element an array filter matches'],
    'aggregate stages': [
      '$project computes',
      '$addFields adds',
      '$replaceRoot takes a document',
      '$unwind may keep what has no element',
      '$unwind may count the elements',
      '$facet answers several pipelines',
      '$sortByCount counts and sorts',
      '$lookup joins another collection',
    ],
    'aggregate groups': [
      '$avg, $min and $max',
      '$first, $last and $push follow the order',
      '$addToSet takes each value once',
      'a group by several values',
    ],
    aggregate: ['an unknown accumulator is refused by name'],
    index: [
      'a direction of 0 is refused',
      'an index may expire documents',
      'an index may hold some documents',
      'an index may order texts by a language',
    ],
  }),
  ...alike('it stores no array within an array', refused(2, 'nested arrays'), {
    'filter by array in array': [
      'a value does not equal an array in an array that holds it',
      'an array equals an array that holds it',
      'an empty array equals an array that holds an empty array',
      '$in matches an array in an array',
      '$size counts an array in an array once',
      '$all matches an array in an array as one value',
      '$elemMatch matches an array as one element',
      '$elemMatch reaches into an array in an array',
      'a path does not reach through an array in an array',
      'a place in a path reaches through an array in an array',
      'a range over arrays matches an array in an array',
    ],
    'sort, skip and limit': ['arrays in arrays as arrays'],
    'update by $push': ['$push appends an array as one element'],
    'update by $pull, $pullAll and $pop': ['$pull of an array removes an equal array'],
    'types kept': ['arrays in arrays'],
  }),
  ...alike(
    'it cannot read NaN, Decimal128, the least and the greatest key, or code, and closes the connection',
    cutOff,
    {
      'filter by NaN, infinity and decimals': [
        'NaN equals NaN and nothing else',
        'a decimal NaN equals a double NaN',
        'NaN is in no range',
        '$gte NaN matches NaN alone',
        '$in matches NaN',
        'a decimal equals the numbers of the same value',
        'a decimal is not the double it is printed as',
        'decimals are ordered among numbers',
        'decimals beyond doubles are ordered',
        '$type knows decimals',
        '$mod takes decimals',
      ],
      'sort, skip and limit': [
        'decimals, infinities and NaN among numbers',
        'the least and the greatest key at the ends',
      ],
      'update of decimals': [
        '$inc of a decimal is exact',
        '$inc of a decimal by an int gives a decimal',
        '$inc of an int by a decimal gives a decimal',
        '$inc of a long by a decimal gives a decimal',
        '$inc of a decimal by a double gives a decimal',
        '$inc of a decimal keeps trailing zeros',
        '$mul of decimals is exact',
        'decimals round to 34 digits',
        '$max compares decimals',
      ],
      'aggregate groups': ['$sum of decimals is exact'],
      'types kept': [
        'NaN',
        'decimals',
        'decimals that are no number',
        'the least and the greatest key',
        'code',
        'an update keeps the bytes of what it does not change',
      ],
      'order of types': [
        'values of all types are sorted in memory',
        'values of all types are sorted by an index',
        'values of all types are sorted by a descending index',
        'a value of any type is found by an index among all others',
        'everything lies between the least and the greatest key',
      ],
    },
  ),
  ...alike('it stores no infinity', refused(2, 'infinity'), {
    'filter by NaN, infinity and decimals': [
      'infinity is above every number',
      'negative infinity is below every number',
    ],
    'update by arithmetic': ['$inc of a double may reach infinity'],
    'types kept': ['infinities'],
  }),
  ...alike('it takes positional operators for names', refused(28, '$'), {
    'update by position': [
      '$ is the scalar the filter matched',
      '$ is the first the filter matched',
      '$ is the document the filter matched',
      '$ is found beside other conditions',
      '$ without a match in the filter is refused',
      '$[] is every element',
      '$[] reaches into every element',
      '$[] of an empty array changes nothing',
      '$[] of a scalar is refused',
    ],
    Mongoose: ['a nested array is pulled from and set by position'],
  }),
  ...alike('it explains itself in SQL', 'no stages', {
    explain: [
      'equality uses an index',
      'equality of an element uses an index',
      'a range uses an index',
      '$in uses an index',
      'an order uses an index',
      'an order backwards uses an index',
      'equality and an order use a compound index',
      'equality and an order backwards use a compound index',
      'equality and a range use a compound index',
      'an order of two directions uses a compound index',
      'an order an index does not give is sorted',
      'a field without an index reads everything',
    ],
  }),
  ...notRun('it makes the array of two million elements, which takes seconds', {
    'update refusals': ['a place far behind the end of an array is refused'],
  }),
  ...notRun('it reads and writes an updated document in two steps, between which others write', {
    upsert: ['of many upserts at once one inserts', 'of many guarded updates at once one is done'],
    findAndModify: ['is atomic: of many at once each takes another document'],
    Mongoose: ['findOneAndUpdate guards by a condition'],
  }),
  ...explained('it ignores the modifiers of $push beside $each', {
    'update by $push': {
      '$position inserts': array(1, 4, 2, 3),
      '$position 0 inserts in front': array(2, 1),
      'a negative $position counts from the end': array(1, 3, 2),
      '$slice keeps the first': array(1, 2, 3),
      'a negative $slice keeps the last': array(1, 2, 3),
      '$slice 0 keeps nothing': array(1, 2, 3),
      '$sort orders': array(3, 1, 2),
      '$sort -1 orders backwards': array(3, 1, 2),
      '$sort knows the order of types': array('a', 3, null, true),
      '$sort orders documents by a field': array({ a: 2 }, { a: 1 }, { a: 0 }),
      '$sort orders documents by a path and another field': array(
        { a: { b: 1 }, c: 1 },
        { a: { b: 1 }, c: 2 },
        { a: { b: 0 }, c: 3 },
      ),
      '$sort comes before $slice': array(5, 1, 3),
      'an unknown modifier of $push is refused by name': updated,
      '$slice needs a number': updated,
      '$position needs a whole number': updated,
      '$sort needs a direction': updated,
    },
  }),
  ...explained('it pulls what is equal, and takes a condition for a value', {
    'update by $pull, $pullAll and $pop': {
      '$pull removes by a condition': array(1, 5, 9),
      '$pull removes by $in': array(1, 2, 3),
      '$pull removes null among others': array({ a: 1 }, null, 2, 3),
      '$pull removes by a regular expression': array('ab', 'b', 1),
      '$pull removes documents by their fields': array({ a: 1, b: 1 }, { a: 2 }),
      '$pull removes documents by a condition': array({ a: 1 }, { a: 5 }),
      '$pull removes documents by $elemMatch': array(
        {
          w: [
            { q: 1, a: 8 },
            { q: 2, a: 9 },
          ],
        },
        { w: [{ q: 1, a: 5 }] },
      ),
    },
  }),
  ...explained('its $elemMatch looks at one condition at a time, and not into documents', {
    'filter by array': {
      '$all takes $elemMatch': matches(),
      '$elemMatch needs one element to meet everything': matches(1, 2),
      '$elemMatch matches documents in an array': refused(2, 'unknown operator'),
      '$elemMatch nests': matches(),
    },
    'update by position': { '$ is the document $elemMatch matched': refused(2, 'unknown operator') },
  }),
  ...explained('it compares documents with documents, and not with those in an array', {
    'filter by equality': { 'a document equals an array that holds it': matches() },
    'update by $addToSet': { '$addToSet adds an array as one element': array(1) },
    projection: { 'the positional operator takes the element the filter matched': refused(51246, 'matching element') },
  }),
  ...explained('a path through an array ends for it where one element has it', {
    'filter by path': {
      'a number in a path may be a key of the documents of an array': matches(),
      'null on a path matches a missing end': matches(1, 2, 3, 4, 5, 6, 9),
      '$ne null on a path is the opposite': matches(7, 8),
      '$in with null on a path': matches(1, 2, 3, 4, 5, 6, 9),
    },
    index: { 'a sparse index hides no document that meets a condition by an element without a key': [] },
  }),
  ...explained('its unique indexes are those of SQLite: no null equals another, and an array is one value', {
    'unique index': {
      'a missing field counts as null': [accepted, accepted],
      'null and a missing field are the same': [accepted, accepted],
      'a compound index counts the values together': [accepted, accepted, accepted, taken, accepted, accepted],
      'an array is in an index by each element': [accepted, accepted, accepted, accepted],
      'one document may repeat an element': [accepted, accepted],
      'the documents of an array are in an index by their fields': [accepted, accepted],
    },
    index: { 'two arrays in one compound index are refused': expect.objectContaining({ acknowledged: true }) },
  }),
  ...explained('it does not say which index refused a value, and of an update only what SQLite said', {
    'unique index': {
      'a refusal names the index and the value': { code: 11000, message: expect.stringContaining('E11000') },
      'a refusal of an update names the value': { code: 1, stored: { _id: 2, v: 2 } },
      'a refusal in a bulk names the value': { n: 1, index: 1, code: 11000 },
      'a unique index over repeated values is refused and not made': [refused(1, 'UNIQUE constraint failed'), 1],
      'of several new indexes none is made when one is refused': [refused(1, 'UNIQUE constraint failed'), 1],
    },
    findAndModify: { 'refuses a second document of a unique index': refused(1, 'UNIQUE constraint failed') },
    Mongoose: { 'the indexes of a schema are made and held': [11000, undefined, undefined, 1] },
  }),
  ...explained('it lists indexes by name, knows them by key, and knows no hint', {
    index: {
      'indexes are listed with their keys and options': [
        { v: 2, key: { _id: 1 }, name: '_id_' },
        { v: 2, key: { d: 1 }, name: 'd_1', unique: true },
        { v: 2, key: { a: 1, 'b.c': -1 }, name: 'first' },
      ],
      'an index that is there with other options is refused': [accepted, 2],
      'the same fields in another direction are another index': ['_id_', 'v_-1', 'v_1'],
      'a hint at an index that is not there is refused': [{ _id: 1, v: 1 }],
      'an index may hold texts by their words': refused(27, 'text'),
    },
    'sort, skip and limit': { 'by _id': refused(2, '_id index') },
  }),
  ...explained('it cannot read NaN and Decimal128, and closes the connection', {
    'unique index': {
      'a decimal is the same as a number of its value': [accepted, cutOff],
      'NaN is accepted once': [cutOff, cutOff],
    },
  }),
  ...explained('it reads a filter or an update only as far as it meets documents, and lets some wrong ones pass', {
    'filter by logic': { '$not needs a condition that is not empty': [{ _id: 1, v: 1 }] },
    'filter by evaluation': { '$options needs a $regex': [{ _id: 1, v: 1 }] },
    'filter refusals': {
      'an unknown operator beside a known one is refused by name': [],
      'an unknown operator is refused where nothing is stored': [],
    },
    projection: { 'a path and its parent are refused': { _id: 1, b: { c: 2, d: 3 } } },
    refusals: {
      'a refusal names its code': [
        'CommandNotFound',
        expect.objectContaining({ ok: 1 }),
        'TypeMismatch',
        'NamespaceNotFound',
      ],
      'a missing field is refused by name': { n: 0, ok: 1 },
      'an insert without documents is refused': { n: 0, ok: 1 },
      'an update without statements is refused': { n: 0, nModified: 0, ok: 1 },
    },
    insert: {
      'an insert of no document is refused without creating the collection': [
        expect.objectContaining({ type: 'collection' }),
      ],
    },
    'update refusals': {
      '$rename and $set of the source are refused': { stored: [{ _id: 1, w: 1, v: 1 }] },
      '$rename and $set of the target are refused': { stored: [{ _id: 1, w: 1 }] },
      '$rename out of an array is refused': { stored: [{ _id: 1, a: [{}], c: 1 }] },
      'an update without an update is refused': { n: 0, nModified: 0, ok: 1 },
    },
    'limits of documents': {
      'an update beyond 16 MiB is refused': accepted,
      'a document of 130 levels is refused': accepted,
      'an update below 100 levels is refused': accepted,
    },
  }),
  ...explained('it refuses the same with another code, or for another reason', {
    findAndModify: {
      'refuses a wrong projection before it writes': [refused(238), { _id: 1, group: 'a', age: 30 }],
    },
    handshake: { 'sessions end': refused(59, 'endSessions') },
    refusals: {
      'an unknown field of a command is refused by name': refused(9, 'nonsense'),
      'an unknown field of an update statement is refused by name': refused(9, 'nonsense'),
      'a transaction is refused by a server that is no member of a set': refused(9, 'startTransaction'),
    },
    delete: { 'a limit of a delete is 0 or 1': refused(9, 'must be 0 or 1') },
    'update results': { 'an update by a pipeline computes': refused(14, 'array') },
    'update refusals': {
      'a field among operators is refused': dollarRefused,
      'an operator among the fields of a replacement is refused': dollarRefused,
      'an update needs a document': {
        code: 14,
        errmsg: expect.stringContaining('wrong type'),
        stored: [{ _id: 1, v: 1 }],
      },
    },
    'update by $pull, $pullAll and $pop': { '$pullAll needs an array': refused(2, 'must be an array') },
    aggregate: { 'an unknown stage is refused by name': refused(40234, '$nonsense') },
    'types kept': { 'a name that begins with a dollar sign': refused(2, '$v') },
  }),
  ...explained('its own ways', {
    handshake: {
      'a write without acknowledgement gets no reply and is done before the next command': {
        refused: { message: expect.stringContaining('"cursor" is missing') },
      },
    },
    cursors: { 'batches stay below the size of a message': { inParts: false, all: 17 } },
    collections: {
      'collections are listed by name alone': [true, new Set(['name'])],
      'a collection may be named quo"te\'; --': refused(1, 'syntax error'),
    },
    bulk: {
      'an ordered bulk of all kinds is done in order': expect.objectContaining({
        counts: expect.objectContaining({ upsertedIds: { 1: 2 } }),
      }),
      'statements of one update command are counted together': {
        n: 4,
        nModified: 2,
        upserted: [{ index: 0, _id: 9 }],
      },
    },
    upsert: {
      'an upsert keeps null': [{ _id: 1, a: null }],
      'an upsert takes $eq and $and of its filter': [[0, 0, 1], true, [{ _id: expect.anything(), c: 3 }]],
    },
    'update of fields': { '$unset leaves null at a place in an array': typesOf({ _id: 1, a: [1, 3] }) },
    'update by position': { '$unset of $ leaves null': array(1, 2) },
    'aggregate stages': { '$project renames': typesOf({ _id: 4, name: '$item' }) },
    'aggregate groups': {
      '$sum adds': typesOf(
        { _id: 'bun', total: 3, n: 0 },
        { _id: 'ice', total: 10, n: 0 },
        { _id: 'tea', total: 3, n: 0 },
      ),
    },
    'types kept': { 'negative zero': bytesOf({ _id: 0, v: new Double(0) }) },
  }),
  ...alike('it has not implemented this stage or operator, and says so', refused(238), {
    'aggregate numbers': [
      '$add of a text is refused',
      '$add of two dates is refused',
      '$divide by zero is refused',
      '$mod by zero is refused',
    ],
    'aggregate expressions': [
      '$switch without a branch that matches is refused',
      '$concat of a number is refused',
      '$size of no array is refused',
      '$in without an array is refused',
      'a part of a number is refused',
    ],
  }),
  ...notRun('it answers otherwise than MongoDB, or takes an operator for a value, and the platform uses none of it', {
    'filter by array': ['$elemMatch finds a reference by its $id'],
    'regular expression anchors': [
      '$ matches at the end and before a last line break',
      '\\Z matches as $ does',
      '^ and $ hold in every branch',
    ],
    'regular expression characters': [
      '\\s matches white space of ASCII',
      'a property keeps its meaning where case is ignored',
      '\\h matches white space within a line',
      'a comment within the pattern',
      'x leaves a class as it is',
    ],
    'regular expressions that look ahead or back': [
      'a look-ahead',
      'a reference to a group',
      'a possessive quantifier',
      'an atomic group',
    ],
    'limits of reads': [
      'the time of a cursor counts over its batches',
      'a maxTimeMS that is no count is refused',
      'distinct values of more than 16 MiB are refused',
    ],
    'sort, skip and limit': [
      'by two fields of one array by those of one element',
      'two arrays of one document are refused',
    ],
    'updates of _id and by contradicting filters': [
      'a path into _id changes nothing and is refused',
      'a path into _id that removes is refused',
      'an upsert whose filter says two things about a path is refused',
      'an upsert whose filter reaches into a value it sets is refused',
    ],
    'aggregate numbers': [
      '$add of ints is an int',
      '$add of ints beyond 32 bits is a long',
      '$add of longs is exact',
      '$add of decimals is exact',
      '$add of null or nothing is null',
      '$add moves a date by milliseconds',
      '$subtract keeps types',
      '$subtract of dates is milliseconds',
      '$multiply keeps types',
      '$divide gives a double',
      '$mod keeps the sign of the dividend',
    ],
    'aggregate expressions': [
      'a path of an array is the values of its documents',
      'a number in a path is a name',
      '$$ROOT is the document',
      '$literal is what it holds',
      'a list is an array, with null for what is missing',
      '$cmp orders any types',
      '$eq compares numbers by value',
      'documents are equal when their fields stand in the same order',
      '$gt orders types',
      '$and, $or and $not take what is true',
      '$cond chooses',
      '$cond may have names',
      '$ifNull takes the first that is there',
      '$switch takes the first branch',
      '$concat joins texts',
      '$toUpper of null is empty',
      '$toLower changes ASCII alone',
      '$strLenCP counts characters',
      '$strLenBytes counts bytes',
      '$isArray tells',
      '$size counts, and takes a list of one',
      '$arrayElemAt takes from both ends',
      '$in finds an element',
      '$concatArrays joins',
      '$mergeObjects takes the later fields',
      'the parts of a date are those of UTC',
      'the day of a year and of a week',
      'a part of no date is null',
    ],
    'aggregate fields': [
      '$addFields sets a field in each document of an array',
      '$addFields puts a document in place of a value',
      '$addFields with nothing removes',
      '$addFields with $$REMOVE removes',
      '$project keeps and computes within documents',
      '$project computes within each document of an array',
      '$avg leaves what is no number',
      '$avg of nothing is null',
      '$sum of doubles keeps what rounding would lose',
      '$min and $max leave null, and order types',
      '$first and $last of nothing are null',
      '$push leaves what is missing',
      '$mergeObjects of a group takes the later fields',
    ],
  }),
};
