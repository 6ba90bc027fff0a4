import type { JsonSchema } from '../../lib/contract/contract.ts';
import { errorResponse, jsonResponse } from '../openapi-content.ts';
import { authorization, type Field, forms, logout, text } from './openapi-schemas.ts';

/** The error responses of any request, in the format of the platform. */
const failures: Record<string, JsonSchema> = {
  429: errorResponse('RATE_LIMITED'),
  431: errorResponse('HEADERS_TOO_LARGE'),
  500: errorResponse('INTERNAL'),
  503: errorResponse('UNAVAILABLE'),
};

/** The errors before the form is parsed in the OAuth format. */
const formFailures: Record<string, JsonSchema> = {
  408: errorResponse('REQUEST_TIMEOUT'),
  413: errorResponse('BODY_TOO_LARGE'),
  415: errorResponse('CONTENT_TYPE_UNSUPPORTED'),
};

/** Browsers get errors as pages, except for requests that are too large. */
const pageFailures: Record<string, JsonSchema> = {
  400: page('The request is not valid'),
  403: page('The organization of the client is suspended'),
  429: page('Too many requests'),
  431: errorResponse('HEADERS_TOO_LARGE'),
  500: page('Something failed'),
  503: page('A part of the platform cannot be reached'),
};

const pageFormFailures: Record<string, JsonSchema> = {
  408: errorResponse('REQUEST_TIMEOUT'),
  413: errorResponse('BODY_TOO_LARGE'),
  415: page('The form is not application/x-www-form-urlencoded'),
};

const refused = (description: string) => jsonResponse(description, named('OAuthError'));

const refusals: Record<string, JsonSchema> = {
  400: jsonResponse(
    'A refusal (RFC 6749 section 5.2), or INPUT_INVALID for a field that is sent twice',
    named('OAuthRefusal'),
  ),
  401: refused('The client or the token is not valid'),
  403: errorResponse('ORGANIZATION_SUSPENDED'),
  ...failures,
};

/** A form that browsers post is redirected to the same request as a query, with which they send the session. */
const toQuery = {
  200: page('To clients that follow the redirect: the page it leads to'),
  303: { description: 'To the same request as a query' },
};

const authorizePath = {
  get: {
    ...about(
      'authorize',
      'Have a user sign in and allow a client (RFC 6749 section 4.1.1; a page for browsers)',
      'Send the browser of a user here to get an authorization code. The user signs in, and allows the scopes unless ' +
        'they did before; then the browser returns to `redirect_uri` with `code` and `state`, or with `error`. A code ' +
        'is valid once and for a short time. Errors of an unknown client or address are shown as a page.',
    ),
    parameters: queryOf(authorization),
    responses: {
      200: page('With response_mode=form_post: a page that posts the answer to the client’s redirect_uri'),
      303: { description: 'To the client’s redirect_uri, with code or error, and state; or to the login page' },
      ...pageFailures,
    },
  },
  post: {
    ...about(
      'authorize-by-form',
      'Have a user sign in and allow a client (OpenID Connect Core 3.1.2.1)',
      'The same request as a form, for parameters that are too long for an address. The browser is redirected to the ' +
        'request as a query.',
    ),
    requestBody: formOf('AuthorizationForm'),
    responses: { ...toQuery, ...pageFailures, ...pageFormFailures },
  },
};

const tokenPath = {
  post: {
    ...about(
      'token',
      'Get tokens for a code, a refresh token or the client itself (RFC 6749 sections 4.1.3, 4.4, 6)',
      'Exchanges a grant for an access token: a `code` with the `code_verifier` of its challenge, a `refresh_token`, ' +
        'which is replaced by each use, or with `client_credentials` nothing but the client. An ID token comes with ' +
        'the scope `openid`, a refresh token with `offline_access`. A grant that is used twice is revoked.',
    ),
    security: [{ client: [] }, {}],
    requestBody: formOf('TokenForm'),
    responses: {
      200: jsonResponse('The tokens (RFC 6749 section 5.1)', named('Tokens')),
      ...refusals,
      ...formFailures,
    },
  },
};

const introspectPath = {
  post: {
    ...about(
      'introspect',
      'Describe one of the client’s own tokens (RFC 7662)',
      'Returns whether a token of the client is still valid, and what it allows. Any other token, expired, revoked or ' +
        'of another client, is answered with `active: false` alone.',
    ),
    security: [{ client: [] }, {}],
    requestBody: formOf('OwnTokenForm'),
    responses: { 200: jsonResponse('What is known of it', named('TokenState')), ...refusals, ...formFailures },
  },
};

const revokePath = {
  post: {
    ...about(
      'revoke',
      'Revoke one of the client’s own tokens (RFC 7009)',
      'Revokes an access or refresh token of the client. An unknown token is answered with success too, so the call ' +
        'can be repeated.',
    ),
    security: [{ client: [] }, {}],
    requestBody: formOf('OwnTokenForm'),
    responses: {
      200: jsonResponse('It is not valid any longer', named('RevokedToken')),
      ...refusals,
      ...formFailures,
    },
  },
};

