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
 * Empties the log of a closed organization and removes its snapshots and descriptions, about `most` documents; returns
 * whether that is all. The empty entries stay for a day, so that a delayed writer finds its revision taken; the sweep
 * leaves only the last.
 */
export async function eraseChanges(orgId: string, most = maxPerCall): Promise<boolean> {
  const last = await readLastChange(orgId);
  if (last?.change.kind !== 'closed') return true;
  let allowance = most - (await emptyEntries(orgId, last.revision, most));
  if (allowance <= 0) return false;
  await HeadModel.updateOne({ _id: orgId }, { $unset: { snapshot: 1 } });
  for (const model of [SnapshotModel, PermissionDescriptionModel]) {
    allowance -= await deleteInBatches(model, { orgId }, allowance);
    if (allowance <= 0) return false;
  }
  return true;
}

/** Empties up to `most` entries before a revision, in their order, and returns how many. The head has the last of them. */
async function emptyEntries(orgId: string, before: number, most: number): Promise<number> {
  const first = await ChangeModel.findOne({ orgId }, { revision: 1 }).sort({ revision: 1 }).lean();
  const head = await readHead(orgId);
  const from = Math.max((first?.revision ?? before) - 1, head?.emptiedTo ?? 0);
  const to = Math.min(from + most, before - 1);
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
 * Removes about `most` changes of an organization before a revision that are older than an instant; returns whether none
 * are left.
 */
export async function removeChanges(
  orgId: string,
  { before, olderThan, isClosed }: Removal,
  most: number,
): Promise<boolean> {
  for (let removed = 0; removed < most; ) {
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
