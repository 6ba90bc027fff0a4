import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../lib/data/canonical-json.ts';
import { isExactNumber, parseJson, textOfWholeNumber } from '../../../lib/data/exact-json.ts';
import { ExactSerializer } from '../../../lib/data/exact-serializer.ts';
import { propertyCases } from '../../support/property-cases.ts';

const numbers = [
  '820982911946154508',
  '-820982911946154508',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551615',
  '0.12345678901234567890',
  '12345678901234567.89',
  '1234567890123456789e-3',
];

describe('a number in JSON', () => {
  test.each(numbers)('of many digits is written as it was read: %s', (text) => {
    const document = `{"a":[${text},"${text}"],"b":{"c":${text}}}`;
    expect(JSON.stringify(parseJson(document))).toBe(document);
    const serializer = new ExactSerializer();
    expect(JSON.stringify(serializer.deserialize(serializer.serialize(parseJson(document))))).toBe(document);
    expect(canonicalJson(parseJson(document))).toBe(document);
  });

  test.each([
    '0',
    '-1',
    '9007199254740991',
    '-9007199254740991',
    '9007199254740991.0',
    '1.5',
    '1.50000000000000000',
    '1e20',
    '129.9',
  ])('that is held exactly is a number: %s', (text) => {
    expect(parseJson(`{"id":"a text of 1234567890123456 digits","n":${text}}`)).toEqual({
      id: 'a text of 1234567890123456 digits',
      n: Number(text),
    });
  });

  test('is the text of an identifier where it is whole', () => {
    expect(numbers.map((text) => textOfWholeNumber(parseJson(text)))).toEqual([
      ...numbers.slice(0, 5),
      undefined,
      undefined,
      undefined,
    ]);
    expect([1, 1.5, Number.NaN, '1', null].map(textOfWholeNumber)).toEqual([
      '1',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of any digits survives a round trip; all else is parsed as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (id) => {
        expect(JSON.stringify(parseJson(`[${id}]`))).toBe(`[${id}]`);
      }),
      { numRuns: propertyCases(150, 5000) },
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        expect(plain(parseJson(text))).toEqual(plain(JSON.parse(text)));
      }),
      { numRuns: propertyCases(150, 5000) },
    );
  });

  test('that is none is no exact number', () => {
    expect([{ rawJSON: '1' }, '1', 1, null, undefined].some(isExactNumber)).toBe(false);
  });
});
