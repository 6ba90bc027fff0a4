import { z } from 'zod';
import { openidScopes } from '../../../lib/openid-scopes.ts';
import { isScope, scopeFormat } from '../../../lib/permissions.ts';
import { grantTypes, tokenEndpointAuthMethods } from '../../../models/identity/oauth-client.ts';
import { isPrivateUse, redirectUris } from './redirect-uris.ts';

const maxScopes = 50;

const scope = z
  .string()
  .refine(
    (text) => openidScopes.includes(text) || isScope(text),
    'Send openid, profile, email, offline_access, or a permission key such as context.story.read.',
  )
  .meta(scopeFormat(openidScopes));

/** A whole OAuth client as its owner describes it. A conflict between fields is reported at the field to correct. */
export const oauthClientInput = z
  .strictObject({
    grantTypes: z.array(z.enum(grantTypes)).min(1, 'Send at least one grant type.').transform(unique),
    redirectUris: redirectUris.default([]),
    postLogoutRedirectUris: redirectUris.default([]),
    scopes: z
      .array(scope)
      .min(1, 'Send at least one scope.')
      .max(maxScopes, `Send at most ${maxScopes} scopes.`)
      .transform(unique),
    tokenEndpointAuthMethod: z.enum(tokenEndpointAuthMethods).default('client_secret_basic'),
  })
  .superRefine(refuseContradictions);

export type OAuthClientInput = z.output<typeof oauthClientInput>;

function unique<T>(list: T[]): T[] {
  return [...new Set(list)];
}

function refuseContradictions(client: OAuthClientInput, ctx: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
  const isPublic = client.tokenEndpointAuthMethod === 'none';
  const uses = (type: (typeof grantTypes)[number]) => client.grantTypes.includes(type);
  if (uses('authorization_code') && client.redirectUris.length === 0) {
    refuse(['redirectUris'], 'Send at least one address: authorization_code returns to it.');
  }
  if (uses('refresh_token') && !uses('authorization_code')) {
    refuse(['grantTypes'], 'Send authorization_code with refresh_token: only that makes refresh tokens.');
  }
  if (isPublic && uses('client_credentials')) {
    refuse(['tokenEndpointAuthMethod'], 'A client without a secret cannot use client_credentials.');
  }
  if (isPublic) return;
  for (const field of ['redirectUris', 'postLogoutRedirectUris'] as const) {
    const place = client[field].findIndex(isPrivateUse);
    if (place >= 0) refuse([field, place], 'Send https; a scheme of an app is for clients without a secret.');
  }
}
