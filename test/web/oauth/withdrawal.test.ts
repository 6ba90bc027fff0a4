import { describe, expect, test } from '@jest/globals';
import {
  authorize,
  Browser,
  exchange,
  follow,
  logIn,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  refresh,
  statusOf,
  tokensOf,
} from '../../support/oauth.ts';
import { mailedLink, newVisitor } from '../../support/pages.ts';
import { until } from '../../support/until.ts';
import { sessionClientOf, type User } from '../../support/user-client.ts';

const ended = (client: OAuthClient, token: string) => until(async () => (await statusOf(client, token)) === 401);
const refused = { status: 400, body: { error: 'invalid_grant' } };

type Listed = { data: { clientId: string; name: string; scopes: string[] }[]; nextCursor: string | null };
const clientFor = (client: OAuthClient, user: User) => sessionClientOf(client.url, user.sessionToken);

describe('GET /identity/me/applications', () => {
  test('lists what the user has allowed, and nobody else’s', async () => {
    const [one, two] = [await newOAuthClient(), await newOAuthClient()];
    const { browser, user } = await newBrowser(one);
    await tokensOf(browser, one, { scope: 'openid mail.send' });
    await tokensOf(browser, two, { scope: 'openid' });
    const session = clientFor(one, user);
    const { status, body } = await session.send<Listed>('GET', '/identity/me/applications');
    expect(status).toBe(200);
    expect(body.nextCursor).toBeNull();
    expect(body.data).toHaveLength(2);
    expect(body.data).toContainEqual({
      clientId: one.clientId,
      name: 'Application of a test',
      organization: { id: one.orgId, name: 'Organization of a test' },
      scopes: ['openid', 'mail.send'],
      firstParty: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const first = (await session.send<Listed>('GET', '/identity/me/applications?limit=1')).body;
    const rest = (await session.send<Listed>('GET', `/identity/me/applications?limit=1&cursor=${first.nextCursor}`))
      .body;
    expect([...first.data, ...rest.data]).toEqual(body.data);
    const other = await newBrowser(one);
    expect((await clientFor(one, other.user).send<Listed>('GET', '/identity/me/applications')).body.data).toEqual([]);
  });

  test('is for users who are logged in', async () => {
    const client = await newOAuthClient();
    const { browser } = await newBrowser(client);
    const { access_token } = await tokensOf(browser, client);
    const ask = (authorization: string) =>
      clientFor(client, { sessionToken: '' } as User).send('GET', '/identity/me/applications', undefined, {
        authorization,
        cookie: null,
      });
    expect(await ask(`Bearer ${access_token}`)).toMatchObject({ status: 403, body: { error: 'SESSION_REQUIRED' } });
    expect(await ask(`Bearer ${client.apiKey}`)).toMatchObject({ status: 403, body: { error: 'USER_REQUIRED' } });
  });
});

describe('DELETE /identity/me/applications/:clientId', () => {
  const withdraw = (client: OAuthClient, user: User, clientId = client.clientId) =>
    clientFor(client, user).send('DELETE', `/identity/me/applications/${clientId}`);

  test('ends everything the application holds, and it must ask again', async () => {
    const [client, other] = [await newOAuthClient(), await newOAuthClient()];
    const { browser, user } = await newBrowser(client);
    const tokens = await tokensOf(browser, client);
    const others = await tokensOf(browser, other);
    const { end } = await authorize(browser, client);
    expect(await statusOf(client, tokens.access_token)).toBe(200);
    expect(await withdraw(client, user)).toMatchObject({ status: 204 });
    await ended(client, tokens.access_token);
    expect(await refresh(client, tokens.refresh_token!)).toMatchObject(refused);
    expect(await exchange(client, end!.searchParams.get('code')!)).toMatchObject(refused);
    expect(await statusOf(other, others.access_token)).toBe(200);
    expect((await authorize(browser, client)).visited).toContain('consent');
  });

  test('is 404 for what was never allowed, and a second time', async () => {
    const client = await newOAuthClient();
    const { browser, user } = await newBrowser(client);
    const mine = await newBrowser(client);
    const tokens = await tokensOf(mine.browser, client);
    for (const clientId of [client.clientId, 'cli_00000000000000000000000000', 'nothing']) {
      expect(await withdraw(client, user, clientId)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    }
    expect(await statusOf(client, tokens.access_token)).toBe(200);
    await tokensOf(browser, client);
    expect(await withdraw(client, user)).toMatchObject({ status: 204 });
    expect(await withdraw(client, user)).toMatchObject({ status: 404 });
  });
});

describe('a new password', () => {
  /** The tokens of two logins of a user: of the session at hand, and of another that was made elsewhere. */
  async function granted() {
    const client = await newOAuthClient();
    const { browser, user } = await newBrowser(client);
    const elsewhere = new Browser(client.url);
    const address = (await authorize(elsewhere, client)).end!.href;
    await follow(elsewhere, await logIn(elsewhere, address, user));
    return { client, browser, user, here: await tokensOf(browser, client), there: await tokensOf(elsewhere, client) };
  }

  test('by recovery ends all that applications hold, also offline, and they must ask again', async () => {
    const { client, browser, user, here, there } = await granted();
    const visitor = await newVisitor();
    const begin = '/self-service/recovery/browser';
    await visitor.postFrom(begin, '/self-service/recovery', { email: user.email });
    const link = await mailedLink(user.email, '/self-service/recovery/reset');
    const password = 'another password of a test';
    expect((await visitor.postFrom(link, link, { password })).status).toBe(303);
    for (const { access_token, refresh_token } of [here, there]) {
      await ended(client, access_token);
      expect(await refresh(client, refresh_token!)).toMatchObject(refused);
    }
    const address = (await authorize(browser, client)).end!.href;
    const after = await follow(browser, await logIn(browser, address, { email: user.email, password }), 'look');
    expect(after.answer.text).toContain('name="decision"');
  });

  test('by a change ends it too, and leaves what was allowed', async () => {
    const { client, browser, user, here, there } = await granted();
    const online = await tokensOf(browser, client, { scope: 'openid' });
    const body = { currentPassword: user.password, newPassword: 'another password of a test' };
    expect((await clientFor(client, user).send('PUT', '/identity/me/password', body)).status).toBe(204);
    for (const { access_token, refresh_token } of [here, there]) {
      await ended(client, access_token);
      expect(await refresh(client, refresh_token!)).toMatchObject(refused);
    }
    expect(await statusOf(client, online.access_token)).toBe(200);
    expect((await authorize(browser, client)).visited).not.toContain('consent');
  });
});

/** Asks to be logged out and says yes. */
async function logOut(browser: Browser, address: string) {
  const { answer } = await follow(browser, address);
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('Log out?') });
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(answer.text)![1]!;
  return browser.go('/oauth2/session/end/confirm', { xsrf, logout: 'yes' });
}

describe('logging out at an application’s request', () => {
  test('ends the session of the platform and what was to end with it, and goes back', async () => {
    const postLogoutRedirectUris = ['https://app.example/bye'];
    const client = await newOAuthClient({ postLogoutRedirectUris });
    const { browser } = await newBrowser(client);
    const lasting = await tokensOf(browser, client);
    const passing = await tokensOf(browser, client, { scope: 'openid' });
    const query = {
      id_token_hint: passing.id_token!,
      post_logout_redirect_uri: postLogoutRedirectUris[0]!,
      state: 'x',
    };
    const { status, headers } = await logOut(browser, `${client.url}/oauth2/session/end?${new URLSearchParams(query)}`);
    expect({ status, location: headers.location }).toEqual({
      status: 303,
      location: 'https://app.example/bye?state=x',
    });
    expect(browser.cookie('platform_session')).toBeUndefined();
    await ended(client, passing.access_token);
    expect(await statusOf(client, lasting.access_token)).toBe(200);
    expect(await refresh(client, lasting.refresh_token!)).toMatchObject({ status: 200 });
    const { end } = await authorize(browser, client, { prompt: 'none' });
    expect(end?.searchParams.get('error')).toBe('login_required');
  });

  test('without an application ends on a page of ours', async () => {
    const client = await newOAuthClient();
    const { browser } = await newBrowser(client);
    const { headers } = await logOut(browser, `${client.url}/oauth2/session/end`);
    const page = await browser.go(headers.location!);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You are logged out') });
  });

  test('cannot be done by another site', async () => {
    const client = await newOAuthClient();
    const { browser } = await newBrowser(client);
    await follow(browser, `${client.url}/oauth2/session/end`);
    const forged = await browser.go('/oauth2/session/end/confirm', { xsrf: 'a guess', logout: 'yes' });
    expect(forged.headers.location).toBe(`${client.url}/oauth2/session/end`);
    expect(await authorize(browser, client, {}, 'look')).toMatchObject({ answer: { status: 200 } });
  });
});

describe('a session that ends on the platform', () => {
  test('ends what was allowed in it for as long as the user is there, and nothing else', async () => {
    const client = await newOAuthClient();
    const { browser, user } = await newBrowser(client);
    const lasting = await tokensOf(browser, client);
    const passing = await tokensOf(browser, client, { scope: 'openid' });
    expect(await statusOf(client, passing.access_token)).toBe(200);
    await clientFor(client, user).send('DELETE', `/identity/me/sessions/${user.sessionId}`);
    await ended(client, passing.access_token);
    expect(await statusOf(client, lasting.access_token)).toBe(200);
  });
});
