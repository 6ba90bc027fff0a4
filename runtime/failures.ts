import type { Logger } from 'moleculer';
import { StartError } from '../lib/start-error.ts';

/** Says why the node did not start and ends the process: a sentence where the reason is known, else the whole error. */
export function explainFailedStart(logger: Logger, error: unknown): never {
  if (error instanceof StartError) logger.fatal(error.message);
  else logger.fatal('The node did not start', error);
  process.exit(1);
}

/** An error nobody caught leaves the process in a state nobody knows: it is logged, and whoever watches starts anew. */
export function exitOnUncaught(logger: Logger): void {
  const exit = (kind: string) => (error: unknown) => {
    logger.fatal(kind, error);
    process.exit(1);
  };
  process.on('uncaughtException', exit('An error was not caught; the process ends'));
  process.on('unhandledRejection', exit('A rejection was not handled; the process ends'));
}
