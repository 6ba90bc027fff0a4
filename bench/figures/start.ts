import { setTimeout as wait } from 'node:timers/promises';
import { type Figure, leftOut, medianBy } from '../figure.ts';
import { residentMebibytes } from '../processes.ts';
import { say } from '../progress.ts';
import { startPlatform } from '../servers/platform.ts';

const starts = 5;
const idleSeconds = 10;
const longestSeconds = 3;
const mostMebibytes = 250;

type Start = { seconds: number; mebibytes: number | null };

/** Five starts on empty folders; the last stays idle for a while before its memory is read. */
export async function measureStart(): Promise<Figure[]> {
  const measured: Start[] = [];
  for (let number = 1; number <= starts; number += 1) {
    const start = await startOnce(number === starts ? idleSeconds : 0);
    measured.push(start);
    say(`start ${number}/${starts}: ${describe(start)}`);
  }
  return [startFigure(measured), memoryFigure(measured)];
}

async function startOnce(idle: number): Promise<Start> {
  const platform = await startPlatform();
  await wait(idle * 1000);
  const mebibytes = residentMebibytes(platform.pid);
  await platform.stop();
  return { seconds: platform.startMilliseconds / 1000, mebibytes };
}

function startFigure(measured: Start[]): Figure {
  const { seconds } = medianBy(measured, (start) => start.seconds);
  return {
    name: 'start, empty folder to ready',
    value: `${seconds.toFixed(2)} s (median of ${starts})`,
    beside: '',
    ratio: null,
    bar: `≤ ${longestSeconds} s`,
    holds: seconds <= longestSeconds,
    rounds: measured,
  };
}

function memoryFigure(measured: Start[]): Figure {
  const name = `resident memory, idle ${idleSeconds} s`;
  const mebibytes = measured.at(-1)?.mebibytes ?? null;
  if (mebibytes === null) return leftOut(name, 'this system has no /proc');
  return {
    name,
    value: `${Math.round(mebibytes)} MiB`,
    beside: '',
    ratio: null,
    bar: `≤ ${mostMebibytes} MiB`,
    holds: mebibytes <= mostMebibytes,
    rounds: measured,
  };
}

function describe({ seconds, mebibytes }: Start): string {
  return `${seconds.toFixed(2)} s${mebibytes === null ? '' : `, ${Math.round(mebibytes)} MiB`}`;
}
