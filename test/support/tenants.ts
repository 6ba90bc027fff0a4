import { randomUUID } from 'node:crypto';
import { now } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import { newApiKeyToken } from '../../lib/security/api-key.ts';
import type { PlanName } from '../../models/billing/sold-version.ts';
import type { ApiKeyDocument } from '../../models/identity/api-key.ts';
import type { ApplicationDocument } from '../../models/identity/application.ts';
import { toApiKeyDocument } from '../../services/identity/new-api-key.ts';
import { entranceOf, withDatabase } from './database.ts';
import { eventually } from './until.ts';
import { insertUser, sessionClientOf, type User } from './users.ts';

export * from './database.ts';

/** An organization of a test's own, with one application and one key of it that does not expire. */
export type Tenant = { orgId: string; applicationId: string; apiKey: string; keyId: string };

/** `plan`: one that is given to the organization; without it the organization is on `free`, as all are at first. */
export type TenantOptions = { scopes?: string[]; plan?: PlanName };

const founders = new Map<string, User>();

/**
 * Makes an organization through a platform that has started, as people do, and an application and a key straight in its
 * database. The database is the one that the URL names, else `platform`. The key holds `svc:admin` unless scopes are
 * given. The organization's founder is the first owner whom a test asks for.
 */
export async function createTenant(
  databaseUrl: string,
  { scopes = ['svc:admin'], plan }: TenantOptions = {},
): Promise<Tenant> {
  return await withDatabase(databaseUrl, async (database) => {
    const founder = await insertUser(databaseUrl);
    const orgId = await found(databaseUrl, founder);
    if (plan !== undefined) {
      // Loads the models, which few test files need.
      const { putOnPlan } = await import('./plans.ts');
      await putOnPlan(databaseUrl, orgId, plan);
    }
    founders.set(orgId, founder);
    const tenant = { orgId, applicationId: newId('app'), keyId: newId('key'), apiKey: newApiKeyToken() };
    const { applicationId, keyId, apiKey: token } = tenant;
    await database.collection<ApplicationDocument>('identity_applications').insertOne({
      _id: applicationId,
      orgId,
      slug: slugOf(applicationId),
      name: 'Application of a test',
      description: '',
      createdAt: now(),
      updatedAt: now(),
    });
    await database
      .collection<ApiKeyDocument>('identity_api_keys')
      .insertOne(toApiKeyDocument({ _id: keyId, orgId, applicationId, name: 'Key of a test', scopes, token }));
    return tenant;
  });
}

/** Changes a key past the platform, which cannot be asked for one that expired or was revoked long ago. */
export async function changeApiKey(databaseUrl: string, keyId: string, change: Partial<ApiKeyDocument>): Promise<void> {
  await withDatabase(databaseUrl, (database) =>
    database.collection<ApiKeyDocument>('identity_api_keys').updateOne({ _id: keyId }, { $set: change }),
  );
}

/** Has the operator trust an organization or not. */
export async function setTrust(databaseUrl: string, orgId: string, isTrusted: boolean): Promise<void> {
  await withDatabase(databaseUrl, (database) =>
    database.collection<{ _id: string }>('identity_organizations').updateOne({ _id: orgId }, { $set: { isTrusted } }),
  );
}

/** Who made an organization of {@link createTenant}, once: they are not handed out a second time. */
export function takeFounder(orgId: string): User | undefined {
  const founder = founders.get(orgId);
  founders.delete(orgId);
  return founder;
}

/** With a slug that its id tells, and with no more in its log than when nobody has done anything. */
async function found(databaseUrl: string, { sessionToken }: User): Promise<string> {
  const { url, publicUrl } = entranceOf(databaseUrl);
  const founder = sessionClientOf(url, sessionToken, publicUrl);
  const made = { name: 'Organization of a test', slug: slugOf(newId('org')) };
  const headers = { 'Idempotency-Key': randomUUID() };
  // The test before may have taken something from the platform that is not back yet.
  const { body } = await eventually(async () => {
    const answer = await founder.send<{ id: string }>('POST', '/organizations', made, headers);
    if (answer.status !== 201) throw new Error(`No organization could be made: ${answer.status} ${answer.text}`);
    return answer;
  });
  await withDatabase(databaseUrl, async (database) => {
    await database
      .collection<{ _id: string }>('identity_organizations')
      .updateOne({ _id: body.id }, { $set: { slug: slugOf(body.id) } });
    await database.collection('identity_audit_records').deleteMany({ orgId: body.id });
  });
  return body.id;
}

/** The slug of an organization of a test, which its id tells. */
export function slugOf(id: string): string {
  return id.replace('_', '-');
}
