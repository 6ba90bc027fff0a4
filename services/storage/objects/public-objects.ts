import { LRUCache } from 'lru-cache';
import type { Context, ServiceSchema } from 'moleculer';
import { isLastKnownSuspended, recallSuspended } from '../../../lib/clients/organizations.ts';
import { createTtlCache } from '../../../lib/concurrency/ttl-cache.ts';
import type { BrokerContext, CallContext } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { findAnyBucket, findOwnBucket } from '../buckets.ts';
import { findObject, isExpired, isPublic } from './objects.ts';

const buckets = createTtlCache<BucketDocument | null>();
const objects = createTtlCache<ObjectDocument | null>();
const ownBuckets = createTtlCache<BucketDocument | null>();

const idOf = (owner: string, name: string): string => `${owner}/${name}`;

/** The origins that may read the objects of a bucket. */
type BucketOrigins = Pick<BucketDocument, 'isPublic' | 'corsOrigins'>;

/** The last known origins of each bucket, by name. */
const lastOrigins = new LRUCache<string, BucketOrigins>({ max: 5000 });

function findNamed(name: string): Promise<BucketDocument | null> {
  return buckets.find(name, async () => {
    const bucket = await findAnyBucket(name);
    if (bucket) lastOrigins.set(name, { isPublic: bucket.isPublic, corsOrigins: bucket.corsOrigins });
    else lastOrigins.delete(name);
    return bucket;
  });
}

/** Finds the origins of a bucket of any organization; null if it does not exist. Cached as long as a public object. */
export function findOrigins(bucketName: string): Promise<BucketOrigins | null> {
  return findNamed(bucketName);
}

/** Returns the last known origins without a query; null if there are none. */
export function recallOrigins(bucketName: string): BucketOrigins | null {
  return lastOrigins.get(bucketName) ?? null;
}

export type PublicObject = { bucket: BucketDocument; object: ObjectDocument };

/**
 * Finds the public object of a key; null if there is none. Cached for half a second: nodes are notified of changes, and
 * a node that misses a notification sees the change after that.
 */
export async function findPublic(bucketName: string, key: string): Promise<PublicObject | null> {
  const bucket = await findNamed(bucketName);
  if (!bucket?.isPublic) return null;
  const object = await objects.find(idOf(bucket._id, key), () => findObject(bucket, key));
  return readable(bucket, object);
}

/**
 * Returns a public object from the cache; null also if it is not cached, or if the organization is not known to be in
 * force.
 */
export function recallPublic(bucketName: string, key: string): PublicObject | null {
  const bucket = buckets.peek(bucketName);
  return bucket && recallSuspended(bucket.orgId) === false
    ? readable(bucket, objects.peek(idOf(bucket._id, key)) ?? null)
    : null;
}

function readable(bucket: BucketDocument, object: ObjectDocument | null): PublicObject | null {
  return object && isPublic(bucket, object) && !isExpired(bucket, object) ? { bucket, object } : null;
}

/** Throws ORGANIZATION_SUSPENDED while the organization of a public object is suspended. */
export async function requireServed(ctx: CallContext, orgId: string): Promise<void> {
  if (await isLastKnownSuspended(ctx, orgId)) throw apiError('ORGANIZATION_SUSPENDED');
}

/**
 * Finds the bucket for an upload, cached as long as a public object; null if it did not exist, though it may have been
 * created since. An upload to a concurrently deleted bucket fails when it is counted.
 */
export function findUploadBucket(orgId: string, name: string): Promise<BucketDocument | null> {
  return ownBuckets.find(idOf(orgId, name), () => findOwnBucket(orgId, name));
}

const objectChanged = 'storage.object.changed';
const bucketChanged = 'storage.bucket.changed';

type ObjectChange = { bucketId: string; key: string };
type BucketChange = { orgId: string; name: string };

/** Invalidates an object on all nodes. Call after its change is stored and before the response. */
export async function announceObject(ctx: BrokerContext, { bucketId, key }: ObjectChange): Promise<void> {
  objects.forget(idOf(bucketId, key));
  await publishToNodes(ctx, objectChanged, { bucketId, key });
}

/** Invalidates a bucket on all nodes. */
export async function announceBucket(ctx: BrokerContext, { orgId, name }: BucketChange): Promise<void> {
  evictBucket({ orgId, name });
  await publishToNodes(ctx, bucketChanged, { orgId, name });
}

function evictBucket({ orgId, name }: BucketChange): void {
  buckets.forget(name);
  ownBuckets.forget(idOf(orgId, name));
}

async function publishToNodes(ctx: BrokerContext, event: string, change: ObjectChange | BucketChange): Promise<void> {
  try {
    await ctx.broker.broadcast(event, change);
  } catch (error) {
    ctx.broker.logger.warn('Cache invalidation of a public object could not be published', { error });
  }
}

/** Invalidates cached entries on change events from other nodes. */
export const publicObjectEvents: NonNullable<ServiceSchema['events']> = {
  [objectChanged]: ({ params: { bucketId, key } }: Context<ObjectChange>) => objects.forget(idOf(bucketId, key)),
  [bucketChanged]: ({ params }: Context<BucketChange>) => evictBucket(params),
};
