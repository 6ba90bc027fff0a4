import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, ServiceBroker } from 'moleculer';
import { saysDiskFull } from '../lib/data/disk-space.ts';
import { printInLog } from '../lib/log/logging.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { unreadyReasons } from '../mixins/readiness.ts';
import { renderWelcome } from './welcome.ts';

const pauseBetweenLooks = 20;

/** Logs once when the node becomes ready; on a terminal, it also says where a person goes from there. */
export async function announceReadiness(broker: ServiceBroker, logger: Logger): Promise<void> {
  while (unreadyReasons(broker).length > 0) await wait(pauseBetweenLooks);
  const services = broker.services.map(({ name }) => name).filter((name) => name !== '$node' && name !== 'node');
  const seconds = Math.round(performance.now() / 10) / 100;
  logger.info('ready', { services, nodeId: broker.nodeID, seconds, pid: process.pid });
  if (settings.LOG_FORMAT === 'text' && services.includes('gateway')) printInLog(await renderWelcome(services));
}

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
