import { describe, expect, test } from '@jest/globals';
import { Decimal128, Double, deserialize, Long, ObjectId, serialize } from 'bson';
import fc from 'fast-check';
import { compareValues } from '../../../embedded/mongo/bson/compare.ts';
import { decodeDocument } from '../../../embedded/mongo/bson/decode.ts';
import { encodeDocument } from '../../../embedded/mongo/bson/encode.ts';
import { encodeKey } from '../../../embedded/mongo/bson/key-encoding.ts';
import type { Value } from '../../../embedded/mongo/bson/value.ts';
import { anyCodePoint } from '../../support/code-points.ts';

const edges = [
  0,
  -0,
  1,
  -1,
  0.1,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  5e-324,
  1e308,
  Infinity,
  -Infinity,
  Number.NaN,
];
const number = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.double().map((value) => new Double(value)),
  fc.constantFrom(...edges).map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(Long.fromBigInt),
  fc.constantFrom('9007199254740992', '9007199254740993', '9223372036854775807').map((text) => Long.fromString(text)),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
    .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`)),
  fc.constantFrom('0.1', '1.0', '-0', 'NaN', 'Infinity', '-Infinity', '9007199254740993').map(Decimal128.fromString),
);
const leaf = fc.oneof(
  { arbitrary: number, weight: 3 },
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom('', 'a', 'a\0', 'a\u0001', 'ab', '\u{FFFD}', '\u{1F600}'),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.uint8Array({ maxLength: 3 }),
);
const name = fc.constantFrom('a', 'b', '0', 'constructor', 'ä');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.uniqueArray(fc.tuple(name, tie('value')), { maxLength: 3, selector: ([key]) => key }).map(Object.fromEntries),
  ),
}));

/** A value as the database holds it, by way of the bytes the driver sends. */
function stored(driverValue: unknown): Value {
  const bytes = Buffer.from(serialize({ v: driverValue }));
  return decodeDocument(bytes).get('v') as Value;
}

const storedValue = value.map(stored);

describe('the order of values', () => {
  test.each([false, true])('keys of an index are ordered as their values (descending: %s)', (descending) => {
    fc.assert(
      fc.property(storedValue, storedValue, (left, right) => {
        const order = Buffer.compare(
          encodeKey([{ value: left, descending }]),
          encodeKey([{ value: right, descending }]),
        );
        expect(Math.sign(order)).toBe((descending ? -1 : 1) * Math.sign(compareValues(left, right)) + 0);
      }),
      { numRuns: 2000 },
    );
  });

  test('keys of two fields are ordered by the first and then by the second', () => {
    const pair = fc.tuple(storedValue, storedValue);
    const key = ([first, second]: [Value, Value]) =>
      encodeKey([
        { value: first, descending: false },
        { value: second, descending: true },
      ]);
    fc.assert(
      fc.property(pair, pair, (left, right) => {
        const expected = compareValues(left[0], right[0]) || -compareValues(left[1], right[1]);
        expect(Math.sign(Buffer.compare(key(left), key(right)))).toBe(Math.sign(expected) + 0);
      }),
      { numRuns: 1000 },
    );
  });

  test('the order is transitive', () => {
    fc.assert(
      fc.property(fc.array(storedValue, { minLength: 3, maxLength: 3 }), (values) => {
        const [a, b, c] = values.sort(compareValues);
        expect(compareValues(a, c)).toBeLessThanOrEqual(0);
        expect(compareValues(a, b)).toBeLessThanOrEqual(0);
        expect(compareValues(b, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the bytes of documents', () => {
  test('a document that is read and written is the same bytes', () => {
    fc.assert(
      fc.property(value, (driverValue) => {
        const bytes = Buffer.from(serialize({ v: driverValue }));
        expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('a long value within a document that outgrows the buffer keeps its type', () => {
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`text${index}`, 'x'.repeat(1 << 17)]));
    const bytes = Buffer.from(serialize({ texts, last: 1 }));
    expect(deserialize(encodeDocument(decodeDocument(bytes)))).toEqual(deserialize(bytes));
  });
});
