import { setImmediate } from 'node:timers/promises';
import { concurrently } from '../../../lib/concurrency/concurrently.ts';
import type { HeadDocument, SnapshotReference } from '../../../models/access/head.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import { entryBatchSize, markClosed, readChanges, readHead, readHeads, readLastChange } from './log.ts';
import { describeUnreadable, type Replica, reading, type Unreadable, UnreadableError } from './replica.ts';
import { readSnapshot } from './snapshots.ts';

const width = 8;
const maxAttempts = 5;

/** Loads all organizations. Returns the newest instant, by the database's clock, at which one of them was touched. */
export async function loadAll(replica: Replica): Promise<Date> {
  const heads = await readHeads(null);
  await concurrently(heads, width, async (head) => {
    place(replica, head._id, await loadGraph(head._id, head));
  });
  return new Date(heads.reduce((newest, { changedAt }) => Math.max(newest, changedAt.getTime()), 0));
}

/** An organization as stored; null when there is none. */
type Loaded = OrgGraph | 'closed' | Unreadable | null;

/** Puts a loaded organization into a replica; returns whether it was new there. */
export function place(replica: Replica, orgId: string, loaded: Loaded): boolean {
  if (loaded === null) return false;
  if (loaded instanceof OrgGraph) return replica.adopt(loaded);
  if (loaded === 'closed') replica.close(orgId);
  else replica.halt(orgId, loaded);
  return true;
}

/**
 * Builds an organization's graph from its snapshot and the changes after it. The revision in its head is not relied on.
 */
export async function loadGraph(orgId: string, knownHead?: HeadDocument): Promise<Loaded> {
  let snapshot: SnapshotReference | null = null;
  let reason = 'The log has a gap.';
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const head = (attempt === 0 && knownHead) || (await readHead(orgId));
    if (head?.closed) return 'closed';
    snapshot = head?.snapshot ?? null;
    try {
      const graph = await fromSnapshot(orgId, snapshot);
      const outcome = graph && (await applyLog(graph));
      if (outcome === 'closed') await markClosed(orgId, 0);
      if (outcome) return outcome === 'closed' ? 'closed' : emptyAsNull(graph);
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      reason = error.message;
    }
    // The snapshot was replaced, or the log was trimmed, during the read: the head now names a newer snapshot.
    await setImmediate();
  }
  // A closed organization need not be read.
  if ((await readLastChange(orgId))?.change.kind === 'closed') return 'closed';
  return await describeUnreadable(orgId, snapshot, reason);
}

function emptyAsNull(graph: OrgGraph): OrgGraph | null {
  return graph.revision > 0 ? graph : null;
}

async function fromSnapshot(orgId: string, reference: SnapshotReference | null): Promise<OrgGraph | null> {
  return reference ? await readSnapshot(orgId, reference) : new OrgGraph(orgId);
}

/** Null when the log has a gap after the graph. */
async function applyLog(graph: OrgGraph): Promise<'complete' | 'closed' | null> {
  for (;;) {
    const changes = await readChanges(graph.orgId, graph.revision);
    for (const numbered of changes) {
      if (numbered.change.kind === 'closed') return 'closed';
      if (numbered.revision !== graph.revision + 1) return null;
      reading('A change', () => graph.apply(numbered));
    }
    if (changes.length < entryBatchSize) return 'complete';
  }
}
