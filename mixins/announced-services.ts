import type { Middleware, ServiceBroker } from 'moleculer';

/** How long the nodes of the pool may take to confirm what was announced. One that does not answer is ignored. */
const confirmTimeout = 1000;

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

/** Whether the other nodes know the services that this node started with; true for a node without others. */
export function isAnnounced(broker: ServiceBroker): boolean {
  return !unannounced.has(broker);
}

/**
 * Sends this node's list of services to the pool. `without` leaves out a service that is about to stop, while this node
 * still serves the calls that are on their way to it.
 */
export async function announceServices(broker: ServiceBroker, { without }: { without?: string } = {}): Promise<void> {
  if (!broker.transit) return;
  const { registry } = broker;
  // Includes the changes that wait to be announced, so that they do not announce `without` again.
  registry.getLocalNodeInfo();
  const info = registry.regenerateLocalRawInfo(true);
  Object.assign(info, { services: info.services.filter(({ fullName }) => fullName !== without) });
  await registry.discoverer.sendLocalNodeInfo();
}

/**
 * Resolves when every node of the pool has processed all that this node has sent to it, and this node all that they had
 * sent before: NATS keeps the order of the messages between two connections.
 */
export async function awaitPool(broker: ServiceBroker): Promise<void> {
  const others = broker.registry.getNodeList({ onlyAvailable: true }).filter(({ id }) => id !== broker.nodeID);
  // Moleculer waits for its timeout where there is no node to answer.
  if (broker.transit && others.length > 0) await broker.ping(undefined as never, confirmTimeout);
}
