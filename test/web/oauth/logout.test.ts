import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import {
  authorize,
  Browser,
  follow,
  logIn,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  tokensOf,
} from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const bye = 'https://app.example/bye';
const loggedOut = '/oauth2/session/end/success';
let client: OAuthClient;
let other: OAuthClient;

beforeAll(async () => {
  client = await newOAuthClient({ postLogoutRedirectUris: [bye] });
  other = await newOAuthClient();
});

const pathOf = (query: Record<string, string>) => `/oauth2/session/end?${new URLSearchParams(query)}`;

/** Opens the page that asks, and gives what its form sends, and where to. */
async function ask(browser: Browser, path: string) {
  const { status, text } = await browser.go(path);
  expect({ status, isAsked: text.includes('<h1>Log out?</h1>') }).toEqual({ status: 200, isAsked: true });
  const action = /<form[^>]* action="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&');
  return { action, form: { xsrf: /name="xsrf" value="([^"]+)"/.exec(text)![1]!, logout: 'yes' } };
}

/** Logs out by the page that asks, and gives where the browser is sent. */
async function logOut(browser: Browser, path: string): Promise<string | undefined> {
  const { action, form } = await ask(browser, path);
  const { headers } = await browser.go(action, form);
  expect(browser.cookie('platform_session')).toBeUndefined();
  return headers.location;
}

/** Another ID token with the same header and signature. */
function forge(idToken: string, claims: object): string {
  const [header, , signature] = idToken.split('.');
  const payload = Buffer.from(JSON.stringify({ ...decodeJwt(idToken), ...claims })).toString('base64url');
  return [header, payload, signature].join('.');
}

