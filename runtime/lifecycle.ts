import type { ServiceBroker } from 'moleculer';
import { isDatabaseConnected } from '../mixins/mongo.ts';
import { isNatsConnected } from '../mixins/nats.ts';

const draining = new WeakSet<ServiceBroker>();

/** Marks the node as leaving: it still works, but is no longer ready. */
export function beginDraining(broker: ServiceBroker): void {
  draining.add(broker);
}

/** What this node itself lacks to do its work: `starting`, `stopping`, `nats`, `database`; empty when it is ready. */
export function nodeLacks(broker: ServiceBroker): string[] {
  if (draining.has(broker)) return ['stopping'];
  if (!broker.started) return ['starting'];
  return [...(isNatsConnected(broker) ? [] : ['nats']), ...(isDatabaseConnected() ? [] : ['database'])];
}
