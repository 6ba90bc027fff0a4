import { describe, expect, test } from '@jest/globals';
import { lineOfText, lineOrNothing, linesOrNothing } from '../../../lib/text.ts';

describe('texts that people type', () => {
  test('are trimmed', () => {
    expect(lineOfText(10).parse('  a b \n')).toBe('a b');
    expect(lineOrNothing(10).parse(' \t')).toBe('');
    expect(linesOrNothing(10).parse(' a\n\tb ')).toBe('a\n\tb');
  });

  test.each([
    ['an empty line', lineOfText(10), ' '],
    ['eleven characters', lineOfText(10), 'x'.repeat(11)],
    ['a line break', lineOrNothing(10), 'a\nb'],
    ['half a character', lineOrNothing(10), 'a\ud800'],
    ['a control character', linesOrNothing(10), 'a\u0007b'],
    ['a number', linesOrNothing(10), 7],
  ])('are not %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});
