import type { Middleware, ServiceBroker } from 'moleculer';

/** The timeout for the nodes of the pool to confirm an announcement. A node that does not answer is ignored. */
const confirmTimeout = 5000;

/** The brokers whose services the other nodes do not know yet. */
const unannounced = new WeakSet<ServiceBroker>();

/**
 * Announces a node's services when it has started, and keeps the node from being ready until the pool knows them.
 * Moleculer announces them up to its debounce time later.
 */
export function announcedServices(): Middleware {
  return {
    name: 'AnnouncedServices',
    created(broker) {
      if (broker.options.transporter) unannounced.add(broker);
    },
    async started(broker) {
      if (!unannounced.has(broker)) return;
      await announceServices(broker);
      await awaitPool(broker);
      unannounced.delete(broker);
    },
  };
}

type Registration = (register: () => void) => void;

/** The registrations that {@link atRegistration} wraps, by the name of the service. */
const wrapped = new WeakMap<ServiceBroker, Map<string, Registration>>();

/** Calls the functions of {@link atRegistration}. */
export function wrappedRegistrations(): Middleware {
  return {
    name: 'WrappedRegistrations',
    registerLocalService(this: ServiceBroker, next) {
      const registerService: typeof next = (item) => {
        const run = wrapped.get(this)?.get(item.fullName);
        if (!run) return next(item);
        wrapped.get(this)?.delete(item.fullName);
        return run(() => next(item));
      };
      // Moleculer's type of the hook omits that it returns the function that registers.
      return registerService as never;
    },
  };
}

/**
 * Calls `run` in place of the next registration of this service, which it makes by calling its argument: what it does
 * before and after happens in the same turn of the event loop. Call it in the last `started` handler of the service.
 */
export function atRegistration(broker: ServiceBroker, fullName: string, run: Registration): void {
  wrapped.set(broker, (wrapped.get(broker) ?? new Map()).set(fullName, run));
}

/** Whether the other nodes know the services that this node started with; true for a node without others. */
export function isAnnounced(broker: ServiceBroker): boolean {
  return !unannounced.has(broker);
}

/**
 * Sends this node's list of services to the pool. `without` omits a service that is about to stop, while this node
 * still serves the calls in flight to it.
 */
export async function announceServices(broker: ServiceBroker, { without }: { without?: string } = {}): Promise<void> {
  if (!broker.transit) return;
  const { registry } = broker;
  // Includes the pending changes, so that a later announcement does not include `without` again.
  registry.getLocalNodeInfo();
  const info = registry.regenerateLocalRawInfo(true);
  Object.assign(info, { services: info.services.filter(({ fullName }) => fullName !== without) });
  await registry.discoverer.sendLocalNodeInfo();
}

/**
 * Resolves when every node of the pool has processed all earlier messages of this node, and this node theirs: NATS
 * keeps the order of the messages between two connections.
 */
export async function awaitPool(broker: ServiceBroker): Promise<void> {
  const others = broker.registry.getNodeList({ onlyAvailable: true }).filter(({ id }) => id !== broker.nodeID);
  // Without other nodes, Moleculer would wait for its timeout.
  if (broker.transit && others.length > 0) await broker.ping(undefined as never, confirmTimeout);
}
