import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeJwt } from 'jose';
import { send } from '../../support/http.ts';
import {
  type Asked,
  authorize,
  Browser,
  exchange,
  follow,
  logIn,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  tokensOf,
} from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';
import { createUser } from '../../support/user-client.ts';

let client: OAuthClient;
beforeAll(async () => {
  client = await newOAuthClient();
});

/** What the application is told by the redirect to its address. */
async function outcome(browser: Browser, asked: Asked) {
  const { end, answer } = await authorize(browser, client, asked);
  if (!end?.href.startsWith(`${client.redirectUri}?`)) throw new Error(`${end ?? `${answer.status} ${answer.text}`}`);
  return Object.fromEntries(end.searchParams);
}

const told = (error: string) => ({
  error,
  error_description: expect.any(String),
  state: 'state-of-a-test',
  iss: `${client.url}/oauth2`,
});

describe('prompt=none', () => {
  /** Does something in the database to the user who has allowed the client everything. */
  async function afterwards(collection: string, change: (userId: string) => [object, object | null]) {
    const { browser, user } = await newBrowser(client);
    await authorize(browser, client);
    const [filter, update] = change(user.userId);
    await withDatabase(client.databaseUrl, async (database) => {
      const documents = database.collection(collection);
      await (update ? documents.updateMany(filter, update) : documents.deleteMany(filter));
    });
    return browser;
  }

  test.each<[string, string, string, (userId: string) => [object, object | null]]>([
    ['the session has ended', 'login_required', 'identity_sessions', (userId) => [{ userId }, null]],
    [
      'the session has expired',
      'login_required',
      'identity_sessions',
      (userId) => [{ userId }, { $set: { expiresAt: new Date(0) } }],
    ],
    ['the consent was withdrawn', 'consent_required', 'identity_oauth_consents', (userId) => [{ userId }, null]],
    [
      'the user is being deleted',
      'login_required',
      'identity_users',
      (_id) => [{ _id }, { $set: { status: 'deleting' } }],
    ],
    ['the user was deleted', 'login_required', 'identity_users', (_id) => [{ _id }, null]],
  ])('is answered when %s with %s', async (_what, error, collection, change) => {
    const browser = await afterwards(collection, change);
    for (const asked of [{}, { response_mode: 'query' }]) {
      expect(await outcome(browser, { prompt: 'none', ...asked })).toEqual(told(error));
    }
  });

  test('with max_age=0 is answered with login_required, whoever is logged in', async () => {
    const { browser } = await newBrowser(client);
    await authorize(browser, client);
    for (const visitor of [browser, new Browser(client.url)]) {
      expect(await outcome(visitor, { prompt: 'none', max_age: '0' })).toEqual(told('login_required'));
    }
  });

  test('with another prompt is refused', async () => {
    const { browser } = await newBrowser(client);
    for (const other of ['login', 'consent', 'select_account']) {
      expect(await outcome(browser, { prompt: `none ${other}` })).toEqual(told('invalid_request'));
    }
  });
});

describe('max_age', () => {
  test('that is no whole number of seconds is refused', async () => {
    const { browser } = await newBrowser(client);
    const known = [' ', '+1', '-0', '1.5', '1e3', '0x10', '1,000', 'NaN', 'null', '٣', '9'.repeat(40)];
    for (const max_age of known) {
      expect({ max_age, ...(await outcome(browser, { max_age })) }).toEqual({ max_age, ...told('invalid_request') });
    }
    const text = fc.string({ minLength: 1, maxLength: 8 }).filter((max_age) => !/^\d+$/.test(max_age));
    const property = fc.asyncProperty(text, async (max_age) => {
      expect(await outcome(browser, { max_age })).toEqual(told('invalid_request'));
    });
    await fc.assert(property, { numRuns: 20, endOnFailure: true });
  });
});

