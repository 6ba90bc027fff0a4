import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { audience } from '../../http/access-tokens.ts';
import { openidScopes, splitScope } from '../../lib/openid-scopes.ts';
import { type Client, registeredOf } from './clients.ts';
import { accessTokenSeconds } from './lifetimes.ts';

/**
 * The format and the scopes of access tokens. The provider calls this before it issues a token and before it asks the
 * user for consent. Scopes that the client is not registered for are rejected; the provider would drop them silently.
 *
 * @throws invalid_target for any other resource, invalid_scope.
 */
export function describeResource(ctx: KoaContextWithOIDC, resource: string, client: object) {
  if (resource !== audience) throw new errors.InvalidTarget(`resource must be ${audience}`);
  const registered = registeredOf(client);
  if (ctx.oidc.route === 'authorization') settleAuthorizationScopes(ctx, registered);
  if (isClientCredentials(ctx)) settleApplicationScopes(ctx, registered);
  return {
    audience,
    // The token includes the scopes of OpenID Connect, because they decide which fields `GET /identity/me` returns.
    scope: registered.scopes.join(' '),
    accessTokenFormat: 'jwt' as const,
    accessTokenTTL: accessTokenSeconds,
    jwt: { sign: { alg: 'RS256' as const } },
  };
}

function isClientCredentials({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.route === 'token' && oidc.params?.grant_type === 'client_credentials';
}

/**
 * Restores the requested scopes from the query, because the provider has dropped `offline_access` from a request
 * without `prompt=consent`. That prompt is not needed here: consent is requested for every scope that was not granted
 * before.
 */
function settleAuthorizationScopes(ctx: KoaContextWithOIDC, client: Client): void {
  const asked = splitScope(typeof ctx.query.scope === 'string' ? ctx.query.scope : '');
  if (asked.length === 0) throw new errors.InvalidScope('name the scopes you need', '');
  refuseUnregistered(asked, client.scopes);
  const keeps = (scope: string) => scope !== 'offline_access' || client.grantTypes.includes('refresh_token');
  setScope(ctx, asked.filter(keeps));
}

/** Grants an application without a user all API scopes of its client, unless it requests fewer. */
function settleApplicationScopes(ctx: KoaContextWithOIDC, client: Client): void {
  const allowed = client.scopes.filter((scope) => !openidScopes.includes(scope));
  const asked = splitScope(String(ctx.oidc.params?.scope ?? ''));
  refuseUnregistered(asked, allowed);
  setScope(ctx, asked.length > 0 ? asked : allowed);
}

function refuseUnregistered(asked: string[], allowed: string[]): void {
  const refused = asked.filter((scope) => !allowed.includes(scope));
  if (refused.length === 0) return;
  throw new errors.InvalidScope('the client is not registered for this scope', refused.join(' '));
}

function setScope({ oidc }: KoaContextWithOIDC, scopes: string[]): void {
  if (oidc.params) oidc.params.scope = scopes.join(' ');
}
