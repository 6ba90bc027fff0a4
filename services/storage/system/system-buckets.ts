import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { objectKey } from '../content/object-key.ts';
import { systemBucketFor } from '../make-bucket.ts';
import { remove } from '../objects/change-object.ts';
import { systemBucketName, systemOwners } from '../system-names.ts';
import { signTransfer } from '../transfers/signed-transfer.ts';

/**
 * The private buckets in which services store files of an organization. Tenants can neither list nor address them;
 * bytes are transferred by signed URLs and count like those in any other bucket.
 */

const bucketInput = { orgId: z.string().regex(idPattern('org')), owner: z.enum(systemOwners) };
const maxKeys = 500;
const keys = z.array(objectKey).min(1).max(maxKeys);
const expiresIn = z.int().min(1).max(3600);

/** `storage.system.presign-upload`: signs a URL for the upload of one file of a service. */
export const presignSystemUpload = defineAction({
  summary: 'Sign an address for an upload to a bucket of a service',
  permission: 'internal',
  input: {
    body: z.strictObject({ ...bucketInput, key: objectKey, mimeType: z.string(), size: z.int().min(0), expiresIn }),
  },
  output: z.strictObject({
    uploadUrl: z.string(),
    headers: z.record(z.string(), z.string()),
    expiresAt: timestamp,
  }),
  async handler({ body: { orgId, owner, key, mimeType: type, size, expiresIn: seconds }, ctx }) {
    const { name: bucket } = await systemBucketFor(ctx, orgId, owner);
    const { url, expiresAt } = signTransfer({ method: 'PUT', orgId, bucket, key, type, size }, seconds);
    return { uploadUrl: url, headers: { 'Content-Type': type }, expiresAt: expiresAt.toISOString() };
  },
});

/** `storage.system.presign-download`: signs a URL that lets its bearer save a file of a service, until it expires. */
export const presignSystemDownload = defineAction({
  summary: 'Sign an address for a download from a bucket of a service',
  permission: 'internal',
  input: { body: z.strictObject({ ...bucketInput, key: objectKey, fileName: z.string(), expiresIn }) },
  output: z.strictObject({ url: z.string(), expiresAt: timestamp }),
  handler({ body: { orgId, owner, key, fileName: saveAs, expiresIn: seconds } }) {
    const bucket = systemBucketName(orgId, owner);
    const { url, expiresAt } = signTransfer({ method: 'GET', orgId, bucket, key, saveAs }, seconds);
    return { url, expiresAt: expiresAt.toISOString() };
  },
});

/** `storage.system.describe`: describes the existing ones of the files. */
export const describeSystemObjects = defineAction({
  summary: 'Describe files in a bucket of a service',
  permission: 'internal',
  input: { body: z.strictObject({ ...bucketInput, keys }) },
  output: z.strictObject({
    objects: z.array(z.strictObject({ key: z.string(), size: z.int(), mimeType: z.string() })),
  }),
  async handler({ body: { orgId, owner, keys: wanted } }) {
    const bucket = await findSystemBucket(orgId, owner);
    if (!bucket) return { objects: [] };
    const found = await ObjectModel.find({ orgId, bucketId: bucket._id, key: { $in: wanted } }).lean<
      ObjectDocument[]
    >();
    return { objects: found.map(({ key, size, mimeType }) => ({ key, size, mimeType })) };
  },
});

/** `storage.system.delete`: deletes files; skips missing ones. Repeatable. */
export const deleteSystemObjects = defineAction({
  summary: 'Delete files from a bucket of a service',
  permission: 'internal',
  input: { body: z.strictObject({ ...bucketInput, keys }) },
  output: z.void(),
  limits: { milliseconds: 60_000 },
  async handler({ body: { orgId, owner, keys: unwanted }, ctx }) {
    const bucket = await findSystemBucket(orgId, owner);
    if (!bucket) return;
    for (const key of unwanted) await remove(ctx, bucket, key);
  },
});

function findSystemBucket(orgId: string, owner: string): Promise<BucketDocument | null> {
  return BucketModel.findOne({ orgId, name: systemBucketName(orgId, owner), deletedAt: null })
    .lean<BucketDocument>()
    .exec();
}

export const systemBucketActions = {
  'system.presign-upload': presignSystemUpload,
  'system.presign-download': presignSystemDownload,
  'system.describe': describeSystemObjects,
  'system.delete': deleteSystemObjects,
};
