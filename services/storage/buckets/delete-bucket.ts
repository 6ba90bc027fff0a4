import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { BucketModel } from '../../../models/storage/bucket.ts';
import { emptyBucket } from '../cleanup/empty-bucket.ts';
import { announceBucket } from '../objects/public-objects.ts';
import { bucketPath, exampleBucket, findBucket } from './buckets.ts';

/**
 * DELETE /v1/buckets/:bucketName: deletes a bucket and its objects. They are unreadable once this responds; the sweep
 * deletes the objects of large buckets, and completes deletions after a crash.
 */
export const deleteBucket = defineAction({
  rest: 'DELETE /v1/buckets/:bucketName',
  summary: 'Delete a bucket with its objects',
  permission: 'storage.buckets.write',
  tenant: 'required',
  input: { path: bucketPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { bucketName: exampleBucket.name } },
  async handler({ path: { bucketName }, caller: { orgId }, ctx }) {
    const { _id, name, isPublic, objectCount, usedBytes } = await findBucket(orgId, bucketName);
    const deletedAt = now();
    const { modifiedCount } = await BucketModel.updateOne(
      { orgId, _id, deletedAt: null },
      { $set: { deletedAt, updatedAt: deletedAt, name: _id, place: _id, hasExpiry: false } },
    );
    // A concurrent request is already deleting it.
    if (modifiedCount === 0) return;
    await announceBucket(ctx, { orgId, name });
    await recordAuditEvent(ctx, {
      action: 'bucket.deleted',
      orgId,
      target: { type: 'bucket', id: _id },
      before: { name, public: isPublic, objectCount, usedBytes },
    });
    await emptyBucket(ctx, { orgId, _id, deletedAt }, 500);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.buckets.delete': typeof deleteBucket;
  }
}
