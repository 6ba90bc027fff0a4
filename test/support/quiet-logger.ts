import type { Logger } from 'moleculer';

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
