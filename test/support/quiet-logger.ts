import type { Logger } from 'moleculer';
import { newSweep, type Sweep } from '../../lib/data/sweep.ts';

const nothing = (): void => undefined;

/** A logger for code that tests run in their own process. */
export const quietLogger: Logger = {
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
} as unknown as Logger;

/** A run of a sweep that a test makes itself. */
export const sweepOf = (name: string): Sweep => newSweep(name, quietLogger, new AbortController().signal);
