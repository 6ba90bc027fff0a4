import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A text by which a member of an organization is found: see `services/identity/directory/search-keys.ts`. */
export type DirectoryKeyDocument = {
  /** `<orgId>:<userId>:<key>`. */
  _id: string;
  orgId: string;
  userId: string;
  key: string;
  /** The newest revision of the user that is known to have the key. */
  revision: number;
};

const schema = new Schema<DirectoryKeyDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    userId: { type: String, required: true },
    key: { type: String, required: true },
    revision: { type: Number, required: true },
  },
  { collection: 'identity_directory_keys', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, key: 1, userId: 1 });
// Finds the keys that a user no longer has, in one organization or in all.
schema.index({ userId: 1, orgId: 1 });

export const DirectoryKeyModel = model('IdentityDirectoryKey', schema);
