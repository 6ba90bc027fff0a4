import type { ServiceBroker } from 'moleculer';
import { natsConnectedFor } from '../mixins/nats.ts';
import type { Presence } from './presence.ts';

const lookEvery = 200;
/** No node is probed for this long after a reconnection: each node needs a moment to claim its name again. */
const settlingMilliseconds = 3000;
/** The number of consecutive reports by NATS that a name has no holder, after which a node is removed. */
const looksUntilGone = 2;
/**
 * The number of looks for which a probe may be unanswered: longer than a busy process is blocked. Looks are counted
 * instead of time, so that a pause of this process does not count.
 */
const looksUntilHung = 7;

type Pending = { transit?: { pendingRequests: Map<string, { nodeID: string }> } };
type Suspect = { isProbed: boolean; unanswered: number; gone: number };

/**
 * Detects dead and hung nodes. A missed heartbeat takes seconds to notice, but NATS knows immediately that a name has
 * no holder, and a hung process does not answer under its name. So each node that a call of this node waits for is
 * probed, and a node that is absent twice, or does not answer for 1.4 seconds, is removed from the registry, which
 * fails the calls to it. A node that recovers is added again with its next heartbeat. Nodes without a claimed name,
 * because another runtime started them, are not touched.
 */
export function removeAbsentNodes(broker: ServiceBroker, presence: Presence): () => void {
  const suspects = new Map<string, Suspect>();
  const look = () => {
    const awaited = natsConnectedFor(broker) > settlingMilliseconds ? awaitedNodes(broker) : new Set<string>();
    for (const nodeID of suspects.keys()) if (!awaited.has(nodeID)) suspects.delete(nodeID);
    for (const nodeID of awaited) {
      const suspect = suspects.get(nodeID) ?? { isProbed: false, unanswered: 0, gone: 0 };
      suspects.set(nodeID, suspect);
      if (!suspect.isProbed) void probe(nodeID, suspect);
      else if (++suspect.unanswered >= looksUntilHung) remove(nodeID, 'does not answer');
    }
  };
  const probe = async (nodeID: string, suspect: Suspect) => {
    suspect.isProbed = true;
    suspect.gone = (await presence.isGone(nodeID)) ? suspect.gone + 1 : 0;
    Object.assign(suspect, { isProbed: false, unanswered: 0 });
    if (suspect.gone >= looksUntilGone) remove(nodeID, 'is gone');
  };
  const remove = (nodeID: string, how: string) => {
    suspects.delete(nodeID);
    broker.logger.warn(`The node ${nodeID} ${how}: calls to it fail until it is back.`);
    broker.registry.discoverer.remoteNodeDisconnected(nodeID, true);
  };
  const timer = setInterval(look, lookEvery);
  return () => clearInterval(timer.unref());
}

function awaitedNodes(broker: ServiceBroker): Set<string> {
  const pending = [...((broker as Pending).transit?.pendingRequests.values() ?? [])];
  const holdsName = (nodeID: string) => broker.registry.nodes.get(nodeID)?.metadata?.holdsName === true;
  return new Set(pending.map(({ nodeID }) => nodeID).filter(holdsName));
}
