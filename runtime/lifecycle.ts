import type { ServiceBroker } from 'moleculer';
import { isDatabaseConnected } from '../mixins/mongo.ts';
import { isNatsConnected } from '../mixins/nats.ts';

const draining = new WeakSet<ServiceBroker>();

/** Marks the node as leaving: it still works, but is no longer ready. */
export function beginDraining(broker: ServiceBroker): void {
  draining.add(broker);
}

/** A service may say by a method `lacks` what it needs and has not. */
type Lacking = { lacks?: () => string[] };

/**
 * What this node itself lacks to do its work: `starting`, `stopping`, `nats`, `database`, and what its services say they
 * lack; empty when it is ready.
 */
export function nodeLacks(broker: ServiceBroker): string[] {
  if (draining.has(broker)) return ['stopping'];
  if (!broker.started) return ['starting'];
  const isConnected = isDatabaseConnected();
  // What services lack without the database follows from that.
  const services = isConnected ? (broker.services as Lacking[]) : [];
  return [
    ...(isNatsConnected(broker) ? [] : ['nats']),
    ...(isConnected ? [] : ['database']),
    ...services.flatMap((service) => service.lacks?.() ?? []),
  ];
}
