import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import {
  bytesOf,
  type Case,
  type Group,
  holding,
  ids,
  outcome,
  refused,
  type Scene,
  stored,
  storedBytes,
} from '../case.ts';
import type { Document } from '../driver.ts';

/** A document comes back byte by byte as it was sent. */
function keeps(says: string, ...values: unknown[]): Case {
  const documents = values.map((v, _id) => ({ _id, v }));
  return { says, given: documents, when: storedBytes, answer: bytesOf(...documents) };
}

const kept: Case[] = [
  keeps('null', null),
  keeps('booleans', true, false),
  keeps('ints', new Int32(0), new Int32(1), new Int32(-1), new Int32(2147483647), new Int32(-2147483648)),
  keeps('longs', Long.fromNumber(1), Long.fromString('9007199254740993'), Long.MAX_VALUE, Long.MIN_VALUE),
  keeps('doubles', new Double(1.5), new Double(1), new Double(-1e300), new Double(5e-324)),
  keeps('negative zero', new Double(-0)),
  keeps('NaN', new Double(Number.NaN)),
  keeps('infinities', new Double(Infinity), new Double(-Infinity)),
  keeps(
    'decimals',
    ...['0', '1.10', '-1E+6111', '9999999999999999999999999999999999'].map((text) => Decimal128.fromString(text)),
  ),
  keeps('decimals that are no number', ...['NaN', 'Infinity', '-Infinity'].map((text) => Decimal128.fromString(text))),
  keeps('texts', '', 'a', 'é\u{1F600}', 'x'.repeat(10_000)),
  keeps('a text with a null byte', 'a\0b'),
  keeps('dates', new Date(0), new Date(-1), new Date('9999-12-31T23:59:59.999Z')),
  keeps('object ids', new ObjectId('65a000000000000000000001')),
  keeps(
    'binary data',
    new Binary(Buffer.from([0, 1, 255])),
    new Binary(Buffer.alloc(0)),
    new Binary(Buffer.from('a'), 128),
  ),
  keeps('UUIDs', new UUID('0190a000-0000-7000-8000-000000000001')),
  keeps('regular expressions', new BSONRegExp('^a', 'i')),
  keeps('timestamps', new Timestamp({ t: 1700000000, i: 7 })),
  keeps('the least and the greatest key', new MinKey(), new MaxKey()),
  keeps('code', new Code('return 1')),
  keeps('documents and arrays', {}, [], { a: { b: [] } }, [1, 'a', null, { c: 1 }]),
  keeps('arrays in arrays', [[]], [[1], [[2]]]),
  keeps('documents with names like numbers in their order', { b: 1, 10: 2, 9: 3, a: 4 }),
  keeps('an empty name', { '': 1 }),
  {
    says: 'names that JavaScript objects inherit',
    when: async (scene) => {
      const document = new Map<string, unknown>([
        ['_id', 1],
        ['__proto__', 5],
        ['constructor', 6],
        ['toString', null],
      ]);
      await scene.collection.insertOne(document as unknown as Document);
      return storedBytes(scene);
    },
    answer: bytesOf(
      new Map<string, unknown>([
        ['_id', 1],
        ['__proto__', 5],
        ['constructor', 6],
        ['toString', null],
      ]) as unknown as Document,
    ),
  },
  {
    says: 'a name that begins with a dollar sign',
    when: async (scene) => {
      await scene.collection.insertOne({ _id: 1, $v: 1 } as never);
      return stored(scene);
    },
    answer: [{ _id: 1, $v: 1 }],
  },
  {
    says: 'an update keeps the bytes of what it does not change',
    given: [
      { _id: 1, a: new Double(1), b: Long.fromNumber(2), c: Decimal128.fromString('1.10'), d: { z: 1, a: [null] } },
    ],
    when: async (scene) => {
      await scene.collection.updateOne({ _id: 1 } as never, { $set: { e: 1 } });
      return storedBytes(scene);
    },
    answer: bytesOf({
      _id: 1,
      a: new Double(1),
      b: Long.fromNumber(2),
      c: Decimal128.fromString('1.10'),
      d: { z: 1, a: [null] },
      e: 1,
    }),
  },
];

const deep = (levels: number): Document => (levels <= 1 ? { end: true } : { a: deep(levels - 1) });
const insert = ({ collection }: Scene, document: Document) => outcome(collection.insertOne(document));

const limits: Case[] = [
  {
    says: 'a document of nearly 16 MiB is stored',
    when: async ({ collection }) => {
      await collection.insertOne({ _id: 1, text: 'x'.repeat(16 * 1024 * 1024 - 100) } as never);
      return (await collection.findOne())!.text.length;
    },
    answer: 16 * 1024 * 1024 - 100,
  },
  {
    says: 'an update beyond 16 MiB is refused',
    when: async ({ collection }) => {
      await collection.insertOne({ _id: 1, text: 'x'.repeat(16 * 1024 * 1024 - 100) } as never);
      return outcome(collection.updateOne({}, { $set: { more: 'x'.repeat(200) } }));
    },
    answer: refused(17419),
  },
  { says: 'a document of 100 levels is stored', when: (scene) => insert(scene, deep(100)), answer: 'accepted' },
  { says: 'a document of 130 levels is refused', when: (scene) => insert(scene, deep(130)), answer: refused(15) },
  {
    says: 'an update below 100 levels is refused',
    given: [{ _id: 1 }],
    when: ({ collection }) =>
      outcome(collection.updateOne({}, { $set: { [Array(50).fill('a').join('.')]: deep(60) } })),
    answer: refused(15),
  },
  {
    says: 'a large batch of documents is stored',
    when: async ({ collection }) => {
      const text = 'x'.repeat(100_000);
      await collection.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, text }) as never));
      return collection.estimatedDocumentCount();
    },
    answer: 100,
  },
];

