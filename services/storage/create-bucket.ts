import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requireActiveOrganization } from '../../lib/clients/organizations.ts';
import { limitsOf } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { defined } from '../../lib/contract/input.ts';
import { type BucketDocument, BucketModel } from '../../models/storage/bucket.ts';
import { bucketChoices, bucketOutput, exampleBucket, newBucketName, toBucketResponse } from './buckets.ts';
import { defaultChoices, makeBucket } from './make-bucket.ts';

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
