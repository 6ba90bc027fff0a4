import { setTimeout as wait } from 'node:timers/promises';
import { type Figure, leftOut, medianBy } from '../figure.ts';
import type { Options } from '../options.ts';
import { residentMebibytes, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { startPlatform } from '../servers/platform.ts';

const idleSeconds = 10;
const longestSeconds = 1.5;
const mostMebibytes = 170;

/** Seconds to ready on an empty folder, and again on what that start made. */
type Pair = { first: number; second: number };

/** Pairs of starts; the last stays idle for a while before its memory is read. */
export async function measureStart({ rounds }: Options): Promise<Figure[]> {
  const pairs: Pair[] = [];
  let mebibytes: number | null = null;
  for (let round = 1; round <= rounds; round += 1) {
    const folder = temporaryFolder();
    const first = await startOnce(folder, 0);
    const second = await startOnce(folder, round === rounds ? idleSeconds : 0);
    mebibytes = second.mebibytes;
    pairs.push({ first: first.seconds, second: second.seconds });
    say(`start, round ${round}/${rounds}: first ${first.seconds.toFixed(2)} s, second ${second.seconds.toFixed(2)} s`);
  }
  return [
    startFigure('start on an empty folder, to ready', pairs, ({ first }) => first),
    startFigure('start again on the same folder', pairs, ({ second }) => second),
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

function startFigure(name: string, pairs: Pair[], secondsOf: (pair: Pair) => number): Figure {
  const seconds = secondsOf(medianBy(pairs, secondsOf));
  return {
    name,
    value: `${seconds.toFixed(2)} s (median of ${pairs.length})`,
    beside: '',
    ratio: null,
    bar: `≤ ${longestSeconds} s`,
    holds: seconds <= longestSeconds,
    rounds: pairs.map(secondsOf),
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
    bar: `≤ ${mostMebibytes} MiB`,
    holds: mebibytes <= mostMebibytes,
    rounds: [mebibytes],
  };
}
