import type { Context } from 'moleculer';
import { batched } from '../../../lib/batched.ts';
import { now } from '../../../lib/clock.ts';
import { fail } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { insertTogether } from '../../../lib/insert-together.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { oneAtATime } from '../../../lib/one-at-a-time.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import {
  type FormerVersion,
  noBucket,
  type ObjectDocument,
  ObjectModel,
  type Version,
} from '../../../models/storage/object.ts';
import { releaseVersions } from '../quota/release-versions.ts';
import { announceObject } from './public-objects.ts';

type Caller = Pick<Context, 'broker'>;

const maxCounted = 500;
/** Where an update is not quite atomic, those of one process still are. */
const inTurn = oneAtATime();
const insertObject = insertTogether<ObjectDocument>(ObjectModel);

/** What an upload makes the present version of an object. */
export type Upload = Version & Pick<ObjectDocument, 'sha256' | 'mimeType'>;

type Wanted = {
  bucket: BucketDocument;
  key: string;
  /** Of an object that is new. */
  objectId: string;
  /** Undefined: as the object was, or else public. */
  isPublic: boolean | undefined;
  metadata?: Record<string, string>;
  /** Whether the caller may replace an object: that needs storage.delete. */
  mayReplace: boolean;
};

/**
 * Makes an upload the object of a key, or replaces its present version, in one write.
 *
 * @throws PERMISSION_DENIED there is an object, and the caller may not replace it; NOT_FOUND the bucket was deleted.
 */
export async function publish(ctx: Caller, upload: Upload, wanted: Wanted): Promise<ObjectDocument> {
  const { bucket, key } = wanted;
  const { orgId, _id: bucketId } = bucket;
  for (;;) {
    // Most keys are new.
    const fresh = created(upload, wanted);
    const isNew = await insertObject(fresh);
    const present = isNew ? null : await ObjectModel.findOne({ orgId, bucketId, key }).lean<ObjectDocument>();
    if (!isNew && !present) continue;
    // The database may have done what it was asked for a second time.
    if (present?.version === upload.version) return present;
    if (present && !wanted.mayReplace) throw refusedReplacement();
    const object = present ? replaced(present, upload, wanted) : fresh;
    if (present && !(await write(present, object))) continue;
    await announceObject(ctx, object);
    const [isThere] = await Promise.all([
      count(bucket, { objects: present ? 0 : 1, bytes: upload.size - (present?.size ?? 0) }),
      present ? release(ctx, object) : undefined,
    ]);
    if (isThere) return object;
    // It was deleted while the upload was under way.
    await remove(ctx, bucket, key);
    throw fail('NOT_FOUND', { message: 'The bucket was deleted meanwhile.' });
  }
}

/** The refusal of an upload to a key that has an object, without the permission to replace it. */
export function refusedReplacement(): Error {
  const message = 'There is an object with this key. The credential lacks the permission storage.delete to replace it.';
  return fail('PERMISSION_DENIED', { message });
}

/** Deletes an object; false when it is gone already. `only`: the revision that is meant. */
export async function remove(
  ctx: Caller,
  bucket: Pick<BucketDocument, '_id' | 'orgId'>,
  key: string,
  only?: number,
): Promise<boolean> {
  const { orgId, _id: bucketId } = bucket;
  for (;;) {
    const present = await ObjectModel.findOne({ orgId, bucketId, key }).lean<ObjectDocument>();
    if (!present || (only !== undefined && present.revision !== only)) return false;
    const object = deleted(present);
    if (!(await write(present, object))) continue;
    await announceObject(ctx, present);
    await count(bucket, { objects: -1, bytes: -present.size });
    await release(ctx, object);
    return true;
  }
}

/** Changes fields of an object's present revision; false when that has changed meanwhile. */
export async function change(ctx: Caller, present: ObjectDocument, fields: Partial<ObjectDocument>): Promise<boolean> {
  const object = { ...present, ...fields, updatedAt: now(), revision: present.revision + 1 };
  if (!(await write(present, object))) return false;
  await announceObject(ctx, present);
  if (object.key !== present.key || object.bucketId !== present.bucketId) await announceObject(ctx, object);
  return true;
}

type Counts = { objects: number; bytes: number };
type Counted = { orgId: string } & Counts;

/** Adds to the counts of a bucket; false when it is deleted. The daily recount finds what a crash left out. */
export async function count({ orgId, _id }: Pick<BucketDocument, '_id' | 'orgId'>, counts: Counts): Promise<boolean> {
  return await countTogether(_id, { orgId, ...counts });
}

/** Concurrent changes of one bucket are counted by one write. */
const countTogether = batched(maxCounted, async (changes: Counted[], _id) => {
  const sumOf = (name: keyof Counts) => changes.reduce((sum, change) => sum + change[name], 0);
  const { matchedCount } = await BucketModel.updateOne(
    { orgId: changes[0]?.orgId ?? '', _id, deletedAt: null },
    { $inc: { objectCount: sumOf('objects'), usedBytes: sumOf('bytes') }, $set: { isChanged: true } },
  );
  return changes.map(() => matchedCount === 1);
});

/** Releases the quota of former versions, and notes it. What fails is done by the sweep. */
export async function release(ctx: Caller, object: ObjectDocument): Promise<void> {
  const former = object.former.filter(({ isReleased }) => !isReleased);
  if (former.length === 0) return;
  try {
    await releaseVersions(ctx, object.orgId, former);
    const noted = { ...object, former: object.former.map((one) => ({ ...one, isReleased: true })) };
    await write(object, { ...noted, revision: object.revision + 1 });
  } catch (error) {
    ctx.broker.logger.warn('The quota of a deleted object is released later', { objectId: object._id, error });
  }
}

/** Writes an object in place of the revision that was read; false when that has changed meanwhile. */
export async function write({ orgId, _id, revision }: ObjectDocument, object: ObjectDocument): Promise<boolean> {
  const { _id: id, orgId: owner, ...fields } = object;
  const objects = nativeCollection<ObjectDocument>(ObjectModel);
  const { matchedCount } = await inTurn(_id, () => objects.updateOne({ orgId, _id, revision }, { $set: fields }));
  return matchedCount === 1;
}

function created(
  { ...upload }: Upload,
  { bucket, key, objectId, isPublic = true, metadata = {} }: Wanted,
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

function replaced(present: ObjectDocument, upload: Upload, { isPublic, metadata }: Wanted): ObjectDocument {
  return {
    ...present,
    ...upload,
    ...withFormer(present),
    isPublic: isPublic ?? present.isPublic,
    metadata: metadata ?? present.metadata,
    uploadedAt: now(),
    updatedAt: now(),
    versions: [...present.versions, upload.version],
  };
}

/** Its bytes are a former version like others. */
function deleted(present: ObjectDocument): ObjectDocument {
  return { ...present, ...withFormer(present), bucketId: noBucket, key: present._id, updatedAt: now(), metadata: {} };
}

function withFormer(present: ObjectDocument): Pick<ObjectDocument, 'former' | 'formerSince' | 'revision'> {
  const { version, file, size, charges, former, formerSince, revision } = present;
  const ended: FormerVersion = { version, file, size, charges, endedAt: now(), isReleased: false };
  return { former: [...former, ended], formerSince: formerSince ?? ended.endedAt, revision: revision + 1 };
}

/** The name of the file of a version. Nothing in it comes from a client. */
export function fileOf(orgId: string, objectId: string, version: string): string {
  return `${orgId}/${objectId}/${version}`;
}

export const newObjectId = (): string => newId('obj');
