import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { startEmbeddedMongo } from '../../embedded/mongo/index.ts';
import { newId } from '../../lib/data/ids.ts';
import { newApiKeyToken } from '../../lib/security/api-key.ts';
import { databaseNameOf } from '../../lib/settings/mongo-url.ts';
import type { HeadDocument } from '../../models/access/head.ts';
import type { SnapshotDocument } from '../../models/access/snapshot.ts';
import type { ApiKeyDocument } from '../../models/identity/api-key.ts';
import type { ApplicationDocument } from '../../models/identity/application.ts';
import type { OrganizationDocument } from '../../models/identity/organization.ts';
import { serialise } from '../../services/access/store/snapshots.ts';
import { toApiKeyDocument } from '../../services/identity/new-api-key.ts';
import { graphOf } from './graph-engine.ts';
import type { OrganizationAccess } from './world.ts';

/** API key of an application of each organization, by organization id. */
export type ApiKeys = Map<string, string>;

/** Inserts organizations with their access into the embedded database of a platform that has not been started yet. */
export async function seedFolder(dataDir: string, world: OrganizationAccess[]): Promise<ApiKeys> {
  const embedded = await startEmbeddedMongo({ dir: join(dataDir, 'mongo') });
  const apiKeys = await seedDatabase(embedded.url, world);
  await embedded.close();
  return apiKeys;
}

/** Inserts organizations with their access, and an application each with a key that has these scopes. */
export async function seedDatabase(
  url: string,
  world: OrganizationAccess[],
  scopes: string[] = ['access.check'],
): Promise<ApiKeys> {
  const client = new mongoose.mongo.MongoClient(url);
  const database = client.db(databaseNameOf(url));
  const apiKeys: ApiKeys = new Map();
  for (const organization of world) {
    await storeAccess(database, organization);
    apiKeys.set(organization.orgId, await storeApplication(database, organization.orgId, scopes));
  }
  await client.close();
  return apiKeys;
}

/** Stores a snapshot, as the platform makes one of an access graph of this size. */
async function storeAccess(database: mongoose.mongo.Db, organization: OrganizationAccess): Promise<void> {
  const { orgId } = organization;
  const { revision, texts } = await serialise(graphOf(organization));
  const id = randomUUID();
  const at = new Date();
  for (const [part, data] of texts.entries()) {
    const document = { _id: `${orgId}:${id}:${part}`, orgId, snapshotId: id, part, revision, createdAt: at, data };
    await database.collection<SnapshotDocument>('access_snapshots').insertOne(document);
  }
  const snapshot = { id, revision, parts: texts.length, at };
  const head: HeadDocument = { _id: orgId, revision, changedAt: at, snapshot, closed: false };
  await database.collection<HeadDocument>('access_heads').insertOne(head);
}

async function storeApplication(database: mongoose.mongo.Db, orgId: string, scopes: string[]): Promise<string> {
  const applicationId = newId('app');
  const token = newApiKeyToken();
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const organization = { _id: orgId, slug: orgId.replace('_', '-'), name: 'Measured', status: 'active' as const };
  await database.collection<OrganizationDocument>('identity_organizations').insertOne({ ...organization, ...times });
  const application = {
    _id: applicationId,
    orgId,
    slug: applicationId.replace('_', '-'),
    name: 'Measured',
    description: '',
  };
  await database.collection<ApplicationDocument>('identity_applications').insertOne({ ...application, ...times });
  const key = { _id: newId('key'), orgId, applicationId, name: 'Measured', scopes, token };
  await database.collection<ApiKeyDocument>('identity_api_keys').insertOne(toApiKeyDocument(key));
  return token;
}
