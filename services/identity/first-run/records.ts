import { now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';
import { ApplicationModel } from '../../../models/identity/application.ts';
import type { FirstRunDocument } from '../../../models/identity/first-run.ts';
import { MembershipModel, membershipId } from '../../../models/identity/membership.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { UserModel } from '../../../models/identity/user.ts';
import { toApiKeyDocument } from '../api-keys.ts';
import { normalizeEmail } from '../email.ts';
import { hashPassword } from '../password.ts';

export const orgSlug = 'first';

type Credentials = { adminEmail: string; adminPassword: string; apiKey: string };

/**
 * Makes the first user, the organization they own, its application and API key. Every step may be repeated; what
 * settings or secrets decide is then set anew, and the rest stays as it was made.
 */
export async function storeRecords(run: FirstRunDocument, credentials: Credentials): Promise<void> {
  await storeUser(run, credentials);
  await storeOrganization(run);
  await storeApiKey(run, credentials.apiKey);
}

const upsert = { upsert: true };

async function storeUser({ userId }: FirstRunDocument, { adminEmail, adminPassword }: Credentials): Promise<void> {
  const email = normalizeEmail(adminEmail);
  const passwordHash = await hashPassword(adminPassword);
  await UserModel.updateOne({ _id: userId }, { $set: { email, passwordHash }, $setOnInsert: times() }, upsert);
}

async function storeOrganization({ userId, orgId, applicationId }: FirstRunDocument): Promise<void> {
  const organization = { slug: orgSlug, name: 'First organization', ...times() };
  await OrganizationModel.updateOne({ _id: orgId }, { $setOnInsert: organization }, upsert);
  const membership = { userId, role: 'owner', ...times() } as const;
  await MembershipModel.updateOne({ orgId, _id: membershipId(orgId, userId) }, { $setOnInsert: membership }, upsert);
  const application = { slug: 'first-app', name: 'First application', description: '', ...times() };
  await ApplicationModel.updateOne({ orgId, _id: applicationId }, { $setOnInsert: application }, upsert);
}

/** Inserted, not upserted: FerretDB leaves a null in `$setOnInsert` out. */
async function storeApiKey({ keyId, orgId, applicationId }: FirstRunDocument, token: string): Promise<void> {
  const key = toApiKeyDocument({ _id: keyId, orgId, applicationId, name: 'First key', scopes: ['svc:admin'], token });
  try {
    await nativeCollection<ApiKeyDocument>(ApiKeyModel).insertOne(key);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await ApiKeyModel.updateOne({ orgId, _id: keyId }, { $set: { tokenHash: key.tokenHash } });
  }
}

function times(): { createdAt: Date; updatedAt: Date } {
  const createdAt = now();
  return { createdAt, updatedAt: createdAt };
}
