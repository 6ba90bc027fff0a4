import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest that one piece of work holds the thread, in milliseconds. */
const sliceMilliseconds = 5;

let lastTurn = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller gets. Several pieces of work that one answer of the database
 * lets go on would else hold the thread one after the other, and everybody else wait for all of them.
 */
export function nextTick(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** Lets other work of the thread go on when a slice has lasted long enough; returns when the present one began. */
export async function yieldIfSliceOver(startedAt: number): Promise<number> {
  if (performance.now() - startedAt < sliceMilliseconds) return startedAt;
  await nextTick();
  return performance.now();
}
