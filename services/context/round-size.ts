import { performance } from 'node:perf_hooks';
import { pauseMilliseconds, sinceInserts, waitForInsertIdle } from './insert-events.ts';

/**
 * What a round of the composer takes: parts of one organization each, which begin with `oldest` events that are due and
 * settle up to `events` of the same identifiers; and up to `customers` whose stories it continues.
 */
export type RoundSize = { events: number; oldest: number; customers: number };

/** While this process inserts no events, and for late work, which is not to fall behind without end. */
const wholeRound: RoundSize = { events: 500, oldest: 125, customers: 50 };
/** Beside inserts, while the thread has time left, or between them. */
const mediumRound: RoundSize = { events: 200, oldest: 80, customers: 16 };
/** While inserts leave the thread no time: they wait for the commands of a round. */
const smallRound: RoundSize = { events: 32, oldest: 32, customers: 8 };
/** The parts of a whole round begin with between so many: the fewer, the more of each customer's a write settles. */
const oldestRange = { least: 8, most: 125 };
/** While events are sent without a pause, a round at this interval still brings stories forward. */
const maxPauseMilliseconds = 250;
/** A thread that is busy for less than this share of its time has some left. */
const busyShare = 0.55;
/** For how long its time is measured at least. */
const measuredMilliseconds = 20;

export function roundSize(isLate: boolean): RoundSize {
  if (isLate || sinceInserts() >= maxPauseMilliseconds) return wholeRound;
  return sinceInserts() >= pauseMilliseconds || hasTimeLeft() ? mediumRound : smallRound;
}

/** Customers with many events each are settled in fewer and fuller parts. */
export function adaptOldest(size: RoundSize, found: number): void {
  if (size !== wholeRound) return;
  const { events, oldest } = wholeRound;
  if (found === events) wholeRound.oldest = Math.max(oldestRange.least, Math.floor(oldest / 2));
  else if (found < events / 2) wholeRound.oldest = Math.min(oldestRange.most, oldest * 2);
}

/**
 * Resolves when the next round may begin. Stories can wait for a while, senders of events should not: a read settles by
 * itself the events that it needs.
 */
export async function yieldToInserts(signal: AbortSignal): Promise<void> {
  if (hasTimeLeft()) return;
  await waitForInsertIdle(AbortSignal.any([signal, AbortSignal.timeout(maxPauseMilliseconds)]));
}

let measuredFrom = performance.eventLoopUtilization();
let hadTimeLeft = false;

/** Whether the thread had time left since this was measured last. A runtime that does not measure it never has. */
function hasTimeLeft(): boolean {
  const present = performance.eventLoopUtilization();
  const { idle, active, utilization } = performance.eventLoopUtilization(present, measuredFrom);
  if (idle + active < measuredMilliseconds) return hadTimeLeft;
  measuredFrom = present;
  hadTimeLeft = utilization < busyShare;
  return hadTimeLeft;
}
