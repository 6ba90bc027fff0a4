import { type EngineName, engines } from '../access/engines.ts';
import { askWorld, makeWorld, type WorldSize } from '../access/world.ts';
import { takeJob } from './job.ts';
import type { LoadResult } from './result.ts';

/** Questions to an engine in the same process, sequentially. */
export type DecisionJob = {
  engine: EngineName;
  world: WorldSize;
  questions: number;
  warmUpSeconds: number;
  seconds: number;
};

const timedQuestions = 2_000;

/**
 * Measures checks per second over whole rounds of questions; latencies come from separately timed questions, because
 * reading the clock takes time too.
 */
async function run({
  engine,
  world: size,
  questions: count,
  warmUpSeconds,
  seconds,
}: DecisionJob): Promise<LoadResult> {
  const world = makeWorld(size);
  const decide = await engines[engine](world);
  const questions = askWorld(world, count);
  let failures = 0;
  let next = 0;
  const ask = () => {
    const { orgId, userId, permission, allowed } = questions[next++ % count] as (typeof questions)[number];
    if (decide(orgId, userId, permission) !== allowed) failures += 1;
  };
  for (const _ of questions) ask();
  repeatFor(warmUpSeconds, ask);
  const { times, elapsedSeconds } = repeatFor(seconds, ask);
  const latencies = Float64Array.from({ length: timedQuestions }, () => {
    const startedAt = performance.now();
    ask();
    return performance.now() - startedAt;
  }).sort();
  const latencyAt = (share: number) => latencies[Math.floor(timedQuestions * share)] ?? 0;
  const firstFailure = failures > 0 ? `${engine} decides otherwise` : null;
  return {
    perSecond: times / elapsedSeconds,
    p50: latencyAt(0.5),
    p99: latencyAt(0.99),
    count: times,
    failures,
    firstFailure,
  };
}

const betweenLooks = 100;

/** Reading the clock each time would be most of the work. */
function repeatFor(seconds: number, work: () => void): { times: number; elapsedSeconds: number } {
  const startedAt = performance.now();
  let times = 0;
  let elapsedSeconds = 0;
  while (elapsedSeconds < seconds) {
    for (let one = 0; one < betweenLooks; one += 1) work();
    times += betweenLooks;
    elapsedSeconds = (performance.now() - startedAt) / 1000;
  }
  return { times, elapsedSeconds };
}

takeJob(run);
