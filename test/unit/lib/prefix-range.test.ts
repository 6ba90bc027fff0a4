import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { prefixEnd, prefixRange } from '../../../lib/data/prefix-range.ts';
import { anyCodePoint } from '../../support/code-points.ts';

describe('the end of a prefix', () => {
  test.each([
    ['', null],
    ['a', 'b'],
    ['a/', 'a0'],
    ['photos/2', 'photos/3'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}\u{10ffff}', null],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['😀', '😁'],
    ['\u{103ff}', '\u{10400}'],
  ])('%j is %j', (prefix, end) => {
    expect(prefixEnd(prefix)).toBe(end);
  });

  const point = fc.oneof(
    fc.constantFrom('a', 'b', '/', '\0', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{103ff}', '\u{10ffff}'),
    fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 1 }),
  );
  const text = fc.array(point, { maxLength: 4 }).map((points) => points.join(''));
  const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

  test('is after all texts that begin with the prefix, and no other text is between', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, more, other) => {
        const end = prefixEnd(prefix);
        const isWithin = (key: string): boolean => compare(key, prefix) >= 0 && (end === null || compare(key, end) < 0);
        expect(isWithin(prefix + more)).toBe(true);
        expect(isWithin(other)).toBe(other.startsWith(prefix));
        if (end !== null) expect(isWithin(end)).toBe(false);
      }),
    );
  });

  test('is well formed', () => {
    fc.assert(fc.property(text, (prefix) => expect(prefixEnd(prefix)?.isWellFormed() ?? true).toBe(true)));
  });
});

test('the range of a prefix begins with it or with a later place, and has no end where every later text has it', () => {
  expect(prefixRange('ab')).toEqual({ $gte: 'ab', $lt: 'ac' });
  expect(prefixRange('ab', { $gt: 'abc' })).toEqual({ $gt: 'abc', $lt: 'ac' });
  expect(prefixRange('')).toEqual({ $gte: '' });
});
