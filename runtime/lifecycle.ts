import type { ServiceBroker } from 'moleculer';
import { isDatabaseConnected } from '../mixins/mongo.ts';
import { isNatsConnected } from '../mixins/nats.ts';
import { isOutsidePool } from '../mixins/pool-membership.ts';

const draining = new WeakSet<ServiceBroker>();

/** Marks the node as leaving: it still works, but is no longer ready. */
export function beginDraining(broker: ServiceBroker): void {
  draining.add(broker);
}

/** A service may report unmet needs by a method `lacks`. */
type Lacking = { lacks?: () => string[] };

/**
 * The reasons why this node is not ready: `starting`, `stopping`, `nats`, `database`, `pool`, and those that its
 * services report; empty when it is ready.
 */
export function nodeLacks(broker: ServiceBroker): string[] {
  if (draining.has(broker)) return ['stopping'];
  if (!broker.started) return ['starting'];
  const isConnected = isDatabaseConnected();
  // Without the database the services report only consequences of that.
  const services = isConnected ? (broker.services as Lacking[]) : [];
  return [
    ...(isNatsConnected(broker) ? [] : ['nats']),
    ...(isConnected ? [] : ['database']),
    ...(isConnected && isOutsidePool(broker) ? ['pool'] : []),
    ...services.flatMap((service) => service.lacks?.() ?? []),
  ];
}
