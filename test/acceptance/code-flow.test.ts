import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { authorizationUrl, exchangeCode, goThrough, type TokenAnswer } from '../support/authorization.ts';
import { eventOf } from '../support/events.ts';
import { send } from '../support/http.ts';
import { newUserAgent } from '../support/user-agent.ts';
import { authorize, holderOf, type Registered, redirectUri, registerClient, tokensFor } from './authorization.ts';
import { covers } from './covers.ts';
import type { Person } from './platform.ts';

const idOf = async (person: Person) => (await person.call('identity.me.read', {})).id;

covers('code.flow', async ({ own, owner }) => {
  const client = await registerClient(own);
  const agent = newUserAgent(own.url);
  const state = randomBytes(8).toString('hex');
  const loginPage = await agent.open(authorizationUrl(client, { scope: 'openid profile', state }));
  expect(new URL(loginPage.url).pathname).toBe('/self-service/login/browser');
  const callback = await goThrough(agent, loginPage, owner);
  expect(`${callback.origin}${callback.pathname}`).toBe(redirectUri);
  expect(callback.searchParams.get('state')).toBe(state);
  const { status, headers, body } = await exchangeCode(client, callback);
  expect(status).toBe(200);
  expect(headers['cache-control']).toContain('no-store');
  expect(body).toMatchObject({ expires_in: 3600, token_type: expect.stringMatching(/^bearer$/i) });
  expect(body.refresh_token).toBeUndefined();
  expect(await holderOf(own, body.access_token).call('identity.me.read', {})).toMatchObject({
    type: 'user',
    id: await idOf(owner),
    email: null,
    organizations: [{ id: own.orgId, role: 'owner' }],
  });
});

covers('code.id-token', async ({ own, owner }) => {
  const client = await registerClient(own);
  const nonce = randomBytes(8).toString('hex');
  const { body } = await exchangeCode(client, await authorize(client, owner, { nonce }));
  const keys = JSON.parse((await send(own.url, { path: '/oauth2/.well-known/jwks.json' })).text);
  const issuer = `${own.url}/oauth2`;
  const expected = { issuer, audience: client.clientId, algorithms: ['RS256'] };
  const { payload } = await jwtVerify(body.id_token!, createLocalJWKSet(keys), expected);
  expect(payload).toMatchObject({ sub: await idOf(owner), nonce, auth_time: expect.any(Number) });
  const withoutOpenid = await tokensFor(client, owner, 'profile');
  expect(withoutOpenid.id_token).toBeUndefined();
});

covers('code.consent', async ({ own, owner }) => {
  const client = await registerClient(own);
  const agent = newUserAgent(own.url, owner.sessionToken);
  const asked = await agent.open(authorizationUrl(client));
  expect(asked.text).toContain('Of a test');
  const denied = agent.leftTo(await agent.submit(asked, {}, /^Deny/));
  expect(denied.searchParams.get('error')).toBe('access_denied');
  expect(denied.searchParams.has('code')).toBe(false);
  await authorize(client, owner);
  const again = agent.leftTo(await agent.open(authorizationUrl(client)));
  expect(again.searchParams.has('code')).toBe(true);
  const more = await agent.open(authorizationUrl(client, { scope: 'openid email' }));
  expect(more.text).toContain('Allow');
});

covers('code.pkce', async ({ own, owner }) => {
  const client = await registerClient(own, { isPublic: true });
  expect((await authorize(client, owner)).searchParams.get('error')).toBe('invalid_request');
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const plain = await authorize(client, owner, { code_challenge: verifier, code_challenge_method: 'plain' });
  expect(plain.searchParams.get('error')).toBe('invalid_request');
  const exchange = async (proof: Record<string, string>) => {
    const callback = await authorize(client, owner, { code_challenge, code_challenge_method: 'S256' });
    const code = callback.searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_id: client.clientId };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = String(new URLSearchParams({ ...form, ...proof }));
    return send<TokenAnswer>(own.url, { method: 'POST', path: '/oauth2/token', headers, body });
  };
  expect((await exchange({})).body.error).toBe('invalid_grant');
  expect((await exchange({ code_verifier: randomBytes(32).toString('base64url') })).body.error).toBe('invalid_grant');
  expect((await exchange({ code_verifier: verifier })).status).toBe(200);
});

covers('code.once', async ({ own, owner }) => {
  const [client, stranger] = [await registerClient(own), await registerClient(own)];
  const error = async (holder: Registered, callback: URL) => (await exchangeCode(holder, callback)).body.error;
  expect(await error(stranger, await authorize(client, owner))).toBe('invalid_grant');
  const elsewhere = { ...client, redirectUri: 'https://app.example.com/other' };
  expect(await error(elsewhere, await authorize(client, owner))).toBe('invalid_grant');
  const callback = await authorize(client, owner);
  expect((await exchangeCode(client, callback)).status).toBe(200);
  expect(await error(client, callback)).toBe('invalid_grant');
  callback.searchParams.set('code', randomBytes(32).toString('base64url'));
  expect(await error(client, callback)).toBe('invalid_grant');
});

