import type { ServiceBroker } from 'moleculer';
import { natsConnectedFor } from '../mixins/nats.ts';
import type { Presence } from './presence.ts';

const lookEvery = 400;
/** How long after a reconnection nodes are not looked for: each takes a moment until it holds its name again. */
const settlingMilliseconds = 3000;

type Pending = { transit?: { pendingRequests: Map<string, { nodeID: string }> } };

/**
 * Finds nodes that died without a word. A heartbeat is missed only after seconds, but NATS knows at once that nobody
 * holds a name any more: so the nodes that this one waits for are looked up, and one that is absent twice leaves the
 * registry, which ends the calls to it. Nodes that hold no name, for another runtime started them, are left alone.
 */
export function removeAbsentNodes(broker: ServiceBroker, presence: Presence): () => void {
  const suspects = new Set<string>();
  const look = async () => {
    for (const nodeID of natsConnectedFor(broker) > settlingMilliseconds ? awaitedNodes(broker) : []) {
      const isGone = await presence.isGone(nodeID);
      if (isGone && suspects.has(nodeID)) broker.registry.discoverer.remoteNodeDisconnected(nodeID, true);
      if (isGone) suspects.add(nodeID);
      else suspects.delete(nodeID);
    }
  };
  const timer = setInterval(() => {
    look().catch((error) => broker.logger.debug('Looking for absent nodes failed', error));
  }, lookEvery);
  return () => clearInterval(timer.unref());
}

function awaitedNodes(broker: ServiceBroker): Set<string> {
  const pending = [...((broker as Pending).transit?.pendingRequests.values() ?? [])];
  const holdsName = (nodeID: string) => broker.registry.nodes.get(nodeID)?.metadata?.holdsName === true;
  return new Set(pending.map(({ nodeID }) => nodeID).filter(holdsName));
}
