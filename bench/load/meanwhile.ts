import { setTimeout as wait } from 'node:timers/promises';

/**
 * A background load. `end` stops it, waits for the calls in flight, and returns all latencies in milliseconds, sorted.
 */
export type Meanwhile = { end: () => Promise<number[]> };

/**
 * Repeats `act` on `lanes` concurrent lanes until it is ended, with a pause in milliseconds after each call. `act`
 * receives the lane number and the turn number.
 */
export function meanwhile(lanes: number, act: (lane: number, turn: number) => Promise<unknown>, pause = 0): Meanwhile {
  const latencies: number[] = [];
  let isOver = false;
  const run = async (_none: unknown, lane: number) => {
    for (let turn = 0; !isOver; turn += 1) {
      const startedAt = performance.now();
      await act(lane, turn);
      latencies.push(performance.now() - startedAt);
      if (pause > 0) await wait(pause);
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, run));
  return {
    async end() {
      isOver = true;
      await running;
      return latencies.sort((one, two) => one - two);
    },
  };
}
