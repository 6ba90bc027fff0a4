import { setImmediate as nextTurn } from 'node:timers/promises';

/** The maximum time for which one piece of work holds the thread, in milliseconds. */
const sliceMilliseconds = 5;

let lastTurn = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller gets. Otherwise several pieces of work that one database
 * reply resumes would run in sequence in one turn, and all other work would wait for them.
 */
export function nextTick(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** Yields to other work of the thread when the time slice is over; returns when the present slice began. */
export async function yieldIfSliceOver(startedAt: number): Promise<number> {
  if (performance.now() - startedAt < sliceMilliseconds) return startedAt;
  await nextTick();
  return performance.now();
}
