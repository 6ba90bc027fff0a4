import { setTimeout as wait } from 'node:timers/promises';

const pause = 20;

/**
 * Repeats a check until it passes; after so many milliseconds its last failure is the test's. More of them are for what
 * takes longer. Fewer would say how fast something is to be, which is for the bench to say.
 */
export async function eventually<T>(check: () => T | Promise<T>, milliseconds = 30_000): Promise<T> {
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

/** Waits until a condition holds; the failure names it by its source text. */
export function until(condition: () => boolean | Promise<boolean>, milliseconds = 60_000): Promise<void> {
  return eventually(async () => {
    if (!(await condition())) throw new Error(`Not within ${milliseconds} ms: ${condition}`);
  }, milliseconds);
}
