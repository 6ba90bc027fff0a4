import type { Context, ServiceBroker } from 'moleculer';
import type { Change, NumberedChange, SubjectId } from '../graph/changes.ts';
import type { OrgGraph } from '../graph/org-graph.ts';

/** What can tell all nodes of something: a context, or a broker where no call is at hand. */
export type Teller = Pick<Context, 'broadcast'>;

/**
 * The event `access.changed`: an organization's access changed from one revision to another. `change` null: what
 * happened is more than one change, or not at hand. `at` in milliseconds.
 */
export type AccessChanged = {
  orgId: string;
  previous: number;
  revision: number;
  at: number;
  change: Change | null;
  /** Whose rights changed; null: perhaps those of anybody in the organization. */
  subjects: SubjectId[] | null;
};

export const accessChanged = 'access.changed';

const reachMilliseconds = 250;

/** Whose rights a change touches; to be asked before the graph applies it. Null: perhaps everybody's. */
export function subjectsOf(graph: OrgGraph | undefined, change: Change): SubjectId[] | null {
  switch (change.kind) {
    case 'founded':
      return [change.owner.subject];
    case 'permissionsRegistered':
      return [];
    case 'roleStored':
      // Nobody has a role that is new.
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

/** What is told of a change; to be asked before the graph applies it. */
export function describeChange(
  orgId: string,
  graph: OrgGraph | undefined,
  { revision, at, change }: NumberedChange,
): AccessChanged {
  return { orgId, previous: revision - 1, revision, at, change, subjects: subjectsOf(graph, change) };
}

/** How a store reaches the other nodes. */
export type Neighbours = {
  /** Tells the listeners on this node alone. */
  tellHere: (event: AccessChanged) => Promise<void>;
  /** Has every other access node that is there know a revision, as far as that takes no longer than 250 ms. */
  bringAlong: (orgId: string, revision: number) => Promise<void>;
};

export function neighboursOf(broker: ServiceBroker): Neighbours {
  return {
    tellHere: (event) => broker.broadcastLocal(accessChanged, event),
    async bringAlong(orgId, revision) {
      await Promise.all(otherNodes(broker).map((nodeID) => askToReach(broker, nodeID, { orgId, revision })));
    },
  };
}

type Listed = { name: string; nodeID: string };

function otherNodes(broker: ServiceBroker): string[] {
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as Listed[];
  return services.filter(({ name, nodeID }) => name === 'access' && nodeID !== broker.nodeID).map((one) => one.nodeID);
}

/** A node that does not answer finds the change by itself. */
async function askToReach(broker: ServiceBroker, nodeID: string, body: { orgId: string; revision: number }) {
  // An answer that is lost with the network holds up nobody who stops.
  const options = { nodeID, timeout: reachMilliseconds, retries: 0, tracking: false };
  await broker.call('access.graph.reach', { body }, options).catch(() => undefined);
}
