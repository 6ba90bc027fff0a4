import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvCell, csvRecord } from '../../../lib/format/csv.ts';
import { anyCodePoint } from '../../support/code-points.ts';
import { parseCsv, unguarded } from '../../support/csv.ts';

const text = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'"\',;\r\n\t=+-@a '), maxLength: 8 }),
);
const value = fc.oneof(text, fc.double(), fc.boolean(), fc.constantFrom(null, undefined), fc.array(text), fc.object());

const textOf = (one: unknown): string => {
  if (one === null || one === undefined) return '';
  return typeof one === 'object' ? JSON.stringify(one) : String(one);
};

describe('CSV', () => {
  test('has the values again when it is parsed', () => {
    const records = fc.integer({ min: 1, max: 5 }).chain((columns) => {
      const record = fc.array(value, { minLength: columns, maxLength: columns });
      return fc.array(record, { maxLength: 5 });
    });
    fc.assert(
      fc.property(records, (rows) => {
        const parsed = parseCsv(rows.map(csvRecord).join(''));
        expect(parsed.map((cells) => cells.map(unguarded))).toEqual(rows.map((row) => row.map(textOf)));
      }),
    );
  });

  test('never begins a cell with a character that begins a formula', () => {
    fc.assert(
      fc.property(value, (one) => {
        const [[cell]] = parseCsv(`${csvCell(one)}\r\n`) as [[string]];
        expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });

  test.each([
    ['Ada', 'Ada'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-1', "'-1"],
    [-1, "'-1"],
    ['@sum', "'@sum"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ["'=1", "''=1"],
    ["'t Hooft", "'t Hooft"],
    [['+49', 'b'], '"[""+49"",""b""]"'],
    [null, ''],
    [undefined, ''],
    [false, 'false'],
  ])('writes %j as %j', (one, cell) => {
    expect(csvCell(one)).toBe(cell);
  });
});
