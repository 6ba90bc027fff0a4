import { join } from 'node:path';
import mongoose from 'mongoose';
import { findEmbeddedMongo } from '../../embedded/mongo/index.ts';
import { newApiKeyToken } from '../../lib/api-key.ts';
import { now } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { ApiKeyDocument } from '../../models/identity/api-key.ts';
import type { ApplicationDocument } from '../../models/identity/application.ts';
import type { OrganizationDocument } from '../../models/identity/organization.ts';
import { toApiKeyDocument } from '../../services/identity/api-keys/api-keys.ts';

/** An organization of a test's own, with one application and one key of it that does not expire. */
export type Tenant = { orgId: string; applicationId: string; apiKey: string; keyId: string };

/** The address of the database that a platform with this folder embeds; it must be running. */
export async function databaseUrlOf({ dataDir }: { dataDir: string }): Promise<string> {
  const url = await findEmbeddedMongo(join(dataDir, 'mongo'));
  if (!url) throw new Error(`No embedded database runs in ${dataDir}.`);
  return url;
}

/**
 * Makes an organization, an application and a key straight in the database of a platform that has started. The
 * database is the one that the URL names, else `platform`. The key holds `svc:admin` unless scopes are given.
 */
export async function createTenant(databaseUrl: string, { scopes = ['svc:admin'] } = {}): Promise<Tenant> {
  const tenant = { orgId: newId('org'), applicationId: newId('app'), keyId: newId('key'), apiKey: newApiKeyToken() };
  const { orgId, applicationId, keyId, apiKey: token } = tenant;
  const times = { createdAt: now(), updatedAt: now() };
  await withDatabase(databaseUrl, async (database) => {
    await database
      .collection<OrganizationDocument>('identity_organizations')
      .insertOne({ _id: orgId, slug: slugOf(orgId), name: 'Organization of a test', status: 'active', ...times });
    await database.collection<ApplicationDocument>('identity_applications').insertOne({
      _id: applicationId,
      orgId,
      slug: slugOf(applicationId),
      name: 'Application of a test',
      description: '',
      ...times,
    });
    await database
      .collection<ApiKeyDocument>('identity_api_keys')
      .insertOne(toApiKeyDocument({ _id: keyId, orgId, applicationId, name: 'Key of a test', scopes, token }));
  });
  return tenant;
}

/** Opens a connection for as long as the work takes. */
export async function withDatabase<T>(
  databaseUrl: string,
  work: (database: mongoose.mongo.Db) => Promise<T>,
): Promise<T> {
  const client = new mongoose.mongo.MongoClient(databaseUrl);
  try {
    const named = client.options.dbName;
    return await work(client.db(named === 'test' ? 'platform' : named));
  } finally {
    await client.close();
  }
}

/** A slug that nobody else has. */
function slugOf(id: string): string {
  return id.replace('_', '-');
}
