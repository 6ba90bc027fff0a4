import { z } from 'zod';
import { isScope, scopeFormat } from '../../lib/contract/permissions.ts';
import { openidScopes } from '../../lib/security/return-to.ts';
import { grantTypes, tokenEndpointAuthMethods } from '../../models/identity/oauth-client.ts';
import { isPrivateUse, redirectUris } from './redirect-uris.ts';

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
