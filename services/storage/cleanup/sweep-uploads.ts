import { now } from '../../../lib/clock.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../../lib/sweep.ts';
import { DerivativeModel } from '../../../models/storage/derivative.ts';
import { ObjectModel } from '../../../models/storage/object.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from '../transfers/running-store.ts';

const batch = 200;
const endConcurrency = 8;

/** Ends the uploads of processes that died, and removes their files unless an object or a derivative has them. */
export async function sweepUploads(sweep: Sweep): Promise<void> {
  const pages = pagesByInstant<UploadDocument>(UploadModel, { field: 'dueAt', until: now() }, batch);
  await sweepItems(sweep, pages, endConcurrency, end);
}

/** Removes files that the store began and did not finish. */
export async function sweepUnfinishedFiles(): Promise<void> {
  await objectStore().removeUnfinished(now());
}

async function end({ _id, orgId, version, file, state, signedUntil, dueAt }: UploadDocument): Promise<void> {
  const own = { orgId, _id, version };
  if (state === 'open') {
    // From now on no object can get the version: its upload has to claim an open record first.
    const { matchedCount } = await UploadModel.updateOne({ ...own, state, dueAt }, { $set: { state: 'givenUp' } });
    if (matchedCount === 0) return;
  }
  if (state === 'done' || !(await isKept(orgId, version))) {
    if (state !== 'done') await objectStore().remove([file]);
    await UploadModel.deleteOne(own);
    return;
  }
  // The process died after its object had the version. A signed URL is still used up.
  if (signedUntil && signedUntil > now()) {
    await UploadModel.updateOne(own, { $set: { state: 'done', dueAt: signedUntil } });
  } else await UploadModel.deleteOne(own);
}

async function isKept(orgId: string, version: string): Promise<boolean> {
  const object = await ObjectModel.findOne({ orgId, versions: version }, { _id: 1 }).lean();
  return (object ?? (await DerivativeModel.findOne({ orgId, version }, { _id: 1 }).lean())) !== null;
}
