import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { send } from '../../support/http.ts';
import {
  type Asked,
  authorizationUrl,
  authorize,
  Browser,
  exchange,
  follow,
  hashOf,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  tokensOf,
} from '../../support/oauth.ts';
import { visitorOf, wordsOf } from '../../support/pages.ts';
import { withDatabase } from '../../support/tenants.ts';
import { createUser, type User } from '../../support/user-client.ts';

let client: OAuthClient;
let browser: Browser;
let user: User;
beforeAll(async () => {
  client = await newOAuthClient();
});
const newVisit = async () => {
  ({ browser, user } = await newBrowser(client));
};

/** What the application is told by the redirect, or that there was none. */
async function outcome(asked: Asked, who = browser) {
  const { end, answer } = await authorize(who, client, asked);
  if (!end) return { status: answer.status, text: answer.text };
  // Of a response type whose answers travel in the fragment, refusals do too.
  return Object.fromEntries([...end.searchParams, ...new URLSearchParams(end.hash.slice(1))]);
}

/** Logs the browser in as the user again, as the login page would. */
async function logInAgain(as: User = user): Promise<void> {
  const again = await withDatabase(client.databaseUrl, async (database) => {
    const sessions = database.collection<{ _id: string; tokenHash: string }>('identity_sessions');
    const former = await sessions.findOne({ tokenHash: hashOf(as.sessionToken) });
    const token = `${as.sessionToken.slice(0, -4)}${Math.random().toString(36).slice(2, 6).padEnd(4, 'a')}`;
    const _id = `${former!._id}x${Math.random().toString(36).slice(2, 6)}`;
    await sessions.insertOne({ ...former!, _id, tokenHash: hashOf(token), authenticatedAt: new Date() } as never);
    return token;
  });
  browser.setCookie('platform_session', again);
}

