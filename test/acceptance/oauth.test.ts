import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { type Client, clientOf } from '../support/client.ts';
import { eventOf } from '../support/events.ts';
import { send } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';

const discoveryPath = '/oauth2/.well-known/openid-configuration';

type Credentials = { clientId: string; clientSecret: string };
type Token = { access_token: string; token_type: string; expires_in: number; scope: string; error: string };
type Discovery = Record<string, string | string[]> & { issuer: string; jwks_uri: string; token_endpoint: string };

/** An application of the organization with a client for its own work. */
async function newClient(own: Client, scopes = ['svc:read', 'context.events.write']): Promise<Credentials> {
  const slug = `acceptance-${randomBytes(8).toString('hex')}`;
  await own.call('identity.applications.create', { body: { name: 'Of a test', slug } });
  const body = { grantTypes: ['client_credentials' as const], scopes };
  const { clientId, clientSecret } = await own.call('identity.oauth-clients.create', { path: { slug }, body });
  return { clientId, clientSecret: clientSecret! };
}

function post(url: string, path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = String(new URLSearchParams(form));
  return send<Token>(url, { method: 'POST', path, headers: { ...type, ...headers }, body });
}

function ask(url: string, { clientId, clientSecret }: Credentials, form: Record<string, string> = {}) {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  return post(url, '/oauth2/token', { grant_type: 'client_credentials', ...credentials, ...form });
}

/** The client that sends an access token, with no other header by default. */
const holderOf = ({ url }: Client, accessToken: string) => {
  const client = clientOf({ url, orgId: '', apiKey: accessToken });
  const read = (headers = {}) => client.attempt('identity.me.read', {}, { 'x-tenant-id': null, ...headers });
  return { ...client, read };
};

async function keysOf(url: string): Promise<JSONWebKeySet> {
  const { text } = await send(url, { path: '/oauth2/.well-known/jwks.json' });
  return JSON.parse(text) as JSONWebKeySet;
}

