import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requireActiveOrganization } from '../../lib/clients/organizations.ts';
import { limitsOf } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { defined, pageOf, pageQuery, toPage } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { type BucketDocument, BucketModel } from '../../models/storage/bucket.ts';
import {
  bucketChoices,
  bucketOutput,
  bucketPath,
  exampleBucket,
  findBucket,
  findBucketsPage,
  newBucketName,
  toBucketResponse,
} from './buckets.ts';
import { emptyBucket } from './cleanup.ts';
import { defaultChoices, makeBucket } from './make-bucket.ts';
import { announceBucket } from './objects/public-objects.ts';

/**
 * POST /v1/buckets: creates a bucket. Its name is unique on the whole platform and stays reserved for the organization.
 */
export const createBucket = defineAction({
  rest: 'POST /v1/buckets',
  summary: 'Create a bucket',
  description:
    'Creates a bucket. Its name is unique on the whole platform, and stays reserved for the organization after the ' +
    'bucket is deleted. A name that another organization has is refused with `BUCKET_NAME_TAKEN`, a bucket beyond ' +
    'the plan with `PLAN_LIMIT_EXCEEDED`.',
  permission: 'storage.buckets.write',
  tenant: 'required',
  input: {
    body: z
      .strictObject({ name: newBucketName, ...z.object(bucketChoices).partial().shape })
      .meta({ id: 'BucketInput' }),
  },
  output: bucketOutput,
  status: 201,
  errors: ['BUCKET_NAME_TAKEN', 'PLAN_LIMIT_EXCEEDED'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const made = { orgId, _id: operation.newId('bkt') };
      const bucket = await BucketModel.findOne(made).lean<BucketDocument>();
      return bucket && (await complete(ctx, operation, bucket));
    },
  },
  example: {
    body: { name: exampleBucket.name, public: true, allowedMimeTypes: ['image/*', 'application/pdf'] },
    output: { ...exampleBucket, objectCount: 0, usedBytes: 0 },
  },
  async handler({ body: { name, public: isPublic, ...chosen }, caller: { orgId }, operation, ctx }) {
    const choices = { ...defaultChoices, ...defined({ ...chosen, isPublic }) };
    const id = operation.newId('bkt');
    const bucket = await makeBucket({ orgId, id, name }, choices, await limitsOf(ctx, orgId));
    return await complete(ctx, operation, bucket);
  },
});

/** Completes the operation after the insert. Idempotent. */
async function complete(
  ctx: Ctx,
  operation: Operation,
  bucket: BucketDocument,
): Promise<z.output<typeof bucketOutput>> {
  const { _id, orgId, name, isPublic } = bucket;
  await requireActiveOrganization(ctx, orgId, () => BucketModel.deleteOne({ orgId, _id }));
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'bucket.created',
    orgId,
    target: { type: 'bucket', id: _id },
    after: { name, public: isPublic },
  });
  return toBucketResponse(bucket);
}

/**
 * DELETE /v1/buckets/:bucketName: deletes a bucket and its objects. They are unreadable once this responds; the sweep
 * deletes the objects of large buckets, and completes deletions after a crash.
 */
export const deleteBucket = defineAction({
  rest: 'DELETE /v1/buckets/:bucketName',
  summary: 'Delete a bucket with its objects',
  description:
    'Deletes a bucket with everything in it. Its objects cannot be read once this is answered; the bytes of a ' +
    'large bucket are removed afterwards. The name stays reserved for the organization. This cannot be undone.',
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

/** GET /v1/buckets: the organization's buckets, in order of creation. */
export const listBuckets = defineAction({
  rest: 'GET /v1/buckets',
  summary: "List the organization's buckets",
  description:
    "Returns the organization's buckets in the order of their creation, with the number and the bytes of their " +
    'objects.',
  permission: 'storage.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(bucketOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleBucket], nextCursor: null } },
  async handler({ query, caller: { orgId } }) {
    return toPage(await findBucketsPage(orgId, query), query.limit, ({ _id }) => [_id], toBucketResponse);
  },
});

/** GET /v1/buckets/:bucketName: one bucket. */
export const readBucket = defineAction({
  rest: 'GET /v1/buckets/:bucketName',
  summary: 'Read a bucket',
  description: 'Returns the settings of a bucket, and the number and the bytes of its objects.',
  permission: 'storage.read',
  tenant: 'required',
  input: { path: bucketPath },
  output: bucketOutput,
  errors: ['NOT_FOUND'],
  example: { path: { bucketName: exampleBucket.name }, output: exampleBucket },
  handler: async ({ path: { bucketName }, caller: { orgId } }) => toBucketResponse(await findBucket(orgId, bucketName)),
});

/** PATCH /v1/buckets/:bucketName: changes the settings of a bucket. Existing objects stay. */
export const updateBucket = defineAction({
  rest: 'PATCH /v1/buckets/:bucketName',
  summary: 'Change a bucket',
  description:
    'Changes the settings that the body names. New rules for types and sizes apply to later uploads; existing ' +
    'objects stay. A body without fields changes nothing.',
  permission: 'storage.buckets.write',
  tenant: 'required',
  input: { path: bucketPath, body: z.strictObject(bucketChoices).partial().meta({ id: 'BucketUpdateInput' }) },
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