describe('prompt=select_account', () => {
  /** The page that asks, and what its form sends. */
  async function ask(browser: Browser, asked: Asked = {}) {
    const { answer, visited } = await authorize(browser, client, { prompt: 'select_account', ...asked }, 'look');
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Choose an account</h1>') });
    expect(answer.headers['content-security-policy']).not.toContain('form-action');
    const flow = /name="flow" value="([^"]+)"/.exec(answer.text)![1]!;
    const other = /<a class="btn" href="([^"]+)"/.exec(answer.text)![1]!.replaceAll('&amp;', '&');
    return { page: visited.at(-1)!, flow, other, text: answer.text };
  }

  async function subjectOf(end: URL | null): Promise<string | undefined> {
    const { body } = await exchange(client, end!.searchParams.get('code')!);
    return decodeJwt(body.access_token).sub;
  }

  test('asks who is logged in, and goes on with them', async () => {
    const { browser, user } = await newBrowser(client);
    await authorize(browser, client);
    const { page, flow, text } = await ask(browser);
    expect(text).toContain(`Continue as ${user.email}`);
    expect(text).toContain('Application of a test');
    const { headers } = await browser.go(page, { flow });
    expect(await subjectOf((await follow(browser, headers.location!)).end)).toBe(user.userId);
  });

  test('lets another user log in, who then need not choose', async () => {
    const { browser } = await newBrowser(client);
    await authorize(browser, client);
    const { other } = await ask(browser);
    expect((await browser.go(other)).text).toContain('Log in with the account that you want to use.');
    const another = await createUser(client.databaseUrl, { orgId: client.orgId });
    const { end } = await follow(browser, await logIn(browser, other, another));
    expect(await subjectOf(end)).toBe(another.userId);
  });

  test('asks nobody who has just logged in for the request', async () => {
    const browser = new Browser(client.url);
    const user = await createUser(client.databaseUrl, { orgId: client.orgId });
    for (const prompt of ['select_account', 'login select_account']) {
      const { end } = await authorize(browser, client, { prompt });
      expect(end!.pathname).toBe('/self-service/login/browser');
      expect(await subjectOf((await follow(browser, await logIn(browser, end!.href, user))).end)).toBe(user.userId);
    }
  });

  test('comes before a question for consent, which is asked as well', async () => {
    const { browser } = await newBrowser(client);
    await authorize(browser, client);
    const { page, flow } = await ask(browser, { prompt: 'consent select_account' });
    const { headers } = await browser.go(page, { flow });
    const { end, visited } = await follow(browser, headers.location!);
    expect(visited).toContain('consent');
    expect(end!.searchParams.get('code')).toEqual(expect.any(String));
  });

  test('is bound to the browser, the login and the form', async () => {
    const [mine, theirs] = [await newBrowser(client), await newBrowser(client)];
    const { page, flow } = await ask(mine.browser);
    expect(await theirs.browser.go(page, { flow })).toMatchObject({ status: 404 });
    for (const forged of [{ flow: `${flow}x` }, {}]) {
      const answer = await mine.browser.go(page, forged as Record<string, string>);
      expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('Choose an account') });
    }
  });
});

describe('login_hint', () => {
  const fieldOf = (text: string) => /<input[^>]* name="email"[^>]*>/.exec(text)![0];

  test('fills in the address on the login page', async () => {
    const browser = new Browser(client.url);
    const { end } = await authorize(browser, client, { login_hint: 'ada+1@example.com' });
    expect(fieldOf((await browser.go(end!.href)).text)).toContain('value="ada+1@example.com"');
  });

  test.each([
    ['a name', 'Ada', ''],
    ['nothing', '', ''],
    ['a space', 'a b@example.com', ''],
    ['too much', `${'a'.repeat(250)}@example.com`, ''],
    ['what could be a tag', '"><b>@x.example', '&quot;&gt;&lt;b&gt;@x.example'],
  ])('with %s does no harm', async (_what, login_hint, shown) => {
    const browser = new Browser(client.url);
    const { end } = await authorize(browser, client, { login_hint });
    const { text } = await browser.go(end!.href);
    expect(/name="email"[^>]* value="([^"]*)"/.exec(text)?.[1] ?? '').toBe(shown);
  });
});

describe('discovery', () => {
  test('announces the claims that ID tokens and userinfo have, and the prompts', async () => {
    const { body } = await send<Record<string, string[]>>(client.url, {
      path: '/oauth2/.well-known/openid-configuration',
    });
    expect(body.claims_supported).not.toContain('sid');
    expect(body.prompt_values_supported).toEqual(['none', 'login', 'select_account', 'consent']);
    const { browser } = await newBrowser(client);
    const { id_token } = await tokensOf(browser, client);
    const known = new Set([...body.claims_supported!, 'aud', 'exp', 'iat', 'at_hash']);
    expect(Object.keys(decodeJwt(id_token!)).filter((claim) => !known.has(claim))).toEqual([]);
  });
});
