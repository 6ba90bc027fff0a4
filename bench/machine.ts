import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** Machine and version of a run, without which a figure means little. */
export type Machine = {
  date: string;
  commit: string;
  node: string;
  system: string;
  processor: string;
  cores: number;
  memoryGibibytes: number;
  /** Load average over the minute before the run. */
  load: number;
  /** Share of the processors' time during the run that the host gave to other machines (steal time). */
  stolen: number;
};

export function describeMachine(): Omit<Machine, 'stolen'> {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    system: `${process.platform} ${release()} ${process.arch}`,
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGibibytes: Math.round(totalmem() / 2 ** 30),
    load: loadavg()[0] ?? 0,
  };
}

/** Starts measuring `stolen`; the returned function returns it, or 0 where the system does not report it. */
export function stolenFromNow(): () => number {
  const from = processorTime();
  return () => {
    const to = processorTime();
    return to.all > from.all ? (to.stolen - from.stolen) / (to.all - from.all) : 0;
  };
}

/** The first line of /proc/stat has the ticks since boot in eight categories, the last of which is steal. */
function processorTime(): { all: number; stolen: number } {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const ticks = line.split(/\s+/).slice(1, 9).map(Number);
    return { all: ticks.reduce((sum, tick) => sum + tick, 0), stolen: ticks[7] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}

/** The measured commit, marked when the working tree differs. */
function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
