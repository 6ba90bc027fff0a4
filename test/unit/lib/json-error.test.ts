import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeJsonError } from '../../../lib/data/json-error.ts';
import { propertyCases } from '../../support/property-cases.ts';

describe('the first error of a text that is not JSON', () => {
  test.each([
    ['{"a":}', 'unexpected “}” at line 1, column 6'],
    ['{\n  "a": 1,\n}', 'unexpected “}” at line 3, column 1'],
    ['[1, 2,]', 'unexpected “]” at line 1, column 7'],
    ["{'a': 1}", "unexpected “'” at line 1, column 2"],
    ['{a: 1}', 'unexpected “a” at line 1, column 2'],
    ['{"a" 1}', 'unexpected “1” at line 1, column 6'],
    ['{"a": 1 "b": 2}', 'unexpected “"” at line 1, column 9'],
    ['{"a": 01}', 'unexpected “1” at line 1, column 8'],
    ['{"a": .5}', 'unexpected “.” at line 1, column 7'],
    ['{"a": undefined}', 'unexpected “u” at line 1, column 7'],
    ['{"a": "\t"}', 'unexpected U+0009 at line 1, column 8'],
    ['{"a": "\\x"}', 'unexpected “\\” at line 1, column 8'],
    ['{"a": [}', 'unexpected “}” at line 1, column 8'],
    ['{}{}', 'unexpected “{” at line 1, column 3'],
    ['name=x', 'unexpected “n” at line 1, column 1'],
    ['😀', 'unexpected “😀” at line 1, column 1'],
    ['\uFEFF{}', 'unexpected U+FEFF at line 1, column 1'],
    ['', 'it ends too early, at line 1, column 1'],
    ['{"a": "b', 'it ends too early, at line 1, column 9'],
    ['{"a":\n', 'it ends too early, at line 2, column 1'],
    ['[[1,', 'it ends too early, at line 1, column 5'],
  ])('in %j is %s', (text, description) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(describeJsonError(text)).toBe(description);
  });

  test('is none before the end of a text that is JSON, however it is spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const lines = text.split('\n');
        const end = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
        expect(describeJsonError(text)).toBe(`it ends too early, at ${end}`);
      }),
      { numRuns: propertyCases(200, 20_000) },
    );
  });

  test('is found in a text of many levels and one of many strings in a moment', () => {
    expect(describeJsonError('['.repeat(800_000))).toBe('it ends too early, at line 1, column 800001');
    expect(describeJsonError(`[${'"a",'.repeat(200_000)}]`)).toBe('unexpected “]” at line 1, column 800002');
    expect(describeJsonError(`"${'a'.repeat(800_000)}`)).toBe('it ends too early, at line 1, column 800002');
    expect(describeJsonError(`"${'\\n'.repeat(400_000)}`)).toBe('it ends too early, at line 1, column 800002');
  });
});