describe('a logout', () => {
  type Case = (mine: string, theirs: string) => Record<string, string>;

  test.each<[string, Case]>([
    ['the id of the client', () => ({ client_id: client.clientId })],
    ['an ID token', (mine) => ({ id_token_hint: mine })],
    ['both', (mine) => ({ id_token_hint: mine, client_id: client.clientId })],
    ['the ID token of another user', (_mine, theirs) => ({ id_token_hint: theirs })],
    ['the id of the client and no valid ID token', () => ({ id_token_hint: 'x', client_id: client.clientId })],
  ])('with %s goes back to the client', async (_what, query) => {
    const [{ browser }, another] = [await newBrowser(client), await newBrowser(client)];
    const mine = (await tokensOf(browser, client)).id_token!;
    const theirs = (await tokensOf(another.browser, client)).id_token!;
    const path = pathOf({ ...query(mine, theirs), post_logout_redirect_uri: bye, state: 'a state' });
    expect(await logOut(browser, path)).toBe(`${bye}?state=a+state`);
  });

  const wrong: [string, Case][] = [
    ['no client', () => ({})],
    ['a client that is unknown', () => ({ client_id: `cli_${'0'.repeat(26)}` })],
    ['an id that is none', () => ({ client_id: '{"$ne":""}' })],
    ['no ID token', () => ({ id_token_hint: 'nonsense' })],
    ['an ID token whose claims were changed', (mine) => ({ id_token_hint: forge(mine, { sub: 'usr_1' }) })],
    ['an ID token whose client was changed', (mine) => ({ id_token_hint: forge(mine, { aud: other.clientId }) })],
    ['an ID token for several clients', (mine) => ({ id_token_hint: forge(mine, { aud: [client.clientId] }) })],
    ['the ID token of another client', (mine) => ({ id_token_hint: mine, client_id: other.clientId })],
    ['an address that is not registered', () => ({ client_id: client.clientId, post_logout_redirect_uri: `${bye}/` })],
    [
      'an address of another site',
      (mine) => ({ id_token_hint: mine, post_logout_redirect_uri: 'https://evil.example' }),
    ],
    ['a scheme for scripts', (mine) => ({ id_token_hint: mine, post_logout_redirect_uri: 'javascript:alert(1)' })],
  ];

  test.each(wrong)('with %s is possible, and ends here', async (_what, query) => {
    const { browser } = await newBrowser(client);
    const { id_token: mine } = await tokensOf(browser, client);
    const path = pathOf({ post_logout_redirect_uri: bye, state: 'x', ...query(mine!, '') });
    const unauthenticated = await follow(new Browser(client.url), `${client.url}${path}`);
    expect(unauthenticated).toMatchObject({ end: null, answer: { status: 200 } });
    expect(await logOut(browser, path)).toBe(`${client.url}${loggedOut}`);
  });

  test('with parameters that are there twice is possible, without them', async () => {
    const { browser } = await newBrowser(client);
    const path = `${pathOf({ client_id: client.clientId, post_logout_redirect_uri: bye })}&state=a&state=b`;
    expect(await logOut(browser, path)).toBe(bye);
  });

  test('may be asked for by a form of another site', async () => {
    const { browser } = await newBrowser(client);
    const query = { client_id: client.clientId, post_logout_redirect_uri: bye };
    const { status, headers } = await browser.go('/oauth2/session/end', query, { origin: 'https://app.example' });
    expect({ status, location: headers.location }).toEqual({ status: 303, location: `${client.url}${pathOf(query)}` });
    expect(await logOut(browser, headers.location!)).toBe(bye);
  });

  test('can be done twice, by the same form and from the beginning', async () => {
    const { browser } = await newBrowser(client);
    const path = pathOf({ client_id: client.clientId, post_logout_redirect_uri: bye, state: 'x' });
    const { action, form } = await ask(browser, path);
    const first = await browser.go(action, form);
    expect(first.headers.location).toBe(`${bye}?state=x`);
    const second = await browser.go(action, form);
    expect(second.headers.location).toBe(`${client.url}${path}`);
    for (const address of [second.headers.location!, `${client.url}${path}`]) {
      expect((await follow(browser, address)).end!.href).toBe(`${bye}?state=x`);
    }
  });

  test('asks again by a form that another one has replaced, and by one without a decision', async () => {
    const { browser } = await newBrowser(client);
    const old = await ask(browser, pathOf({ client_id: client.clientId, post_logout_redirect_uri: bye }));
    const { action, form } = await ask(browser, '/oauth2/session/end');
    for (const sent of [
      await browser.go(old.action, old.form),
      await browser.go(action, { xsrf: form.xsrf }),
      await browser.go('/oauth2/session/end/confirm', {}),
    ]) {
      expect({ status: sent.status, isLoggedIn: browser.cookie('platform_session') !== undefined }).toEqual({
        status: 303,
        isLoggedIn: true,
      });
      await ask(browser, sent.headers.location!);
    }
  });

  test.each([
    ['whose address was removed', { $set: { postLogoutRedirectUris: [] } }],
    ['that was deleted', null],
  ])('ends here for a client %s after the question', async (_what, change) => {
    const own = await newOAuthClient({ postLogoutRedirectUris: [bye] });
    const { browser } = await newBrowser(own);
    const { action, form } = await ask(browser, pathOf({ client_id: own.clientId, post_logout_redirect_uri: bye }));
    await withDatabase(own.databaseUrl, async (database) => {
      const clients = database.collection<{ _id: string }>('identity_oauth_clients');
      await (change ? clients.updateOne({ _id: own.clientId }, change) : clients.deleteOne({ _id: own.clientId }));
    });
    await until(
      async () =>
        !(
          await follow(
            new Browser(own.url),
            `${own.url}${pathOf({ client_id: own.clientId, post_logout_redirect_uri: bye })}`,
          )
        ).end,
    );
    const { headers } = await browser.go(action, form);
    expect(headers.location).toBe(`${own.url}${loggedOut}`);
  });

  test('in another tab does not keep a login that was asked for from going on', async () => {
    const { browser, user } = await newBrowser(client);
    await authorize(browser, client);
    const asked = await authorize(browser, client, { prompt: 'login' });
    await logOut(browser, '/oauth2/session/end');
    const { end } = await follow(browser, await logIn(browser, asked.end!.href, user));
    expect(end!.searchParams.get('code')).toEqual(expect.any(String));
  });
});
