import type mongoose from 'mongoose';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

/** Works in the database of the shared platform. */
export async function inDatabase<T>(work: (database: mongoose.mongo.Db) => Promise<T>): Promise<T> {
  return withDatabase(await databaseUrlOf(await sharedPlatform()), work);
}

/** The user as they are stored; null when there is none. */
export function storedUser(userId: string): Promise<UserDocument | null> {
  return inDatabase((database) => database.collection<UserDocument>('identity_users').findOne({ _id: userId }));
}

/** What an organization's log holds of what a user did, the oldest first. */
export function actsOf(userId: string, orgId: string): Promise<AuditRecordDocument[]> {
  return inDatabase((database) =>
    database
      .collection<AuditRecordDocument>('identity_audit_records')
      .find({ orgId, 'actor.id': userId })
      .sort({ _id: 1 })
      .toArray(),
  );
}
