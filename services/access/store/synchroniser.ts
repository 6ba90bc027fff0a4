import { now, second } from '../../../lib/clock.ts';
import { type AccessChanged, describeChange, type Neighbours } from './announce.ts';
import { loadGraph } from './load.ts';
import { entriesAtOnce, readChanges } from './log.ts';
import { changesApplied, reloads } from './metrics.ts';
import type { Replica } from './replica.ts';
import { singleFlight } from './single-flight.ts';
import { within } from './within.ts';

/** Brings single organizations up to what the log says. */
export type Synchroniser = {
  /** Resolves when this node knows every change of the organization that was made before the call. */
  synchronise: (orgId: string) => Promise<void>;
};

const longestRun = 5 * second;
/** More changes than these are told as one. */
const mostTold = 20;

export function createSynchroniser(replica: Replica, neighbours: Neighbours): Synchroniser {
  const synchronise = singleFlight((orgId) => within(longestRun, catchUp(replica, neighbours, orgId)));
  return { synchronise };
}

async function catchUp(replica: Replica, neighbours: Neighbours, orgId: string): Promise<void> {
  const learnt: AccessChanged[] = [];
  try {
    let isComplete = false;
    while (!isComplete) isComplete = await applyNext(replica, orgId, learnt);
  } finally {
    await tell(neighbours, learnt);
  }
}

/** Applies the next changes of the log, and adds them to what was learnt; true when there are no more. */
async function applyNext(replica: Replica, orgId: string, learnt: AccessChanged[]): Promise<boolean> {
  const known = replica.revisionOf(orgId);
  if (known === Number.POSITIVE_INFINITY) return true;
  const changes = await readChanges(orgId, known);
  for (const change of changes) {
    const revision = replica.revisionOf(orgId);
    // An event was faster.
    if (change.revision <= revision) continue;
    if (change.revision > revision + 1 && change.change.kind !== 'closed') {
      learnt.push(...(await reload(replica, orgId)));
      return false;
    }
    learnt.push(describeChange(orgId, replica.org(orgId), change));
    replica.apply(orgId, change);
    changesApplied.inc({ source: 'log' });
  }
  return changes.length < entriesAtOnce;
}

/** For when the log no longer holds what follows on what is known here. */
async function reload(replica: Replica, orgId: string): Promise<AccessChanged[]> {
  reloads.inc();
  const previous = replica.revisionOf(orgId);
  const graph = await loadGraph(orgId);
  if (graph === 'closed') replica.close(orgId);
  else if (!graph || !replica.adopt(graph)) return [];
  const revision = graph === 'closed' ? previous + 1 : graph.revision;
  return [{ orgId, previous, revision, at: now().getTime(), change: null, subjects: null }];
}

/** Tells this node's gateway, which may have missed the events. */
async function tell(neighbours: Neighbours, learnt: AccessChanged[]): Promise<void> {
  const [first] = learnt;
  const last = learnt.at(-1);
  if (!first || !last) return;
  const isTooMuch = learnt.length > mostTold;
  const events = isTooMuch ? [{ ...last, previous: first.previous, change: null, subjects: null }] : learnt;
  for (const event of events) await neighbours.tellHere(event);
}
