import { describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { send } from '../../support/http.ts';
import {
  authorize,
  Browser,
  exchange,
  follow,
  logIn,
  newBrowser,
  newOAuthClient,
  post,
  refresh,
  statusOf,
  tokensOf,
} from '../../support/oauth.ts';
import { createUser } from '../../support/user-client.ts';

describe('an authorization code', () => {
  test('is given to a user who agrees, and exchanged for tokens that the APIs take', async () => {
    const client = await newOAuthClient();
    const { browser, user } = await newBrowser(client);
    const { end, visited } = await authorize(browser, client, { nonce: 'nonce-of-a-test' });
    expect(visited).toContain('consent');
    expect(end?.href).toContain(`${client.redirectUri}?`);
    expect(Object.fromEntries(end!.searchParams)).toMatchObject({
      state: 'state-of-a-test',
      iss: `${client.url}/oauth2`,
    });
    const { status, body } = await exchange(client, end!.searchParams.get('code')!);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'openid profile email offline_access context.story.read',
        refresh_token: expect.any(String),
      },
    });
    expect(decodeProtectedHeader(body.access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(decodeJwt(body.access_token)).toMatchObject({
      iss: `${client.url}/oauth2`,
      aud: client.url,
      sub: user.userId,
      client_id: client.clientId,
      org: client.orgId,
      scope: body.scope,
      jti: expect.any(String),
    });
    expect(decodeJwt(body.id_token!)).toMatchObject({
      sub: user.userId,
      aud: client.clientId,
      nonce: 'nonce-of-a-test',
      auth_time: expect.any(Number),
      at_hash: expect.any(String),
      email: user.email,
      email_verified: true,
    });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const me = await send(client.url, { path: '/identity/me', headers });
    expect(me).toMatchObject({ status: 200, body: { type: 'user', id: user.userId, email: user.email } });
  });

  test('is refreshed, and refreshed again', async () => {
    const client = await newOAuthClient();
    const { browser } = await newBrowser(client);
    const tokens = await tokensOf(browser, client);
    const second = await refresh(client, tokens.refresh_token!);
    expect(second).toMatchObject({ status: 200, body: { scope: tokens.scope, expires_in: 3600 } });
    const third = await refresh(client, second.body.refresh_token!);
    expect(third).toMatchObject({ status: 200 });
    expect(await statusOf(client, third.body.access_token)).toBe(200);
  });
});

describe('the login page', () => {
  test('stands at the beginning of a flow, and again when the application asks for it', async () => {
    const client = await newOAuthClient();
    const user = await createUser(client.databaseUrl, { orgId: client.orgId });
    const browser = new Browser(client.url);
    const first = await authorize(browser, client);
    const { end } = await follow(browser, await logIn(browser, first.end!.href, user));
    const { body } = await exchange(client, end!.searchParams.get('code')!);
    expect(decodeJwt(body.access_token).sub).toBe(user.userId);
    const again = await authorize(browser, client, { prompt: 'login' });
    expect((await browser.go(again.end!.href)).text).toContain('Log in again');
    const after = await follow(browser, await logIn(browser, again.end!.href, user));
    expect(after.visited).not.toContain('consent');
    expect(await exchange(client, after.end!.searchParams.get('code')!)).toMatchObject({ status: 200 });
    expect(await refresh(client, body.refresh_token!)).toMatchObject({ status: 200 });
  });
});

describe('client credentials', () => {
  test('give an application all that its client may have', async () => {
    const client = await newOAuthClient({ scopes: ['openid', 'context.story.read', 'svc:read'] });
    const { status, body } = await post(client, 'token', { grant_type: 'client_credentials' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 3600, scope: 'context.story.read svc:read' },
    });
    expect(body).not.toHaveProperty('refresh_token');
    expect(decodeJwt(body.access_token)).toMatchObject({
      sub: client.clientId,
      client_id: client.clientId,
      org: client.orgId,
    });
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect(await send(client.url, { path: '/identity/me', headers })).toMatchObject({
      status: 200,
      body: {
        type: 'application',
        id: client.applicationId,
        clientId: client.clientId,
        scopes: ['context.story.read', 'svc:read'],
      },
    });
  });
});
