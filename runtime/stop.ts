import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, Service, ServiceBroker } from 'moleculer';
import { beginDraining } from '../mixins/readiness.ts';

/** Longer than the timeout of calls in flight, and shorter than the 30 seconds after which containers are killed. */
const shutdownTimeout = 15_000;

type Listening = Service & { drain?: () => Promise<void> };

/**
 * Stops the node gracefully on SIGTERM and SIGINT: readiness turns false, a load balancer has DRAIN_SECONDS to notice,
 * calls in flight are answered, then the process exits 0, within another 25 seconds. A second signal exits immediately.
 */
export function stopOnSignals(broker: ServiceBroker, logger: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) {
      logger.warn(`${signal} again: aborting calls in flight.`);
      process.exit(1);
    }
    stopping = true;
    logger.info(`${signal}: finishing calls in flight, then stopping.`);
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
  // Listeners stop before the other services, because their requests in flight may need those.
  await Promise.all((broker.services as Listening[]).map((service) => service.drain?.()));
  const stopped = broker.stop().then(() => true);
  if (await Promise.race([stopped, wait(shutdownTimeout, false)])) return;
  logger.warn('Background work did not finish in time; it resumes at the next start');
}
