import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A program of a tenant: API keys and OAuth clients belong to one. */
export type ApplicationDocument = {
  _id: string;
  orgId: string;
  /** Unique on the whole platform, not only in the organization, and immutable. */
  slug: string;
  name: string;
  description: string;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<ApplicationDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_applications', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
// Makes a slug unique on the whole platform.
schema.index({ slug: 1 }, { unique: true });

export const ApplicationModel = model('IdentityApplication', schema);
