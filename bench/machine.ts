import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** Where and on what a run was measured; without it a figure says little. */
export type Machine = {
  date: string;
  commit: string;
  node: string;
  system: string;
  processor: string;
  cores: number;
  memoryGibibytes: number;
  /** Processes that wanted a core in the minute before the run: what others took from it. */
  load: number;
};

export function describeMachine(): Machine {
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

/** The commit measured, marked when the files differ from it. */
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
