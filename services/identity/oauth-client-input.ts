import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type ConsoleOutput, consoleOutput } from '../../lib/clients/console-output.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { isScope, scopeFormat } from '../../lib/contract/permissions.ts';
import { openidScopes } from '../../lib/security/return-to.ts';
import { grantTypes, OAuthClientModel, tokenEndpointAuthMethods } from '../../models/identity/oauth-client.ts';
import { publishCredentialChange } from './current-rights.ts';
import { findLiveClient } from './oauth/clients.ts';
import { revokeGrants } from './oauth/grants.ts';

const maxLength = 2048;
const maxCount = 50;
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Addresses to which a browser may be sent back, kept as they are written because they are compared character by
 * character (RFC 9700, 2.1). Checks here need no knowledge of the client.
 */
export const redirectUris = z
  .array(z.string().max(maxLength, `Must be at most ${maxLength} characters.`).superRefine(refuseUnusable))
  .max(maxCount, `Must have at most ${maxCount} addresses.`)
  .transform((uris) => [...new Set(uris)]);

/** Whether an address has a private-use scheme (RFC 8252, 7.1), which only an app on a device can claim. */
export function isPrivateUse(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && !isWeb(url) && url.protocol.includes('.');
}

/** The distinct origins of the addresses; omits addresses without one. */
export function originsOf(uris: string[]): string[] {
  const urls = uris.map((uri) => new URL(uri)).filter(isWeb);
  return [...new Set(urls.map(({ origin }) => origin))];
}

function refuseUnusable(uri: string, ctx: z.RefinementCtx): void {
  const problem = problemOf(uri);
  if (problem) ctx.addIssue({ code: 'custom', message: problem });
}

function problemOf(uri: string): string | null {
  // Parsers disagree about spaces and control characters, backslashes, and letters beyond ASCII.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) return 'Must be ASCII: percent-encode other characters.';
  if (uri.includes('*')) return 'Must be a complete address: wildcards are not supported.';
  if (uri.includes('#')) return 'Must not have a fragment.';
  const url = URL.parse(uri);
  if (!url) return 'Must be an absolute address, such as https://app.example.com/callback.';
  return isWeb(url) ? problemOfWeb(uri, url) : problemOfScheme(url);
}

function problemOfWeb(uri: string, url: URL): string | null {
  // WHATWG reads `https:host` and `https:///host` as `https://host`; others do not.
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'Must be an absolute address, such as https://app.example.com/callback.';
  if (/^https?:\/\/[^/?]*@/i.test(uri)) return 'Must not have a user name or password.';
  if (url.protocol === 'https:' || loopbackHosts.has(url.hostname)) return null;
  return 'Must be https; http is only for localhost, 127.0.0.1 and [::1].';
}

function problemOfScheme({ protocol, username, password }: URL): string | null {
  if (!protocol.includes('.')) return "Must be https, or your app's scheme such as com.example.app:/callback.";
  return username || password ? 'Must not have a user name or password.' : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

const maxScopes = 50;

const scope = z
  .string()
  .refine(
    (text) => openidScopes.includes(text) || isScope(text),
    'Must be openid, profile, email, offline_access, or a permission key such as context.story.read.',
  )
  .meta(scopeFormat(openidScopes));

/** A whole OAuth client as its owner describes it. A conflict between fields is reported at the field to correct. */
export const oauthClientInput = z
  .strictObject({
    grantTypes: z.array(z.enum(grantTypes)).min(1, 'Must have at least one grant type.').transform(unique),
    redirectUris: redirectUris.default([]),
    postLogoutRedirectUris: redirectUris.default([]),
    scopes: z
      .array(scope)
      .min(1, 'Must have at least one scope.')
      .max(maxScopes, `Must have at most ${maxScopes} scopes.`)
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

const input = { body: z.strictObject({ clientId: z.string().min(1).max(256) }) };

/** `identity.console.first-party`, for the console: users no longer need to consent to this client. */
export const markFirstParty = defineAction({
  summary: 'Mark an OAuth client as first-party',
  permission: 'internal',
  input,
  output: consoleOutput,
  handler: ({ body: { clientId }, ctx }) => mark(ctx, clientId, true),
});

/**
 * `identity.console.third-party`, for the console: users must consent to this client again. Its grants are revoked,
 * because the users never consented.
 */
export const markThirdParty = defineAction({
  summary: 'Mark an OAuth client as third-party',
  permission: 'internal',
  input,
  output: consoleOutput,
  handler: ({ body: { clientId }, ctx }) => mark(ctx, clientId, false),
});

async function mark(ctx: Ctx, clientId: string, isFirstParty: boolean): Promise<ConsoleOutput> {
  const client = await findLiveClient(clientId);
  if (!client) return { lines: [`There is no OAuth client ${clientId}.`] };
  const { orgId, isFirstParty: before = false } = client;
  const name = `${clientId} ${JSON.stringify(client.applicationName)} of ${JSON.stringify(client.organizationName)}`;
  const kind = isFirstParty ? 'first-party' : 'third-party';
  if (before !== isFirstParty) {
    await OAuthClientModel.updateOne({ orgId, _id: clientId }, { $set: { isFirstParty } });
    await publishCredentialChange(ctx, { clientId });
    const target = { type: 'oauth-client', id: clientId };
    await recordAuditEvent(ctx, {
      action: 'oauth-client.updated',
      orgId,
      target,
      before: { isFirstParty: before },
      after: { isFirstParty },
    });
  }
  // Also when it was marked before: an earlier run may have crashed between the two.
  const revoked = isFirstParty ? 0 : await revokeGrants(ctx, { clientId });
  const effect = isFirstParty
    ? 'Users are not asked for consent.'
    : `Users are asked for consent. Grants revoked: ${revoked}.`;
  return { lines: [`${name} ${before === isFirstParty ? 'already was' : 'is now'} ${kind}. ${effect}`] };
}

/**
 * `identity.oauth.redirect-origins`, for services: the origins of the redirect URIs of an organization's OAuth clients.
 */
export const listRedirectOrigins = defineAction({
  summary: "List the origins of an organization's OAuth clients",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ origins: z.array(z.string()) }),
  handler: async ({ body: { orgId } }) => ({ origins: await OAuthClientModel.distinct('redirectOrigins', { orgId }) }),
});
