import type { Context } from 'moleculer';
import { day } from '../../../lib/clock.ts';
import { concurrently } from '../../../lib/concurrently.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { ObjectModel } from '../../../models/storage/object.ts';
import { remove } from '../objects/change-object.ts';

const removalBatchSize = 8;
/**
 * An upload that began before its bucket was deleted may end afterwards. It deletes its own object; the sweep checks
 * again after this time, in case a crash prevented that.
 */
const rememberedFor = 2 * day;

type DeletedBucket = Pick<BucketDocument, '_id' | 'orgId' | 'deletedAt'>;

/**
 * Deletes up to `limit` objects of a deleted bucket; returns whether none remain. An empty bucket is not checked again
 * until late uploads have ended. Repeatable.
 */
export async function emptyBucket(
  ctx: Pick<Context, 'broker'>,
  bucket: DeletedBucket,
  limit: number,
): Promise<boolean> {
  const { orgId, _id: bucketId, deletedAt } = bucket;
  const objects = await ObjectModel.find({ orgId, bucketId }, { key: 1 }).limit(limit).lean();
  await concurrently(objects, removalBatchSize, ({ key }) => remove(ctx, bucket, key));
  if (objects.length === limit) return false;
  const sweepAt = new Date((deletedAt?.getTime() ?? 0) + rememberedFor);
  await BucketModel.updateOne({ orgId, _id: bucketId, deletedAt, sweepAt: null }, { $set: { sweepAt } });
  return true;
}
