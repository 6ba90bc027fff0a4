import { setTimeout as wait } from 'node:timers/promises';

/** What goes on beside something that is measured. `end` waits for what is under way; gives the milliseconds of all, sorted. */
export type Meanwhile = { end: () => Promise<number[]> };

/**
 * Does something again and again in so many lanes until it is ended, with a pause in milliseconds after each. `act` gets
 * the number of the lane and of its turn.
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
