import { day, fromNow, hour } from '../../../lib/clock.ts';
import { isError } from '../../../lib/errors.ts';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { type Sweep, sweepInTurns, sweepItems } from '../../../lib/sweep.ts';
import type { HeadDocument } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import type { AccessStore } from './access-store.ts';
import type { Publisher } from './announce.ts';
import { removeChanges } from './erasure.ts';
import { pagesOfHeads } from './log.ts';
import type { OpenStore } from './open-store.ts';
import { mayNeedSnapshot } from './snapshots.ts';

/** The maximum of assignments of an organization that a run removes; the next run continues. */
const maxExpired = 2000;
/** The maximum of changes deleted per organization and run, so that no organization delays the others. */
const maxOfTurn = 2000;
const headBatchSize = 200;

/** Removes assignments that expired a day ago, changes that a snapshot covers, and replaced snapshots. */
export async function sweepAccess(store: OpenStore, teller: Publisher, sweep: Sweep): Promise<void> {
  await sweepItems(sweep, graphsOf(store), 1, ({ graph }) => removeExpired(store, teller, graph, sweep.signal));
  await sweepInTurns(sweep, headsOf(), 1, async (head, again) => {
    if (!(await sweepOrganization(store, head))) again(head);
  });
}

type Head = HeadDocument & { orgId: string };

async function* headsOf(): AsyncGenerator<Head[]> {
  for await (const page of pagesOfHeads(headBatchSize)) yield page.map((head) => ({ ...head, orgId: head._id }));
}

/** Deletes a batch of an organization's obsolete data; returns whether none remains. */
async function sweepOrganization(store: OpenStore, head: HeadDocument): Promise<boolean> {
  const { _id: orgId, revision, closed, snapshot } = head;
  // Only a version that can read an organization may decide what to remove.
  if (!store.isReadable(orgId)) return true;
  if (mayNeedSnapshot(head)) await store.compact(orgId);
  // The change at the snapshot's revision stays, so that a node that is behind detects a gap.
  const covered = closed ? revision : (snapshot?.revision ?? 0);
  const old = { before: covered, olderThan: fromNow(-day), isClosed: closed };
  if (!(await removeChanges(orgId, old, maxOfTurn))) return false;
  if (!snapshot || snapshot.at > fromNow(-hour)) return true;
  const replaced = { orgId, snapshotId: { $ne: snapshot.id }, createdAt: { $lte: snapshot.at } };
  return (await deleteInBatches(SnapshotModel, replaced, maxOfTurn)) < maxOfTurn;
}

type Item = { _id: string; orgId: string; graph: OrgGraph };

function graphsOf(store: OpenStore): Item[][] {
  const graphs = [...store.orgs()].filter(({ orgId }) => store.isReadable(orgId));
  return [graphs.map((graph) => ({ _id: graph.orgId, orgId: graph.orgId, graph }))];
}

async function removeExpired(store: OpenStore, teller: Publisher, graph: OrgGraph, signal: AbortSignal): Promise<void> {
  const instant = fromNow(-day).getTime();
  const { orgId } = graph;
  for (const id of graph.expired(instant, maxExpired)) {
    if (signal.aborted) return;
    await removeAssignment(store, teller, { orgId, id, instant });
  }
}

type Expired = { orgId: string; id: string; instant: number };

/** Removes an assignment if it expired at an instant or before. */
export async function removeAssignment(store: AccessStore, teller: Publisher, expired: Expired): Promise<void> {
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
