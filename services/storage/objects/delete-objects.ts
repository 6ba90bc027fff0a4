import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { mebibyte } from '../../../lib/bytes.ts';
import { concurrently } from '../../../lib/concurrently.ts';
import { apiError, errorCode } from '../../../lib/errors.ts';
import { findBucket } from '../buckets/buckets.ts';
import { objectKey } from '../content/object-key.ts';
import { remove } from './change-object.ts';
import { exampleObject, objectPath, requireObject } from './objects.ts';
import { preconditionHeaders } from './preconditions.ts';

const maxKeys = 1000;
/** A key has at most 1,024 bytes, which JSON may encode in six times as many. */
const maxBodyBytes = 8 * mebibyte;
const removalBatchSize = 8;

/** DELETE /v1/objects/:bucket/*key: deletes an object. */
export const deleteObject = defineAction({
  rest: 'DELETE /v1/objects/:bucket/*key',
  summary: 'Delete an object',
  permission: 'storage.delete',
  tenant: 'required',
  input: { path: objectPath, headers: preconditionHeaders },
  output: z.void(),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    headers: { 'if-match': `"${exampleObject.sha256}"` },
  },
  async handler({ path: { bucket: name, key }, headers: preconditions, caller: { orgId }, ctx }) {
    const bucket = await findBucket(orgId, name);
    await requireObject(bucket, key);
    if (!(await remove(ctx, bucket, key, { preconditions }))) throw apiError('NOT_FOUND');
  },
});

const outcome = z.strictObject({
  key: z.string(),
  deleted: z.boolean(),
  /** The error code if it was not deleted. */
  error: z.string().optional(),
});

/** POST /v1/objects/delete: deletes up to 1,000 objects of a bucket, each independently. */
export const deleteObjects = defineAction({
  rest: 'POST /v1/objects/delete',
  summary: 'Delete several objects',
  permission: 'storage.delete',
  tenant: 'required',
  input: {
    body: z.strictObject({
      bucket: z.string(),
      keys: z.array(objectKey).min(1, 'Must have at least one key.').max(maxKeys, `Must have at most ${maxKeys} keys.`),
    }),
  },
  output: z.strictObject({ data: z.array(outcome) }),
  errors: ['NOT_FOUND'],
  limits: { bodyBytes: maxBodyBytes, milliseconds: 60_000 },
  example: {
    body: { bucket: exampleObject.bucket, keys: [exampleObject.key, 'tmp/none.txt'] },
    output: {
      data: [
        { key: exampleObject.key, deleted: true },
        { key: 'tmp/none.txt', deleted: false, error: 'NOT_FOUND' },
      ],
    },
  },
  async handler({ body: { bucket: name, keys }, caller: { orgId }, ctx }) {
    const bucket = await findBucket(orgId, name);
    const outcomes = new Map<string, z.output<typeof outcome>>();
    await concurrently([...new Set(keys)], removalBatchSize, async (key) => {
      outcomes.set(
        key,
        await remove(ctx, bucket, key).then(
          (deleted) => (deleted ? { key, deleted } : { key, deleted, error: 'NOT_FOUND' }),
          (error) => ({ key, deleted: false, error: errorCode(error) ?? 'UNAVAILABLE' }),
        ),
      );
    });
    return { data: [...outcomes.values()] };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.delete': typeof deleteObject;
    'storage.objects.delete-many': typeof deleteObjects;
  }
}
