import type { Context } from 'moleculer';
import { concurrently } from '../../../lib/concurrently.ts';
import { ObjectModel } from '../../../models/storage/object.ts';
import { remove } from '../objects/change-object.ts';

const removedAtOnce = 8;

/** Deletes up to `most` objects of a bucket that is deleted, and returns whether there are none left. May be repeated. */
export async function emptyBucket(
  ctx: Pick<Context, 'broker'>,
  bucket: { _id: string; orgId: string },
  most: number,
): Promise<boolean> {
  const { orgId, _id: bucketId } = bucket;
  const some = await ObjectModel.find({ orgId, bucketId }, { key: 1 }).limit(most).lean();
  await concurrently(some, removedAtOnce, ({ key }) => remove(ctx, bucket, key));
  return some.length < most;
}
