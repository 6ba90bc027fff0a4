import { setTimeout as wait } from 'node:timers/promises';
import { boundedFigure, type Figure, leftOut, medianBy } from '../figure.ts';
import type { Options } from '../options.ts';
import { residentMebibytes, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { importPackages, startPlatform } from '../servers/platform.ts';

/**
 * The engine releases the memory that a start needed and no longer uses in an idle moment 10 to 20 seconds after it.
 */
const idleSeconds = 25;
const maxSeconds = 2.2;
const maxMebibytes = 200;

/** Seconds to ready on an empty folder, and again on the resulting folder; and seconds to import only the packages. */
type Round = { first: number; second: number; packages: number };

/**
 * Measures pairs of starts, alternating with imports of their packages; the last stays idle for a while before its
 * memory is read.
 */
export async function measureStart({ rounds }: Options): Promise<Figure[]> {
  const measured: Round[] = [];
  let mebibytes: number | null = null;
  for (let round = 1; round <= rounds; round += 1) {
    const folder = temporaryFolder();
    const first = await startOnce(folder, 0);
    const second = await startOnce(folder, round === rounds ? idleSeconds : 0);
    mebibytes = second.mebibytes;
    const one = { first: first.seconds, second: second.seconds, packages: await importPackages() };
    measured.push(one);
    say(
      `start, round ${round}/${rounds}: ${Object.entries(one).map(([name, value]) => `${name} ${value.toFixed(2)} s`)}`,
    );
  }
  return [
    startFigure('start on an empty folder, to ready', measured, ({ first }) => first),
    startFigure('start again on the same folder', measured, ({ second }) => second),
    memoryFigure(mebibytes),
  ];
}

async function startOnce(folder: string, idle: number): Promise<{ seconds: number; mebibytes: number | null }> {
  const platform = await startPlatform(folder);
  await wait(idle * 1000);
  const mebibytes = residentMebibytes(platform.pid);
  await platform.stop();
  return { seconds: platform.startMilliseconds / 1000, mebibytes };
}

function startFigure(name: string, rounds: Round[], secondsOf: (round: Round) => number): Figure {
  const { packages } = medianBy(rounds, (round) => round.packages);
  return {
    ...boundedFigure(name, rounds, secondsOf, 's', maxSeconds),
    beside: `import of the packages alone: ${packages.toFixed(2)} s`,
    ratio: secondsOf(medianBy(rounds, secondsOf)) / packages,
    rounds,
  };
}

function memoryFigure(mebibytes: number | null): Figure {
  const name = `resident memory, idle for ${idleSeconds} s`;
  if (mebibytes === null) return leftOut(name, 'this system has no /proc');
  return {
    name,
    value: `${Math.round(mebibytes)} MiB`,
    beside: '',
    ratio: null,
    bar: `≤ ${maxMebibytes} MiB`,
    holds: mebibytes <= maxMebibytes,
    rounds: [mebibytes],
  };
}
