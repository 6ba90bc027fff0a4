import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { send } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { newUserAgent, type Page } from '../support/user-agent.ts';
import { registerClient } from './authorization.ts';
import { covers } from './covers.ts';

const loginPath = '/self-service/login/browser';
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;
const returningTo = (address: string) => `${loginPath}?${new URLSearchParams({ return_to: address })}`;

/** A page without what is of this one form and of this one address. */
const plain = ({ text }: Page, email: string) =>
  text.replace(/name="flow" value="[^"]*"/g, '').replaceAll(email, 'address');

covers('login.page', async ({ own: { url }, owner }) => {
  const agent = newUserAgent(url);
  const page = await agent.open(returningTo(`${url}/openapi.json`));
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['cache-control']).toContain('no-store');
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.text).toMatch(/<input[^>]*name="password"[^>]*>/);
  expect(page.text).not.toContain('<script');
  expect(agent.cookies.has('platform_session')).toBe(false);
  const back = await agent.submit(page, { email: owner.email.toUpperCase(), password: owner.password });
  expect(back).toMatchObject({ status: 200, url: `${url}/openapi.json` });
  const sessionToken = agent.cookies.get('platform_session')!;
  expect(Buffer.from(sessionToken, 'base64url').length).toBeGreaterThanOrEqual(16);
  const cookie = `platform_session=${sessionToken}`;
  const me = await send(url, { path: '/identity/me', headers: { cookie } });
  expect(me).toMatchObject({ status: 200, body: { type: 'user', email: owner.email } });
  // Whoever is logged in already is sent straight on.
  expect(await agent.open(returningTo(`${url}/health/alive`))).toMatchObject({ url: `${url}/health/alive` });
});

/** What a login form is answered that a browser did not fill in. */
function postLogin(url: string, form: Record<string, string>, cookie: string) {
  const type = { 'content-type': 'application/x-www-form-urlencoded', origin: url };
  const body = String(new URLSearchParams(form));
  return send(url, { method: 'POST', path: '/self-service/login', headers: { ...type, cookie }, body });
}

/** The token of a login form, and the cookie of the browser it was shown to. */
async function openForm(url: string): Promise<{ flow: string; cookie: string }> {
  const agent = newUserAgent(url);
  const { text } = await agent.open(loginPath);
  const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { flow: /name="flow" value="([^"]+)"/.exec(text)![1]!, cookie };
}

const sessionCookies = ({ headers }: Pick<Page, 'headers'>) =>
  (headers['set-cookie'] ?? []).filter((line) => line.startsWith('platform_session='));

covers('login.cookie', async ({ own: { url }, owner: { email, password } }) => {
  const { flow, cookie } = await openForm(url);
  const answer = await postLogin(url, { flow, email, password }, cookie);
  expect(answer.status).toBe(303);
  const [line, ...others] = sessionCookies(answer);
  expect(others).toEqual([]);
  const attributes = line!.split('; ').slice(1);
  expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']));
  expect(attributes.filter((attribute) => /^domain=/i.test(attribute))).toEqual([]);
  expect(answer.headers.location).not.toContain('platform_session');
});

covers('login.form-token', async ({ own: { url }, owner: { email, password } }) => {
  const [mine, theirs] = [await openForm(url), await openForm(url)];
  const attempts = [
    await postLogin(url, { email, password }, mine.cookie),
    await postLogin(url, { flow: theirs.flow, email, password }, mine.cookie),
    await postLogin(url, { flow: mine.flow, email, password }, ''),
    await postLogin(url, { flow: `${mine.flow}x`, email, password }, mine.cookie),
  ];
  for (const answer of attempts) {
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.location).toBeUndefined();
    expect(sessionCookies(answer)).toEqual([]);
  }
});

covers('login.new-session', async ({ own, owner: { email, password } }) => {
  const planted = randomBytes(16).toString('base64url');
  const agent = newUserAgent(own.url, planted);
  const logIn = async () => {
    await agent.submit(await agent.open(`${loginPath}?refresh=true`), { email, password });
    return agent.cookies.get('platform_session')!;
  };
  const isSession = async (token: string) => {
    const headers = { authorization: null, cookie: `platform_session=${token}` };
    return (await own.attempt('identity.me.read', {}, headers)).status === 200;
  };
  const former = await logIn();
  expect(former).not.toBe(planted);
  expect(await isSession(planted)).toBe(false);
  const latter = await logIn();
  expect(latter).not.toBe(former);
  await eventually(async () => expect(await isSession(former)).toBe(false));
  expect(await isSession(latter)).toBe(true);
});

covers('account.page', async ({ own: { url }, owner }) => {
  const stranger = await newUserAgent(url).open('/account');
  expect(new URL(stranger.url).pathname).toBe(loginPath);
  expect(new URL(stranger.url).searchParams.get('return_to')).toContain('/account');
  const page = await newUserAgent(url, owner.sessionToken).open('/account');
  expect(page.status).toBe(200);
  expect(page.text).toContain(owner.email);
  expect(page.headers['cache-control']).toContain('no-store');
});