const userinfoResponses = {
  200: jsonResponse('The claims of the granted scopes', named('UserClaims')),
  ...refusals,
  403: jsonResponse(
    'The token was not granted openid by a user, or ORGANIZATION_SUSPENDED for one of a suspended organization',
    named('OAuthRefusal'),
  ),
};

const userinfoPath = {
  get: {
    ...about(
      'userinfo',
      'Read the claims of the user (OpenID Connect Core 5.3)',
      'Returns what the granted scopes reveal of the user: `sub` with `openid`, the name with `profile`, the email ' +
        'address with `email`. The access token must act for a user.',
    ),
    security: [{ accessToken: [] }],
    responses: userinfoResponses,
  },
  post: {
    ...about(
      'userinfo-by-form',
      'Read the claims of the user, with the token in a form (RFC 6750 section 2.2)',
      'The same answer for clients that send the access token as a form field in place of the header.',
    ),
    security: [{ accessToken: [] }, {}],
    requestBody: { ...formOf('AccessTokenForm'), required: false },
    responses: { ...userinfoResponses, ...formFailures },
  },
};

const logoutPath = {
  get: {
    ...about(
      'end-session',
      'Sign out (OpenID Connect RP-Initiated Logout 1.0; a page for browsers)',
      'Send the browser of a user here to sign them out of the platform. The user confirms it on a page; then the ' +
        'browser returns to `post_logout_redirect_uri`, if the client has registered that address.',
    ),
    parameters: queryOf(logout),
    responses: {
      200: page('A page that asks'),
      303: { description: 'Nobody is logged in: to post_logout_redirect_uri, or to a page that says so' },
      ...pageFailures,
    },
  },
  post: {
    ...about(
      'end-session-by-form',
      'Sign out (OpenID Connect RP-Initiated Logout 1.0 section 2)',
      'The same request as a form. The browser is redirected to the request as a query.',
    ),
    requestBody: formOf('LogoutForm'),
    responses: { ...toQuery, ...pageFailures, ...pageFormFailures },
  },
};

/**
 * The paths of OAuth 2.0 and OpenID Connect for the API document. Their errors have the format of RFC 6749 section 5.2.
 */
export const oauthPaths: Record<string, Record<string, JsonSchema>> = {
  '/oauth2/auth': authorizePath,
  '/oauth2/token': tokenPath,
  '/oauth2/introspect': introspectPath,
  '/oauth2/revoke': revokePath,
  '/oauth2/userinfo': userinfoPath,
  '/oauth2/session/end': logoutPath,
  '/oauth2/.well-known/openid-configuration': {
    get: {
      ...about(
        'discover',
        'Read what this issuer offers (OpenID Connect Discovery 1.0, RFC 8414)',
        'Returns the addresses, scopes, grants and algorithms of the OAuth server. Client libraries configure ' +
          'themselves by it; its address without the last two parts is the issuer.',
      ),
      responses: { 200: jsonResponse('The metadata', named('ProviderMetadata')), ...failures },
    },
  },
  '/oauth2/.well-known/jwks.json': {
    get: {
      ...about(
        'keys',
        'Read the public keys that sign tokens (RFC 7517)',
        'Returns the keys that verify ID tokens and access tokens. Keys are rotated: look a key up by the `kid` of the ' +
          'token, and read the set again when it is unknown.',
      ),
      responses: {
        200: { description: 'The key set', content: { 'application/jwk-set+json': { schema: named('KeySet') } } },
        ...failures,
      },
    },
  },
};

/** The credentials of an OAuth client, as a security scheme. */
export const clientScheme: JsonSchema = {
  type: 'http',
  scheme: 'basic',
  description: 'The id and the secret of an OAuth client (RFC 6749 section 2.3.1).',
};

function about(name: string, summary: string, description: string): JsonSchema {
  return { operationId: `oauth.${name}`, tags: ['oauth'], summary, description, security: [] };
}

function queryOf(fields: Record<string, Field>): JsonSchema[] {
  return Object.entries(fields).map(([name, { schema = text, isRequired = false, description, example }]) => ({
    name,
    in: 'query',
    required: isRequired,
    schema,
    ...(description && { description }),
    ...(example && { example }),
  }));
}

/** A request body with a named form. */
function formOf(name: keyof typeof forms): JsonSchema {
  const entries = Object.entries(forms[name]).flatMap(([field, { example }]) => (example ? [[field, example]] : []));
  const example: unknown = Object.fromEntries(entries);
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema: named(name), example } } };
}

function named(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function page(description: string): JsonSchema {
  return { description, content: { 'text/html': { schema: text } } };
}
