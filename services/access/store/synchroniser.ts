import { now, second } from '../../../lib/clock.ts';
import type { NumberedChange } from '../graph/changes.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import { type AccessChanged, describeChange, type Peers } from './announce.ts';
import { loadGraph, place } from './load.ts';
import { entryBatchSize, readChanges, readHead } from './log.ts';
import { changesApplied, reloads } from './metrics.ts';
import type { Replica } from './replica.ts';
import { singleFlight } from './single-flight.ts';
import { searchLog } from './unreadable.ts';
import { withTimeout } from './within.ts';

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
