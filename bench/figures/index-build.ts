import { setTimeout as wait } from 'node:timers/promises';
import { boundedFigure, type Figure, medianBy } from '../figure.ts';
import type { IndexJob, IndexResult } from '../load/index-load.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';

const documents = { usual: 200_000, long: 1_000_000 };
const connections = 32;
const longestMilliseconds = 150;
/** Half of the work remains, plus a start. */
const mostShareOfWhole = 0.75;

/**
 * Builds an index over many documents of the embedded database: latency of concurrent requests, and a kill half way.
 */
export async function measureIndexBuild({ rounds, long }: Options): Promise<Figure[]> {
  const count = long ? documents.long : documents.usual;
  const folder = temporaryFolder();
  const server = await startServer<{ url: string }>('servers/embedded-database.ts', { folder });
  const step = (name: IndexJob['step'], more: Partial<IndexJob> = {}): Promise<IndexResult> => {
    const job: IndexJob = { url: server.address.url, step: name, documents: count, connections: 0, ...more };
    return runJob('load/index-load.ts', job);
  };
  const filled = await step('fill');
  say(`${count.toLocaleString('en')} documents: inserted after ${filled.seconds.toFixed(1)} s`);
  const built: { seconds: number; max: number; without: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const one = await step('build', { connections });
    await step('drop');
    const without = await step('wait', { connections, seconds: one.seconds });
    built.push({ seconds: one.seconds, max: one.max, without: without.max });
    const asked = `${one.count} concurrent requests, p99 ${one.p99.toFixed(0)} ms, maximum ${one.max.toFixed(0)} ms`;
    const alone = `without it p99 ${without.p99.toFixed(0)} ms, maximum ${without.max.toFixed(0)} ms`;
    say(`index build, round ${round}/${rounds}: ${one.seconds.toFixed(1)} s, ${asked}; ${alone}`);
  }
  const alone = (await step('build')).seconds;
  await step('drop');
  const resumedSeconds = await killHalfWay(folder, server.pid, step, alone);
  const name = `createIndex on ${count.toLocaleString('en')} documents`;
  const without = medianBy(built, (round) => round.without).without;
  return [
    {
      ...boundedFigure(`${name}, concurrent requests, maximum`, built, ({ max }) => max, 'ms', longestMilliseconds),
      beside: `without an index build: ${without.toFixed(0)} ms`,
      rounds: built,
    },
    {
      name: `${name}, from a start after a kill half way`,
      value: `${resumedSeconds.toFixed(1)} s`,
      beside: `without a kill: ${alone.toFixed(1)} s`,
      ratio: resumedSeconds / alone,
      bar: `≤ ${mostShareOfWhole} ×`,
      holds: resumedSeconds <= mostShareOfWhole * alone,
      rounds: [{ left: resumedSeconds, alone }],
    },
  ];
}

type Step = (name: IndexJob['step'], more?: Partial<IndexJob>) => Promise<IndexResult>;

/** Seconds from a start after the kill until the index is complete. */
async function killHalfWay(folder: string, pid: number, step: Step, whole: number): Promise<number> {
  const interrupted = step('build').then(
    () => {
      throw new Error('The index was built before the kill.');
    },
    () => undefined,
  );
  await wait((whole / 2) * 1000);
  process.kill(pid, 'SIGKILL');
  await interrupted;
  const startedAt = performance.now();
  const again = await startServer<{ url: string }>('servers/embedded-database.ts', { folder });
  await step('build', { url: again.address.url });
  const seconds = (performance.now() - startedAt) / 1000;
  await again.stop();
  return seconds;
}
