import type { Context } from 'moleculer';
import { day, fromNow } from '../../../lib/clock.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { ObjectModel } from '../../../models/storage/object.ts';
import { remove } from '../objects/change-object.ts';
import { emptyBucket } from './empty-bucket.ts';

type Caller = Pick<Context, 'broker'>;

const batch = 200;
/** An upload that began before its bucket was deleted may end afterwards; then it looks for the bucket and removes itself. */
const rememberedFor = 2 * day;

/** Goes on with the deletion of buckets, each in turn, so that a large one does not hold up the others. */
export async function sweepDeletedBuckets(ctx: Caller): Promise<void> {
  const buckets = await BucketModel.find({ deletedAt: { $ne: null } }, null, { acrossTenants: true })
    .sort({ deletedAt: 1 })
    .lean<BucketDocument[]>();
  for (let left = buckets; left.length > 0; ) {
    const unfinished: BucketDocument[] = [];
    for (const bucket of left) if (!(await emptyBucket(ctx, bucket, batch))) unfinished.push(bucket);
    left = unfinished;
  }
  for (const { orgId, _id, deletedAt } of buckets) {
    if (deletedAt && deletedAt <= fromNow(-rememberedFor)) await BucketModel.deleteOne({ orgId, _id });
  }
}

/** Deletes the objects that the rules of their buckets have expire. Reads ignore them already. */
export async function sweepExpired(ctx: Caller): Promise<void> {
  let after = '';
  for (;;) {
    const buckets = await BucketModel.find({ hasExpiry: true, _id: { $gt: after } }, null, { acrossTenants: true })
      .sort({ _id: 1 })
      .limit(batch)
      .lean<BucketDocument[]>();
    for (const bucket of buckets) for (const rule of bucket.expiry) await expire(ctx, bucket, rule);
    after = buckets.at(-1)?._id ?? '';
    if (buckets.length < batch) return;
  }
}

async function expire(ctx: Caller, bucket: BucketDocument, { prefix, days }: BucketDocument['expiry'][number]) {
  const { orgId, _id: bucketId } = bucket;
  let from = new Date(0);
  for (;;) {
    const old = await ObjectModel.find(
      { orgId, bucketId, uploadedAt: { $gt: from, $lte: fromNow(-days * day) } },
      { key: 1, uploadedAt: 1, revision: 1 },
    )
      .sort({ uploadedAt: 1 })
      .limit(batch)
      .lean();
    for (const { key, revision } of old) if (key.startsWith(prefix)) await remove(ctx, bucket, key, revision);
    const last = old.at(-1)?.uploadedAt;
    if (!last || old.length < batch) return;
    // Others of the same millisecond are found by the next run.
    from = last;
  }
}
