import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { clientOf } from '../../support/client.ts';
import { type Answer, send } from '../../support/http.ts';
import {
  type Browser,
  basic,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  post,
  refresh,
  statusOf,
  type Tokens,
  tokensOf,
} from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import type { User } from '../../support/user-client.ts';

let client: OAuthClient;
let browser: Browser;
let user: User;
beforeAll(async () => {
  client = await newOAuthClient();
  ({ browser, user } = await newBrowser(client));
});

const applicationToken = async (of = client) =>
  (await post(of, 'token', { grant_type: 'client_credentials' })).body.access_token;

function userinfo(token: string | null, method = 'GET', headers = {}): Promise<Answer> {
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return send(client.url, { method, path: '/oauth2/userinfo', headers: { ...authorization, ...headers } });
}

const introspect = (token: string, of = client) => post<Record<string, unknown>>(of, 'introspect', { token });
const revoke = (token: string, of = client) => post(of, 'revoke', { token });

describe('userinfo', () => {
  beforeAll(async () => {
    await withDatabase(client.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: user.userId }, { $set: { firstName: 'Ada', lastName: 'Moreau', birthDate: '1990-12-10' } }),
    );
  });

  test('tells what the scopes open', async () => {
    const { access_token } = await tokensOf(browser, client, { scope: 'openid profile email' });
    const expected = {
      sub: user.userId,
      name: 'Ada Moreau',
      given_name: 'Ada',
      family_name: 'Moreau',
      birthdate: '1990-12-10',
      updated_at: expect.any(Number),
      email: user.email,
      email_verified: expect.any(Boolean),
    };
    expect((await userinfo(access_token)).body).toEqual(expected);
    expect((await userinfo(access_token, 'POST')).body).toEqual(expected);
  });

  test('takes the token in a form too, but not in two ways at once', async () => {
    const { access_token } = await tokensOf(browser, client, { scope: 'openid' });
    const told = { status: 200, body: { sub: user.userId } };
    expect(await post(client, 'userinfo', { access_token }, {})).toMatchObject(told);
    const headers = { authorization: `Bearer ${access_token}` };
    expect(await post(client, 'userinfo', {}, headers)).toMatchObject(told);
    expect(await post(client, 'userinfo', { access_token }, headers)).toMatchObject({ status: 400 });
    const inQuery = await send(client.url, { path: `/oauth2/userinfo?access_token=${access_token}` });
    expect(inQuery.status).toBe(401);
  });

  test('tells no more than the scopes open', async () => {
    const { access_token } = await tokensOf(browser, client, { scope: 'openid context.story.read' });
    expect((await userinfo(access_token)).body).toEqual({ sub: user.userId });
    const email = await tokensOf(browser, client, { scope: 'openid email' });
    expect(Object.keys((await userinfo(email.access_token)).body as object)).toEqual([
      'sub',
      'email',
      'email_verified',
    ]);
  });

  test('refuses what is no token of a user that has openid', async () => {
    const without = await tokensOf(browser, client, { scope: 'context.story.read' });
    for (const token of [without.access_token, await applicationToken()]) {
      const answer = await userinfo(token);
      expect(answer).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
      expect(answer.headers['www-authenticate']).toMatch('insufficient_scope');
    }
    for (const token of [client.apiKey, 'a.b.c', 'nothing', without.refresh_token ?? 'x']) {
      const answer = await userinfo(token);
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      expect(answer.headers['www-authenticate']).toMatch('Bearer');
    }
    expect(await userinfo(null)).toMatchObject({ status: 401 });
    expect(await userinfo(without.access_token, 'DELETE')).toMatchObject({ status: 405 });
  });
});

