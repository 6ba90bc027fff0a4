import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** Replaces the id of an erased organization. Its names stay reserved, because links to them may still exist. */
export const erasedOwner = 'erased';

/** The organization that a bucket's name is reserved for, also after the bucket is deleted. `_id` is the name. */
export type BucketNameDocument = { _id: string; orgId: string };

const schema = new Schema<BucketNameDocument>(
  { _id: String, orgId: { type: String, required: true } },
  { collection: 'storage_bucket_names', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });

export const BucketNameModel = model('StorageBucketName', schema);
