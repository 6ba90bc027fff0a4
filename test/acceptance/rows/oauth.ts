import type { Row } from './row.ts';

/** OAuth 2.0 and OpenID Connect. */
export const oauthRows = {
  'oauth.discovery': {
    from: 'Endpoints, Identity; issue 5, part 2',
    says: 'the discovery document is at /oauth2/.well-known/openid-configuration, and at the address of RFC 8414',
  },
  'oauth.jwks': {
    from: 'Endpoints, Identity; Authentication 7',
    says: '/oauth2/.well-known/jwks.json has the public keys, and nothing else of them',
  },
  'oauth.host': { from: 'issue 5, Bad input', says: 'the addresses in documents do not follow the Host header' },
  'oauth.client-credentials': {
    from: 'Endpoints, Identity; Authentication 3',
    says: 'POST /oauth2/token with form fields gives access_token, token_type, expires_in 3600',
  },
  'oauth.access-token': {
    from: 'Authentication 7; decisions, Identity',
    says: "an access token is an RS256 JWT of the platform's keys with aud, scope, org, sub",
  },
  'oauth.basic': { from: 'Authentication 3', says: 'the client may prove itself by HTTP Basic' },
  'oauth.invalid-client': { from: 'Errors', says: 'an unknown client or a wrong secret is 401 invalid_client' },
  'oauth.invalid-scope': {
    from: 'issue 5, part 2',
    says: 'a scope that the client is not registered for is invalid_scope',
  },
  'oauth.bad-request': {
    from: 'Errors',
    says: "another grant type, none, or another content type is 400 in OAuth's words",
  },
  'oauth.application': {
    from: 'decisions, Identity',
    says: 'such a token is the application: /identity/me gives it with clientId and scopes',
  },
  'oauth.permission': {
    from: 'decisions, Scopes',
    says: 'such a token does what its scopes say, in its organization alone',
  },
  'oauth.introspect': {
    from: 'decisions, Identity',
    says: 'POST /oauth2/introspect tells a client of its own tokens; of others that they are not active',
  },
  'oauth.revoke': {
    from: 'decisions, Identity',
    says: 'POST /oauth2/revoke ends a token: it is refused within a second',
  },
  'oauth.rotation': {
    from: 'decisions, Identity',
    says: 'signing keys rotate without a restart and without an invalid token',
    proven: 'test/web/oauth/rotation.test.ts',
  },

  'code.flow': {
    from: 'Endpoints, Identity; Authentication 2',
    says: '/oauth2/auth: the user logs in and approves, and is sent to redirect_uri with a code that gives tokens',
  },
  'code.id-token': {
    from: 'Authentication 2',
    says: 'with openid there is an ID token of the user, the client and the nonce',
  },
  'code.consent': { from: 'issue 5, part 2', says: 'approval is asked for once, and a refusal is access_denied' },
  'code.pkce': {
    from: 'decisions, Identity',
    says: 'a client without a secret needs PKCE with S256, and its verifier',
  },
  'code.once': { from: 'issue 5, Bad input', says: 'a code works once, for its client and its redirect_uri' },
  'code.redirect-uri': {
    from: 'decisions, Identity',
    says: 'an address that is not registered gets nothing: an error page',
  },
  'code.invalid-scope': {
    from: 'issue 5, part 2',
    says: 'a scope that the client is not registered for is invalid_scope at redirect_uri',
  },
  'code.user-token': {
    from: 'decisions, Scopes',
    says: "a user's token opens what its scopes and the user's role both allow",
  },
  'code.userinfo': {
    from: 'decisions, Identity',
    says: '/oauth2/userinfo gives the claims that the scopes open, and 401 without a token',
  },
  'code.session-only': {
    from: 'decisions, Credentials',
    says: "a user's token changes neither profile, contacts and addresses nor password and sessions: 403",
  },
  'refresh.rotation': {
    from: 'decisions, Identity',
    says: 'a refresh token gives new tokens and a new refresh token; used once more at once it is not refused',
  },
  'refresh.scope': { from: 'issue 5, part 2', says: 'a refresh gives no more than was granted' },
  'refresh.replay': {
    from: 'decisions, Identity',
    says: 'reuse after 30 s ends the whole grant',
    proven: 'test/web/oauth/refresh-tokens.test.ts',
  },
  'refresh.revoked': { from: 'decisions, Identity', says: 'a revoked refresh token, and its access tokens, are over' },
  'refresh.session': {
    from: 'OpenID Connect Core, 11',
    says: 'what was allowed ends with the session it was allowed in, unless offline_access was allowed',
  },
  'consents.list': {
    from: 'issue 5, part 2',
    route: 'GET /identity/me/applications',
    says: 'GET /identity/me/applications lists what the user allowed which client',
  },
  'consents.withdraw': {
    from: 'issue 5, part 2',
    route: 'DELETE /identity/me/applications/:clientId',
    says: 'DELETE /identity/me/applications/:clientId takes it back: its tokens are refused within a second',
  },
  'logout.initiated': {
    from: 'decisions, Identity',
    says: '/oauth2/session/end asks, ends the session and sends the browser back',
  },
} as const satisfies Record<string, Row>;
