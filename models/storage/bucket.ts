import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** Objects below a prefix of keys are deleted `days` days after their upload. */
export type ExpiryRule = { prefix: string; days: number };

/** A bucket of an organization. Its counts are updated by each change of an object, and recounted daily. */
export type BucketDocument = {
  _id: string;
  orgId: string;
  /** Unique on the platform; the bucket's id once it is deleted. */
  name: string;
  /**
   * The number of the bucket among the buckets that the plan allows, so that concurrent nodes cannot exceed the limit;
   * the id once deleted.
   */
  place: string;
  isPublic: boolean;
  /** Media types such as `image/png` or `image/*`; null: all. */
  allowedMimeTypes: string[] | null;
  maxObjectBytes: number | null;
  cacheControl: string | null;
  /** Origins whose pages may read public objects; `*` for all. */
  corsOrigins: string[];
  expiry: ExpiryRule[];
  /** Whether there are rules, for the job that applies them. */
  hasExpiry: boolean;
  objectCount: number;
  usedBytes: number;
  /** Whether its counts changed since the last recount. */
  isChanged: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** When it was deleted; its objects are removed from then on. */
  deletedAt: Date | null;
  /** When the sweep checks an empty deleted bucket again; null while it has objects, and for any other. */
  sweepAt: Date | null;
};

const schema = new Schema<BucketDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    name: { type: String, required: true },
    place: { type: String, required: true },
    isPublic: { type: Boolean, required: true },
    allowedMimeTypes: { type: [String], default: null },
    maxObjectBytes: { type: Number, default: null },
    cacheControl: { type: String, default: null },
    corsOrigins: { type: [String], required: true },
    expiry: { type: [{ _id: false, prefix: String, days: Number }], default: [] },
    hasExpiry: { type: Boolean, default: false },
    objectCount: { type: Number, default: 0 },
    usedBytes: { type: Number, default: 0 },
    isChanged: { type: Boolean, default: false },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
    sweepAt: { type: Date, default: null },
  },
  { collection: 'storage_buckets', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, place: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, deletedAt: 1 });
schema.index({ name: 1 }, { unique: true });
schema.index({ sweepAt: 1, deletedAt: 1, _id: 1 });
schema.index({ sweepAt: 1, _id: 1 });
schema.index({ hasExpiry: 1, _id: 1 });
schema.index({ isChanged: 1, orgId: 1 });

export const BucketModel = model('StorageBucket', schema);
