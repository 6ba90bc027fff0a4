import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import type { Machine } from './machine.ts';
import { shareText } from './progress.ts';

const resultsFile = join(import.meta.dirname, 'results.json');
const busyLoad = 0.5;
const heads = ['figure', 'value', 'baseline or peer', 'ratio', 'range of rounds', 'bar', 'holds'];

/** Prints the figures as a table, with the bars that are missed. */
export function printReport(machine: Machine, figures: Figure[]): void {
  const { processor, cores, memoryGibibytes, node, commit, load, stolen } = machine;
  const lines = table([heads, ...figures.map(cellsOf)]);
  const missed = figures.filter(({ holds }) => holds === false).map(({ name }) => name);
  const verdict = missed.length === 0 ? 'All measured bars hold.' : `These bars do NOT hold: ${missed.join('; ')}.`;
  const machineText = `${cores} × ${processor}, ${memoryGibibytes} GiB, Node ${node}, commit ${commit}`;
  const others = `Load average before the run ${load.toFixed(1)}${load > busyLoad ? ': the machine was busy, so the ratios are more reliable than the rates' : ''}.`;
  const host = `The host gave ${shareText(stolen)} of the processors' time to other machines.`;
  process.stdout.write(`\n${[...lines, '', verdict, machineText, others, host].join('\n')}\n`);
}

/** Writes all rounds of all figures together with the machine. */
export function writeResults(machine: Machine, figures: Figure[]): void {
  writeFileSync(resultsFile, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
}

function cellsOf({ name, value, beside, ratio, spread, bar, holds }: Figure): string[] {
  const verdict = holds === null ? '' : holds ? 'yes' : 'NO';
  return [name, value, beside, ratio === null ? '' : ratioText(ratio), spread ? spreadText(spread) : '', bar, verdict];
}

/** A ratio to a peer: three decimals below one, one above. */
export function ratioText(ratio: number): string {
  return `${ratio < 1 ? ratio.toFixed(3) : ratio.toFixed(1)} ×`;
}

function spreadText({ least, most }: { least: number; most: number }): string {
  return `${ratioText(least)} to ${ratioText(most)}`;
}

function table(rows: string[][]): string[] {
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
