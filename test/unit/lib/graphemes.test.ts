import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutText, cutTextStart } from '../../../lib/format/graphemes.ts';

const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
const flags = '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}';

const charactersOf = (text: string) => [...new Intl.Segmenter('und').segment(text)].map(({ segment }) => segment);

describe('a text that is cut', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['', 2, ''],
    ['ab', 0, ''],
    [`a${family}b`, 5, 'a'],
    [`a${family}b`, 9, `a${family}`],
    ['noe\u0308l', 3, 'no'],
    [`${flags}`, 6, flags.slice(0, 4)],
    ['\u1100\u1161\u11a8x', 2, '\u1100\u1161'],
    ['a\r\nb', 2, 'a'],
    ['\u{1f44d}\u{1f3fd}!', 4, '\u{1f44d}\u{1f3fd}'],
    ['x\u{1f600}', 2, 'x'],
  ])('%j to %i is %j', (text, maxLength, cut) => {
    expect(cutText(text, maxLength)).toBe(cut);
  });

  test('keeps its end at a boundary too', () => {
    expect(cutTextStart(`${family}.pdf`, 5)).toBe('.pdf');
    expect(cutTextStart('noe\u0308l.pdf', 6)).toBe('l.pdf');
    expect(cutTextStart('report.pdf', 4)).toBe('.pdf');
    expect(cutTextStart('a', 4)).toBe('a');
  });

  test('is the longest beginning of whole characters, unless the first alone is too long', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(family, flags, 'e\u0308'), fc.string({ unit: 'grapheme' })),
    });
    fc.assert(
      fc.property(text, fc.nat(30), (whole, maxLength) => {
        const cut = cutText(whole, maxLength);
        expect(cut.length).toBeLessThanOrEqual(maxLength);
        expect(whole.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        const characters = charactersOf(whole);
        const kept = charactersOf(cut);
        if ((characters[0]?.length ?? 0) > maxLength) return;
        expect(kept).toEqual(characters.slice(0, kept.length));
        const next = characters[kept.length];
        if (next !== undefined) expect(cut.length + next.length).toBeGreaterThan(maxLength);
      }),
    );
  });
});
