import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { concurrently } from '../../../lib/concurrently.ts';
import { idPattern } from '../../../lib/ids.ts';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { BucketModel } from '../../../models/storage/bucket.ts';
import { BucketNameModel, erasedOwner } from '../../../models/storage/bucket-name.ts';
import { DerivativeUsageModel } from '../../../models/storage/derivative-usage.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { UploadModel } from '../../../models/storage/upload.ts';
import { removeSomeDerivatives } from '../images/discard.ts';
import { announceBucket } from '../objects/public-objects.ts';
import { objectStore } from '../transfers/running-store.ts';

const maxPerCall = 500;
const erasureConcurrency = 8;

/**
 * `storage.organizations.erase`, for the deletion of an organization: deletes its objects with their files and
 * derivatives, its uploads and its buckets. Billing erases its quota. Repeatable; called until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's buckets and objects",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  limits: { milliseconds: 60_000 },
  async handler({ body: { orgId }, ctx }) {
    const at = now();
    // The buckets come first, so that uploads in flight find no bucket.
    const buckets = await BucketModel.find({ orgId, deletedAt: null }, { _id: 1, name: 1 }).lean();
    await concurrently(buckets, erasureConcurrency, async ({ _id, name }) => {
      const ended = { deletedAt: at, name: _id, place: _id, hasExpiry: false };
      await BucketModel.updateOne({ orgId, _id }, { $set: ended });
      await announceBucket(ctx, { orgId, name });
    });
    const objects = await ObjectModel.find({ orgId }).limit(maxPerCall).lean<ObjectDocument[]>();
    await concurrently(objects, erasureConcurrency, erase);
    if (objects.length === maxPerCall || !(await removeSomeDerivatives(orgId))) return { isComplete: false };
    const uploads = await UploadModel.find({ orgId }).limit(maxPerCall).lean();
    await objectStore().remove(uploads.map(({ file }) => file));
    await UploadModel.deleteMany({ orgId, _id: { $in: uploads.map(({ _id }) => _id) } });
    if (uploads.length === maxPerCall) return { isComplete: false };
    await DerivativeUsageModel.deleteOne({ orgId, _id: orgId });
    if ((await deleteInBatches(BucketModel, { orgId }, maxPerCall)) >= maxPerCall) return { isComplete: false };
    return { isComplete: await keepNames(orgId) };
  },
});

/** Keeps the bucket names of an erased organization reserved; returns whether all of them are. */
async function keepNames(orgId: string): Promise<boolean> {
  const names = await BucketNameModel.find({ orgId }, { _id: 1 }).limit(maxPerCall).lean();
  const batch = { orgId, _id: { $in: names.map(({ _id }) => _id) } };
  await BucketNameModel.updateMany(batch, { $set: { orgId: erasedOwner } });
  return names.length < maxPerCall;
}

async function erase({ orgId, _id, file, former }: ObjectDocument): Promise<void> {
  await objectStore().remove([file, ...former.map((version) => version.file)].flatMap((name) => name ?? []));
  await ObjectModel.deleteOne({ orgId, _id });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.organizations.erase': typeof eraseOrganization;
  }
}
