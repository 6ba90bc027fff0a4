import { join } from 'node:path';

/** In milliseconds. From noon of the 10th neither a day nor a month ends while a test runs. */
export const noonOfTenth = Date.parse(`${new Date().toISOString().slice(0, 7)}-10T12:00:00.000Z`);

/** The environment of a node whose clock shows `at` at the real instant `from`, both in milliseconds, and goes on from there. */
export function clockEnvironment(at: number, from: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'turned-clock.js')}`,
    CLOCK_AT: new Date(at).toISOString(),
    CLOCK_FROM: String(from),
  };
}
