import { setTimeout as wait } from 'node:timers/promises';

const pause = 20;

/** Repeats a check until it passes; after so many milliseconds its last failure is the test's. */
export async function eventually<T>(check: () => T | Promise<T>, milliseconds = 10_000): Promise<T> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await wait(pause);
    }
  }
}