describe('the authorization endpoint', () => {
  beforeAll(newVisit);

  test.each<[string, Asked, string]>([
    ['a permission that the client is not registered for', { scope: 'openid svc:admin' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'openid teapot' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['an empty scope', { scope: '' }, 'invalid_scope'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an ID token', { response_type: 'id_token', nonce: 'n' }, 'unsupported_response_type'],
    ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://client.example/r' }, 'request_uri_not_supported'],
    ['another resource', { resource: 'https://other.example' }, 'invalid_target'],
    ['a wrong max_age', { max_age: '-1' }, 'invalid_request'],
  ])('tells the application of %s', async (_what, asked, error) => {
    expect(await outcome(asked)).toMatchObject({ error, state: 'state-of-a-test' });
  });

  const spellings = (uri: string): string[] => [
    `${uri}/`,
    `${uri}?a=b`,
    `${uri}#fragment`,
    `${uri}/../callback`,
    uri.replace('https', 'http'),
    uri.replace('callback', 'Callback'),
    uri.replace('callback', '%63allback'),
    uri.replace('.example', '.example:443'),
    uri.replace('.example', '.EXAMPLE'),
    uri.replace('.example', '.example.evil.example'),
    uri.replace('https://', 'https://user@'),
    `https://evil.example/?${uri}`,
    'javascript:alert(1)',
    '//evil.example',
    '',
  ];

  test('sends nobody to an address that is not registered letter by letter', async () => {
    for (const redirect_uri of spellings(client.redirectUri)) {
      const { end, answer } = await authorize(browser, client, { redirect_uri });
      expect({ redirect_uri, end, status: answer.status }).toEqual({ redirect_uri, end: null, status: 400 });
      expect(answer.headers['content-type']).toMatch('text/html');
    }
  });

  test('shows a person a page when it cannot send them back, without a word of how it is made', async () => {
    const { answer } = await authorize(browser, client, { client_id: 'cli_00000000000000000000000000' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('<h1>Something went wrong</h1>');
    expect(answer.text).not.toMatch(/node_modules|oidc|\.js/i);
    expect(answer.headers['content-security-policy']).toMatch("frame-ancestors 'none'");
  });

  test('does not let a parameter come twice', async () => {
    const { end } = await follow(browser, `${authorizationUrl(client)}&state=another`);
    expect(end?.searchParams.get('error')).toBe('invalid_request');
  });

  test('answers in a form, with the one script that sends it', async () => {
    await authorize(browser, client);
    const { answer } = await authorize(browser, client, { response_mode: 'form_post' });
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('name="code"') });
    expect(answer.headers['content-security-policy']).toMatch(/script-src 'sha256-/);
  });

  test('takes a form that another site’s page posts', async () => {
    await authorize(browser, client);
    const { origin, pathname, searchParams } = new URL(authorizationUrl(client));
    const posted = await browser.go(pathname, Object.fromEntries(searchParams), {
      origin: 'https://app.example',
      cookie: '',
    });
    expect(posted.status).toBe(303);
    const { end } = await follow(browser, new URL(posted.headers.location!, origin).href);
    expect(end?.searchParams.get('code')).toEqual(expect.any(String));
  });

  test.each([
    ['another method', 'PUT', '/oauth2/auth', 405],
    ['a path in another case', 'GET', '/oauth2/AUTH', 404],
    ['a path with a slash behind', 'GET', '/oauth2/auth/', 404],
    ['a path that is none', 'GET', '/oauth2/nothing', 404],
    ['the mount itself', 'GET', '/oauth2', 404],
    ['the mount in another case', 'GET', '/OAuth2/auth', 404],
    ['registration, which there is none of', 'POST', '/oauth2/reg', 404],
  ])('refuses %s as the APIs do', async (_what, method, path, status) => {
    const answer = await send(client.url, { method, path });
    expect(answer).toMatchObject({ status, body: { error: expect.stringMatching(/^[A-Z_]+$/) } });
  });
});

describe('OPTIONS', () => {
  test.each([
    ['/oauth2/auth', 'GET, HEAD, OPTIONS, POST'],
    ['/oauth2/token', 'OPTIONS, POST'],
    ['/oauth2/userinfo', 'GET, HEAD, OPTIONS, POST'],
    ['/oauth2/.well-known/jwks.json', 'GET, HEAD, OPTIONS'],
  ])('of %s says what it takes', async (path, allow) => {
    expect(await send(client.url, { method: 'OPTIONS', path })).toMatchObject({ status: 204, headers: { allow } });
  });

  test('of what is for browsers alone allows no page of another origin to ask', async () => {
    const headers = { origin: 'https://any.example', 'access-control-request-method': 'GET' };
    const answer = await send(client.url, { method: 'OPTIONS', path: '/oauth2/auth', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('consent', () => {
  beforeAll(newVisit);

  test('says who asks for what in words, and is asked once', async () => {
    const { text } = (await authorize(browser, client, {}, 'look')).answer;
    expect(text).toContain('Application of a test');
    expect(text).toContain('Organization of a test');
    expect(text).toContain('Read customer stories and their events');
    expect(text).toContain(user.email);
    expect((await authorize(browser, client)).visited).toContain('consent');
    expect((await authorize(browser, client)).visited).not.toContain('consent');
    expect((await authorize(browser, client, { scope: 'openid' })).visited).not.toContain('consent');
  });

  test('is asked again for more, and whenever the application wants', async () => {
    expect((await authorize(browser, client, { scope: 'openid mail.send' })).visited).toContain('consent');
    expect((await authorize(browser, client, { scope: 'openid mail.send' })).visited).not.toContain('consent');
    expect((await authorize(browser, client, { prompt: 'consent' })).visited).toContain('consent');
  });

  test('that is refused gives nothing', async () => {
    const visit = await newBrowser(client);
    const { end } = await authorize(visit.browser, client, {}, 'deny');
    expect(Object.fromEntries(end!.searchParams)).toMatchObject({ error: 'access_denied', state: 'state-of-a-test' });
    expect((await authorize(visit.browser, client)).visited).toContain('consent');
  });

  test('is bound to the browser, the login and the form', async () => {
    const mine = await newBrowser(client);
    const theirs = await newBrowser(client);
    const { visited, answer } = await authorize(mine.browser, client, {}, 'look');
    const page = visited.at(-1)!;
    const flow = /name="flow" value="([^"]+)"/.exec(answer.text)![1]!;
    expect(await theirs.browser.go(page)).toMatchObject({ status: 404 });
    expect(await theirs.browser.go(page, { decision: 'allow', flow })).toMatchObject({ status: 404 });
    const forged = await mine.browser.go(page, { decision: 'allow', flow: `${flow}x` });
    expect(forged).toMatchObject({ status: 200, text: expect.stringContaining('name="decision"') });
    expect(await mine.browser.go(page, { decision: 'allow', flow })).toMatchObject({ status: 303 });
  });

  test('works for somebody who is no member, and opens nothing of the organization', async () => {
    const stranger = await newBrowser(client, 'stranger');
    const tokens = await tokensOf(stranger.browser, client);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const me = await send(client.url, { path: '/identity/me', headers });
    expect(me).toMatchObject({ status: 200, body: { id: stranger.user.userId, organizations: [] } });
    const story = await send(client.url, {
      path: '/v1/story/customers/customer-1',
      headers: { ...headers, 'x-tenant-id': client.orgId },
    });
    expect(story.status).toBe(403);
  });
});

describe('login', () => {
  test('is asked of a browser in which nobody is logged in', async () => {
    const { end, visited } = await authorize(new Browser(client.url), client);
    expect(end?.pathname).toBe('/self-service/login/browser');
    expect(end?.searchParams.get('return_to')).toBe(`${client.url}${visited.at(-1)}`);
    expect(end?.searchParams.get('refresh')).toBeNull();
  });

  test('names the application that it is for, also when it is refused, and none that is not known', async () => {
    const browser = new Browser(client.url);
    const { end } = await authorize(browser, client);
    const words = /to continue to Application of a test by Organization of a test/;
    const visitor = visitorOf(client.url);
    const path = end!.pathname + end!.search;
    expect(wordsOf(await visitor.get(path))).toMatch(words);
    const refused = await visitor.postFrom(path, '/self-service/login', { email: 'a@b.example', password: 'wrong' });
    expect(wordsOf(refused)).toMatch(words);
    const unknown = `${end!.pathname}?client_id=cli_${'0'.repeat(26)}`;
    expect(wordsOf(await visitor.get(unknown))).not.toContain('to continue to');
  });

  test('goes on where it was asked for', async () => {
    const fresh = new Browser(client.url);
    const { end } = await authorize(fresh, client);
    const someone = await createUser(client.databaseUrl, { orgId: client.orgId });
    fresh.setCookie('platform_session', someone.sessionToken);
    const after = await follow(fresh, end!.searchParams.get('return_to')!);
    const { body } = await exchange(client, after.end!.searchParams.get('code')!);
    expect(decodeJwt(body.access_token).sub).toBe(someone.userId);
  });

  test('is not asked for with prompt=none: the application is told', async () => {
    expect(await outcome({ prompt: 'none' }, new Browser(client.url))).toMatchObject({ error: 'login_required' });
    await newVisit();
    expect(await outcome({ prompt: 'none' })).toMatchObject({ error: 'consent_required' });
    await authorize(browser, client);
    expect(await outcome({ prompt: 'none' })).toMatchObject({ code: expect.any(String) });
  });

  test('is asked for again with prompt=login, and one from before does not count', async () => {
    await newVisit();
    await authorize(browser, client);
    const { end } = await authorize(browser, client, { prompt: 'login' });
    expect(end?.pathname).toBe('/self-service/login/browser');
    expect(end?.searchParams.get('refresh')).toBe('true');
    const back = end!.searchParams.get('return_to')!;
    expect((await follow(browser, back)).end?.pathname).toBe('/self-service/login/browser');
    await logInAgain();
    expect((await follow(browser, back)).end?.searchParams.get('code')).toEqual(expect.any(String));
  });

  test.each<[string, Asked, boolean]>([
    ['with consent', { prompt: 'login consent' }, true],
    ['by max_age=0', { max_age: '0' }, false],
  ])('is asked for again %s, and the rest goes on after it', async (_what, asked, isAsked) => {
    await newVisit();
    await authorize(browser, client);
    const { end, visited } = await authorize(browser, client, asked);
    expect(end?.searchParams.get('refresh')).toBe('true');
    expect(visited).not.toContain('consent');
    await logInAgain();
    const after = await follow(browser, end!.searchParams.get('return_to')!);
    expect(after.end?.searchParams.get('code')).toEqual(expect.any(String));
    expect(after.visited.includes('consent')).toBe(isAsked);
  });

  test('may be as old as max_age says', async () => {
    await newVisit();
    expect(await outcome({ max_age: '600' })).toMatchObject({ code: expect.any(String) });
    await withDatabase(client.databaseUrl, (database) =>
      database
        .collection('identity_sessions')
        .updateOne({ userId: user.userId }, { $set: { authenticatedAt: new Date(Date.now() - 700_000) } }),
    );
    const { end } = await authorize(browser, client, { max_age: '600' });
    expect(end?.searchParams.get('refresh')).toBe('true');
    expect(await outcome({ max_age: '600', prompt: 'none' })).toMatchObject({ error: 'login_required' });
    await logInAgain();
    const after = await follow(browser, end!.searchParams.get('return_to')!);
    const { body } = await exchange(client, after.end!.searchParams.get('code')!);
    expect(Date.now() / 1000 - Number(decodeJwt(body.id_token!).auth_time)).toBeLessThan(60);
  });

  test('that has ended on the platform has ended here', async () => {
    await newVisit();
    await authorize(browser, client);
    await withDatabase(client.databaseUrl, (database) =>
      database.collection('identity_sessions').deleteMany({ userId: user.userId }),
    );
    expect(await outcome({ prompt: 'none' })).toMatchObject({ error: 'login_required' });
    expect((await authorize(browser, client)).end?.pathname).toBe('/self-service/login/browser');
  });

  test('as somebody else counts at once, and changes the name of the provider’s session', async () => {
    await newVisit();
    await authorize(browser, client);
    const former = browser.cookie('platform_oauth');
    const another = await createUser(client.databaseUrl, { orgId: client.orgId });
    browser.setCookie('platform_session', another.sessionToken);
    expect(await outcome({ prompt: 'none' })).toMatchObject({ error: 'consent_required' });
    const tokens = await tokensOf(browser, client);
    expect(decodeJwt(tokens.access_token).sub).toBe(another.userId);
    expect(browser.cookie('platform_oauth')).not.toBe(former);
  });

  test('as somebody else before the question is answered begins anew', async () => {
    await newVisit();
    const { visited } = await authorize(browser, client, {}, 'look');
    const another = await createUser(client.databaseUrl, { orgId: client.orgId });
    browser.setCookie('platform_session', another.sessionToken);
    const { end } = await follow(browser, `${client.url}${visited.at(-1)}`);
    const { body } = await exchange(client, end!.searchParams.get('code')!);
    expect(decodeJwt(body.access_token).sub).toBe(another.userId);
  });

  test('asked to be somebody else’s by id_token_hint is asked for, and never taken for theirs', async () => {
    await newVisit();
    const hint = (await tokensOf(browser, client)).id_token!;
    expect(await outcome({ prompt: 'none', id_token_hint: hint })).toMatchObject({ code: expect.any(String) });
    const another = await newBrowser(client);
    await authorize(another.browser, client);
    const asked = { prompt: 'none', id_token_hint: hint };
    expect(await outcome(asked, another.browser)).toMatchObject({ error: 'login_required' });
  });
});

describe('a Host header of somebody else', () => {
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };

  test('changes no address in the discovery document', async () => {
    const honest = await send(client.url, { path: '/oauth2/.well-known/openid-configuration' });
    const poisoned = await send(client.url, { path: '/oauth2/.well-known/openid-configuration', headers });
    expect(poisoned.body).toEqual(honest.body);
    expect(poisoned.text).not.toContain('evil');
    const other = await send(client.url, { path: '/.well-known/oauth-authorization-server/oauth2', headers });
    expect(other.body).toEqual(honest.body);
  });

  test('sends no browser there', async () => {
    await newVisit();
    const { pathname, search } = new URL(authorizationUrl(client));
    const answer = await browser.go(`${pathname}${search}`, undefined, headers);
    expect(answer.headers.location).toMatch(new RegExp(`^${client.url}/oauth2/interaction/`));
    expect(String(answer.headers['set-cookie'])).not.toContain('evil');
  });
});
