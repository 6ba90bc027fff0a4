import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './http.ts';

/** Milliseconds between two checks: few at first, and later a tenth of what was waited, which a long wait does not notice. */
const pauseAfter = (waited: number): number => Math.min(250, Math.max(20, waited / 10));
/** Milliseconds; so many that those who wait do not keep the platform busy. */
const retryAfter = 500;

/**
 * Repeats a check until it passes; after so many milliseconds its last failure is the test's. More of them are for what
 * takes longer. Fewer would say how fast something is to be, which is for the bench to say.
 */
export async function eventually<T>(check: () => T | Promise<T>, milliseconds = 30_000): Promise<T> {
  const from = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waited = performance.now() - from;
      if (waited > milliseconds) throw error;
      await wait(pauseAfter(waited));
    }
  }
}

/** Waits until a condition holds; the failure names it by its source text. */
export function until(condition: () => boolean | Promise<boolean>, milliseconds = 60_000): Promise<void> {
  return eventually(async () => {
    if (!(await condition())) throw new Error(`Not within ${milliseconds} ms: ${condition}`);
  }, milliseconds);
}

/**
 * Sends a request again for as long as it is answered 503, or 409 because the first is still under way, as clients are
 * to: not at once. A request that must not be carried out twice has an Idempotency-Key.
 */
export async function untilAnswered<T>(request: () => Promise<Answer<T>>): Promise<Answer<T>> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await request();
    const isBusy = answer.status === 503 || answer.text.includes('"IDEMPOTENCY_IN_PROGRESS"');
    if (!isBusy || performance.now() > deadline) return answer;
    await wait(retryAfter);
  }
}
