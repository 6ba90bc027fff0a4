import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * The description of an organization's permission. It comes from the access log, which may be trimmed, and is stored
 * here for the list of permissions, so that access nodes need not keep it in memory.
 */
export type PermissionDescriptionDocument = {
  /** `<orgId>:<key>` */
  _id: string;
  orgId: string;
  key: string;
  description: string;
  /** The revision of the organization's access that described it; 0 where a snapshot of an earlier release did. */
  revision: number;
};

const schema = new Schema<PermissionDescriptionDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    key: { type: String, required: true },
    description: { type: String, default: '' },
    revision: { type: Number, required: true },
  },
  { collection: 'access_permission_descriptions', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, key: 1 }, { unique: true });

export const PermissionDescriptionModel = model('AccessPermissionDescription', schema);
