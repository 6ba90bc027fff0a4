import { audience } from '../../http/access-tokens.ts';
import type { JsonSchema } from '../../lib/contract/contract.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { settings } from '../../lib/settings/settings.ts';

export const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };

/** A parameter of a query or a form. */
export type Field = { schema?: JsonSchema; isRequired?: boolean; description?: string; example?: string };

const client: Record<string, Field> = {
  client_id: { description: 'The id of the client (`cli_…`), where it does not authenticate by HTTP Basic.' },
  client_secret: { description: 'The secret of the client, where it does not authenticate by HTTP Basic.' },
};

export const authorization: Record<string, Field> = {
  client_id: { isRequired: true, description: 'The id of the client (`cli_…`).', example: exampleId('cli') },
  redirect_uri: {
    isRequired: true,
    schema: uri,
    description: 'As registered; the port of a loopback IP address may be any (RFC 8252 section 7.3).',
    example: 'https://shop.acme-bikes.example/callback',
  },
  response_type: {
    isRequired: true,
    schema: { ...text, enum: ['code'] },
    description: 'Always `code`.',
    example: 'code',
  },
  response_mode: {
    schema: { ...text, enum: ['query', 'fragment', 'form_post'] },
    description: 'How the answer reaches the redirect_uri.',
  },
  scope: {
    isRequired: true,
    description: 'The scopes that the client asks for, separated by spaces.',
    example: 'openid profile email offline_access',
  },
  state: { description: 'Any text, which returns with the answer: it protects the client against forged answers.' },
  nonce: { description: 'Any text, which the ID token repeats.' },
  code_challenge: { description: 'RFC 7636; public clients must send it.' },
  code_challenge_method: { schema: { ...text, enum: ['S256'] }, description: 'With `code_challenge`: `S256`.' },
  prompt: { description: 'none, or some of login, select_account and consent, separated by spaces.' },
  max_age: { description: 'How old the login may be, in seconds.', schema: { type: 'integer', minimum: 0 } },
  login_hint: { description: 'The email address that the login page shows.' },
  id_token_hint: { description: 'An ID token of the user who is expected to be logged in.' },
};

export const logout: Record<string, Field> = {
  id_token_hint: { description: 'An ID token of the client, expired or not.' },
  client_id: { description: 'The client, without an ID token.' },
  post_logout_redirect_uri: { description: 'Where the user returns, if the client has registered it.' },
  state: { description: 'Any text, which returns with the user.', example: 'af0ifjsldkj' },
};

const token: Record<string, Field> = {
  grant_type: {
    isRequired: true,
    schema: { ...text, enum: ['authorization_code', 'refresh_token', 'client_credentials'] },
    description: 'What is exchanged for a token.',
    example: 'client_credentials',
  },
  code: { description: 'With `authorization_code`: the code.' },
  redirect_uri: { schema: uri, description: 'With `authorization_code`: the address of the authorization request.' },
  code_verifier: { description: 'With `authorization_code`: the text of which `code_challenge` was made.' },
  refresh_token: { description: 'With `refresh_token`: the latest refresh token.' },
  scope: {
    description: 'The scopes, separated by spaces; by default all that were granted.',
    example: 'context.events.write',
  },
  resource: { schema: uri, description: 'The API for which the token is (RFC 8707).', example: audience },
  ...client,
};

const ownToken: Record<string, Field> = {
  token: { isRequired: true, schema: { ...text, minLength: 1 }, description: 'The token.', example: 'eyJhbGciOi.x9' },
  ...client,
};

const accessToken: Record<string, Field> = {
  access_token: { description: 'The access token, where it is not in the header.', example: 'eyJhbGciOi.x9' },
};

/** The forms of the endpoints, by the names of their schemas. */
export const forms = {
  AuthorizationForm: authorization,
  TokenForm: token,
  OwnTokenForm: ownToken,
  AccessTokenForm: accessToken,
  LogoutForm: logout,
};

const seconds = { type: 'integer' };

export const oauthSchemas: Record<string, JsonSchema> = {
  ...Object.fromEntries(Object.entries(forms).map(([name, fields]) => [name, formSchema(fields)])),
  OAuthError: objectOf(
    { error: { ...text, description: 'The error code of OAuth.' } },
    { error_description: { ...text, description: 'The error as a sentence.' } },
  ),
  OAuthRefusal: {
    description: 'An error of OAuth, or of the platform for a request that is not valid.',
    anyOf: [{ $ref: '#/components/schemas/OAuthError' }, { $ref: '#/components/schemas/Error' }],
  },
  Tokens: objectOf(
    {
      access_token: { ...text, description: 'The access token, a JWT.' },
      token_type: { ...text, description: 'Always `Bearer`.' },
      expires_in: { ...seconds, description: 'For how many seconds the access token is valid.' },
    },
    {
      scope: { ...text, description: 'The scopes of the token, separated by spaces.' },
      id_token: { ...text, description: 'The ID token, with the scope `openid`.' },
      refresh_token: { ...text, description: 'The refresh token, with the scope `offline_access`.' },
    },
  ),
  RevokedToken: { type: 'object', description: 'Empty.' },
  TokenState: objectOf(
    { active: { type: 'boolean', description: 'Whether the token is valid.' } },
    {
      sub: { ...text, description: 'The user, or the application, for whom the token acts.' },
      client_id: { ...text, description: 'The id of the client.' },
      scope: { ...text, description: 'The scopes of the token, separated by spaces.' },
      iat: { ...seconds, description: 'When it was issued, in seconds since 1970.' },
      exp: { ...seconds, description: 'When it expires, in seconds since 1970.' },
    },
  ),
  UserClaims: objectOf(
    { sub: { ...text, description: 'The id of the user (`usr_…`).' } },
    {
      email: { ...text, description: 'The email address, with the scope `email`.' },
      email_verified: { type: 'boolean', description: 'Whether the user has confirmed the email address.' },
      name: { ...text, description: 'The name, with the scope `profile`.' },
      picture: { ...uri, description: 'The address of a picture, with the scope `profile`.' },
    },
  ),
  ProviderMetadata: objectOf({
    issuer: { ...uri, description: 'The issuer of all tokens.', example: `${settings.PUBLIC_URL}/oauth2` },
    authorization_endpoint: { ...uri, description: 'Where users are sent to sign in.' },
    token_endpoint: { ...uri, description: 'Where grants are exchanged for tokens.' },
    jwks_uri: { ...uri, description: 'Where the keys of tokens are.' },
  }),
  KeySet: objectOf({
    keys: { type: 'array', items: { type: 'object', description: 'A key (RFC 7517).' }, description: 'The keys.' },
  }),
};

function formSchema(fields: Record<string, Field>): JsonSchema {
  const properties = Object.entries(fields).map(([name, { schema = text, description, example }]) => [
    name,
    { ...schema, ...(description && { description }), ...(example && { example }) },
  ]);
  const required = Object.entries(fields).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  // Unknown parameters are ignored, but must not be repeated (RFC 6749 section 3.2).
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: text };
}

/** An object with required and optional properties; more may be added. */
function objectOf(required: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}
