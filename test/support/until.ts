import { setTimeout as wait } from 'node:timers/promises';

const pause = 10;

/** Waits until a condition holds; the failure names it by its source text. */
export async function until(condition: () => boolean | Promise<boolean>, milliseconds = 20_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${milliseconds} ms: ${condition}`);
    await wait(pause);
  }
}
