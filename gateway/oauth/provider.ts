import type { JWK } from 'jose';
import type { Logger } from 'moleculer';
import { type Configuration, errors, type JWKS, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { audience, issuer } from '../../http/access-tokens.ts';
import { call } from '../../lib/contract/context.ts';
import { now } from '../../lib/data/clock.ts';
import { keyFor } from '../../lib/security/encryption.ts';
import { openidScopes, splitScope } from '../../lib/security/oauth-scopes.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { claimsOfScope } from './claims.ts';
import { type Client, type Clients, extraMetadata, registeredOf } from './clients.ts';
import { loadGrant } from './interaction.ts';
import { loggedOutPage, logoutPage, renderError } from './pages.ts';
import { checkMaxAge, promptPolicy, prompts } from './prompts.ts';
import { currentExchange } from './request.ts';
import { adaptModels, createAdapterFactory } from './storage.ts';
import { watch } from './watch.ts';

/**
 * The claims of an ID token in addition to userinfo, for clients that read nothing else. The others, such as the birth
 * date, are available from userinfo only: ID tokens appear in URLs (`id_token_hint`) and are kept in logs and sessions.
 */
const claimsOfIdToken = ['name', 'picture', 'email', 'email_verified'];

/** The user's claims that an ID token may have. The provider omits claims whose scope was not granted. */
export function idTokenClaims(claims: Readonly<Record<string, string | number | boolean>>) {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => claimsOfIdToken.includes(name)));
}

const hour = 3600;
const day = 24 * hour;

/** The lifetime of access tokens and ID tokens, in seconds. */
export const accessTokenSeconds = hour;
export const codeSeconds = 60;
/** The timeout of an authorization in seconds, with the login and the consent. */
export const interactionSeconds = hour / 2;
/** The idle and the absolute lifetime of refresh tokens; the latter counts from the consent. */
export const refreshIdleSeconds = 30 * day;
const refreshAbsoluteSeconds = 90 * day;
/** The allowance for clock skew. */
const leeway = 300;

/** The lifetime of a refresh token in seconds, given when the first of its chain was issued, in seconds since 1970. */
export function refreshSeconds(issuedFirstAt: number | undefined): number {
  const instant = Math.floor(now().getTime() / 1000);
  const remaining = (issuedFirstAt ?? instant) + refreshAbsoluteSeconds - instant;
  return Math.max(1, Math.min(refreshIdleSeconds, remaining));
}

/** The lifetime of a grant of these scopes in seconds: as long as tokens can be issued under it or are valid. */
export function grantSeconds(scope: string): number {
  const longest = splitScope(scope).includes('offline_access') ? refreshAbsoluteSeconds : codeSeconds;
  return longest + accessTokenSeconds + leeway;
}

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
  const requested = splitScope(typeof ctx.query.scope === 'string' ? ctx.query.scope : '');
  if (requested.length === 0) throw new errors.InvalidScope('name the scopes you need', '');
  rejectUnregistered(requested, client.scopes);
  const keeps = (scope: string) => scope !== 'offline_access' || client.grantTypes.includes('refresh_token');
  setScope(ctx, requested.filter(keeps));
}

/** Grants an application without a user all API scopes of its client, unless it requests fewer. */
function settleApplicationScopes(ctx: KoaContextWithOIDC, client: Client): void {
  const allowed = client.scopes.filter((scope) => !openidScopes.includes(scope));
  const requested = splitScope(String(ctx.oidc.params?.scope ?? ''));
  rejectUnregistered(requested, allowed);
  setScope(ctx, requested.length > 0 ? requested : allowed);
}

function rejectUnregistered(requested: string[], allowed: string[]): void {
  const refused = requested.filter((scope) => !allowed.includes(scope));
  if (refused.length === 0) return;
  throw new errors.InvalidScope('the client is not registered for this scope', refused.join(' '));
}

function setScope({ oidc }: KoaContextWithOIDC, scopes: string[]): void {
  if (oidc.params) oidc.params.scope = scopes.join(' ');
}

const { pathname: mountPath } = new URL(issuer);

