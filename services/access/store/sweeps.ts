import { day, fromNow, hour } from '../../../lib/clock.ts';
import { isError } from '../../../lib/errors.ts';
import type { HeadDocument } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { AccessStore } from './access-store.ts';
import type { Teller } from './announce.ts';
import { removeChanges } from './erasure.ts';
import { readHeads } from './log.ts';
import type { OpenStore } from './open-store.ts';
import { mayNeedSnapshot } from './snapshots.ts';

/** The maximum of assignments that a run removes; the next run continues. */
const maxExpired = 2000;

/** Removes assignments that expired a day ago, changes that a snapshot covers, and replaced snapshots. */
export async function sweepAccess(store: OpenStore, teller: Teller, signal: AbortSignal): Promise<void> {
  await removeExpired(store, teller, signal);
  for (const head of await readHeads(null)) {
    if (signal.aborted) return;
    // Only a version that can read an organization may decide what to remove.
    if (!store.isReadable(head._id)) continue;
    if (mayNeedSnapshot(head)) await store.compact(head._id);
    await sweepOrganization(head);
  }
}

async function sweepOrganization({ _id: orgId, revision, closed, snapshot }: HeadDocument): Promise<void> {
  // The change at the snapshot's revision stays, so that a node that is behind detects a gap.
  const covered = closed ? revision : (snapshot?.revision ?? 0);
  await removeChanges(orgId, { before: covered, olderThan: fromNow(-day), isClosed: closed });
  if (!snapshot || snapshot.at > fromNow(-hour)) return;
  const former = { orgId, snapshotId: { $ne: snapshot.id }, createdAt: { $lte: snapshot.at } };
  await SnapshotModel.deleteMany(former);
}

async function removeExpired(store: OpenStore, teller: Teller, signal: AbortSignal): Promise<void> {
  const instant = fromNow(-day).getTime();
  let left = maxExpired;
  for (const graph of [...store.orgs()]) {
    if (!store.isReadable(graph.orgId)) continue;
    for (const id of graph.expired(instant, left)) {
      if (signal.aborted) return;
      await removeAssignment(store, teller, { orgId: graph.orgId, id, instant });
      left -= 1;
    }
  }
}

type Expired = { orgId: string; id: string; instant: number };

/** Removes an assignment if it expired at an instant or before. */
export async function removeAssignment(store: AccessStore, teller: Teller, expired: Expired): Promise<void> {
  const { orgId, id, instant } = expired;
  const removing = store.change(teller, orgId, (graph) => {
    const expiresAt = graph.assignment(id)?.expiresAt ?? null;
    const isExpired = expiresAt !== null && expiresAt <= instant;
    return { change: isExpired ? { kind: 'assignmentRemoved', assignmentId: id } : null, result: null };
  });
  await removing.catch((error) => {
    if (!isError(error, 'NOT_FOUND')) throw error;
  });
}
