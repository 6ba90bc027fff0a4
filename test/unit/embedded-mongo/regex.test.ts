import { describe, expect, test } from '@jest/globals';
import { compileRegex } from '../../../embedded/mongo/query/regex.ts';

describe('a regular expression', () => {
  test.each(['(a+)+$', '^(a|a)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s is tried on a long text in time that grows with it',
    (pattern) => {
      const matches = compileRegex(pattern, '');
      const startedAt = performance.now();
      expect(matches(`${'a'.repeat(20_000)}!`)).toBe(false);
      expect(performance.now() - startedAt).toBeLessThan(2000);
    },
  );

  const refused: { says: string; pattern: string; naming: string }[] = [
    { says: 'has a quantifier of a quantifier', pattern: 'a**', naming: 'a quantifier of a quantifier' },
    { says: 'has a quantifier of an assertion', pattern: '^*a', naming: 'a quantifier of an assertion' },
    { says: 'repeats repetitions too often', pattern: '((a{100}){100}){100}', naming: 'more than 20000 steps' },
    { says: 'sets the option xx', pattern: '(?xx)[a b]', naming: '(?xx)' },
    { says: 'names a property that RE2 has not', pattern: '\\p{Xan}', naming: 'RE2' },
  ];

  test.each(refused)('that $says is refused by name', ({ pattern, naming }) => {
    expect(() => compileRegex(pattern, '')).toThrow(expect.objectContaining({ code: 115 }));
    expect(() => compileRegex(pattern, '')).toThrow(naming);
  });

  test('takes what is quoted behind an escape for characters of its own', () => {
    expect(compileRegex('^\\x4\\Q1\\E$', '')('\u00041')).toBe(true);
  });
});
