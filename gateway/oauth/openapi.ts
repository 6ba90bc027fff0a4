import { audience } from '../../http/access-tokens.ts';
import type { JsonSchema } from '../../lib/contract.ts';
import { settings } from '../../lib/settings.ts';
import { jsonResponse } from '../openapi-content.ts';

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };

type Field = { schema?: JsonSchema; isRequired?: boolean; description?: string; example?: string };

const client: Record<string, Field> = {
  client_id: { description: 'Where the client does not authenticate by HTTP Basic.' },
  client_secret: {},
};

const platformError = { $ref: '#/components/schemas/Error' };
const failures: Record<string, JsonSchema> = {
  429: jsonResponse('RATE_LIMITED', platformError),
  500: jsonResponse('INTERNAL', platformError),
  503: jsonResponse('UNAVAILABLE', platformError),
};

const refusals: Record<string, JsonSchema> = {
  400: objectResponse('A refusal (RFC 6749 section 5.2)', { error: text, error_description: text }),
  401: objectResponse('The client or the token is not valid', { error: text, error_description: text }),
  ...failures,
};

/** The paths of OAuth 2.0 and OpenID Connect for the API document. Their errors are those of RFC 6749 section 5.2. */
export const oauthPaths: Record<string, JsonSchema> = {
  '/oauth2/auth': {
    get: {
      ...about('authorize', 'Have a user sign in and allow a client (RFC 6749 section 4.1.1; a page for browsers)'),
      parameters: queryOf({
        client_id: { isRequired: true },
        redirect_uri: {
          isRequired: true,
          schema: uri,
          description: 'As registered; the port of a loopback IP address may be any (RFC 8252 section 7.3).',
        },
        response_type: { isRequired: true, example: 'code' },
        scope: { isRequired: true, example: 'openid profile email offline_access' },
        state: {},
        nonce: {},
        code_challenge: { description: 'RFC 7636; public clients must send it.' },
        code_challenge_method: { example: 'S256' },
        prompt: { description: 'none, or some of login, select_account and consent, separated by spaces.' },
        max_age: { description: 'How old the login may be, in seconds.', schema: { type: 'integer', minimum: 0 } },
        login_hint: { description: 'The email address that the login page shows.' },
        id_token_hint: { description: 'An ID token of the user who is expected to be logged in.' },
      }),
      responses: { 303: { description: 'To the client’s redirect_uri, with code or error, and state.' }, ...failures },
    },
  },
  '/oauth2/token': {
    post: {
      ...about(
        'token',
        'Get tokens for a code, a refresh token or the client itself (RFC 6749 sections 4.1.3, 4.4, 6)',
      ),
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
        200: objectResponse('The tokens (RFC 6749 section 5.1)', {
          access_token: text,
          token_type: text,
          expires_in: { type: 'integer' },
          scope: text,
          id_token: text,
          refresh_token: text,
        }),
        ...refusals,
      },
    },
  },
  '/oauth2/introspect': {
    post: {
      ...about('introspect', 'Describe one of the client’s own tokens (RFC 7662)'),
      security: [{ client: [] }],
      requestBody: formOf({ token: { isRequired: true }, ...client }),
      responses: {
        200: objectResponse('What is known of it', {
          active: { type: 'boolean' },
          sub: text,
          scope: text,
          exp: { type: 'integer' },
        }),
        ...refusals,
      },
    },
  },
  '/oauth2/revoke': {
    post: {
      ...about('revoke', 'Revoke one of the client’s own tokens (RFC 7009)'),
      security: [{ client: [] }, {}],
      requestBody: formOf({ token: { isRequired: true }, ...client }),
      responses: { 200: objectResponse('It is not valid any more.', {}), ...refusals },
    },
  },
  '/oauth2/userinfo': {
    get: {
      ...about('userinfo', 'Read the claims of the user (OpenID Connect Core 5.3)'),
      security: [{ accessToken: [] }],
      responses: {
        200: objectResponse('The claims of the granted scopes', { sub: text, email: text, name: text, picture: uri }),
        ...refusals,
      },
    },
  },
  '/oauth2/session/end': {
    get: {
      ...about('end-session', 'Sign out (OpenID Connect RP-Initiated Logout 1.0; a page for browsers)'),
      parameters: queryOf({
        id_token_hint: { description: 'An ID token of the client, expired or not.' },
        client_id: { description: 'The client, without an ID token.' },
        post_logout_redirect_uri: { schema: uri, description: 'Used if the client has registered it.' },
        state: {},
      }),
      responses: {
        200: { description: 'A page that asks.', content: { 'text/html': { schema: text } } },
        303: { description: 'Nobody is logged in: to post_logout_redirect_uri, or to a page that says so.' },
        ...failures,
      },
    },
  },
  '/oauth2/.well-known/openid-configuration': {
    get: {
      ...about('discover', 'Read what this issuer offers (OpenID Connect Discovery 1.0, RFC 8414)'),
      responses: {
        200: objectResponse('The metadata', { issuer: { ...uri, example: `${settings.PUBLIC_URL}/oauth2` } }),
        ...failures,
      },
    },
  },
  '/oauth2/.well-known/jwks.json': {
    get: {
      ...about('keys', 'Read the public keys that sign tokens (RFC 7517)'),
      responses: {
        200: objectResponse('The key set', { keys: { type: 'array', items: { type: 'object' } } }),
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

function about(name: string, summary: string): JsonSchema {
  return { operationId: `oauth.${name}`, tags: ['oauth'], summary, security: [] };
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
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
}

function objectResponse(description: string, properties: Record<string, JsonSchema>): JsonSchema {
  return jsonResponse(description, { type: 'object', properties });
}
