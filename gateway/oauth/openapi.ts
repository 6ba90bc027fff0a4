import { audience } from '../../http/access-tokens.ts';
import type { JsonSchema } from '../../lib/contract/contract.ts';
import { settings } from '../../lib/settings/settings.ts';
import { errorResponse, jsonResponse } from '../openapi-content.ts';

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };

const description = 'Errors are those of OAuth (RFC 6749 section 5.2), or pages where browsers navigate.';

type Field = { schema?: JsonSchema; isRequired?: boolean; description?: string; example?: string };

const client: Record<string, Field> = {
  client_id: { description: 'Where the client does not authenticate by HTTP Basic.' },
  client_secret: {},
};

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
  400: jsonResponse('A refusal (RFC 6749 section 5.2), or INPUT_INVALID for a field that is sent twice', {
    anyOf: [named('OAuthError'), named('Error')],
  }),
  401: refused('The client or the token is not valid'),
  ...failures,
};
const authorization: Record<string, Field> = {
  client_id: { isRequired: true },
  redirect_uri: {
    isRequired: true,
    schema: uri,
    description: 'As registered; the port of a loopback IP address may be any (RFC 8252 section 7.3).',
  },
  response_type: { isRequired: true, schema: { ...text, enum: ['code'] } },
  response_mode: {
    schema: { ...text, enum: ['query', 'fragment', 'form_post'] },
    description: 'How the answer reaches the redirect_uri.',
  },
  scope: { isRequired: true, example: 'openid profile email offline_access' },
  state: {},
  nonce: {},
  code_challenge: { description: 'RFC 7636; public clients must send it.' },
  code_challenge_method: { schema: { ...text, enum: ['S256'] } },
  prompt: { description: 'none, or some of login, select_account and consent, separated by spaces.' },
  max_age: { description: 'How old the login may be, in seconds.', schema: { type: 'integer', minimum: 0 } },
  login_hint: { description: 'The email address that the login page shows.' },
  id_token_hint: { description: 'An ID token of the user who is expected to be logged in.' },
};

const logout: Record<string, Field> = {
  id_token_hint: { description: 'An ID token of the client, expired or not.' },
  client_id: { description: 'The client, without an ID token.' },
  post_logout_redirect_uri: { description: 'Used if the client has registered it.' },
  state: {},
};

/** A form that browsers post is redirected to the same request as a query, with which they send the session. */
const toQuery = {
  200: page('To clients that follow the redirect: the page it leads to'),
  303: { description: 'To the same request as a query' },
};

const authorizePath = {
  get: {
    ...about('authorize', 'Have a user sign in and allow a client (RFC 6749 section 4.1.1; a page for browsers)'),
    parameters: queryOf(authorization),
    responses: {
      200: page('With response_mode=form_post: a page that posts the answer to the client’s redirect_uri'),
      303: { description: 'To the client’s redirect_uri, with code or error, and state; or to the login page' },
      ...pageFailures,
    },
  },
  post: {
    ...about('authorize-by-form', 'Have a user sign in and allow a client (OpenID Connect Core 3.1.2.1)'),
    requestBody: formOf(authorization),
    responses: { ...toQuery, ...pageFailures, ...pageFormFailures },
  },
};

const tokenPath = {
  post: {
    ...about('token', 'Get tokens for a code, a refresh token or the client itself (RFC 6749 sections 4.1.3, 4.4, 6)'),
    security: [{ client: [] }, {}],
    requestBody: formOf({
      grant_type: {
        isRequired: true,
        schema: { ...text, enum: ['authorization_code', 'refresh_token', 'client_credentials'] },
      },
      code: {},
      redirect_uri: { schema: uri },
      code_verifier: {},
      refresh_token: {},
      scope: { example: 'context.events.write' },
      resource: { schema: uri, example: audience },
      ...client,
    }),
    responses: {
      200: jsonResponse('The tokens (RFC 6749 section 5.1)', named('Tokens')),
      ...refusals,
      ...formFailures,
    },
  },
};

const introspectPath = {
  post: {
    ...about('introspect', 'Describe one of the client’s own tokens (RFC 7662)'),
    security: [{ client: [] }, {}],
    requestBody: formOf({ token: { isRequired: true, schema: { ...text, minLength: 1 } }, ...client }),
    responses: { 200: jsonResponse('What is known of it', named('TokenState')), ...refusals, ...formFailures },
  },
};

