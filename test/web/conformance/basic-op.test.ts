import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import {
  type AuthorizationRequest,
  authorizationUrl,
  type Client,
  exchangeCode,
  goThrough,
  requestToken,
  type TokenAnswer,
} from '../../support/authorization.ts';
import { send } from '../../support/http.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf, setTrust, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserAgent, type UserAgent } from '../../support/user-agent.ts';
import { createUser, type User } from '../../support/user-client.ts';

const redirectUri = 'https://client.example.com/callback';
let client: Client;
let issuer: string;
let user: User;
let agent: UserAgent;

beforeAll(async () => {
  const platform = await sharedPlatform();
  const databaseUrl = await databaseUrlOf(platform);
  issuer = `${platform.url}/oauth2`;
  user = await createUser(databaseUrl);
  await withDatabase(databaseUrl, (database) =>
    database
      .collection<{ _id: string }>('identity_users')
      .updateOne({ _id: user.userId }, { $set: { firstName: 'Ada', lastName: 'Moreau', birthDate: '1990-12-10' } }),
  );
  client = { ...(await newClient(databaseUrl)), url: platform.url, redirectUri };
});

beforeEach(() => {
  agent = newUserAgent(client.url);
});

/** Of an organization that the operator trusts, so that errors lead back to it without a click. */
async function newClient(databaseUrl: string) {
  const tenant = await createTenant(databaseUrl);
  await setTrust(databaseUrl, tenant.orgId, true);
  return createOAuthClient(databaseUrl, tenant, {
    redirectUris: [redirectUri],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  });
}

/** A whole code flow, logging in and agreeing where the pages ask for it. */
async function flow(request: AuthorizationRequest = {}, by = agent): Promise<TokenAnswer> {
  const callback = await authorize(request, by);
  const { status, body, text } = await exchangeCode(client, callback);
  if (status !== 200) throw new Error(`${callback}: ${text}`);
  return body;
}

async function authorize(request: AuthorizationRequest = {}, by = agent): Promise<URL> {
  return goThrough(by, await by.open(authorizationUrl(client, request)), user);
}

/** Where the browser is sent when nobody may be asked anything. */
async function leave(request: AuthorizationRequest): Promise<URL> {
  return agent.leftTo(await agent.open(authorizationUrl(client, request)));
}

function verify(idToken: string | undefined) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  return jwtVerify(idToken!, keys, { issuer, audience: client.clientId });
}

const userinfo = (token: string, method = 'GET') =>
  send<Record<string, unknown>>(client.url, {
    method,
    path: '/oauth2/userinfo',
    headers: { authorization: `Bearer ${token}` },
  });

const discovery = async () =>
  (await send<Record<string, unknown>>(client.url, { path: '/oauth2/.well-known/openid-configuration' })).body;

/** Whether a page asks for the password of somebody who is logged in. */
async function asksAgain(request: AuthorizationRequest): Promise<boolean> {
  const page = await agent.open(authorizationUrl(client, request));
  return page.status === 200 && /name="password"/.test(page.text);
}