describe('cross-origin access', () => {
  test.each(['token', 'userinfo', 'introspect', 'revoke'])(
    'to %s is answered for any page, as a question',
    async (path) => {
      const answer = await send(client.url, {
        method: 'OPTIONS',
        path: `/oauth2/${path}`,
        headers: { origin: 'https://any.example', 'access-control-request-method': 'POST' },
      });
      expect(answer).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': 'https://any.example' } });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  test('is for the pages of the client alone', async () => {
    const own = new URL(client.redirectUri).origin;
    const form = { grant_type: 'client_credentials' };
    const allowed = await post(client, 'token', form, { authorization: basic(client), origin: own });
    expect(allowed.headers['access-control-allow-origin']).toBe(own);
    const origin = 'https://evil.example';
    const refused = await post(client, 'token', form, { authorization: basic(client), origin });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    const { access_token } = await tokensOf(browser, client);
    const mine = await userinfo(access_token, 'GET', { origin: own });
    expect(mine.headers['access-control-allow-origin']).toBe(own);
    const theirs = await userinfo(access_token, 'GET', { origin });
    expect(theirs.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('any page reads that its token or client is unknown, as the answer is the same for all', async () => {
    const headers = { origin: 'https://any.example' };
    const expired = await userinfo('abc', 'GET', headers);
    const none = await userinfo(null, 'GET', headers);
    const nobody = { clientId: 'app_unknown', clientSecret: 'abc' };
    const revoked = await post({ ...client, ...nobody }, 'revoke', { token: 'abc' }, headers);
    for (const answer of [expired, none, revoked]) {
      expect(answer).toMatchObject({
        status: 401,
        headers: {
          'access-control-allow-origin': 'https://any.example',
          'access-control-expose-headers': 'WWW-Authenticate',
          vary: expect.stringContaining('Origin'),
        },
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test.each(['openid-configuration', 'jwks.json'])('to %s is open', async (file) => {
    const headers = { origin: 'https://any.example' };
    const answer = await send(client.url, { path: `/oauth2/.well-known/${file}`, headers });
    expect(answer.headers['access-control-allow-origin']).toMatch(/^(\*|https:\/\/any\.example)$/);
  });
});

describe('introspection', () => {
  test('tells a client of its own tokens', async () => {
    const tokens = await tokensOf(browser, client);
    const about = { active: true, sub: user.userId, client_id: client.clientId, scope: tokens.scope };
    expect((await introspect(tokens.access_token)).body).toMatchObject({
      ...about,
      token_type: 'Bearer',
      iss: `${client.url}/oauth2`,
      aud: client.url,
      exp: expect.any(Number),
    });
    expect((await introspect(tokens.refresh_token!)).body).toMatchObject(about);
    expect((await introspect(await applicationToken())).body).toMatchObject({ active: true, sub: client.clientId });
  });

  test('tells nothing of anybody else’s, and of what is none', async () => {
    const other = await newOAuthClient();
    const tokens = await tokensOf(browser, client);
    for (const token of [tokens.access_token, tokens.refresh_token!, 'nothing', 'a.b.c', client.apiKey]) {
      expect(await introspect(token, other)).toMatchObject({ status: 200, text: '{"active":false}' });
    }
  });

  test('tells nothing of a refresh token that was used and of what was revoked', async () => {
    const tokens = await tokensOf(browser, client);
    const next = await refresh(client, tokens.refresh_token!);
    await revoke(next.body.refresh_token!);
    for (const token of [tokens.access_token, tokens.refresh_token!, next.body.refresh_token!]) {
      expect((await introspect(token)).body).toEqual({ active: false });
    }
  });

  test('needs the client to prove itself', async () => {
    const open = await newOAuthClient({ isPublic: true });
    const token = await applicationToken();
    const wrong = { authorization: `Basic ${Buffer.from(`${client.clientId}:wrong`).toString('base64')}` };
    for (const [of, form, headers] of [
      [client, { token }, {}],
      [client, { token }, wrong],
      [client, { token, client_id: client.clientId, client_secret: 'wrong' }, {}],
      [client, { token, client_id: client.clientId }, {}],
      [open, { token, client_id: open.clientId }, {}],
    ] as [OAuthClient, Record<string, string>, Record<string, string>][]) {
      expect(await post(of, 'introspect', form, headers)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
    }
    expect(await post(client, 'introspect', {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const form = { token, client_id: client.clientId, client_secret: client.clientSecret };
    expect((await post(client, 'introspect', form, {})).body).toMatchObject({ active: true });
  });
});

describe('revocation', () => {
  test('of an access token ends it, and leaves the rest', async () => {
    const tokens = await tokensOf(browser, client);
    expect(await statusOf(client, tokens.access_token)).toBe(200);
    expect(await revoke(tokens.access_token)).toMatchObject({ status: 200 });
    await until(async () => (await statusOf(client, tokens.access_token)) === 401);
    expect(await refresh(client, tokens.refresh_token!)).toMatchObject({ status: 200 });
  });

  test('of an application’s token ends that one alone', async () => {
    const [one, two] = [await applicationToken(), await applicationToken()];
    await revoke(one);
    await until(async () => (await statusOf(client, one)) === 401);
    expect(await statusOf(client, two)).toBe(200);
  });

  test('of a refresh token takes all that was issued with it', async () => {
    const tokens = await tokensOf(browser, client);
    const others = await tokensOf(browser, client);
    expect(await statusOf(client, tokens.access_token)).toBe(200);
    expect(await revoke(tokens.refresh_token!)).toMatchObject({ status: 200 });
    expect(await refresh(client, tokens.refresh_token!)).toMatchObject({ status: 400 });
    await until(async () => (await statusOf(client, tokens.access_token)) === 401);
    expect(await statusOf(client, others.access_token)).toBe(200);
    expect(await refresh(client, others.refresh_token!)).toMatchObject({ status: 200 });
  });

  test('of what is no token, or another client’s, is answered alike and does nothing', async () => {
    const other = await newOAuthClient();
    const tokens = await tokensOf(browser, client);
    for (const token of [tokens.access_token, tokens.refresh_token!, 'nothing']) {
      expect(await revoke(token, other)).toMatchObject({ status: 200 });
    }
    expect(await statusOf(client, tokens.access_token)).toBe(200);
    expect(await refresh(client, tokens.refresh_token!)).toMatchObject({ status: 200 });
  });
});

describe('an access token', () => {
  let tokens: Tokens;
  beforeAll(async () => {
    tokens = await tokensOf(browser, client);
  });

  test('that was changed, cut or signed by another key is nobody’s', async () => {
    const [header, payload, signature] = tokens.access_token.split('.') as [string, string, string];
    const claims = decodeJwt(tokens.access_token);
    const raised = Buffer.from(JSON.stringify({ ...claims, scope: 'svc:admin' })).toString('base64url');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const jwk = await exportJWK(publicKey);
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const forge = (extra: object) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid, ...extra }).sign(privateKey);
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const forged = [
      `${header}.${raised}.${signature}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -6)}`,
      await forge({}),
      await forge({ jwk }),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(secret),
      tokens.id_token!,
    ];
    for (const token of forged)
      expect({ token, status: await statusOf(client, token) }).toEqual({ token, status: 401 });
  });

  test('works in the client’s organization alone', async () => {
    const other = await newOAuthClient();
    const headers = { authorization: `Bearer ${tokens.access_token}`, 'x-tenant-id': other.orgId };
    const answer = await send(client.url, { path: '/v1/story/customers/customer-1', headers });
    expect(answer).toMatchObject({ status: 403, body: { error: 'TENANT_MISMATCH' } });
  });

  test('may do what its scopes and the user’s role allow, and no more', async () => {
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': client.orgId };
      return (await send(client.url, { path: '/v1/story/customers/customer-1', headers })).status;
    };
    expect(await ask(tokens.access_token)).toBe(404);
    expect(await ask((await tokensOf(browser, client, { scope: 'openid mail.send' })).access_token)).toBe(403);
    expect(await ask(await applicationToken())).toBe(404);
  });

  test('loses a scope with its client', async () => {
    const own = await newOAuthClient({ scopes: ['context.story.read', 'mail.send'] });
    const token = await applicationToken(own);
    await withDatabase(own.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_oauth_clients')
        .updateOne({ _id: own.clientId }, { $set: { scopes: ['mail.send'] } }),
    );
    const me = await send(own.url, { path: '/identity/me', headers: { authorization: `Bearer ${token}` } });
    expect(me.body).toMatchObject({ scopes: ['mail.send'] });
  });

  test('ends with its client, its user and its organization', async () => {
    for (const [collection, key] of [
      ['identity_oauth_clients', 'clientId'],
      ['identity_applications', 'applicationId'],
      ['identity_organizations', 'orgId'],
    ] as const) {
      const own = await newOAuthClient();
      const [token, visit] = [await applicationToken(own), await newBrowser(own)];
      const ofUser = (await tokensOf(visit.browser, own)).access_token;
      expect([await statusOf(own, token), await statusOf(own, ofUser)]).toEqual([200, 200]);
      await withDatabase(own.databaseUrl, (database) =>
        database.collection<{ _id: string }>(collection).deleteOne({ _id: own[key] }),
      );
      await until(async () => (await statusOf(own, token)) === 401);
      await until(async () => (await statusOf(own, ofUser)) === 401);
      await until(async () => (await post(own, 'token', { grant_type: 'client_credentials' })).status === 401);
    }
    const visit = await newBrowser(client);
    const ofUser = await tokensOf(visit.browser, client);
    expect(await statusOf(client, ofUser.access_token)).toBe(200);
    await withDatabase(client.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: visit.user.userId }, { $set: { status: 'deleting' } }),
    );
    await until(async () => (await statusOf(client, ofUser.access_token)) === 401);
    expect(await refresh(client, ofUser.refresh_token!)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });
});

describe("a user's token", () => {
  test('may do what their roles in the organization and its scopes both allow, from one request to the next', async () => {
    const own = await newOAuthClient({ scopes: ['openid', 'profile', 'console.apps.write', 'console.audit.read'] });
    const tenant = clientOf(own);
    const { browser: of, user: member } = await newBrowser(own, 'member');
    const { access_token } = await tokensOf(of, own, { scope: 'openid profile console.apps.write' });
    const keys = `/applications/${own.applicationId}/api-keys`;
    const byToken = { authorization: `Bearer ${access_token}` };
    const post = (path: string, body: object) => tenant.send('POST', path, body, byToken);
    const write = async () => (await post(keys, { name: 'A key', scopes: ['context.story.read'] })).body.error;
    const readLog = async () =>
      (await tenant.send('GET', `/organizations/${own.orgId.replace('_', '-')}/audit-log`, undefined, byToken)).status;
    expect(await write()).toBe('PERMISSION_DENIED');
    expect((await post('/organizations', { name: 'Mugs', slug: 'mugs-of-a-token' })).body).toMatchObject({
      error: 'PERMISSION_DENIED',
      message: 'The access token lacks the scope console.orgs.write.',
    });
    const role = await tenant.call('access.roles.create', {
      body: { name: 'More', permissions: ['console.apps.write', 'console.audit.read'] },
    });
    const { assignmentId } = await tenant.call('access.assignments.create', {
      body: { userId: member.userId, roleId: role.id },
    });
    // It may write now, and nobody grants by a token what that lacks; nor does it read what it was not granted.
    expect(await write()).toBe('SCOPE_NOT_HELD');
    expect(await readLog()).toBe(403);
    await tenant.call('access.assignments.delete', { path: { assignmentId } });
    expect(await write()).toBe('PERMISSION_DENIED');
  });
});