covers('login.return-to', async ({ own, owner }) => {
  const { url } = own;
  const { port } = new URL(url);
  const { redirectUri } = await registerClient(own, { redirectUris: ['https://back.example.com/callback'] });
  const agent = newUserAgent(url, owner.sessionToken);
  const asked = await agent.open(returningTo('https://back.example.com/another/page?x=1#y'));
  expect({ status: asked.status, location: asked.headers.location }).toEqual({ status: 200 });
  expect(asked.text).toContain('href="https://back.example.com/another/page?x=1#y"');
  expect(asked.text).toContain('<strong>https://back.example.com</strong>');
  expect(redirectUri).toBe('https://back.example.com/callback');
  expect(await agent.open(returningTo('/health/alive'))).toMatchObject({ status: 200, url: `${url}/health/alive` });
  const refused = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/%0d%0aLocation:https://evil.example/\r\nx: y',
    'https://back.example.com.evil.example/',
    'https://back.example.com@evil.example/',
    'https://back.example.com:444/',
    'http://back.example.com/',
    `${url}@evil.example/`,
    `${url}.evil.example/`,
    // A loopback address may be registered for all ports by another client.
    `http://localhost:${Number(port) + 1}/`,
    'javascript:alert(1)',
    'data:text/html,x',
    'https:evil.example',
    ' https://evil.example/',
  ];
  for (const address of refused) {
    const page = await agent.open(returningTo(address));
    expect({ address, status: page.status, location: page.headers.location }).toEqual({ address, status: 400 });
    expect(page.text).not.toMatch(/href="[^"]*evil\.example/);
  }
});

covers('login.refusal', async ({ own: { url }, owner }) => {
  const attempt = async (email: string) => {
    const agent = newUserAgent(url);
    const page = await agent.submit(await agent.open(loginPath), { email, password: 'not the password' });
    expect(agent.cookies.has('platform_session')).toBe(false);
    return page;
  };
  const unknown = newEmail();
  const [known, nobody] = [await attempt(owner.email), await attempt(unknown)];
  expect(known.status).toBe(nobody.status);
  expect(plain(known, owner.email)).toBe(plain(nobody, unknown));
});

covers('login.lock-out', async ({ own: { url } }) => {
  const email = newEmail();
  const agent = newUserAgent(url);
  const form = await agent.open(loginPath);
  const attempt = () => agent.submit(form, { email, password: 'not the password' });
  const pages: Page[] = [];
  for (let count = 0; count < 11; count += 1) pages.push(await attempt());
  const texts = pages.map((page) => plain(page, email));
  expect(new Set(texts.slice(0, 9)).size).toBe(1);
  expect(texts[10]).not.toBe(texts[0]);
  expect(pages[10]!.text).toMatch(/too many/i);
  const another = newEmail();
  const untouched = await agent.submit(form, { email: another, password: 'not the password' });
  expect(plain(untouched, another)).toBe(texts[0]);
});

covers('sessions.origin', async ({ own, otherOwner }) => {
  const change = (origin: string | null) =>
    otherOwner.attempt('identity.me.update', { body: { gender: 'changed' } }, { origin });
  await otherOwner.call('identity.me.update', { body: { gender: 'as it was' } });
  const { host } = new URL(own.url);
  for (const origin of [null, 'null', 'https://evil.example', `https://${host}`, `${own.url}.evil.example`, '']) {
    const { status, body } = await change(origin);
    expect({ origin, status, error: body.error }).toEqual({ origin, status: 403, error: 'ORIGIN_REFUSED' });
  }
  const read = await otherOwner.call('identity.me.read', {}, { origin: null });
  expect(read).toMatchObject({ gender: 'as it was' });
  expect((await change(own.url)).status).toBe(200);
});

covers('registration.silent', async ({ own: { url }, owner }) => {
  const register = async (email: string) => {
    const agent = newUserAgent(url);
    const form = await agent.open('/self-service/registration/browser');
    const page = await agent.submit(form, { email, password: 'a long password of nobody' });
    expect(agent.cookies.has('platform_session')).toBe(false);
    return page;
  };
  const recover = async (email: string) => {
    const agent = newUserAgent(url);
    return agent.submit(await agent.open('/self-service/recovery/browser'), { email });
  };
  for (const begin of [register, recover]) {
    const unknown = newEmail();
    const [known, nobody] = [await begin(owner.email), await begin(unknown)];
    expect(known).toMatchObject({ status: 200, url: nobody.url });
    expect(plain(known, owner.email)).toBe(plain(nobody, unknown));
    expect(known.text).toContain(owner.email);
  }
});
