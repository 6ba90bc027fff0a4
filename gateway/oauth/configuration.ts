import type { Configuration, JWKS, KoaContextWithOIDC } from 'oidc-provider';
import { audience, issuer } from '../../http/access-tokens.ts';
import { call } from '../../lib/calls.ts';
import { keyFor } from '../../lib/encryption.ts';
import { openidScopes } from '../../lib/openid-scopes.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { createAdapterFactory } from './adapter.ts';
import { claimsOfScope, idTokenClaims } from './claims.ts';
import { type Clients, extraMetadata, registeredOf } from './clients.ts';
import { renderError } from './error-page.ts';
import { currentExchange } from './exchange.ts';
import { loadGrant } from './grants.ts';
import {
  accessTokenSeconds,
  codeSeconds,
  grantSeconds,
  interactionSeconds,
  refreshIdleSeconds,
  refreshSeconds,
} from './lifetimes.ts';
import { loggedOutPage, logoutPage } from './logout.ts';
import { checkMaxAge, promptPolicy, prompts } from './prompts.ts';
import { describeResource } from './scopes.ts';

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