const revokePath = {
  post: {
    ...about('revoke', 'Revoke one of the client’s own tokens (RFC 7009)'),
    security: [{ client: [] }, {}],
    requestBody: formOf({ token: { isRequired: true, schema: { ...text, minLength: 1 } }, ...client }),
    responses: { 200: jsonResponse('It is not valid any more', { type: 'object' }), ...refusals, ...formFailures },
  },
};

const userinfoResponses = {
  200: jsonResponse('The claims of the granted scopes', named('UserClaims')),
  ...refusals,
  403: refused('The token was not granted openid by a user'),
};

const userinfoPath = {
  get: {
    ...about('userinfo', 'Read the claims of the user (OpenID Connect Core 5.3)'),
    security: [{ accessToken: [] }],
    responses: userinfoResponses,
  },
  post: {
    ...about('userinfo-by-form', 'Read the claims of the user, with the token in a form (RFC 6750 section 2.2)'),
    security: [{ accessToken: [] }, {}],
    requestBody: { ...formOf({ access_token: { description: 'Where it is not in the header.' } }), required: false },
    responses: { ...userinfoResponses, ...formFailures },
  },
};

const logoutPath = {
  get: {
    ...about('end-session', 'Sign out (OpenID Connect RP-Initiated Logout 1.0; a page for browsers)'),
    parameters: queryOf(logout),
    responses: {
      200: page('A page that asks'),
      303: { description: 'Nobody is logged in: to post_logout_redirect_uri, or to a page that says so' },
      ...pageFailures,
    },
  },
  post: {
    ...about('end-session-by-form', 'Sign out (OpenID Connect RP-Initiated Logout 1.0 section 2)'),
    requestBody: formOf(logout),
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
      ...about('discover', 'Read what this issuer offers (OpenID Connect Discovery 1.0, RFC 8414)'),
      responses: { 200: jsonResponse('The metadata', named('ProviderMetadata')), ...failures },
    },
  },
  '/oauth2/.well-known/jwks.json': {
    get: {
      ...about('keys', 'Read the public keys that sign tokens (RFC 7517)'),
      responses: {
        200: { description: 'The key set', content: { 'application/jwk-set+json': { schema: named('KeySet') } } },
        ...failures,
      },
    },
  },
};

export const oauthSchemas: Record<string, JsonSchema> = {
  OAuthError: objectOf({ error: text }, { error_description: text }),
  Tokens: objectOf(
    { access_token: text, token_type: text, expires_in: { type: 'integer' } },
    { scope: text, id_token: text, refresh_token: text },
  ),
  TokenState: objectOf(
    { active: { type: 'boolean' } },
    { sub: text, client_id: text, scope: text, iat: { type: 'integer' }, exp: { type: 'integer' } },
  ),
  UserClaims: objectOf({ sub: text }, { email: text, email_verified: { type: 'boolean' }, name: text, picture: uri }),
  ProviderMetadata: objectOf({
    issuer: { ...uri, example: `${settings.PUBLIC_URL}/oauth2` },
    authorization_endpoint: uri,
    token_endpoint: uri,
    jwks_uri: uri,
  }),
  KeySet: objectOf({ keys: { type: 'array', items: { type: 'object' } } }),
};

/** The credentials of an OAuth client, as a security scheme. */
export const clientScheme: JsonSchema = {
  type: 'http',
  scheme: 'basic',
  description: 'The id and the secret of an OAuth client (RFC 6749 section 2.3.1).',
};

function about(name: string, summary: string): JsonSchema {
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

function formOf(fields: Record<string, Field>): JsonSchema {
  const properties = Object.entries(fields).map(([name, { schema = text, description, example }]) => [
    name,
    { ...schema, ...(description && { description }), ...(example && { example }) },
  ]);
  const required = Object.entries(fields).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  // Unknown parameters are ignored, but must not be repeated (RFC 6749 section 3.2).
  const schema = { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: text };
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
}

/** An object with required and optional properties; more may be added. */
function objectOf(required: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

function named(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function page(description: string): JsonSchema {
  return { description, content: { 'text/html': { schema: text } } };
}
