import { describe, expect, test } from '@jest/globals';
import { lineOfText, lineOrNothing, linesOrNothing } from '../../../lib/text.ts';

describe('texts that people type', () => {
  test('are trimmed', () => {
    expect(lineOfText(10).parse('  a b \n')).toBe('a b');
    expect(lineOrNothing(10).parse(' \t')).toBe('');
    expect(linesOrNothing(10).parse(' a\n\tb ')).toBe('a\n\tb');
  });

  test('have one line feed for each line break', () => {
    const breaks = ['\r\n', '\r', '\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
    for (const lineBreak of breaks) expect(linesOrNothing(10).parse(`a${lineBreak}b`)).toBe('a\nb');
    expect(linesOrNothing(10).parse('\r\na\r\n\r\n\rb\r')).toBe('a\n\n\nb');
    expect(linesOrNothing(3).parse('a\r\nb')).toBe('a\nb');
  });

  test.each([
    ['an empty line', lineOfText(10), ' '],
    ['eleven characters', lineOfText(10), 'x'.repeat(11)],
    ['a line break', lineOrNothing(10), 'a\nb'],
    ['a carriage return in a line', lineOrNothing(10), 'a\rb'],
    ['half a character', lineOrNothing(10), 'a\ud800'],
    ['a control character', linesOrNothing(10), 'a\u0007b'],
    ['a number', linesOrNothing(10), 7],
  ])('are not %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});
