import { performance } from 'node:perf_hooks';
import { pauseMilliseconds, sinceInserts, waitForInsertIdle } from './insert-events.ts';

/**
 * The size of a round of the composer: parts of one organization each, which begin with `oldest` due events and settle
 * up to `events` of the same identifiers; and up to `customers` whose stories it continues.
 */
export type RoundSize = { events: number; oldest: number; customers: number };

/** While this process inserts no events, and for late work, which must not fall behind without bound. */
const wholeRound: RoundSize = { events: 500, oldest: 125, customers: 50 };
/** During inserts while the thread has idle time, or between inserts. */
const mediumRound: RoundSize = { events: 200, oldest: 80, customers: 16 };
/** During inserts that use all time of the thread: they wait for the commands of a round. */
const smallRound: RoundSize = { events: 32, oldest: 32, customers: 8 };
/** The range of `oldest` in a whole round: the fewer, the more events of each customer a write settles. */
const oldestRange = { min: 8, max: 125 };
/** While events are sent without a pause, a round still runs at this interval. */
const maxPauseMilliseconds = 250;
/** The share of busy time below which a thread has idle time. */
const busyShare = 0.55;
/** The minimum time of a measurement. */
const measuredMilliseconds = 20;

export function roundSize(isLate: boolean): RoundSize {
  if (isLate || sinceInserts() >= maxPauseMilliseconds) return wholeRound;
  return sinceInserts() >= pauseMilliseconds || hasTimeLeft() ? mediumRound : smallRound;
}

/** Customers with many events each are settled in fewer and fuller parts. */
export function adaptOldest(size: RoundSize, found: number): void {
  if (size !== wholeRound) return;
  const { events, oldest } = wholeRound;
  if (found === events) wholeRound.oldest = Math.max(oldestRange.min, Math.floor(oldest / 2));
  else if (found < events / 2) wholeRound.oldest = Math.min(oldestRange.max, oldest * 2);
}

/**
 * Resolves when the next round may begin. Stories may be delayed, senders of events should not: a read settles the
 * events that it needs itself.
 */
export async function yieldToInserts(signal: AbortSignal): Promise<void> {
  if (hasTimeLeft()) return;
  await waitForInsertIdle(AbortSignal.any([signal, AbortSignal.timeout(maxPauseMilliseconds)]));
}

let measuredFrom = performance.eventLoopUtilization();
let hadTimeLeft = false;

/** Whether the thread had idle time since the last measurement. A runtime that does not measure it never has. */
function hasTimeLeft(): boolean {
  const present = performance.eventLoopUtilization();
  const { idle, active, utilization } = performance.eventLoopUtilization(present, measuredFrom);
  if (idle + active < measuredMilliseconds) return hadTimeLeft;
  measuredFrom = present;
  hadTimeLeft = utilization < busyShare;
  return hadTimeLeft;
}
