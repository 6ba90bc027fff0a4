import type { Context, ServiceBroker } from 'moleculer';
import type { Change, NumberedChange, SubjectId } from '../graph/changes.ts';
import type { OrgGraph } from '../graph/org-graph.ts';

/** A sender of broadcasts: a context, or a broker outside of a call. */
export type Publisher = Pick<Context, 'broadcast'>;

/**
 * The event `access.changed`: an organization's access changed from one revision to another. `change` is null when
 * there are several changes, or the change is not known. `at` in milliseconds.
 */
export type AccessChanged = {
  orgId: string;
  previous: number;
  revision: number;
  at: number;
  change: Change | null;
  /** The subjects whose rights changed; null: any subject of the organization may be among them. */
  subjects: SubjectId[] | null;
};

export const accessChanged = 'access.changed';

const reachMilliseconds = 250;

/** The subjects whose rights a change touches; call it before the graph applies the change. Null: possibly all. */
export function subjectsOf(graph: OrgGraph | undefined, change: Change): SubjectId[] | null {
  switch (change.kind) {
    case 'founded':
      return [change.owner.subject];
    case 'permissionsRegistered':
      return [];
    case 'roleStored':
      // A new role has no holders yet.
      return graph?.role(change.role.id) ? null : [];
    case 'assignmentStored':
      return [change.assignment.subject];
    case 'assignmentRemoved':
      return [graph?.assignment(change.assignmentId)?.subject ?? []].flat();
    case 'subjectRemoved':
      return [change.subject];
    default:
      return null;
  }
}

/** The event for a change; call it before the graph applies the change. */
export function describeChange(
  orgId: string,
  graph: OrgGraph | undefined,
  { revision, at, change }: NumberedChange,
): AccessChanged {
  return { orgId, previous: revision - 1, revision, at, change, subjects: subjectsOf(graph, change) };
}

/** The store's connection to the other nodes. */
export type Peers = {
  /** Emits to the listeners on this node only. */
  tellHere: (event: AccessChanged) => Promise<void>;
  /** Waits at most 250 ms until every other access node has a revision. */
  bringAlong: (orgId: string, revision: number) => Promise<void>;
};

export function peersOf(broker: ServiceBroker): Peers {
  return {
    tellHere: (event) => broker.broadcastLocal(accessChanged, event),
    async bringAlong(orgId, revision) {
      await Promise.all(otherNodes(broker).map((nodeID) => requestRevision(broker, nodeID, { orgId, revision })));
    },
  };
}

type Listed = { name: string; nodeID: string };

function otherNodes(broker: ServiceBroker): string[] {
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as Listed[];
  return services.filter(({ name, nodeID }) => name === 'access' && nodeID !== broker.nodeID).map((one) => one.nodeID);
}

/** A node that does not answer finds the change by polling. */
async function requestRevision(broker: ServiceBroker, nodeID: string, body: { orgId: string; revision: number }) {
  // A node that stops does not wait for an answer that a network failure lost.
  const options = { nodeID, timeout: reachMilliseconds, retries: 0, tracking: false };
  await broker.call('access.graph.reach', { body }, options).catch(() => undefined);
}
