import { setTimeout as wait } from 'node:timers/promises';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import type { BrokerContext } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { createInsertBatcher } from '../../../lib/data/batched-access.ts';
import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { noBucket, type ObjectDocument, ObjectModel, type Version } from '../../../models/storage/object.ts';
import { refusalOfObject } from '../quota/object-limit.ts';
import { isExpired } from './objects.ts';
import { needsObject, type Preconditions, requirePreconditions } from './preconditions.ts';
import { announceObject } from './public-objects.ts';
import { objectsInTurn, release, setAside, withReplaced } from './replaced-versions.ts';

const maxCounted = 500;
const ofKeyInTurn = createKeyedMutex();
const insertObject = createInsertBatcher<ObjectDocument>(ObjectModel);

/** The uploaded version to publish as the current version of an object. */
export type Upload = Version & Required<Pick<ObjectDocument, 'sha256' | 'mimeType' | 'charset'>>;

type ObjectChange = {
  bucket: BucketDocument;
  key: string;
  /** The id if the object is new. */
  objectId: string;
  /** Undefined keeps the object's value; a new object is public. */
  isPublic: boolean | undefined;
  metadata?: Record<string, string>;
  /** Whether the caller may replace an object, which requires storage.delete. */
  mayReplace: boolean;
  preconditions?: Preconditions | undefined;
};

/**
 * Publishes an upload as a new object, or as the current version of an existing one, in one write.
 *
 * @throws PERMISSION_DENIED the object exists, and the caller may not replace it; PRECONDITION_FAILED;
 * PLAN_LIMIT_EXCEEDED the plan has no room for another object; NOT_FOUND the bucket was deleted; CONFLICT.
 */
export async function publish(ctx: BrokerContext, upload: Upload, target: ObjectChange): Promise<ObjectDocument> {
  const { bucket, key } = target;
  const { object, present } = await changeKey(bucket, key, () => tryToPublish(ctx, upload, target));
  // The insert was retried after a lost response; the object has this version already.
  if (present?.version === upload.version) return object;
  await announceObject(ctx, object);
  const [isThere] = await Promise.all([
    count(bucket, { objects: present ? 0 : 1, bytes: upload.size - (present?.size ?? 0) }),
    present ? release(ctx, object, object.former.slice(-1)) : undefined,
  ]);
  if (isThere) return object;
  // The bucket was deleted during the upload.
  await remove(ctx, bucket, key);
  throw apiError('NOT_FOUND', { message: 'The bucket was deleted during the upload.' });
}

type Published = { object: ObjectDocument; present: ObjectDocument | null };

/** Null if the object has changed since it was read. */
async function tryToPublish(ctx: BrokerContext, upload: Upload, target: ObjectChange): Promise<Published | null> {
  const { bucket, key, preconditions, mayReplace } = target;
  const { orgId, _id: bucketId } = bucket;
  const newObject = created(upload, target);
  const refusal = await refusalOfObject(ctx, orgId);
  // Inserts without a read, because most keys are new. Only If-Match fails for a new key.
  const mayBeNew = !refusal && !needsObject(preconditions);
  if (mayBeNew && (await insertObject(newObject))) return { object: newObject, present: null };
  const present = await ObjectModel.findOne({ orgId, bucketId, key }).lean<ObjectDocument>();
  if (present?.version === upload.version) return { object: present, present };
  const visible = present && !isExpired(bucket, present) ? present : null;
  requirePreconditions(preconditions, visible);
  if (visible && !mayReplace) throw refusedReplacement();
  if (!present && refusal) throw refusal;
  if (!present) return null;
  const { object, undo } = await setAside(present);
  const next = replaced(object, upload, visible ? target : asNew(target));
  if (await write(present, next)) return { object: next, present };
  await undo();
  return null;
}

/** The error for an upload to an existing key without the permission to replace it. */
export function refusedReplacement(): Error {
  const message = 'An object with this key exists. The credential lacks the permission storage.delete to replace it.';
  return apiError('PERMISSION_DENIED', { message });
}

type Removal = {
  /** Deletes only this revision. */
  revision?: number;
  preconditions?: Preconditions | undefined;
};

/** Deletes an object; false if it does not exist or is not the specified one. Throws PRECONDITION_FAILED, CONFLICT. */
export async function remove(
  ctx: BrokerContext,
  bucket: Pick<BucketDocument, '_id' | 'orgId'>,
  key: string,
  { revision, preconditions }: Removal = {},
): Promise<boolean> {
  const { orgId, _id: bucketId } = bucket;
  const removed = await changeKey(bucket, key, async () => {
    const present = await ObjectModel.findOne({ orgId, bucketId, key }).lean<ObjectDocument>();
    if (!present || (revision !== undefined && present.revision !== revision)) return 'absent';
    requirePreconditions(preconditions, present);
    const object = deleted(present);
    return (await write(present, object)) ? { present, object } : null;
  });
  if (removed === 'absent') return false;
  const { present, object } = removed;
  await announceObject(ctx, present);
  await count(bucket, { objects: -1, bytes: -present.size });
  await release(ctx, object);
  return true;
}

