import { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import type { Value } from '../../../embedded/mongo/bson/value.ts';
import { double } from '../../../embedded/mongo/bson/value.ts';
import { anyCodePoint } from '../../support/code-points.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -30, max: 30 }))
  .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`));

const numbers = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.double().map(double),
  int64,
  decimal,
  // Neighbours that only an exact comparison tells apart.
  fc.constantFrom<Value>(
    ...[0, 1, -1, new Double(1), new Double(0), 1n, 2n ** 53n, 2n ** 53n + 1n, 2 ** 53, Number.NaN, Infinity],
    ...['1', '1.0', '0.1', 'NaN', 'Infinity', '-Infinity', '9007199254740993'].map((text) =>
      Decimal128.fromString(text),
    ),
    0.1,
  ),
);

const scalars = fc.oneof<fc.Arbitrary<Value>[]>(
  numbers,
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom('', '\u0000', '\u0001', 'a', 'a\u0000', 'a\u0000b', 'ab', 'é', '\uffff', '😀'),
  fc.constantFrom(null, true, false, new MinKey(), new MaxKey()),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => new Binary(bytes)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => new Timestamp(bits)),
  fc.constantFrom('a', '^b').map((pattern) => new BSONRegExp(pattern, 'i')),
);

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'ab', '1', '__proto__'), tie('value')), { maxLength: 4 })
      .map((fields) => new Map(fields)),
  ),
}));

/** Any BSON value, with those that are easily confused more often. */
export const anyValue: fc.Arbitrary<Value> = value;
