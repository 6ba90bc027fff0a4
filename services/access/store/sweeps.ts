import { isError } from '../../../lib/contract/errors.ts';
import { day, fromNow, hour } from '../../../lib/data/clock.ts';
import { deleteInBatches, maxBatchSize } from '../../../lib/data/collection.ts';
import { type Sweep, sweepInTurns, sweepItems } from '../../../lib/data/sweep.ts';
import { ChangeModel } from '../../../models/access/change.ts';
import { type HeadDocument, HeadModel } from '../../../models/access/head.ts';
import { PermissionDescriptionModel } from '../../../models/access/permission-description.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import type { AccessStore } from './access-store.ts';
import { storeLoggedDescriptions } from './descriptions.ts';
import { pagesOfHeads, readHead, readLastChange } from './log.ts';
import type { OpenStore } from './open-store.ts';
import { mayNeedSnapshot } from './snapshots.ts';
import type { Publisher } from './synchroniser.ts';

/** The maximum of documents that one call erases. */
const maxPerCall = 10_000;

/**
 * Empties the log of a closed organization and deletes its snapshots and descriptions, about `limit` documents; returns
 * whether it is complete. The empty entries (tombstones) stay for a day, so that a delayed writer finds its revision
 * taken; the sweep keeps only the last one.
 */
export async function eraseChanges(orgId: string, limit = maxPerCall): Promise<boolean> {
  const last = await readLastChange(orgId);
  if (last?.change.kind !== 'closed') return true;
  let allowance = limit - (await emptyEntries(orgId, last.revision, limit));
  if (allowance <= 0) return false;
  await HeadModel.updateOne({ _id: orgId }, { $unset: { snapshot: 1 } });
  for (const model of [SnapshotModel, PermissionDescriptionModel]) {
    allowance -= await deleteInBatches(model, { orgId }, allowance);
    if (allowance <= 0) return false;
  }
  return true;
}

/** Empties up to `limit` entries before a revision, in order; returns the count. The head stores the last one. */
async function emptyEntries(orgId: string, before: number, limit: number): Promise<number> {
  const first = await ChangeModel.findOne({ orgId }, { revision: 1 }).sort({ revision: 1 }).lean();
  const head = await readHead(orgId);
  const from = Math.max((first?.revision ?? before) - 1, head?.emptiedTo ?? 0);
  const to = Math.min(from + limit, before - 1);
  if (to <= from) return 0;
  const emptied = { $set: { change: { kind: 'closed' } } };
  for (let at = from; at < to; at += maxBatchSize) {
    const revision = { $gt: at, $lte: Math.min(at + maxBatchSize, to) };
    await ChangeModel.updateMany({ orgId, revision, 'change.kind': { $ne: 'closed' } }, emptied);
  }
  await HeadModel.updateOne({ _id: orgId }, { $set: { emptiedTo: to } });
  return to - from;
}

type Removal = { before: number; olderThan: Date; isClosed: boolean };

/**
 * Deletes about `limit` changes of an organization before a revision that are older than an instant; returns whether
 * none remain.
 */
export async function removeChanges(
  orgId: string,
  { before, olderThan, isClosed }: Removal,
  limit: number,
): Promise<boolean> {
  for (let removed = 0; removed < limit; ) {
    const first = await ChangeModel.findOne({ orgId }, { revision: 1, at: 1 }).sort({ revision: 1 }).lean();
    if (!first || first.revision >= before || first.at > olderThan) return true;
    const revision = { $gte: first.revision, $lt: Math.min(first.revision + maxBatchSize, before) };
    if (!isClosed) await storeLoggedDescriptions(orgId, revision);
    const { deletedCount } = await ChangeModel.deleteMany({ orgId, revision, at: { $lte: olderThan } });
    if (deletedCount === 0) return true;
    removed += deletedCount;
  }
  return false;
}

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
