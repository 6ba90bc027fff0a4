import type { Context } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { normalizeEmail } from '../../../lib/email-address.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';
import { ApplicationModel } from '../../../models/identity/application.ts';
import { type FirstRunDocument, FirstRunModel } from '../../../models/identity/first-run.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { newUser } from '../accounts/new-user.ts';
import { toApiKeyDocument } from '../api-keys/api-keys.ts';

export const orgSlug = 'first';

// Every step may be repeated: it sets values from settings or secrets again, and keeps the rest as it was created.
const upsert = { upsert: true };

type Admin = { email: string; passwordHash: string };

/** The first user, who logs in with the email and password of the settings. */
export async function storeUser({ userId }: FirstRunDocument, admin: Admin): Promise<void> {
  const email = normalizeEmail(admin.email);
  const { passwordHash } = admin;
  const user = newUser({ userId, email, passwordHash });
  await insertOrElse(nativeCollection<UserDocument>(UserModel).insertOne(user), () =>
    UserModel.updateOne({ _id: userId }, { $set: { email, passwordHash, contacts: user.contacts } }),
  );
}

/** The first organization, which is the operator's own and so trusted. */
export async function storeOrganization({ orgId }: FirstRunDocument): Promise<void> {
  const organization = { slug: orgSlug, name: 'First organization', status: 'active', isTrusted: true, ...times() };
  await OrganizationModel.updateOne({ _id: orgId }, { $setOnInsert: organization }, upsert);
}

/**
 * Trusts the first organization of a database that is older than the trust of organizations, unless it was decided
 * since.
 */
export async function trustFirstOrganization(): Promise<void> {
  const firstRun = await FirstRunModel.findOne({}, { orgId: 1 }).lean();
  await OrganizationModel.updateOne(
    { _id: firstRun?.orgId, isTrusted: { $exists: false } },
    { $set: { isTrusted: true } },
  );
}

/** Makes the first user its owner. */
export async function initializeOrganization(
  ctx: Pick<Context, 'call'>,
  { orgId, userId }: FirstRunDocument,
): Promise<void> {
  await call(ctx, 'access.organizations.found', { body: { orgId, userId } });
}

/** The first application of that organization. */
export async function storeApplication({ orgId, applicationId }: FirstRunDocument): Promise<void> {
  const application = { slug: 'first-app', name: 'First application', description: '', ...times() };
  await ApplicationModel.updateOne({ orgId, _id: applicationId }, { $setOnInsert: application }, upsert);
}

/** Its API key, which may do everything. */
export async function storeApiKey({ keyId, orgId, applicationId }: FirstRunDocument, token: string): Promise<void> {
  const key = toApiKeyDocument({ _id: keyId, orgId, applicationId, name: 'First key', scopes: ['svc:admin'], token });
  await insertOrElse(nativeCollection<ApiKeyDocument>(ApiKeyModel).insertOne(key), () =>
    ApiKeyModel.updateOne({ orgId, _id: keyId }, { $set: { tokenHash: key.tokenHash } }),
  );
}

/** Inserted, not upserted: FerretDB leaves a null in `$setOnInsert` out. */
async function insertOrElse(inserting: Promise<unknown>, update: () => PromiseLike<unknown>): Promise<void> {
  try {
    await inserting;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await update();
  }
}

function times(): { createdAt: Date; updatedAt: Date } {
  const createdAt = now();
  return { createdAt, updatedAt: createdAt };
}
