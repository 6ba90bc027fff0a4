import { z } from 'zod';
import type { PublishContext } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import {
  grantTypes,
  type OAuthClientDocument,
  OAuthClientModel,
  tokenEndpointAuthMethods,
} from '../../models/identity/oauth-client.ts';
import { publishCredentialChange } from './current-rights.ts';
import { revokeGrants } from './oauth/grants.ts';

/**
 * An OAuth client in API responses, never with a secret. `previousSecretExpiresAt` is when the last of the replaced
 * secrets stops working; null when none of them works.
 */
export const oauthClientOutput = z
  .strictObject({
    clientId: z.string(),
    grantTypes: z.array(z.enum(grantTypes)),
    redirectUris: z.array(z.string()),
    postLogoutRedirectUris: z.array(z.string()),
    scopes: z.array(z.string()).describe('The scopes that the client may ask for.'),
    tokenEndpointAuthMethod: z.enum(tokenEndpointAuthMethods),
    previousSecretExpiresAt: timestamp
      .nullable()
      .describe('When the last of the replaced secrets stops working; null if none works.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'OAuthClient' });

export const exampleOAuthClient = {
  clientId: exampleId('cli'),
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://shop.acme-bikes.example/callback'],
  postLogoutRedirectUris: ['https://shop.acme-bikes.example/'],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  previousSecretExpiresAt: null,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof oauthClientOutput>;

export function toOAuthClientResponse(client: OAuthClientDocument): z.output<typeof oauthClientOutput> {
  return {
    clientId: client._id,
    grantTypes: client.grantTypes,
    redirectUris: client.redirectUris,
    postLogoutRedirectUris: client.postLogoutRedirectUris,
    scopes: client.scopes,
    tokenEndpointAuthMethod: client.tokenEndpointAuthMethod,
    previousSecretExpiresAt: lastExpiry(client)?.toISOString() ?? null,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}

function lastExpiry({ secrets }: OAuthClientDocument): Date | null {
  const ends = secrets.flatMap(({ expiresAt }) => (expiresAt && expiresAt > now() ? [expiresAt] : []));
  return ends.sort((one, other) => other.getTime() - one.getTime())[0] ?? null;
}

/** A client in the audit log. */
export function auditedFields(client: OAuthClientDocument): Record<string, unknown> {
  const { applicationId, grantTypes, redirectUris, postLogoutRedirectUris, scopes, tokenEndpointAuthMethod } = client;
  return { applicationId, grantTypes, redirectUris, postLogoutRedirectUris, scopes, tokenEndpointAuthMethod };
}

/** The client of an application; throws NOT_FOUND when it has none. */
export async function findClientOf(orgId: string, applicationId: string): Promise<OAuthClientDocument> {
  const client = await OAuthClientModel.findOne({ orgId, applicationId }).lean<OAuthClientDocument>();
  if (!client) throw apiError('NOT_FOUND', { message: 'The application has no OAuth client.' });
  return client;
}

/** Removes the OAuth clients that match, with everything that was granted to them; may be repeated. */
export async function removeOAuthClients(
  ctx: PublishContext,
  filter: { orgId: string; applicationId?: string },
): Promise<void> {
  const clients = await OAuthClientModel.find(filter, { _id: 1 }).lean();
  for (const { _id: clientId } of clients) {
    // Grants are revoked before, because after a crash the client could not be found; and after, for concurrent grants.
    await revokeGrants(ctx, { clientId });
    await OAuthClientModel.deleteOne({ orgId: filter.orgId, _id: clientId });
    await publishCredentialChange(ctx, { clientId });
    await revokeGrants(ctx, { clientId });
  }
}
