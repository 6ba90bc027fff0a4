import { Readable } from 'node:stream';
import { z } from 'zod';
import { requirePermission } from '../../../lib/contract/authorize.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { now } from '../../../lib/data/clock.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { findBucket } from '../buckets.ts';
import { contentTypeOf } from '../content/charset.ts';
import { fileNameOf, objectKey } from '../content/object-key.ts';
import { bucketFor } from '../make-bucket.ts';
import { objectStore } from '../store/running-store.ts';
import { receiveFile } from '../transfers/receive-file.ts';
import { change, count, publish, refusedReplacement, remove } from './change-object.ts';
import { exampleObject, findObject, objectOutput, requireObject, toObjectResponse } from './objects.ts';
import { requireAccepted } from './upload.ts';

const objectLocation = z.strictObject({ bucket: z.string(), key: objectKey }).meta({ id: 'ObjectLocationInput' });
const fromTo = z
  .strictObject({ from: objectLocation.describe('The object.'), to: objectLocation.describe('Where it is to be.') })
  .meta({ id: 'ObjectTransferInput' });

const errors = ['NOT_FOUND', 'BODY_TOO_LARGE', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED'] as const;
/** The time limit: a large object is read from the store and written to it again. */
const milliseconds = 30 * 60_000;

const example = {
  body: {
    from: { bucket: exampleObject.bucket, key: 'drafts/city-bike.jpg' },
    to: { bucket: exampleObject.bucket, key: exampleObject.key },
  },
  output: exampleObject,
};

/** POST /v1/objects/copy: copies an object. The copy is a separate object with its own bytes. */
export const copyObject = defineAction({
  rest: 'POST /v1/objects/copy',
  summary: 'Copy an object',
  description:
    'Copies an object to another key or bucket. The copy has its own bytes, which count towards the storage of the ' +
    'plan. Needs `storage.read` in addition, and `storage.delete` to replace an existing object. A large object ' +
    'can take minutes.',
  permission: 'storage.upload',
  tenant: 'required',
  input: { body: fromTo },
  output: objectOutput,
  errors: [...errors, 'PAYMENT_REQUIRED', 'STORE_FULL', 'PERMISSION_DENIED'],
  limits: { milliseconds },
  example,
  async handler({ body: { from, to }, caller, ctx }) {
    requirePermission(caller, 'storage.read');
    const { orgId, scopes } = caller;
    const [source, bucket] = [await findBucket(orgId, from.bucket), await bucketFor(ctx, orgId, to.bucket)];
    const object = await requireObject(source, from.key);
    const mayReplace = allows(scopes, 'storage.delete');
    return toObjectResponse(bucket, await copy(ctx, object, { bucket, key: to.key, mayReplace }));
  },
});

/** POST /v1/objects/move: moves an object to another key or bucket. */
export const moveObject = defineAction({
  rest: 'POST /v1/objects/move',
  summary: 'Move an object',
  description:
    'Moves an object to another key or bucket. Needs `storage.delete` in addition. An object at the target is ' +
    'replaced; an object that is changed during the move is refused with `CONFLICT` and stays.',
  permission: 'storage.upload',
  tenant: 'required',
  input: { body: fromTo },
  output: objectOutput,
  errors: [...errors, 'PAYMENT_REQUIRED', 'STORE_FULL', 'PERMISSION_DENIED'],
  limits: { milliseconds },
  example,
  async handler({ body: { from, to }, caller, ctx }) {
    requirePermission(caller, 'storage.delete');
    const { orgId } = caller;
    const [source, bucket] = [await findBucket(orgId, from.bucket), await bucketFor(ctx, orgId, to.bucket)];
    const object = await requireObject(source, from.key);
    if (source._id === bucket._id && from.key === to.key) return toObjectResponse(bucket, object);
    requireAccepted(bucket, object.mimeType, object.size);
    if (await rename(ctx, source, object, { bucket, key: to.key }))
      return toObjectResponse(bucket, await requireObject(bucket, to.key));
    // An existing object at the target key is replaced in one write, so the bytes are copied.
    const moved = await copy(ctx, object, { bucket, key: to.key, mayReplace: true });
    await remove(ctx, source, from.key, { revision: object.revision });
    return toObjectResponse(bucket, moved);
  },
});

/** Renames an object; false if the key has an object. Throws CONFLICT if the object has changed concurrently. */
async function rename(
  ctx: Ctx,
  source: BucketDocument,
  object: ObjectDocument,
  { bucket, key }: Pick<Target, 'bucket' | 'key'>,
): Promise<boolean> {
  if (await findObject(bucket, key)) return false;
  try {
    const moved = { from: source._id, at: now() };
    if (!(await change(ctx, object, { bucketId: bucket._id, key, moved }))) throw apiError('CONFLICT');
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
  if (source._id === bucket._id) return true;
  await count(source, { objects: -1, bytes: -object.size });
  await count(bucket, { objects: 1, bytes: object.size });
  return true;
}

type Target = { bucket: BucketDocument; key: string; mayReplace: boolean };

async function copy(ctx: Ctx, object: ObjectDocument, target: Target): Promise<ObjectDocument> {
  const { bucket, key, mayReplace } = target;
  const { orgId } = bucket;
  const { mimeType, size, isPublic, metadata } = object;
  requireAccepted(bucket, mimeType, size);
  if (!mayReplace && (await findObject(bucket, key))) throw refusedReplacement();
  const objectId = newId('obj');
  const ended = new AbortController();
  const source = object.file === null ? Readable.from([]) : await openFile(object.file, ended.signal);
  const about = { declared: contentTypeOf(object), fileName: fileNameOf(key), check: () => undefined };
  try {
    return await receiveFile(ctx, { orgId, objectId, source, length: size, ...about }, (upload) =>
      publish(ctx, { ...upload, mimeType }, { bucket, key, objectId, isPublic, metadata, mayReplace }),
    );
  } finally {
    ended.abort();
  }
}

async function openFile(file: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
  const source = await objectStore().open(file, null, signal);
  if (!source) throw apiError('CONFLICT');
  return source;
}