/** In the order of BSON; those of one line are equal. */
const inOrder: unknown[][] = [
  [new MinKey()],
  [null],
  [new Double(Number.NaN), Decimal128.fromString('NaN')],
  [-Infinity, Decimal128.fromString('-Infinity')],
  [Long.MIN_VALUE],
  [-1, Long.fromNumber(-1), new Double(-1), Decimal128.fromString('-1.0')],
  [0, new Double(-0), Long.ZERO, Decimal128.fromString('-0')],
  [5e-324],
  [Decimal128.fromString('0.1')],
  [0.1],
  [1, new Double(1), Long.ONE, Decimal128.fromString('1.00')],
  [new Double(9007199254740992), Long.fromString('9007199254740992')],
  [Long.fromString('9007199254740993')],
  [Long.MAX_VALUE],
  [new Double(2 ** 63)],
  [1e308],
  [Decimal128.fromString('1E+6000')],
  [Infinity, Decimal128.fromString('Infinity')],
  [''],
  ['A'],
  ['a'],
  ['a\0'],
  ['ab'],
  ['é'],
  ['\u{FFFD}'],
  ['\u{1F600}'],
  [{}],
  [{ a: 1 }],
  [{ a: 1, b: 1 }],
  [{ a: 2 }],
  [{ b: 1 }],
  [{ a: 'x' }],
  [new Binary(Buffer.alloc(0))],
  [new Binary(Buffer.from('b'))],
  [new Binary(Buffer.from('a'), 5)],
  [new Binary(Buffer.from('aa'))],
  [new ObjectId('000000000000000000000001')],
  [new ObjectId('65a000000000000000000001')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Date(1)],
  [new Timestamp({ t: 1, i: 1 })],
  [new Timestamp({ t: 1, i: 2 })],
  [new Timestamp({ t: 0xffffffff, i: 0 })],
  [new BSONRegExp('a', '')],
  [new BSONRegExp('a', 'i')],
  [new BSONRegExp('b', '')],
  [new Code('a')],
  [new MaxKey()],
];

const ranked = inOrder.flatMap((equals, rank) => equals.map((v) => ({ v, rank })));
/** Every third, then every third of the rest, so that nothing is stored in its order. */
const shuffled = [0, 1, 2].flatMap((start) => ranked.filter((_, index) => index % 3 === start));

async function ranks({ collection }: Scene, direction: 1 | -1): Promise<number[]> {
  const documents = await collection.find({}, { sort: { v: direction }, projection: { rank: 1 } }).toArray();
  return documents.map(({ rank }) => rank);
}

const ascending = ranked.map(({ rank }) => rank);

const order: Case[] = [
  {
    says: 'values of all types are sorted in memory',
    given: shuffled,
    when: (scene) => ranks(scene, 1),
    answer: ascending,
  },
  {
    says: 'values of all types are sorted by an index',
    given: shuffled,
    indexes: [{ key: { v: 1 } }],
    when: async (scene) => [await ranks(scene, 1), await ranks(scene, -1)],
    answer: [ascending, ascending.toReversed()],
  },
  {
    says: 'values of all types are sorted by a descending index',
    given: shuffled,
    indexes: [{ key: { v: -1 } }],
    when: async (scene) => [await ranks(scene, 1), await ranks(scene, -1)],
    answer: [ascending, ascending.toReversed()],
  },
  {
    says: 'a value of any type is found by an index among all others',
    given: shuffled,
    indexes: [{ key: { v: 1 } }],
    when: async ({ collection }) => {
      const wanted = ranked.filter(({ v }) => !(v instanceof BSONRegExp) && v !== null);
      const found = await Promise.all(wanted.map(({ v }) => collection.find({ v: { $eq: v } }).toArray()));
      return found.map((documents) => [...new Set(documents.map(({ rank }) => rank))]);
    },
    answer: ranked.filter(({ v }) => !(v instanceof BSONRegExp) && v !== null).map(({ rank }) => [rank]),
  },
  {
    says: 'everything lies between the least and the greatest key',
    given: holding(1, 'a', null, { a: 1 }, [1], true),
    indexes: [{ key: { v: 1 } }],
    when: async ({ collection }) =>
      ids(await collection.find({ v: { $gt: new MinKey(), $lt: new MaxKey() } }).toArray()).sort(),
    answer: [1, 2, 3, 4, 5, 6],
  },
  {
    says: '_id is in the same order',
    given: ['b', 2, new ObjectId('65a000000000000000000001'), true, new Date(0), { a: 1 }, 1.5].map((_id) => ({ _id })),
    when: async ({ collection }) => ids(await collection.find({}, { sort: { _id: 1 } }).toArray()),
    answer: [1.5, 2, 'b', { a: 1 }, new ObjectId('65a000000000000000000001'), true, new Date(0)],
  },
];

export const typeGroups: Group[] = [
  { group: 'types kept', cases: kept },
  { group: 'limits of documents', cases: limits },
  { group: 'order of types', cases: order },
];
