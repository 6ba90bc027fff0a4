import { ChangeModel } from '../../../models/access/change.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import { eraseDescriptions, storeLoggedDescriptions } from './descriptions.ts';
import { readLastChange } from './log.ts';

/** Small enough not to block a single-threaded database. */
const atOnce = 1000;

/**
 * Empties the log of a closed organization and removes its snapshots and descriptions. The empty entries stay for a
 * day, so that a delayed writer finds its revision taken; the sweep leaves only the last.
 */
export async function eraseChanges(orgId: string): Promise<void> {
  const last = await readLastChange(orgId);
  if (last?.change.kind !== 'closed') return;
  const emptied = { $set: { change: { kind: 'closed' } } };
  for (let from = 0; from < last.revision; from += atOnce) {
    const revision = { $gt: from, $lte: Math.min(from + atOnce, last.revision - 1) };
    await ChangeModel.updateMany({ orgId, revision, 'change.kind': { $ne: 'closed' } }, emptied);
  }
  await HeadModel.updateOne({ _id: orgId }, { $unset: { snapshot: 1 } });
  await SnapshotModel.deleteMany({ orgId });
  await eraseDescriptions(orgId);
}

type Removal = { before: number; olderThan: Date; isClosed: boolean };

/** Removes the changes of an organization before a revision that are older than an instant. */
export async function removeChanges(orgId: string, { before, olderThan, isClosed }: Removal): Promise<void> {
  for (;;) {
    const first = await ChangeModel.findOne({ orgId }, { revision: 1, at: 1 }).sort({ revision: 1 }).lean();
    if (!first || first.revision >= before || first.at > olderThan) return;
    const revision = { $gte: first.revision, $lt: Math.min(first.revision + atOnce, before) };
    if (!isClosed) await storeLoggedDescriptions(orgId, revision);
    const { deletedCount } = await ChangeModel.deleteMany({ orgId, revision, at: { $lte: olderThan } });
    if (deletedCount === 0) return;
  }
}
