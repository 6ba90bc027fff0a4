import type { Context, ServiceBroker } from 'moleculer';
import { now, second } from '../../../lib/data/clock.ts';
import type { Change, NumberedChange, SubjectId } from '../graph/changes.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import { withTimeout } from './access-store.ts';
import { loadGraph, place } from './load.ts';
import { entryBatchSize, readChanges, readHead } from './log.ts';
import { changesApplied, reloads } from './metrics.ts';
import { type Replica, searchLog } from './replica.ts';

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
    case 'memberSuspended':
    case 'memberRestored':
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

/** A running call may have read before the caller's moment: `next` starts after it. */
type Flight = { running: Promise<void>; next: Promise<void> | null };

/**
 * Refreshes a key by `run`, one run of a key at a time. The returned promise resolves after a run that began after the
 * call. Any number of concurrent calls share two runs.
 */
export function singleFlight(run: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const flights = new Map<string, Flight>();

  function begin(key: string): Promise<void> {
    const running = run(key);
    const flight: Flight = { running, next: null };
    flights.set(key, flight);
    const forget = () => {
      if (flights.get(key) === flight && !flight.next) flights.delete(key);
    };
    running.then(forget, forget);
    return running;
  }

  return (key) => {
    const flight = flights.get(key);
    if (!flight) return begin(key);
    const beginNext = () => begin(key);
    flight.next ??= flight.running.then(beginNext, beginNext);
    return flight.next;
  };
}

/** Applies the log to single organizations. */
export type Synchroniser = {
  /** Resolves when this node has every change of the organization that was made before the call. */
  synchronise: (orgId: string) => Promise<void>;
};

const maxRunTime = 5 * second;
/** More changes than these are announced as one. */
const maxNamed = 20;

export function createSynchroniser(replica: Replica, neighbours: Peers): Synchroniser {
  const synchronise = singleFlight((orgId) => withTimeout(maxRunTime, catchUp(replica, neighbours, orgId)));
  return { synchronise };
}

async function catchUp(replica: Replica, neighbours: Peers, orgId: string): Promise<void> {
  const learnt: AccessChanged[] = [];
  try {
    let isComplete = false;
    if (replica.unreadable(orgId)) learnt.push(...(await lookAgain(replica, orgId)));
    while (!isComplete) isComplete = await applyNext(replica, orgId, learnt);
  } finally {
    await notifyPeers(neighbours, learnt);
  }
}

/** Applies the next batch of the log, and adds it to `learnt`; true at the end of the log. */
async function applyNext(replica: Replica, orgId: string, learnt: AccessChanged[]): Promise<boolean> {
  const revisionBefore = replica.revisionOf(orgId);
  if (revisionBefore === Number.POSITIVE_INFINITY || replica.unreadable(orgId)) return true;
  const changes = await readChanges(orgId, revisionBefore);
  for (const change of changes) {
    const revision = replica.revisionOf(orgId);
    // An event has applied this change concurrently.
    if (change.revision <= revision) continue;
    if (change.revision > revision + 1 && change.change.kind !== 'closed') {
      learnt.push(...(await reload(replica, orgId)));
      return false;
    }
    const event = describeIfKnown(orgId, replica, change);
    replica.apply(orgId, change);
    learnt.push(event);
    if (replica.unreadable(orgId)) {
      learnt.push(...(await lookAgain(replica, orgId)));
      return true;
    }
    changesApplied.inc({ source: 'log' });
  }
  return changes.length < entryBatchSize;
}

/** Describes a change for the event; for an unreadable change only its revision is known. */
function describeIfKnown(orgId: string, replica: Replica, change: NumberedChange): AccessChanged {
  try {
    return describeChange(orgId, replica.org(orgId), change);
  } catch {
    const { revision, at } = change;
    return { orgId, previous: revision - 1, revision, at, change: null, subjects: null };
  }
}

/**
 * Checks an unreadable organization again: reloads it when it was closed or has another snapshot, otherwise searches
 * the new entries of its log for users.
 */
async function lookAgain(replica: Replica, orgId: string): Promise<AccessChanged[]> {
  const unreadable = replica.unreadable(orgId);
  if (!unreadable) return [];
  const head = await readHead(orgId);
  if (head?.closed || (head?.snapshot?.id ?? null) !== unreadable.snapshotId) return await reload(replica, orgId);
  await searchLog(orgId, unreadable);
  replica.halt(orgId, unreadable);
  return [];
}

/** Reloads an organization whose log no longer continues the state of this node. */
async function reload(replica: Replica, orgId: string): Promise<AccessChanged[]> {
  reloads.inc();
  const previous = replica.revisionOf(orgId);
  const loaded = await loadGraph(orgId);
  if (!place(replica, orgId, loaded)) return [];
  const revision = loaded instanceof OrgGraph ? loaded.revision : previous + 1;
  return [{ orgId, previous, revision, at: now().getTime(), change: null, subjects: null }];
}

/** Notifies this node's gateway, which may have missed the events. */
async function notifyPeers(neighbours: Peers, learnt: AccessChanged[]): Promise<void> {
  const [first] = learnt;
  const last = learnt.at(-1);
  if (!first || !last) return;
  const isTooMuch = learnt.length > maxNamed;
  const events = isTooMuch ? [{ ...last, previous: first.previous, change: null, subjects: null }] : learnt;
  for (const event of events) await neighbours.tellHere(event);
}
