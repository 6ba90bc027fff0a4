import { deleteInBatches, maxBatchSize } from '../../../lib/remove-up-to.ts';
import { ChangeModel } from '../../../models/access/change.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { PermissionDescriptionModel } from '../../../models/access/permission-description.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import { storeLoggedDescriptions } from './descriptions.ts';
import { readHead, readLastChange } from './log.ts';

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
