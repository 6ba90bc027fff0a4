import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { portablePattern } from '../../../lib/contract/json-schema.ts';

describe('the portable form of a pattern', () => {
  test.each([
    [/^[^\p{Cc}\p{Cs}]*$/u, String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`],
    [/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, String.raw`^([^\u0000-\u001f\u007f-\u009f]|[\n\t])*$`],
    [/^\d{1,3}(?:\.\d)?$/, String.raw`^[0-9]{1,3}(\.[0-9])?$`],
    [/^[\w-]+\/$/, '^[A-Za-z0-9_-]+/$'],
    [/^[\x21-\x7e]$/, String.raw`^[\u0021-\u007e]$`],
    [/^[^\0[\]]$/, String.raw`^[^\u0000\[\]]$`],
  ])('%s', (pattern, portable) => {
    expect(portablePattern(pattern.source)).toBe(portable);
  });

  test.each([
    /(?=a)/,
    /(?!a)/,
    /(?<=a)b/,
    /(?<name>a)/,
    /(a)\1/,
    /\bword/,
    /\p{L}/u,
    /[\p{Cc}]/u,
    /[^\p{L}]/u,
    /\P{Cc}/u,
    /[\D]/,
    /\ca/,
    /\u{1f600}/u,
  ])('does not exist for %s', (pattern) => {
    expect(portablePattern(pattern.source)).toBeNull();
  });

  const texts = fc.string({ unit: fc.oneof(fc.constantFrom('\u0000', '\u0085', '\u2028', ' ', '@', 'é', '😀', '7')) });

  test.each([
    /^[^\p{Cc}\p{Cs}]*$/u,
    /^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u,
    /^[^\s@]+@[^\s@]+$/,
    /^[^\p{Zl}\p{Zp}]+$/u,
    /^[\w ]*\d$/,
    /^\s*$/,
  ])('of %s accepts the same texts, without flags and with u', (pattern) => {
    const portable = portablePattern(pattern.source)!;
    fc.assert(
      fc.property(texts, (text) => {
        expect(new RegExp(portable).test(text)).toBe(pattern.test(text));
        expect(new RegExp(portable, 'u').test(text)).toBe(pattern.test(text));
      }),
    );
  });

  test('accepts more where the pattern excludes what only some versions of Unicode know', () => {
    const portable = new RegExp(portablePattern(String.raw`^[^\p{C}]*$`)!);
    expect([portable.test('a\u200bb'), portable.test('a\u0007b')]).toEqual([true, false]);
  });
});
