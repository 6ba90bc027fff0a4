import type { ServiceBroker } from 'moleculer';

const answersWithin = 5000;

/** The answer of a node, or the message of its failure. */
export type NodeAnswer<T> =
  | { nodeID: string; answer: T; error: null }
  | { nodeID: string; answer: null; error: string };

/** Calls an action without a contract, such as `node.jobs`, on each available node of the pool. Never throws. */
export async function askNodes<T>(broker: ServiceBroker, action: string): Promise<NodeAnswer<T>[]> {
  const nodes = broker.registry.nodes.list({ onlyAvailable: true }) as { id: string }[];
  const answers = nodes.map(({ id: nodeID }) =>
    broker.call<T, object>(action, {}, { nodeID, timeout: answersWithin }).then(
      (answer): NodeAnswer<T> => ({ nodeID, answer, error: null }),
      (error: Error): NodeAnswer<T> => ({ nodeID, answer: null, error: error.message }),
    ),
  );
  return await Promise.all(answers);
}
