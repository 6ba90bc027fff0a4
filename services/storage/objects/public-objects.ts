import type { Context, ServiceSchema } from 'moleculer';
import { createShortMemory } from '../../../lib/short-memory.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { findAnyBucket, findOwnBucket } from '../buckets/buckets.ts';
import { findObject, isExpired, isPublic } from './objects.ts';

type ChangePublisher = Pick<Context, 'broker'>;

const buckets = createShortMemory<BucketDocument | null>();
const objects = createShortMemory<ObjectDocument | null>();
const ownBuckets = createShortMemory<BucketDocument | null>();

const idOf = (owner: string, name: string): string => `${owner}/${name}`;

/** The origins that may read the objects of a bucket. */
export type BucketOrigins = Pick<BucketDocument, 'isPublic' | 'corsOrigins'>;

/** As they were when each bucket was last looked up, by its name. */
const lastOrigins = new Map<string, BucketOrigins>();
const maxOrigins = 5000;

function findNamed(name: string): Promise<BucketDocument | null> {
  return buckets.find(name, async () => {
    const bucket = await findAnyBucket(name);
    if (lastOrigins.size >= maxOrigins) lastOrigins.clear();
    if (bucket) lastOrigins.set(name, { isPublic: bucket.isPublic, corsOrigins: bucket.corsOrigins });
    else lastOrigins.delete(name);
    return bucket;
  });
}

/** The origins of a bucket of any organization; null when there is none. Trusted for as long as a public object is. */
export function findOrigins(bucketName: string): Promise<BucketOrigins | null> {
  return findNamed(bucketName);
}

/** The same without a lookup: as they were at the last one; null also when there was none. */
export function recallOrigins(bucketName: string): BucketOrigins | null {
  return lastOrigins.get(bucketName) ?? null;
}

export type PublicObject = { bucket: BucketDocument; object: ObjectDocument };

/**
 * The object that everyone may read at a key; null when there is none. What was looked up is trusted for half a second:
 * changes are told to all nodes, and a node that misses one finds out by then.
 */
export async function findPublic(bucketName: string, key: string): Promise<PublicObject | null> {
  const bucket = await findNamed(bucketName);
  if (!bucket?.isPublic) return null;
  const object = await objects.find(idOf(bucket._id, key), () => findObject(bucket, key));
  return readable(bucket, object);
}

/** The same from memory; null also when nothing is remembered. */
export function recallPublic(bucketName: string, key: string): PublicObject | null {
  const bucket = buckets.peek(bucketName);
  return bucket ? readable(bucket, objects.peek(idOf(bucket._id, key)) ?? null) : null;
}

function readable(bucket: BucketDocument, object: ObjectDocument | null): PublicObject | null {
  return object && isPublic(bucket, object) && !isExpired(bucket, object) ? { bucket, object } : null;
}

/**
 * The bucket of an organization that uploads go to, trusted for as long; null when there was none, and it may have been
 * made since. An upload to one that was deleted meanwhile fails when it is counted.
 */
export function findUploadBucket(orgId: string, name: string): Promise<BucketDocument | null> {
  return ownBuckets.find(idOf(orgId, name), () => findOwnBucket(orgId, name));
}

const objectChanged = 'storage.object.changed';
const bucketChanged = 'storage.bucket.changed';

type ObjectChange = { bucketId: string; key: string };
type BucketChange = { orgId: string; name: string };

/** Has all nodes look an object up again. To be called once its change is stored and before that is answered. */
export async function announceObject(ctx: ChangePublisher, { bucketId, key }: ObjectChange): Promise<void> {
  objects.forget(idOf(bucketId, key));
  await publishToNodes(ctx, objectChanged, { bucketId, key });
}

/** The same for a bucket. */
export async function announceBucket(ctx: ChangePublisher, { orgId, name }: BucketChange): Promise<void> {
  evictBucket({ orgId, name });
  await publishToNodes(ctx, bucketChanged, { orgId, name });
}

function evictBucket({ orgId, name }: BucketChange): void {
  buckets.forget(name);
  ownBuckets.forget(idOf(orgId, name));
}

async function publishToNodes(ctx: ChangePublisher, event: string, change: ObjectChange | BucketChange): Promise<void> {
  try {
    await ctx.broker.broadcast(event, change);
  } catch (error) {
    ctx.broker.logger.warn('A change of a public object could not be announced', { error });
  }
}

/** What the storage hears of the changes of other nodes. */
export const publicObjectEvents: NonNullable<ServiceSchema['events']> = {
  [objectChanged]: ({ params: { bucketId, key } }: Context<ObjectChange>) => objects.forget(idOf(bucketId, key)),
  [bucketChanged]: ({ params }: Context<BucketChange>) => evictBucket(params),
};
