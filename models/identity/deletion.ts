import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** A deletion that has begun and is not complete. It is work for whoever holds its lease; when done twice it is removed. */
export type DeletionDocument = {
  /** The id of what is deleted, so that it is deleted once. */
  _id: string;
  kind: 'organization' | 'application';
  orgId: string;
  /** The names of the steps that are done; the others may be repeated. */
  completedSteps: string[];
  /** All steps were done once, and are done again for what was on its way meanwhile. */
  isRepetition: boolean;
  leaseOwner: string;
  /** From then on whoever worked on it is taken for dead, and another goes on. */
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
// What is due, of every tenant.
schema.index({ leaseUntil: 1 });

export const DeletionModel = model('IdentityDeletion', schema);
