import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  authorizationUrl,
  authorize,
  Browser,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
} from '../../support/oauth.ts';
import { visitorOf, wordsOf } from '../../support/pages.ts';
import { withDatabase } from '../../support/tenants.ts';

/** A client that any tenant could register, and one of an organization that the operator trusts. */
let stranger: OAuthClient;
let trusted: OAuthClient;

beforeAll(async () => {
  const redirectUris = [`https://evil-${Date.now()}.example/cb`];
  stranger = await newOAuthClient({ isTrusted: false, redirectUris, postLogoutRedirectUris: redirectUris });
  trusted = await newOAuthClient({ postLogoutRedirectUris: ['https://bye.example/'] });
});

const requests: [string, Record<string, string>][] = [
  ['prompt=none', { prompt: 'none' }],
  ['a wrong scope', { scope: 'openid svc:admin' }],
  ['a wrong response type', { response_type: 'token' }],
  ['an answer in a form', { response_mode: 'form_post', prompt: 'none' }],
  ['an answer in the fragment', { response_mode: 'fragment', prompt: 'none' }],
];

describe('an error of an authorization', () => {
  test.each(requests)('with %s of a client without trust leads to the page that asks', async (_what, asked) => {
    for (const browser of [new Browser(stranger.url), (await newBrowser(stranger)).browser]) {
      const answer = await browser.go(authorizationUrl(stranger, asked));
      expect(answer.status).toBe(303);
      const { origin, pathname, searchParams } = new URL(answer.headers.location!);
      expect({ origin, pathname }).toEqual({ origin: stranger.url, pathname: '/self-service/leave' });
      const target = new URL(searchParams.get('return_to')!);
      expect(target.href).toMatch(/[?&#]error=/);
      const told = new URLSearchParams(target.search || target.hash.slice(1));
      expect(Object.fromEntries(told)).toMatchObject({ state: 'state-of-a-test', iss: `${stranger.url}/oauth2` });
      const page = await visitorOf(stranger.url).get(`${pathname}?${searchParams}`);
      expect(page.status).toBe(200);
      expect(wordsOf(page)).toContain(new URL(stranger.redirectUri).origin);
    }
  });

  test.each(requests)('with %s of a trusted client leads there', async (_what, asked) => {
    const answer = await new Browser(trusted.url).go(authorizationUrl(trusted, asked));
    if (asked.response_mode === 'form_post') expect(answer.text).toContain(`action="${trusted.redirectUri}"`);
    else expect(answer.headers.location).toMatch(`${trusted.redirectUri}`);
  });

  test('leads there after the user has allowed the client something, and after the user has denied it', async () => {
    const { browser } = await newBrowser(stranger);
    const denied = await authorize(browser, stranger, {}, 'deny');
    expect(denied.end?.href).toContain(`${stranger.redirectUri}?error=access_denied`);
    await authorize(browser, stranger);
    const answer = await browser.go(authorizationUrl(stranger, { scope: 'openid svc:admin' }));
    expect(answer.headers.location).toMatch(`${stranger.redirectUri}?error=invalid_scope`);
  });

  test('of a first-party client leads there', async () => {
    const own = await newOAuthClient({ isTrusted: false });
    await withDatabase(own.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_oauth_clients')
        .updateOne({ _id: own.clientId }, { $set: { isFirstParty: true } }),
    );
    const answer = await new Browser(own.url).go(authorizationUrl(own, { prompt: 'none' }));
    expect(answer.headers.location).toMatch(`${own.redirectUri}?error=login_required`);
  });

  test('is shown when the page could not name the origin', async () => {
    const answer = await new Browser(stranger.url).go(
      authorizationUrl(stranger, { prompt: 'none', state: 'x'.repeat(2048) }),
    );
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 400, location: undefined });
    expect(wordsOf(answer)).toContain('login_required');
  });
});

describe('the end of a session that does not exist', () => {
  function logOut(client: OAuthClient, postLogoutUri: string) {
    const query = { client_id: client.clientId, post_logout_redirect_uri: postLogoutUri };
    return new Browser(client.url).go(`/oauth2/session/end?${new URLSearchParams(query)}`);
  }

  test('leads to a trusted client, and asks before any other', async () => {
    expect((await logOut(trusted, 'https://bye.example/')).headers.location).toBe('https://bye.example/');
    const asked = await logOut(stranger, stranger.redirectUri);
    expect(asked.headers.location).toBe(
      `${stranger.url}/self-service/leave?${new URLSearchParams({ return_to: stranger.redirectUri })}`,
    );
  });
});
