import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { announceBucket } from '../objects/public-objects.ts';
import { bucketChoices, bucketOutput, bucketPath, exampleBucket, findBucket, toBucketResponse } from './buckets.ts';
import { defined } from './create-bucket.ts';

/** PATCH /v1/buckets/:bucketName: changes the settings of a bucket. Existing objects stay. */
export const updateBucket = defineAction({
  rest: 'PATCH /v1/buckets/:bucketName',
  summary: 'Change a bucket',
  permission: 'storage.buckets.write',
  tenant: 'required',
  input: { path: bucketPath, body: z.strictObject(bucketChoices).partial() },
  output: bucketOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { bucketName: exampleBucket.name },
    body: { cacheControl: 'public, max-age=3600' },
    output: exampleBucket,
  },
  async handler({ path: { bucketName }, body: { public: isPublic, ...chosen }, caller: { orgId }, ctx }) {
    const before = await findBucket(orgId, bucketName);
    const rules = chosen.expiry && { hasExpiry: chosen.expiry.length > 0 };
    const changes = { ...defined({ ...chosen, isPublic }), ...rules };
    if (Object.keys(changes).length === 0) return toBucketResponse(before);
    const unchanged = { orgId, _id: before._id, deletedAt: null };
    await BucketModel.updateOne(unchanged, { $set: { ...changes, updatedAt: now() } });
    await announceBucket(ctx, { orgId, name: bucketName });
    await recordAuditEvent(ctx, {
      action: 'bucket.updated',
      orgId,
      target: { type: 'bucket', id: before._id },
      before: Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof BucketDocument]])),
      after: changes,
    });
    return toBucketResponse(await findBucket(orgId, bucketName));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.buckets.update': typeof updateBucket;
  }
}
