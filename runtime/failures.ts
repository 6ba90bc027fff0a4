import type { Logger } from 'moleculer';
import { saysDiskFull } from '../lib/disk-space.ts';
import { settings } from '../lib/settings.ts';
import { StartError } from '../lib/start-error.ts';

/** Logs why the node did not start and exits: one sentence for a known reason, otherwise the whole error. */
export function explainFailedStart(logger: Logger, error: unknown): never {
  if (saysDiskFull(error)) logger.fatal(fullDisk());
  else if (error instanceof StartError) logger.fatal(error.message);
  else logger.fatal('The node did not start', error);
  process.exit(1);
}

const fullDisk = (): string =>
  `The disk of DATA_DIR (${settings.DATA_DIR}) is full. Free some space on it, or move the folder to a larger disk and ` +
  'set DATA_DIR to it; then start again. Nothing that was acknowledged is lost.';

/** Logs an uncaught error and exits: the state of the process is unknown, and the supervisor restarts it. */
export function exitOnUncaught(logger: Logger): void {
  const exit = (kind: string) => (error: unknown) => {
    logger.fatal(kind, error);
    process.exit(1);
  };
  process.on('uncaughtException', exit('An error was not caught; the process ends'));
  process.on('unhandledRejection', exit('A rejection was not handled; the process ends'));
}
