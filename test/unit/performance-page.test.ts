import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Figure } from '../../bench/figure.ts';
import type { Machine } from '../../bench/machine.ts';
import { withFigures } from '../../bench/performance-page.ts';
import { markdownTable, markedText, rowsOfTable } from '../../scripts/markdown.ts';

const mark = 'npm run bench -- --write';
const page = `# Performance\n\n<!-- ${mark} -->\n<!-- end -->\n\n## What is tuned\n`;
const machine: Machine = {
  date: '2026-03-04T05:06:07.000Z',
  commit: '0123456789abcdef',
  node: 'v24.1.0',
  system: 'linux',
  processor: 'Processor',
  cores: 2,
  memoryGibibytes: 24,
  load: 0.25,
  stolen: 0.012,
};
const figure = (name: string, value: string, rest: Partial<Figure> = {}): Figure => ({
  name,
  value,
  beside: '',
  ratio: null,
  bar: '',
  holds: null,
  rounds: [1],
  ...rest,
});
const rowsIn = (text: string) => rowsOfTable(markedText(text, mark)).map(([name, value]) => `${name}: ${value}`);

describe('the table of figures in docs/performance.md', () => {
  test('has its place in the page', () => {
    const text = withFigures(readFileSync('docs/performance.md', 'utf8'), { ...machine, cores: 0 }, [figure('a', '1')]);
    expect(rowsIn(text)).toEqual(['a: 1']);
  });

  test('has a line on the machine and a row for each figure', () => {
    const start = figure('start', '1.15 s', { ratio: 3.31, beside: 'packages alone', bar: '≤ 2.2 s', holds: true });
    const text = withFigures(page, machine, [start]);
    expect(text).toContain(
      '2 × Processor, 24 GiB, Node 24.1.0; last measured 2026-03-04, load average before the run 0.3, 1.2 % of',
    );
    expect(rowsOfTable(markedText(text, mark))).toEqual([
      ['start', '1.15 s', 'packages alone', '3.3 ×', '≤ 2.2 s', 'yes', '01234567'],
    ]);
    expect(text.startsWith('# Performance\n')).toBe(true);
    expect(text.endsWith('\n\n## What is tuned\n')).toBe(true);
  });

  test('keeps the rows that were not measured now, in their order', () => {
    const first = withFigures(page, machine, [figure('a', '1'), figure('b', '2')]);
    const later = withFigures(first, { ...machine, commit: 'fedcba9876-dirty' }, [figure('c', '4'), figure('a', '3')]);
    expect(rowsIn(later)).toEqual(['a: 3', 'b: 2', 'c: 4']);
    expect(later).toContain('fedcba98 with changes');
  });

  test('drops the rows of another machine, and of skipped figures', () => {
    const first = withFigures(page, machine, [figure('a', '1'), figure('b', '2')]);
    expect(rowsIn(withFigures(first, { ...machine, cores: 4 }, [figure('b', '5')]))).toEqual(['b: 5']);
    expect(rowsIn(withFigures(first, machine, [figure('b', 'skipped: no server', { rounds: [] })]))).toEqual([
      'a: 1',
      'b: 2',
    ]);
  });
});

test('a table is read as it was written', () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', 'é', '|', ' ', '`', '-') })
    .map((text) => text.trim())
    .filter((text) => !text.endsWith('\\'));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }), (rows) => {
      expect(rowsOfTable(markdownTable(['one', 'two', 'three'], rows))).toEqual(rows);
    }),
  );
});
