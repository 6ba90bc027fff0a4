import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The bytes of an organization's derivatives. Updated before a file is stored and after one is discarded. */
export type DerivativeUsageDocument = {
  /** The organization's id. */
  _id: string;
  orgId: string;
  bytes: number;
  /** When derivatives were last evicted to make room. */
  evictedAt: Date;
  /** When the derivatives were last counted. */
  countedAt: Date;
};

const schema = new Schema<DerivativeUsageDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    bytes: { type: Number, required: true },
    evictedAt: { type: Date, required: true },
    countedAt: { type: Date, required: true },
  },
  { collection: 'storage_derivative_usage', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ countedAt: 1, _id: 1 });

export const DerivativeUsageModel = model('StorageDerivativeUsage', schema);
