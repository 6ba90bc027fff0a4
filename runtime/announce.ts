import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, ServiceBroker } from 'moleculer';
import { unreadyReasons } from '../mixins/readiness.ts';

const pauseBetweenLooks = 20;

/** Logs once when the node becomes ready. */
export async function announceReadiness(broker: ServiceBroker, logger: Logger): Promise<void> {
  while (unreadyReasons(broker).length > 0) await wait(pauseBetweenLooks);
  const services = broker.services.map(({ name }) => name).filter((name) => name !== '$node' && name !== 'node');
  const seconds = Math.round(performance.now() / 10) / 100;
  logger.info('ready', { services, nodeId: broker.nodeID, seconds, pid: process.pid });
}
