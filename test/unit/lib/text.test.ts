import { describe, expect, test } from '@jest/globals';
import { optionalLine, optionalLines, singleLine } from '../../../lib/contract/input.ts';

describe('texts that people type', () => {
  test('are trimmed', () => {
    expect(singleLine(10).parse('  a b \n')).toBe('a b');
    expect(optionalLine(10).parse(' \t')).toBe('');
    expect(optionalLines(10).parse(' a\n\tb ')).toBe('a\n\tb');
  });

  test('have one line feed for each line break', () => {
    const breaks = ['\r\n', '\r', '\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
    for (const lineBreak of breaks) expect(optionalLines(10).parse(`a${lineBreak}b`)).toBe('a\nb');
    expect(optionalLines(10).parse('\r\na\r\n\r\n\rb\r')).toBe('a\n\n\nb');
    expect(optionalLines(3).parse('a\r\nb')).toBe('a\nb');
  });

  test.each([
    ['an empty line', singleLine(10), ' '],
    ['eleven characters', singleLine(10), 'x'.repeat(11)],
    ['a line break', optionalLine(10), 'a\nb'],
    ['a carriage return in a line', optionalLine(10), 'a\rb'],
    ['half a character', optionalLine(10), 'a\ud800'],
    ['a control character', optionalLines(10), 'a\u0007b'],
    ['a number', optionalLines(10), 7],
  ])('are not %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});
