import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, Service, ServiceBroker } from 'moleculer';
import { beginDraining } from './lifecycle.ts';

/** Longer than calls in flight may take; a container is given up by its runtime after 30 seconds. */
const shutdownTimeout = 15_000;

type Gateway = Service & { drain: () => Promise<void> };

/**
 * Ends the node in an orderly way on SIGTERM and SIGINT: readiness turns false, a load balancer has DRAIN_SECONDS to
 * notice, calls in flight are answered, then the process exits 0, within 25 seconds more. A second signal exits at once.
 */
export function stopOnSignals(broker: ServiceBroker, logger: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) {
      logger.warn(`${signal} again: calls in flight are given up.`);
      process.exit(1);
    }
    stopping = true;
    logger.info(`${signal}: calls in flight are finished, then the node stops.`);
    drain(broker, logger).then(
      () => process.exit(0),
      (error) => {
        logger.fatal('The node did not stop in order', error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

async function drain(broker: ServiceBroker, logger: Logger): Promise<void> {
  beginDraining(broker);
  // Before the other services, which the requests it still works on may need.
  await (broker.getLocalService('gateway') as Gateway | undefined)?.drain();
  const stopped = broker.stop().then(() => true);
  if (await Promise.race([stopped, wait(shutdownTimeout, false)])) return;
  logger.warn('A service still works in the background; what it leaves undone is stored, and the next to run goes on.');
}
