import { createHash, randomBytes } from 'node:crypto';
import { now } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import type { OAuthClientDocument } from '../../models/identity/oauth-client.ts';
import { originsOf } from '../../services/identity/redirect-uris.ts';
import { type Tenant, withDatabase } from './tenants.ts';

export type OAuthClient = { clientId: string; clientSecret: string };
type Registration = Partial<Omit<OAuthClientDocument, '_id' | 'orgId' | 'applicationId' | 'secrets'>>;

/** Registers an OAuth client for a tenant's application straight in the database. */
export async function createOAuthClient(
  databaseUrl: string,
  { orgId, applicationId }: Pick<Tenant, 'orgId' | 'applicationId'>,
  registration: Registration,
): Promise<OAuthClient> {
  const clientId = newId('cli');
  const clientSecret = randomBytes(30).toString('base64url');
  const redirectUris = registration.redirectUris ?? [];
  const isPublic = registration.tokenEndpointAuthMethod === 'none';
  const document: OAuthClientDocument = {
    _id: clientId,
    orgId,
    applicationId,
    grantTypes: ['authorization_code', 'refresh_token'],
    postLogoutRedirectUris: [],
    scopes: ['openid', 'profile', 'email'],
    tokenEndpointAuthMethod: 'client_secret_basic',
    ...registration,
    redirectUris,
    redirectOrigins: originsOf(redirectUris),
    secrets: isPublic ? [] : [{ hash: createHash('sha256').update(clientSecret).digest('hex'), expiresAt: null }],
    createdAt: now(),
    updatedAt: now(),
  };
  await withDatabase(databaseUrl, (database) =>
    database.collection<OAuthClientDocument>('identity_oauth_clients').insertOne(document),
  );
  return { clientId, clientSecret };
}
