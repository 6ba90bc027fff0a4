import type { ServiceBroker } from 'moleculer';
import { natsConnectedFor } from '../mixins/nats.ts';
import type { Presence } from './presence.ts';

const lookEvery = 400;
/** No node is checked for this long after a reconnection: each node needs a moment to claim its name again. */
const settlingMilliseconds = 3000;

type Pending = { transit?: { pendingRequests: Map<string, { nodeID: string }> } };

/**
 * Detects crashed nodes. A missed heartbeat takes seconds to notice, but NATS knows at once that a name has no holder.
 * So each node that a call of this node waits for is checked, and one that is absent twice is removed from the
 * registry, which fails the calls to it. Nodes that hold no name, because another runtime started them, are not
 * touched.
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