/** The configuration of the OpenID provider. The signing key is the first of the keys. */
export function configurationOf(jwks: JWKS, clients: Clients): Configuration {
  return {
    adapter: createAdapterFactory(clients),
    jwks,
    scopes: [...openidScopes],
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraParams: { max_age: checkMaxAge },
    extraClientMetadata: { properties: [extraMetadata] },
    claims: { ...claimsOfScope, openid: ['sub', 'auth_time'] },
    features: {
      devInteractions: { enabled: false },
      // Access tokens are JWTs, which the provider's endpoint rejects. The platform's endpoint replaces it.
      userinfo: { enabled: false },
      clientCredentials: { enabled: true },
      // The APIs check no proof of possession, so a token bound to a key would be no safer.
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: describeResource,
      },
      rpInitiatedLogout: { enabled: true, logoutSource: logoutPage, postLogoutSuccessSource: loggedOutPage },
    },
    // An intercepted code is worthless when the client must prove that it began the flow (RFC 7636).
    pkce: { required: (_ctx, client) => client.tokenEndpointAuthMethod === 'none' },
    clientBasedCORS: (_ctx, origin, client) => registeredOf(client).redirectOrigins.includes(origin),
    discovery: discoveryExtras,
    routes: { jwks: '/.well-known/jwks.json' },
    cookies: cookies(),
    ttl,
    formats: { bitsOfOpaqueRandomness: 256 },
    // Grants end with the platform's session, which the provider does not know.
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    loadExistingGrant: loadGrant,
    extraTokenClaims: (_ctx, token) => ownClaims(token as never),
    findAccount,
    interactions: { policy: promptPolicy(), url: (_ctx, { uid }) => `${issuer}/interaction/${uid}` },
    renderError: renderError,
  };
}

const clientAuthMethods = ['client_secret_basic', 'client_secret_post'];

const discoveryExtras = {
  // OpenID Connect Prompt Create 1.0 section 4.2 defines it.
  prompt_values_supported: prompts,
  userinfo_endpoint: `${issuer}/userinfo`,
  introspection_endpoint: `${issuer}/introspect`,
  introspection_endpoint_auth_methods_supported: clientAuthMethods,
  revocation_endpoint: `${issuer}/revoke`,
  revocation_endpoint_auth_methods_supported: [...clientAuthMethods, 'none'],
};

/** Created lazily, because the platform's secret key must be read first. */
const cookies = (): Configuration['cookies'] => ({
  keys: [keyFor('oauth.cookies').export().toString('base64url')],
  names: { session: 'platform_oauth', interaction: 'platform_interaction', resume: 'platform_resume' },
  long: { path: mountPath, httpOnly: true, sameSite: 'lax', signed: true },
  short: { httpOnly: true, sameSite: 'lax', signed: true },
});

const ttl: Configuration['ttl'] = {
  AccessToken: accessTokenSeconds,
  AuthorizationCode: codeSeconds,
  ClientCredentials: accessTokenSeconds,
  Grant: (_ctx, grant) => grantSeconds((grant as unknown as { getOIDCScope: () => string }).getOIDCScope()),
  IdToken: accessTokenSeconds,
  Interaction: interactionSeconds,
  RefreshToken: (_ctx, token) => refreshSeconds((token as { iiat?: number }).iiat),
  Session: refreshIdleSeconds,
};

type Issued = { grantId?: string; client?: object };

/** The platform's additional claims of access tokens: the organization, and the hash of the grant. */
function ownClaims({ grantId, client }: Issued): Record<string, string> {
  return {
    ...(client && { org: registeredOf(client).orgId }),
    ...(grantId !== undefined && { grant: hashToken(grantId) }),
  };
}

async function findAccount(_ctx: KoaContextWithOIDC, userId: string) {
  const { claims } = await call(currentExchange().ctx, 'identity.oauth.claims.read', { body: { userId } });
  if (!claims) return undefined;
  return { accountId: userId, claims: () => ({ sub: userId, ...idTokenClaims(claims) }) };
}

/** The OAuth 2.0 and OpenID Connect provider, with its request listener. */
export type Provided = { provider: Provider; callback: ReturnType<Provider['callback']> };

/** Creates a provider that signs with the first of these keys, and publishes all of them. */
export function assembleProvider(keys: JWK[], clients: Clients, logger: Logger): Provided {
  const provider = new Provider(issuer, configurationOf({ keys: keys as never }, clients));
  provider.proxy = issuer.startsWith('https:');
  adaptModels(provider, clients);
  watch(provider, logger);
  return { provider, callback: provider.callback() };
}
