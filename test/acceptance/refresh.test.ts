import { expect } from '@jest/globals';
import { authorizationUrl, exchangeCode, goThrough, requestToken } from '../support/authorization.ts';
import { send } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { newUserAgent } from '../support/user-agent.ts';
import { authorize, holderOf, type Registered, registerClient, tokensFor } from './authorization.ts';
import { covers } from './covers.ts';
import { logIn } from './platform.ts';

const refresh = (client: Registered, token: string, form: Record<string, string> = {}) =>
  requestToken(client, { grant_type: 'refresh_token', refresh_token: token, ...form });

covers('refresh.rotation', async ({ own, owner }) => {
  const client = await registerClient(own);
  const { refresh_token: first } = await tokensFor(client, owner, 'openid profile offline_access');
  const second = await refresh(client, first!);
  expect(second).toMatchObject({ status: 200, body: { expires_in: 3600, refresh_token: expect.any(String) } });
  expect(second.body.refresh_token).not.toBe(first);
  const repeated = await refresh(client, first!);
  expect(repeated.status).toBe(200);
  const third = await refresh(client, second.body.refresh_token!);
  expect(third.status).toBe(200);
  for (const { body } of [second, repeated, third]) {
    expect((await holderOf(own, body.access_token).attempt('identity.me.read', {})).status).toBe(200);
  }
  const stranger = await registerClient(own);
  expect((await refresh(stranger, third.body.refresh_token!)).body.error).toBe('invalid_grant');
  expect((await refresh(client, 'unknown')).body.error).toBe('invalid_grant');
});

covers('refresh.scope', async ({ own, owner }) => {
  const client = await registerClient(own);
  const { refresh_token } = await tokensFor(client, owner, 'openid profile offline_access');
  const more = await refresh(client, refresh_token!, { scope: 'openid profile email' });
  expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  const less = await refresh(client, refresh_token!, { scope: 'openid' });
  expect(less.status).toBe(200);
  const holder = holderOf(own, less.body.access_token);
  expect((await holder.attempt('identity.me.update', { body: {} })).status).toBe(403);
});

covers('refresh.revoked', async ({ own, owner }) => {
  const client = await registerClient(own);
  const { refresh_token, access_token } = await tokensFor(client, owner, 'openid offline_access');
  const holder = holderOf(own, access_token);
  await holder.call('identity.me.read', {});
  const authorization = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const body = String(new URLSearchParams({ token: refresh_token! }));
  expect((await send(own.url, { method: 'POST', path: '/oauth2/revoke', headers, body })).status).toBe(200);
  expect((await refresh(client, refresh_token!)).body.error).toBe('invalid_grant');
  await eventually(async () => expect((await holder.attempt('identity.me.read', {})).status).toBe(401));
});

covers('refresh.session', async ({ own, owner }) => {
  const client = await registerClient(own);
  const here = await logIn(own.url, owner);
  const online = await tokensFor(client, here, 'openid profile');
  const offline = await tokensFor(client, here, 'openid profile offline_access');
  const [ended, kept] = [online, offline].map(({ access_token }) => holderOf(own, access_token));
  await ended!.call('identity.me.read', {});
  const { data } = await here.call('identity.sessions.list', { query: { limit: '100' } });
  const { id } = data.find(({ current }) => current)!;
  await owner.call('identity.sessions.revoke', { path: { id } });
  await eventually(async () => expect((await ended!.attempt('identity.me.read', {})).status).toBe(401));
  expect((await kept!.attempt('identity.me.read', {})).status).toBe(200);
  expect((await refresh(client, offline.refresh_token!)).status).toBe(200);
});

covers('consents.list', async ({ own, owner }) => {
  const client = await registerClient(own);
  await authorize(client, owner, { scope: 'openid email' });
  const { status, body } = await owner.attempt('identity.oauth.my-applications.list', { query: { limit: '100' } });
  expect(status).toBe(200);
  expect(body.data.find(({ clientId }) => clientId === client.clientId)).toEqual({
    clientId: client.clientId,
    name: 'Of a test',
    organization: { id: own.orgId, name: expect.any(String) },
    scopes: ['openid', 'email'],
    firstParty: false,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
});

covers('consents.withdraw', async ({ own, owner, otherOwner }) => {
  const client = await registerClient(own);
  const { access_token, refresh_token } = await tokensFor(client, owner, 'openid offline_access');
  const holder = holderOf(own, access_token);
  await holder.call('identity.me.read', {});
  const path = { clientId: client.clientId };
  expect((await otherOwner.attempt('identity.oauth.my-applications.withdraw', { path })).status).toBe(404);
  const withdrawn = await owner.attempt('identity.oauth.my-applications.withdraw', { path });
  expect(withdrawn).toMatchObject({ status: 204, text: '' });
  await eventually(async () => expect((await holder.attempt('identity.me.read', {})).status).toBe(401));
  expect((await refresh(client, refresh_token!)).body.error).toBe('invalid_grant');
  const agent = newUserAgent(own.url, owner.sessionToken);
  expect((await agent.open(authorizationUrl(client))).text).toContain('Allow');
  expect((await owner.attempt('identity.oauth.my-applications.withdraw', { path })).status).toBe(404);
});

covers('logout.initiated', async ({ own, owner }) => {
  const home = 'https://app.example.com/goodbye';
  const client = await registerClient(own, { postLogoutRedirectUris: [home] });
  const agent = newUserAgent(own.url);
  const callback = await goThrough(agent, await agent.open(authorizationUrl(client)), owner);
  const { id_token } = (await exchangeCode(client, callback)).body;
  const sessionToken = agent.cookies.get('platform_session')!;
  const query = { id_token_hint: id_token!, post_logout_redirect_uri: home, state: 'done' };
  const asked = await agent.open(`${own.url}/oauth2/session/end?${new URLSearchParams(query)}`);
  expect(agent.cookies.get('platform_session')).toBe(sessionToken);
  expect(agent.leftTo(await agent.submit(asked)).href).toBe(`${home}?state=done`);
  const cookie = { authorization: null, cookie: `platform_session=${sessionToken}` };
  await eventually(async () => {
    expect((await own.attempt('identity.me.read', {}, cookie)).status).toBe(401);
  });
});