/** Changes fields of an object's current revision; false if it has changed concurrently. */
export async function change(
  ctx: BrokerContext,
  present: ObjectDocument,
  fields: Partial<ObjectDocument>,
): Promise<boolean> {
  const object = { ...present, ...fields, updatedAt: now(), revision: present.revision + 1 };
  if (!(await write(present, object))) return false;
  await announceObject(ctx, present);
  if (object.key !== present.key || object.bucketId !== present.bucketId) await announceObject(ctx, object);
  return true;
}

const maxAttempts = 20;
/** The maximum backoff in milliseconds; it doubles up to this. */
const maxPause = 100;

/**
 * Runs an optimistic change of the object of a key; `attempt` returns null if the object has changed since it was read.
 * Changes in this process are serialized; after a change by another node the attempt is retried, up to a maximum.
 *
 * @throws CONFLICT the object changed during each attempt.
 */
export async function changeKey<T>(
  { _id: bucketId }: Pick<BucketDocument, '_id'>,
  key: string,
  attempt: () => Promise<T | null>,
): Promise<T> {
  return await ofKeyInTurn(`${bucketId}/${key}`, async () => {
    for (let tries = 0; tries < maxAttempts; tries += 1) {
      const result = await attempt();
      if (result !== null) return result;
      await wait(Math.random() * Math.min(2 ** tries, maxPause));
    }
    throw apiError('CONFLICT');
  });
}

type Counts = { objects: number; bytes: number };
type Counted = { orgId: string } & Counts;

/** Adds to the counts of a bucket; false if it is deleted. The daily recount corrects losses after a crash. */
export async function count({ orgId, _id }: Pick<BucketDocument, '_id' | 'orgId'>, counts: Counts): Promise<boolean> {
  return await countBatched(_id, { orgId, ...counts });
}

/** Concurrent changes of one bucket share a write. */
const countBatched = createBatcher(maxCounted, async (changes: Counted[], _id) => {
  const sumOf = (name: keyof Counts) => changes.reduce((sum, change) => sum + change[name], 0);
  const { matchedCount } = await BucketModel.updateOne(
    { orgId: changes[0]?.orgId ?? '', _id, deletedAt: null },
    { $inc: { objectCount: sumOf('objects'), usedBytes: sumOf('bytes') }, $set: { isChanged: true } },
  );
  return changes.map(() => matchedCount === 1);
});

/** Replaces the revision of an object that was read; false if it has changed concurrently. */
export async function write({ orgId, _id, revision }: ObjectDocument, object: ObjectDocument): Promise<boolean> {
  const { _id: id, orgId: owner, ...fields } = object;
  const objects = nativeCollection<ObjectDocument>(ObjectModel);
  const { matchedCount } = await objectsInTurn(_id, () =>
    objects.updateOne({ orgId, _id, revision }, { $set: fields }),
  );
  return matchedCount === 1;
}

function created(
  { ...upload }: Upload,
  { bucket, key, objectId, isPublic = true, metadata = {} }: ObjectChange,
): ObjectDocument {
  return {
    _id: objectId,
    orgId: bucket.orgId,
    revision: 1,
    bucketId: bucket._id,
    key,
    ...upload,
    isPublic,
    metadata,
    uploadedAt: now(),
    updatedAt: now(),
    former: [],
    formerSince: null,
    versions: [upload.version],
  };
}

/** An expired object passes nothing on to its replacement. */
const asNew = ({ isPublic = true, metadata = {} }: ObjectChange) => ({ isPublic, metadata });

function replaced(
  present: ObjectDocument,
  upload: Upload,
  { isPublic, metadata }: Pick<ObjectChange, 'isPublic' | 'metadata'>,
): ObjectDocument {
  return {
    ...present,
    ...upload,
    ...withReplaced(present),
    isPublic: isPublic ?? present.isPublic,
    metadata: metadata ?? present.metadata,
    uploadedAt: now(),
    updatedAt: now(),
    versions: [...present.versions, upload.version],
  };
}

/** Deletes the object: its bytes become a replaced version. */
function deleted(present: ObjectDocument): ObjectDocument {
  return { ...present, ...withReplaced(present), bucketId: noBucket, key: present._id, updatedAt: now(), metadata: {} };
}

/** The file name of a version. It contains nothing from a client. */
export function fileOf(orgId: string, objectId: string, version: string): string {
  return `${orgId}/${objectId}/${version}`;
}
