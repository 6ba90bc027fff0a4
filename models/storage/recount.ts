import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A recount of an organization's stored bytes. While it runs, no previous version is removed that it has to count. */
export type RecountDocument = {
  /** The organization's id. */
  _id: string;
  orgId: string;
  /** After this the counting process is considered dead. */
  leaseUntil: Date;
};

const schema = new Schema<RecountDocument>(
  { _id: String, orgId: { type: String, required: true }, leaseUntil: { type: Date, required: true } },
  { collection: 'storage_recounts', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ leaseUntil: 1 });

export const RecountModel = model('StorageRecount', schema);
