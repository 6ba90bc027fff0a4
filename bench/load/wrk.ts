import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../processes.ts';
import type { LoadResult } from './result.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'wrk.lua');

/**
 * Raw requests, sent in turn on `connections` by one thread of `wrk`. It is written in C and uses so little of the two
 * cores it shares with the server that even a bare server is the bottleneck, and not the load.
 */
export type WrkJob = { port: number; requests: string[]; connections: number; warmUpSeconds: number; seconds: number };

type Summary = {
  count: number;
  microseconds: number;
  p50: number;
  p99: number;
  statuses: number;
  others: number;
};

/** Loads a server: first an uncounted warm-up, then the measurement. Failures count in both. */
export async function loadByWrk(job: WrkJob): Promise<LoadResult> {
  const file = join(temporaryFolder(), 'requests');
  writeFileSync(file, job.requests.map((request) => `${request}\0`).join(''));
  const warmUp = await measure(job, file, job.warmUpSeconds);
  const { count, microseconds, p50, p99, statuses, others } = await measure(job, file, job.seconds);
  const refused = warmUp.statuses + statuses;
  const broken = warmUp.others + others;
  return {
    perSecond: count / (microseconds / 1_000_000),
    p50: p50 / 1000,
    p99: p99 / 1000,
    count,
    failures: refused + broken,
    firstFailure: refused + broken > 0 ? `${refused} were rejected, ${broken} had no response` : null,
  };
}

async function measure({ port, connections }: WrkJob, file: string, seconds: number): Promise<Summary> {
  const duration = `${Math.max(1, Math.round(seconds))}s`;
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const options = ['-t1', `-c${connections}`, `-d${duration}`, '--timeout', '30s', '-s', script];
  const { stdout } = await run('wrk', [...options, `http://127.0.0.1:${port}`, '--', file, seed]).catch(explain);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{')));
}

function explain(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new Error('The benchmarks over HTTP need wrk (apt-get install wrk, brew install wrk).');
}
