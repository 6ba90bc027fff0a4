import { z } from 'zod';
import type { PublishContext } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { isScope, scopeFormat } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { openidScopes } from '../../lib/security/oauth-scopes.ts';
import {
  grantTypes,
  type OAuthClientDocument,
  OAuthClientModel,
  tokenEndpointAuthMethods,
} from '../../models/identity/oauth-client.ts';
import { publishCredentialChange } from './current-rights.ts';
import { revokeGrants } from './oauth/grants.ts';
import { isPrivateUse, redirectUris } from './redirect-uris.ts';

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

const maxScopes = 50;

const scope = z
  .string()
  .refine(
    (text) => openidScopes.includes(text) || isScope(text),
    'Must be openid, profile, email, offline_access, or a permission key such as context.story.read.',
  )
  .meta(scopeFormat(openidScopes));

const fields = z.strictObject({
  grantTypes: z.array(z.enum(grantTypes)).min(1, 'Must have at least one grant type.').transform(unique),
  redirectUris: redirectUris.default([]),
  postLogoutRedirectUris: redirectUris.default([]),
  scopes: z
    .array(scope)
    .min(1, 'Must have at least one scope.')
    .max(maxScopes, `Must have at most ${maxScopes} scopes.`)
    .transform(unique)
    .describe(
      'The scopes that the client may ask for: `openid`, `profile`, `email`, `offline_access`, and permission keys.',
    ),
  tokenEndpointAuthMethod: z.enum(tokenEndpointAuthMethods).default('client_secret_basic'),
});

export type OAuthClientInput = z.output<typeof fields>;

/** A whole OAuth client as its owner describes it. A conflict between fields is reported at the field to correct. */
export const oauthClientInput = fields.superRefine(rejectContradictions).meta({ id: 'OAuthClientInput' });

function unique<T>(list: T[]): T[] {
  return [...new Set(list)];
}

function rejectContradictions(client: OAuthClientInput, ctx: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
  const isPublic = client.tokenEndpointAuthMethod === 'none';
  const uses = (type: (typeof grantTypes)[number]) => client.grantTypes.includes(type);
  if (uses('authorization_code') && client.redirectUris.length === 0) {
    refuse(['redirectUris'], 'Required for authorization_code: at least one address.');
  }
  if (uses('refresh_token') && !uses('authorization_code')) {
    refuse(['grantTypes'], 'Must include authorization_code, which refresh_token requires.');
  }
  if (isPublic && uses('client_credentials')) {
    refuse(['tokenEndpointAuthMethod'], 'A client without a secret cannot use client_credentials.');
  }
  if (isPublic) return;
  for (const field of ['redirectUris', 'postLogoutRedirectUris'] as const) {
    const index = client[field].findIndex(isPrivateUse);
    if (index >= 0) refuse([field, index], "Must be https: only a client without a secret can use an app's scheme.");
  }
}
