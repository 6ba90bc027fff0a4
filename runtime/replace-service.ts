import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { callTimeout } from '../lib/calls.ts';
import { settings } from '../lib/settings.ts';
import { announceServices, awaitPool } from '../mixins/announced-services.ts';

/** Longer than the maximum time for a listener and then the calls in flight to end. */
const stopTimeout = 3 * callTimeout;

/** A service may hold a resource that two instances cannot share, such as a port. */
type Instance = Service & {
  _serviceSpecification: Parameters<ServiceBroker['registerLocalService']>[0];
  /** Takes the resource over from the previous instance, synchronously. */
  takeOver?: (previous: Service) => void;
  /** Stops input to the service from outside the broker. */
  drain?: () => Promise<void>;
};
type Handlers = ServiceSchema['started'];

/**
 * Starts a service on a running node, replaces a running one of the same name, and calls `begin` when it has started.
 * When the start fails or exceeds LOAD_TIMEOUT_SECONDS, the service is stopped, the previous instance keeps running, and
 * the error is thrown.
 */
export async function startOrReplaceService(
  broker: ServiceBroker,
  schema: ServiceSchema,
  begin: () => void,
): Promise<'added' | 'replaced'> {
  const previous = broker.getLocalService(schema.name) as Instance | undefined;
  let isAbandoned = false;
  // createService would start it in the background and only log a failure.
  const next = new broker.ServiceFactory(broker, {
    ...schema,
    started: [...asList(schema.started), activate],
  } as ServiceSchema) as Instance;
  // `broker.services` lists the serving instances: readiness, draining and jobs depend on it.
  remove(broker, next);

  /** Runs in one turn of the event loop, so that every call and connection finds the service. */
  function activate(): void {
    if (isAbandoned) throw new Error(`${schema.name} started after its deadline`);
    begin();
    if (previous) {
      remove(broker, previous);
      unregister(broker, previous);
    }
    broker.services.push(next);
    broker.registerLocalService(next._serviceSpecification);
    if (previous) next.takeOver?.(previous);
  }

  const starting = next._start();
  try {
    await inTime(starting, 'it did not start');
  } catch (error) {
    isAbandoned = true;
    await stop(next);
    // A late start may have opened more resources since.
    starting.catch(() => stop(next));
    throw error;
  }
  await announceServices(broker);
  await Promise.all([awaitPool(broker), previous && stop(previous)]);
  return previous ? 'replaced' : 'added';
}

/**
 * Removes a service from a running node. Calls from other nodes and requests to its listener are served until the
 * senders know that the service is gone.
 */
export async function removeService(broker: ServiceBroker, service: Service): Promise<void> {
  const instance = service as Instance;
  await instance.drain?.();
  await announceServices(broker, { without: service.fullName });
  await awaitPool(broker);
  remove(broker, service);
  unregister(broker, instance);
  broker.servicesChanged(true);
  await stop(instance);
}

/**
 * The outcome of work on a loaded service, within LOAD_TIMEOUT_SECONDS. Loads run one at a time, so one that never ends
 * would block all later ones.
 *
 * @throws Error `problem within … seconds` after the timeout
 */
export async function inTime<T>(work: Promise<T>, problem: string): Promise<T> {
  const seconds = settings.LOAD_TIMEOUT_SECONDS;
  const late = await deadline(
    seconds * 1000,
    work.catch(() => {}),
  );
  if (late) throw new Error(`${problem} within ${seconds} seconds`);
  return work;
}

/** Stops an instance that is no longer registered, after its calls in flight ended. */
async function stop(service: Instance): Promise<void> {
  const { logger } = service.broker;
  const stopping = service
    ._stop()
    .catch((error: unknown) => logger.error(`${service.fullName} did not stop cleanly`, { error }));
  if (await deadline(stopTimeout, stopping)) logger.error(`${service.fullName} did not stop in time; it is abandoned.`);
}

/** Whether work is still running after the given number of milliseconds. */
async function deadline(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, true);
  });
  try {
    return await Promise.race([work.then(() => false), isLate]);
  } finally {
    clearTimeout(timer);
  }
}

function asList(handlers: Handlers): NonNullable<Handlers>[] {
  return handlers === undefined ? [] : [handlers].flat();
}

function remove({ services }: ServiceBroker, service: Service): void {
  const index = services.indexOf(service);
  if (index >= 0) services.splice(index, 1);
}

function unregister(broker: ServiceBroker, { fullName }: Service): void {
  broker.registry.unregisterService(fullName, broker.nodeID);
}
