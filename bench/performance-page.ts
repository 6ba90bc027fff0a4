import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable, markedText, replaceMarked, rowsOfTable } from '../scripts/markdown.ts';
import type { Figure } from './figure.ts';
import type { Machine } from './machine.ts';
import { shareText } from './progress.ts';
import { ratioText } from './report.ts';

const file = join(import.meta.dirname, '..', 'docs', 'performance.md');
const mark = 'npm run bench -- --write';
const heads = ['figure', 'value', 'peer or floor, same run', 'ratio', 'bar', 'holds', 'commit'];

/** Writes the figures into docs/performance.md. */
export function writePerformancePage(machine: Machine, figures: Figure[]): void {
  writeFileSync(file, withFigures(readFileSync(file, 'utf8'), machine, figures));
}

/**
 * The page with these figures in its table. Rows of figures that were not measured now stay while they are of the same
 * machine; rows of another machine are removed, because one table must not compare two machines. A skipped figure
 * changes no row.
 */
export function withFigures(page: string, machine: Machine, figures: Figure[]): string {
  const present = markedText(page, mark);
  const isSameMachine = present.startsWith(hardwareOf(machine));
  const measured = new Map(
    figures.filter(({ rounds }) => !isEmpty(rounds)).map((figure) => [figure.name, cellsOf(figure, machine)]),
  );
  const kept = isSameMachine ? rowsOfTable(present) : [];
  const rows = kept.map((row) => measured.get(row[0] ?? '') ?? row);
  const known = new Set(kept.map(([name]) => name));
  for (const [name, row] of measured) if (!known.has(name)) rows.push(row);
  return replaceMarked(page, mark, `${machineLine(machine)}\n\n${markdownTable(heads, rows)}`);
}

function isEmpty(rounds: unknown): boolean {
  return Array.isArray(rounds) && rounds.length === 0;
}

function hardwareOf({ cores, processor, memoryGibibytes, node }: Machine): string {
  return `${cores} × ${processor}, ${memoryGibibytes} GiB, Node ${node.replace(/^v/, '')};`;
}

function machineLine(machine: Machine): string {
  const { date, load, stolen } = machine;
  const others = `load average before the run ${load.toFixed(1)}, ${shareText(stolen)} of the processors' time stolen`;
  return `${hardwareOf(machine)} last measured ${date.slice(0, 10)}, ${others}.`;
}

function cellsOf({ name, value, beside, ratio, bar, holds }: Figure, { commit }: Machine): string[] {
  const verdict = holds === null ? '' : holds ? 'yes' : 'no';
  const measured = `${commit.slice(0, 8)}${commit.endsWith('-dirty') ? ' with changes' : ''}`;
  return [name, value, beside, ratio === null ? '' : ratioText(ratio), bar, verdict, measured];
}