covers('oauth.discovery', async ({ own: { url } }) => {
  const { status, body, text } = await send<Discovery>(url, { path: discoveryPath });
  expect(status).toBe(200);
  const issuer = `${url}/oauth2`;
  expect(body).toMatchObject({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    userinfo_endpoint: `${issuer}/userinfo`,
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/session/end`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
  });
  for (const grantType of ['authorization_code', 'refresh_token', 'client_credentials']) {
    expect(body.grant_types_supported).toContain(grantType);
  }
  for (const scope of ['openid', 'profile', 'email', 'offline_access']) expect(body.scopes_supported).toContain(scope);
  const wellKnown = await send(url, { path: '/.well-known/oauth-authorization-server/oauth2' });
  expect(wellKnown).toMatchObject({ status: 200, text });
});

covers('oauth.jwks', async ({ own: { url } }) => {
  const { keys } = await keysOf(url);
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    expect(key).toMatchObject({ kty: 'RSA', kid: expect.any(String), use: 'sig', alg: 'RS256' });
    expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'].includes(name))).toEqual([]);
    expect(Buffer.from(key.n!, 'base64url').length * 8).toBeGreaterThanOrEqual(2048);
  }
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
});

covers('oauth.host', async ({ own: { url } }) => {
  const { text } = await send(url, { path: discoveryPath });
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  for (const headers of [forged, { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil.example' }]) {
    expect((await send(url, { path: discoveryPath, headers })).text).toBe(text);
  }
});

covers('oauth.client-credentials', async ({ own }) => {
  const client = await newClient(own);
  const { status, headers, body } = await ask(own.url, client, { scope: 'svc:read' });
  expect(status).toBe(200);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    token_type: expect.stringMatching(/^bearer$/i),
    expires_in: 3600,
    scope: 'svc:read',
  });
  expect(headers['cache-control']).toContain('no-store');
  expect((await ask(own.url, client)).body.scope.split(' ').sort()).toEqual(['context.events.write', 'svc:read']);
});

covers('oauth.access-token', async ({ own }) => {
  const client = await newClient(own);
  const { access_token } = (await ask(own.url, client, { scope: 'svc:read' })).body;
  const keys = createLocalJWKSet(await keysOf(own.url));
  const { payload, protectedHeader } = await jwtVerify(access_token, keys, {
    issuer: `${own.url}/oauth2`,
    audience: own.url,
    algorithms: ['RS256'],
  });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) });
  expect(payload).toMatchObject({ scope: 'svc:read', org: own.orgId, sub: client.clientId, jti: expect.any(String) });
  expect(payload.exp! - payload.iat!).toBe(3600);
});

covers('oauth.basic', async ({ own }) => {
  const { clientId, clientSecret } = await newClient(own);
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const form = { grant_type: 'client_credentials', scope: 'svc:read' };
  expect((await post(own.url, '/oauth2/token', form, { authorization })).status).toBe(200);
});

covers('oauth.invalid-client', async ({ own }) => {
  const client = await newClient(own);
  const wrong: Credentials[] = [
    { ...client, clientSecret: `${client.clientSecret}x` },
    { ...client, clientSecret: '' },
    { ...client, clientId: 'cli_unknown' },
    { clientId: client.clientId, clientSecret: (await newClient(own)).clientSecret },
    { clientId: own.orgId, clientSecret: own.apiKey },
  ];
  for (const credentials of wrong) {
    const { status, body } = await ask(own.url, credentials);
    expect({ credentials, status, error: body.error }).toEqual({ credentials, status: 401, error: 'invalid_client' });
  }
});

covers('oauth.invalid-scope', async ({ own }) => {
  const client = await newClient(own);
  for (const scope of ['svc:admin', 'svc:read svc:write', 'context.story.read', 'openid', 'nothing.of.ours', '*']) {
    const { status, body } = await ask(own.url, client, { scope });
    expect({ scope, status, error: body.error }).toEqual({ scope, status: 400, error: 'invalid_scope' });
  }
});

covers('oauth.bad-request', async ({ own }) => {
  const client = await newClient(own);
  const error = async (form: Record<string, string>) => (await ask(own.url, client, form)).body.error;
  expect(await error({ grant_type: '' })).toBe('invalid_request');
  expect(await error({ grant_type: 'password', username: 'a', password: 'b' })).toBe('unsupported_grant_type');
  expect(await error({ grant_type: 'authorization_code', code: 'x' })).toMatch(/^(unauthorized_client|invalid_\w+)$/);
  expect(await error({ resource: 'https://elsewhere.example' })).toBe('invalid_target');
  const body = JSON.stringify({ grant_type: 'client_credentials' });
  const headers = { 'content-type': 'application/json' };
  const json = await send<Token>(own.url, { method: 'POST', path: '/oauth2/token', headers, body });
  expect(json).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
});

covers('oauth.application', async ({ own }) => {
  const { clientId, clientSecret } = await newClient(own);
  const { access_token } = (await ask(own.url, { clientId, clientSecret }, { scope: 'svc:read' })).body;
  const { status, body } = await holderOf(own, access_token).read();
  expect(status).toBe(200);
  expect(body).toEqual({
    type: 'application',
    id: expect.stringMatching(/^app_/),
    slug: expect.any(String),
    name: 'Of a test',
    orgId: own.orgId,
    scopes: ['svc:read'],
    clientId,
  });
});

covers('oauth.permission', async ({ own, other }) => {
  const { access_token } = (await ask(own.url, await newClient(own), { scope: 'svc:read' })).body;
  const holder = clientOf({ ...own, apiKey: access_token });
  expect((await holder.attempt('context.story.read', { path: { customerId: 'nobody' }, query: {} })).status).toBe(404);
  expect((await holder.attempt('context.events.create', { body: eventOf(own.orgId) })).status).toBe(403);
  expect((await holder.attempt('identity.applications.list', { query: {} })).status).toBe(403);
  expect((await holderOf(own, access_token).read({ 'x-tenant-id': other.orgId })).status).toBe(403);
  const [head, payload, signature] = access_token.split('.') as [string, string, string];
  const claims = JSON.stringify({ ...decodeJwt(access_token), scope: 'svc:admin' });
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  const forgeries = [
    `${head}.${Buffer.from(claims).toString('base64url')}.${signature}`,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
  ];
  for (const forged of forgeries) expect((await holderOf(own, forged).read()).status).toBe(401);
});

covers('oauth.introspect', async ({ own, other }) => {
  const client = await newClient(own);
  const { access_token: token } = (await ask(own.url, client, { scope: 'svc:read' })).body;
  const introspect = async ({ clientId, clientSecret }: Credentials, form: Record<string, string>) =>
    post(own.url, '/oauth2/introspect', { client_id: clientId, client_secret: clientSecret, ...form });
  const told = await introspect(client, { token });
  expect(told.status).toBe(200);
  const { iat, exp, jti } = decodeJwt(token);
  expect(told.body).toMatchObject({ active: true, client_id: client.clientId, scope: 'svc:read', iat, exp, jti });
  const stranger = await newClient(other);
  expect((await introspect(stranger, { token })).body).toEqual({ active: false });
  for (const nothing of ['x', `${token}x`]) {
    expect((await introspect(client, { token: nothing })).body).toEqual({ active: false });
  }
  expect((await introspect({ ...client, clientSecret: 'wrong' }, { token })).status).toBe(401);
});

covers('oauth.revoke', async ({ own, other }) => {
  const client = await newClient(own);
  const { access_token: token } = (await ask(own.url, client)).body;
  const revoke = ({ clientId, clientSecret }: Credentials) =>
    post(own.url, '/oauth2/revoke', { client_id: clientId, client_secret: clientSecret, token });
  const holder = holderOf(own, token);
  expect((await revoke(await newClient(other))).status).toBe(200);
  expect((await holder.read()).status).toBe(200);
  expect((await revoke(client)).status).toBe(200);
  await eventually(async () => expect((await holder.read()).status).toBe(401));
  expect((await revoke(client)).status).toBe(200);
});

covers('clients.rotate', async ({ own }) => {
  const slug = `acceptance-${randomBytes(8).toString('hex')}`;
  await own.call('identity.applications.create', { body: { name: 'Of a test', slug } });
  const body = { grantTypes: ['client_credentials' as const], scopes: ['svc:read'] };
  const rotate = () => own.call('identity.oauth-clients.create', { path: { slug }, body });
  const [former, latter] = [await rotate(), await rotate()];
  expect(latter.clientId).toBe(former.clientId);
  expect(latter.clientSecret).not.toBe(former.clientSecret);
  const hours = (Date.parse(latter.previousSecretExpiresAt!) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(24, 1);
  for (const { clientId, clientSecret } of [former, latter]) {
    expect((await ask(own.url, { clientId, clientSecret: clientSecret! })).status).toBe(200);
  }
});

covers('clients.delete', async ({ own }) => {
  const client = await newClient(own);
  const holder = holderOf(own, (await ask(own.url, client)).body.access_token);
  const { slug } = (await holder.read()).body as { slug: string };
  expect(await own.attempt('identity.oauth-clients.delete', { path: { slug } })).toMatchObject({
    status: 204,
    text: '',
  });
  await eventually(async () => expect((await holder.read()).status).toBe(401));
  expect((await ask(own.url, client)).body.error).toBe('invalid_client');
  expect((await own.attempt('identity.oauth-clients.delete', { path: { slug } })).status).toBe(404);
});
