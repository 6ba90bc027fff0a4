import { now } from '../../../lib/clock.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../../lib/sweep.ts';
import { DerivativeModel } from '../../../models/storage/derivative.ts';
import { ObjectModel } from '../../../models/storage/object.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from '../transfers/running-store.ts';

const batch = 200;
const endConcurrency = 8;

/** Ends the uploads of crashed processes, and deletes their files unless an object or a derivative references them. */
export async function sweepUploads(sweep: Sweep): Promise<void> {
  const pages = pagesByInstant<UploadDocument>(UploadModel, { field: 'dueAt', until: now() }, batch);
  await sweepItems(sweep, pages, endConcurrency, end);
}

/** Deletes files that the store did not finish. */
export async function sweepUnfinishedFiles(): Promise<void> {
  await objectStore().removeUnfinished(now());
}

async function end({ _id, orgId, version, file, state, signedUntil, dueAt }: UploadDocument): Promise<void> {
  const own = { orgId, _id, version };
  if (state === 'open') {
    // Fences the upload: it must claim an open record before an object can get the version.
    const { matchedCount } = await UploadModel.updateOne({ ...own, state, dueAt }, { $set: { state: 'givenUp' } });
    if (matchedCount === 0) return;
  }
  if (state === 'done' || !(await isKept(orgId, version))) {
    if (state !== 'done') await objectStore().remove([file]);
    await UploadModel.deleteOne(own);
    return;
  }
  // The process crashed after the object got the version. A signed URL stays used.
  if (signedUntil && signedUntil > now()) {
    await UploadModel.updateOne(own, { $set: { state: 'done', dueAt: signedUntil } });
  } else await UploadModel.deleteOne(own);
}

async function isKept(orgId: string, version: string): Promise<boolean> {
  const object = await ObjectModel.findOne({ orgId, versions: version }, { _id: 1 }).lean();
  return (object ?? (await DerivativeModel.findOne({ orgId, version }, { _id: 1 }).lean())) !== null;
}
