import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A deletion in progress. The holder of its lease does the work; the record is removed after the second pass. */
export type DeletionDocument = {
  /** The id of the deleted resource, so that it has one deletion. */
  _id: string;
  kind: 'organization' | 'application';
  orgId: string;
  /** The names of the completed steps; the others may be repeated. */
  completedSteps: string[];
  /** The second pass: all steps are repeated for writes that were in flight during the first. */
  isRepetition: boolean;
  leaseOwner: string;
  /** When the lease expires and another node may continue. */
  leaseUntil: Date;
  createdAt: Date;
};

const schema = new Schema<DeletionDocument>(
  {
    _id: String,
    kind: { type: String, enum: ['organization', 'application'], required: true },
    orgId: { type: String, required: true },
    completedSteps: { type: [String], required: true },
    isRepetition: { type: Boolean, required: true },
    leaseOwner: { type: String, required: true },
    leaseUntil: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'identity_deletions', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
// Finds due deletions, across all tenants.
schema.index({ leaseUntil: 1, _id: 1 });

export const DeletionModel = model('IdentityDeletion', schema);
