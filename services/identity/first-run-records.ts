import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import { normalizeEmail } from '../../lib/format/email-address.ts';
import { settings } from '../../lib/settings/settings.ts';
import { StartError } from '../../lib/settings/start-error.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../models/identity/api-key.ts';
import { ApplicationModel } from '../../models/identity/application.ts';
import { type FirstRunDocument, FirstRunModel } from '../../models/identity/first-run.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../models/identity/user.ts';
import { newUser } from './accounts/new-user.ts';
import { enterDirectory } from './directory/directory.ts';
import { toApiKeyDocument } from './new-api-key.ts';

/** The contents of first-run.json for the operator. */
export type FirstRunCredentials = {
  publicUrl: string;
  storageUrl: string;
  cdnUrl: string;
  adminEmail: string;
  adminPassword: string;
  orgId: string;
  orgSlug: string;
  applicationId: string;
  apiKey: string;
};

const file = join(settings.DATA_DIR, 'first-run.json');

/**
 * Writes `DATA_DIR/first-run.json`, whole or not at all, readable only by its owner. Gives its path.
 *
 * @throws StartError when the folder cannot be written; the next start tries again.
 */
export async function writeHandover(handover: FirstRunCredentials): Promise<string> {
  try {
    await mkdir(settings.DATA_DIR, { recursive: true, mode: 0o700 });
    await write(handover);
  } catch (error) {
    throw new StartError(`The first credentials cannot be written to ${file} (${error}). Make DATA_DIR writable.`);
  }
  return file;
}

/**
 * Removes the first user's password from the file of this node once they have another: a start would name one that no
 * longer works. Only a hint for people, so a file that is missing or cannot be written changes nothing.
 */
export async function forgetFirstPassword(email: string): Promise<void> {
  try {
    const { adminPassword, ...kept } = JSON.parse(await readFile(file, 'utf8')) as FirstRunCredentials;
    if (adminPassword !== undefined && normalizeEmail(kept.adminEmail) === email) await write(kept);
  } catch {
    // Deleted, as it should be.
  }
}

async function write(content: Partial<FirstRunCredentials>): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

/**
 * The first run for a person: what was created, where it is stored, and three calls to paste into a shell. In
 * production, where output is collected and read by others, only where it is stored.
 */
export function formatCredentials(handover: FirstRunCredentials, file: string): string {
  if (settings.production) {
    return `The platform is set up. The first user's password and API key are in ${file}, readable only by its owner.\n`;
  }
  const isGenerated = settings.ADMIN_PASSWORD === undefined;
  const password = isGenerated ? handover.adminPassword : 'the one in ADMIN_PASSWORD';
  return `
The platform is set up. These credentials are shown once and stored in ${file}

  User          ${handover.adminEmail}
  Password      ${password}
  Organization  ${handover.orgId}
  Application   ${handover.applicationId}
  API key       ${handover.apiKey}

Send an event, read the customer's story, and see the owner of the key:

${sendEvent(handover)}

${readStory(handover)}

${readMe(handover)}

`;
}

const customerId = 'customer-1';

function sendEvent(handover: FirstRunCredentials): string {
  const event = {
    schemaVersion: '1.0',
    tenantId: handover.orgId,
    eventId: randomUUID(),
    eventName: 'order.created',
    occurredAt: now().toISOString(),
    actor: { type: 'customer', id: customerId },
    source: { system: 'shop', channel: 'web' },
    payload: {
      orderId: 'order-1',
      totalAmount: '49.90',
      currency: 'EUR',
      items: [{ name: 'Blue mug', quantity: 2, unitPrice: '24.95' }],
      customer: { name: 'Ada Moreau', email: 'ada@example.com' },
    },
  };
  return `${curl(handover, '/events')} -H 'Content-Type: application/json' -d '${JSON.stringify(event)}'`;
}

const readStory = (handover: FirstRunCredentials): string => curl(handover, `/v1/story/customers/${customerId}`);
const readMe = (handover: FirstRunCredentials): string => curl(handover, '/identity/me');

function curl({ publicUrl, apiKey, orgId }: FirstRunCredentials, path: string): string {
  return `curl -sS -w '\\n' '${publicUrl}${path}' -H 'Authorization: Bearer ${apiKey}' -H 'x-tenant-id: ${orgId}'`;
}

export const orgSlug = 'first';

// Every step may be repeated: it sets values from settings or secrets again, and keeps the rest as it was created.
const upsert = { upsert: true };

type Admin = { email: string; passwordHash: string };

/** The first user, who operates the platform and logs in with the email and password of the settings. */
export async function storeUser({ userId, orgId }: FirstRunDocument, admin: Admin): Promise<void> {
  const email = normalizeEmail(admin.email);
  const { passwordHash } = admin;
  const user = { ...newUser({ userId, email, passwordHash }), isOperator: true };
  await insertOrElse(nativeCollection<UserDocument>(UserModel).insertOne(user), () =>
    UserModel.updateOne({ _id: userId }, { $set: { email, passwordHash, contacts: user.contacts } }),
  );
  // Here and not with the organization, which is stored first: the directory has no entry of a user who is not stored.
  await enterDirectory(orgId, userId);
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

/**
 * Makes the first user an operator in a database that is older than this role, unless they were given or lost it since.
 */
export async function promoteFirstUser(): Promise<void> {
  const firstRun = await FirstRunModel.findOne({}, { userId: 1 }).lean();
  if (!firstRun) return;
  await UserModel.updateOne({ _id: firstRun.userId, isOperator: { $exists: false } }, { $set: { isOperator: true } });
}

/** Makes the first user its owner. */
export async function initializeOrganization(ctx: CallContext, { orgId, userId }: FirstRunDocument): Promise<void> {
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