covers('code.redirect-uri', async ({ own, owner }) => {
  const client = await registerClient(own);
  const agent = newUserAgent(own.url, owner.sessionToken);
  const wrong = [
    'https://evil.example/callback',
    `${redirectUri}/`,
    `${redirectUri}?x=1`,
    'https://app.example.com/Callback',
    'https://app.example.com:444/callback',
    'https://app.example.com@evil.example/callback',
    'https://app.example.com.evil.example/callback',
    'http://app.example.com/callback',
  ];
  for (const address of wrong) {
    const page = await agent.open(authorizationUrl(client, { redirect_uri: address }));
    expect({ address, status: page.status, location: page.headers.location }).toEqual({ address, status: 400 });
    expect(page.headers['content-type']).toContain('text/html');
  }
  expect((await agent.open(authorizationUrl({ ...client, clientId: 'cli_unknown' }))).status).toBe(400);
});

covers('code.invalid-scope', async ({ own, owner }) => {
  const client = await registerClient(own);
  for (const scope of ['openid svc:admin', 'svc:write', 'openid nothing.of.ours']) {
    const { origin, searchParams } = await authorize(client, owner, { scope });
    expect({ origin, error: searchParams.get('error') }).toEqual({
      origin: new URL(redirectUri).origin,
      error: 'invalid_scope',
    });
    expect(searchParams.has('code')).toBe(false);
  }
});

covers('code.user-token', async ({ own, other, owner, otherOwner }) => {
  const client = await registerClient(own);
  const story = { path: { customerId: 'nobody' } };
  const tenant = { 'x-tenant-id': own.orgId };
  const ofOwner = holderOf(own, (await tokensFor(client, owner, 'profile svc:read')).access_token);
  expect((await ofOwner.attempt('context.story.read', story, tenant)).status).toBe(404);
  expect((await ofOwner.attempt('context.events.create', { body: eventOf(own.orgId) }, tenant)).status).toBe(403);
  expect((await ofOwner.attempt('identity.addresses.list', { query: {} })).status).toBe(200);
  const withoutProfile = holderOf(own, (await tokensFor(client, owner, 'openid')).access_token);
  expect((await withoutProfile.attempt('identity.addresses.list', { query: {} })).status).toBe(403);
  // Somebody without a role in the client's organization: the scope alone opens nothing, there or at home.
  const ofStranger = holderOf(own, (await tokensFor(client, otherOwner, 'profile svc:read')).access_token);
  for (const orgId of [own.orgId, other.orgId]) {
    expect((await ofStranger.attempt('context.story.read', story, { 'x-tenant-id': orgId })).status).toBe(403);
  }
  expect(await ofStranger.call('identity.me.read', {})).toMatchObject({ type: 'user', organizations: [] });
});

covers('code.userinfo', async ({ own, owner }) => {
  const client = await registerClient(own);
  const ask = (token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return send<Record<string, unknown>>(own.url, { path: '/oauth2/userinfo', headers });
  };
  const sub = await idOf(owner);
  expect((await ask((await tokensFor(client, owner, 'openid')).access_token)).body).toEqual({ sub });
  const withEmail = await ask((await tokensFor(client, owner, 'openid email')).access_token);
  expect(withEmail.body).toEqual({ sub, email: owner.email, email_verified: true });
  expect((await ask((await tokensFor(client, owner, 'profile')).access_token)).status).toBe(403);
  for (const token of [undefined, 'x', own.apiKey]) {
    const refused = await ask(token);
    expect({ token, status: refused.status }).toEqual({ token, status: 401 });
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer/);
  }
});

covers('code.session-only', async ({ own, owner }) => {
  const { access_token } = await tokensFor(await registerClient(own), owner, 'openid profile email');
  const calls: [method: string, path: string, body?: object][] = [
    ['PUT', '/identity/me/password', { currentPassword: owner.password, newPassword: 'another long password' }],
    ['PUT', '/identity/me/login-email', { contactId: 'con_x', currentPassword: owner.password }],
    ['PATCH', '/identity/me', { firstName: 'Mallory' }],
    ['POST', '/identity/me/contacts', { type: 'email', value: 'mallory@example.com' }],
    ['PATCH', '/identity/me/contacts/con_x', { isPrimary: true }],
    ['DELETE', '/identity/me/contacts/con_x'],
    ['POST', '/identity/me/contacts/con_x/verification'],
    ['POST', '/identity/me/addresses', { type: 'home', addressLine: 'a', city: 'b', country: 'DE' }],
    ['PATCH', '/identity/me/addresses/adr_x', { city: 'b' }],
    ['DELETE', '/identity/me/addresses/adr_x'],
    ['GET', '/identity/me/sessions'],
    ['DELETE', '/identity/me/sessions'],
    ['GET', '/identity/me/applications'],
    ['GET', '/identity/me/export'],
    ['DELETE', '/identity/me'],
  ];
  for (const [method, path, body] of calls) {
    const { status, body: refusal } = await holderOf(own, access_token).send(method, path, body);
    expect({ path, status, error: refusal.error }).toEqual({ path, status: 403, error: 'SESSION_REQUIRED' });
  }
  // Tests of other files change this user at the same time: only what these calls ask for is looked for.
  const { user, contacts, addresses } = await owner.call('identity.me.export', {});
  expect(user.email).toBe(owner.email);
  expect(JSON.stringify([user, contacts])).not.toMatch(/mallory/i);
  expect(addresses.map(({ addressLine }) => addressLine)).not.toContain('a');
});
