import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** In place of an instant, so that one index sorts all members. */
export const neverLoggedIn = new Date(0);

/**
 * A member in the directory of an organization, by which its users are sorted. A projection: the memberships are in
 * access, and readers omit an entry without one.
 */
export type DirectoryEntryDocument = {
  /** `<orgId>:<userId>`. */
  _id: string;
  orgId: string;
  userId: string;
  /** {@link neverLoggedIn} before the first login. */
  lastLoginAt: Date;
};

const schema = new Schema<DirectoryEntryDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    userId: { type: String, required: true },
    lastLoginAt: { type: Date, required: true },
  },
  { collection: 'identity_directory_entries', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, lastLoginAt: 1, userId: 1 });
// Finds a user's entries in all organizations, which every login and change of the user updates.
schema.index({ userId: 1, orgId: 1 });

export const DirectoryEntryModel = model('IdentityDirectoryEntry', schema);

export const directoryEntryId = (orgId: string, userId: string): string => `${orgId}:${userId}`;