/** Each of the plan's cases by its id. One that does not apply shows that it is not offered. */
const cases: Record<string, () => Promise<void>> = {
  'oidcc-server': async () => {
    const before = Math.floor(Date.now() / 1000);
    const tokens = await flow({ nonce: 'a-nonce', scope: 'openid' });
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'openid' });
    const { payload } = await verify(tokens.id_token);
    expect(payload).toMatchObject({ iss: issuer, sub: user.userId, aud: client.clientId, nonce: 'a-nonce' });
    expect(payload.iat).toBeGreaterThanOrEqual(before);
    expect(payload.exp).toBeGreaterThan(payload.iat!);
    const half = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16);
    expect(payload.at_hash).toBe(half.toString('base64url'));
    const callback = await authorize({ state: 'a-state' });
    expect(callback.searchParams.get('state')).toBe('a-state');
    expect(callback.searchParams.get('iss')).toBe(issuer);
  },
  'oidcc-response-type-missing': async () => {
    const page = await agent.open(authorizationUrl(client, { response_type: null }));
    const told = page.headers.location ? agent.leftTo(page).searchParams.get('error') : page.text;
    expect(told).toContain('invalid_request');
  },
  'oidcc-idtoken-signature': async () => {
    const { id_token: idToken } = await flow();
    const { alg, kid } = decodeProtectedHeader(idToken!);
    const { text } = await send(client.url, { path: '/oauth2/.well-known/jwks.json' });
    const { keys } = JSON.parse(text) as { keys: { kid: string }[] };
    expect(alg).toBe('RS256');
    expect(keys.filter((key) => key.kid === kid)).toHaveLength(1);
    const tampered = `${idToken!.slice(0, -6)}${idToken!.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
    await expect(verify(tampered)).rejects.toThrow();
  },
  'oidcc-idtoken-unsigned': async () => {
    expect((await discovery()).id_token_signing_alg_values_supported).toEqual(['RS256']);
  },
  'oidcc-userinfo-get': async () => {
    const { access_token: token } = await flow();
    expect(await userinfo(token)).toMatchObject({ status: 200, body: { sub: user.userId } });
  },
  'oidcc-userinfo-post-header': async () => {
    const { access_token: token } = await flow();
    expect(await userinfo(token, 'POST')).toMatchObject({ status: 200, body: { sub: user.userId } });
  },
  'oidcc-userinfo-post-body': async () => {
    const { access_token: token } = await flow();
    const answer = await send(client.url, {
      method: 'POST',
      path: '/oauth2/userinfo',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}`,
    });
    expect(answer).toMatchObject({ status: 200, body: { sub: user.userId } });
  },
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': async () => {
    const { id_token: idToken } = await flow({ nonce: null });
    expect((await verify(idToken)).payload).not.toHaveProperty('nonce');
  },
  'oidcc-scope-profile': async () => {
    const { access_token: token } = await flow({ scope: 'openid profile' });
    const { body } = await userinfo(token);
    expect(body).toMatchObject({
      sub: user.userId,
      name: 'Ada Moreau',
      given_name: 'Ada',
      family_name: 'Moreau',
      birthdate: '1990-12-10',
      updated_at: expect.any(Number),
    });
    expect(body).not.toHaveProperty('email');
  },
  'oidcc-scope-email': async () => {
    const { access_token: token } = await flow({ scope: 'openid email' });
    expect((await userinfo(token)).body).toEqual({ sub: user.userId, email: user.email, email_verified: true });
  },
  'oidcc-scope-address': async () => {
    expect((await discovery()).scopes_supported).not.toContain('address');
    expect((await leave({ scope: 'openid address' })).searchParams.get('error')).toBe('invalid_scope');
  },
  'oidcc-scope-phone': async () => {
    expect((await discovery()).scopes_supported).not.toContain('phone');
    expect((await leave({ scope: 'openid phone' })).searchParams.get('error')).toBe('invalid_scope');
  },
  'oidcc-scope-all': async () => {
    const { access_token: token } = await flow({ scope: 'openid profile email offline_access' });
    expect((await userinfo(token)).body).toMatchObject({ sub: user.userId, name: 'Ada Moreau', email: user.email });
  },
  'oidcc-ensure-other-scope-order-succeeds': async () => {
    const { access_token: token } = await flow({ scope: 'email openid' });
    expect((await userinfo(token)).body).toMatchObject({ sub: user.userId, email: user.email });
  },
  'oidcc-display-page': async () => void (await flow({ display: 'page' })),
  'oidcc-display-popup': async () => void (await flow({ display: 'popup' })),
  'oidcc-prompt-login': async () => {
    const first = decodeJwt((await flow({ max_age: '10000' })).id_token!);
    await secondsPast(first.auth_time as number);
    expect(await asksAgain({ prompt: 'login' })).toBe(true);
    const second = decodeJwt((await flow({ prompt: 'login', max_age: '10000' })).id_token!);
    expect(second.sub).toBe(first.sub);
    expect(second.auth_time).toBeGreaterThan(first.auth_time as number);
  },
  'oidcc-prompt-none-not-logged-in': async () => {
    const left = await leave({ prompt: 'none', state: 'kept' });
    expect(left.searchParams.get('error')).toBe('login_required');
    expect(left.searchParams.get('state')).toBe('kept');
  },
  'oidcc-prompt-none-logged-in': async () => {
    const first = decodeJwt((await flow({ max_age: '10000' })).id_token!);
    const left = await leave({ prompt: 'none', max_age: '10000' });
    const { body } = await exchangeCode(client, left);
    const second = decodeJwt(body.id_token!);
    expect(second).toMatchObject({ sub: first.sub, auth_time: first.auth_time });
  },
  'oidcc-max-age-1': async () => {
    const first = decodeJwt((await flow({ max_age: '1' })).id_token!);
    await secondsPast((first.auth_time as number) + 1);
    expect(await asksAgain({ max_age: '1' })).toBe(true);
    const second = decodeJwt((await flow({ max_age: '1' })).id_token!);
    expect(second.auth_time).toBeGreaterThan(first.auth_time as number);
  },
  'oidcc-max-age-10000': async () => {
    const first = decodeJwt((await flow({ max_age: '10000' })).id_token!);
    expect(await asksAgain({ max_age: '10000' })).toBe(false);
    const second = decodeJwt((await flow({ max_age: '10000' })).id_token!);
    expect(second.auth_time).toBe(first.auth_time);
  },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': async () => void (await flow({ extra: 'foobar' })),
  'oidcc-id-token-hint': async () => {
    const { id_token: hint } = await flow();
    const { body } = await exchangeCode(client, await leave({ prompt: 'none', id_token_hint: hint! }));
    expect(decodeJwt(body.id_token!).sub).toBe(user.userId);
  },
  'oidcc-login-hint': async () => {
    const page = await agent.open(authorizationUrl(client, { login_hint: user.email }));
    expect(page.text).toContain(`value="${user.email}"`);
    await flow({ login_hint: user.email });
  },
  'oidcc-ui-locales': async () => void (await flow({ ui_locales: 'se' })),
  'oidcc-claims-locales': async () => void (await flow({ claims_locales: 'se' })),
  'oidcc-ensure-request-with-acr-values-succeeds': async () => void (await flow({ acr_values: '1 2' })),
  'oidcc-codereuse': async () => {
    const callback = await authorize();
    expect(await exchangeCode(client, callback)).toMatchObject({ status: 200 });
    expect(await exchangeCode(client, callback)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  },
  'oidcc-codereuse-30seconds': async () => {
    const callback = await authorize();
    const { body } = await exchangeCode(client, callback);
    expect(await userinfo(body.access_token)).toMatchObject({ status: 200 });
    expect(await exchangeCode(client, callback)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await userinfo(body.access_token)).toMatchObject({ status: 401 });
  },
  'oidcc-ensure-registered-redirect-uri': async () => {
    const page = await agent.open(authorizationUrl(client, { redirect_uri: 'https://client.example.com/other' }));
    expect(page).toMatchObject({ status: 400, headers: expect.not.objectContaining({ location: expect.anything() }) });
  },
  'oidcc-ensure-post-request-succeeds': async () => {
    const [path, query] = authorizationUrl(client, {}).slice(client.url.length).split('?');
    const answer = await send(client.url, {
      method: 'POST',
      path: path!,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: query!,
    });
    agent.keepCookies(answer);
    const next = await agent.open(new URL(answer.headers.location!, client.url).href);
    expect(await exchangeCode(client, await goThrough(agent, next, user))).toMatchObject({ status: 200 });
  },
  'oidcc-server-client-secret-post': async () => {
    const platform = await sharedPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    const registered = await createOAuthClient(databaseUrl, await createTenant(databaseUrl), {
      redirectUris: [redirectUri],
      tokenEndpointAuthMethod: 'client_secret_post',
    });
    const posting = { ...registered, url: platform.url, redirectUri };
    const callback = await goThrough(agent, await agent.open(authorizationUrl(posting)), user);
    const form = {
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code')!,
      redirect_uri: redirectUri,
      client_id: posting.clientId,
      client_secret: posting.clientSecret,
    };
    const answer = await send<TokenAnswer>(platform.url, {
      method: 'POST',
      path: '/oauth2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(form)),
    });
    expect(answer).toMatchObject({ status: 200, body: { id_token: expect.any(String) } });
  },
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': async () => {
    const left = await leave({ request_uri: 'https://client.example.com/request.jwt' });
    expect(left.searchParams.get('error')).toBe('request_uri_not_supported');
  },
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': async () => {
    const left = await leave({ request: unsigned({ scope: 'openid' }) });
    expect(left.searchParams.get('error')).toBe('request_not_supported');
  },
  'oidcc-claims-essential': async () => {
    expect((await discovery()).claims_parameter_supported ?? false).toBe(false);
    await flow({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) });
  },
  'oidcc-ensure-request-object-with-redirect-uri': async () => {
    expect((await discovery()).request_parameter_supported ?? false).toBe(false);
  },
  'oidcc-refresh-token': async () => {
    const first = await flow({ scope: 'openid offline_access' });
    const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token! };
    const { status, body: second } = await requestToken(client, form);
    expect(status).toBe(200);
    expect(second.access_token).not.toBe(first.access_token);
    const [before, after] = [decodeJwt(first.id_token!), decodeJwt(second.id_token!)];
    expect(after).toMatchObject({ iss: before.iss, sub: before.sub, aud: before.aud });
    expect(await userinfo(second.access_token)).toMatchObject({ status: 200 });
  },
  'oidcc-ensure-request-with-valid-pkce-succeeds': async () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const request = { code_challenge: challenge, code_challenge_method: 'S256' };
    expect(await exchangeCode(client, await authorize(request), { code_verifier: verifier })).toMatchObject({
      status: 200,
    });
    const missing = await exchangeCode(client, await authorize(request));
    expect(missing).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  },
};

/** `auth_time` has whole seconds; waits until the present one is beyond it. */
function secondsPast(second: number): Promise<void> {
  return until(() => Promise.resolve(Math.floor(Date.now() / 1000) > second));
}

/** A request object that nobody signed. */
function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ client_id: client.clientId, ...claims })}.`;
}

describe('the plan of a Basic OpenID Provider', () => {
  test.each(Object.keys(cases))('%s', (id) => cases[id]!());

  test('stands in docs/openid-conformance.md with exactly these cases, in this order', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/openid-conformance.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `(oidcc-[a-z0-9-]+)`/gm)].map((match) => match[1]);
    expect(listed).toEqual(Object.keys(cases));
  });
});
