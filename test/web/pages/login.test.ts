import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { expectPage, expectRedirect, flowOf, newClientOrigin, newVisitor, wordsOf } from '../../support/pages.ts';
import { newUserClient } from '../../support/user-client.ts';

const form = '/self-service/login/browser';
const action = '/self-service/login';

describe('the login page', () => {
  test('shows a form that password managers and screen readers understand', async () => {
    const visitor = await newVisitor();
    const page = await visitor.get(form);
    expectPage(page, 200, /Log in/);
    expect(page.text).toMatch(/<html lang="en">/);
    expect(page.text).toMatch(/<label for="email">[\s\S]*<input class="input" id="email"[^>]* autocomplete="username"/);
    expect(page.text).toMatch(
      /<label for="password">[\s\S]*<input class="input" id="password"[^>]* autocomplete="current-password"/,
    );
  });

  test('answers HEAD as GET, and other methods with 405', async () => {
    const visitor = await newVisitor();
    const head = await send(visitor.url, { method: 'HEAD', path: form });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    const put = await send(visitor.url, { method: 'PUT', path: action });
    expect({ status: put.status, allow: put.headers.allow }).toEqual({ status: 405, allow: 'OPTIONS, POST' });
  });

  test('logs in and sends the browser to its account, or where it came from', async () => {
    const { email, password } = await newUserClient();
    const visitor = await newVisitor();
    expectRedirect(await visitor.postFrom(form, action, { email, password }), '/console');
    expectPage(await visitor.get('/account'), 200, new RegExp(`You log in with ${email}`));
    const other = await newVisitor();
    const path = `${action}?return_to=%2Faccount%2Fsessions%3Fa%3Db`;
    expectRedirect(await other.postFrom(form, path, { email, password }), `${other.url}/account/sessions?a=b`);
  });

  test('sets a session cookie that scripts cannot read and other sites do not get', async () => {
    const { email, password } = await newUserClient();
    const visitor = await newVisitor();
    const { headers } = await visitor.postFrom(form, action, { email, password });
    expect(headers['set-cookie']).toContainEqual(
      expect.stringMatching(/^platform_session=[A-Za-z0-9_-]{22}; Path=\/; HttpOnly; SameSite=Lax; Expires=/),
    );
  });

  test('always makes a new session, and ends the one the browser had', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor(user.sessionToken);
    const answer = await visitor.postFrom(`${form}?refresh=true`, action, credentials(user));
    expectRedirect(answer, '/console');
    expect(visitor.cookies.get('platform_session')).not.toBe(user.sessionToken);
    expect((await user.attempt('identity.me.read', {})).status).toBe(401);
  });

  test('does not take over a session that somebody planted', async () => {
    const user = await newUserClient();
    const planted = 'AAAAAAAAAAAAAAAAAAAAAA';
    const visitor = await newVisitor(planted);
    await visitor.postFrom(form, action, credentials(user));
    expect(visitor.cookies.get('platform_session')).not.toBe(planted);
    expectRedirect(await (await newVisitor(planted)).get('/console'), `${form}?return_to=%2Fconsole`);
  });

  test('sends whoever is logged in on, unless they are to log in again', async () => {
    const { sessionToken } = await newUserClient();
    const visitor = await newVisitor(sessionToken);
    expectRedirect(await visitor.get(form), '/console');
    expectRedirect(await visitor.get(`${form}?return_to=/account/data`), `${visitor.url}/account/data`);
    expectPage(await visitor.get(`${form}?refresh=true`), 200, /Log in again/);
  });

  test('says the same of a wrong password and of an address that nobody has', async () => {
    const { email } = await newUserClient();
    const visitor = await newVisitor();
    const wrong = await visitor.postFrom(form, action, { email, password: 'a wrong password' });
    const unknown = await visitor.postFrom(form, action, { email: `no-${email}`, password: 'a wrong password' });
    expectPage(wrong, 400, /Incorrect email address or password/);
    expect(wordsOf(unknown)).toBe(wordsOf(wrong));
    expect(wrong.text).toContain(`value="${email}"`);
    expect(wrong.text).not.toContain('a wrong password');
    expect(visitor.cookies.has('platform_session')).toBe(false);
  });

  test('says when to try again after too many wrong passwords', async () => {
    const { email, password } = await newUserClient();
    const visitor = await newVisitor();
    const flow = flowOf(await visitor.get(form));
    for (let guess = 0; guess < 10; guess += 1) await visitor.post(action, { flow, email, password: `guess ${guess}` });
    const locked = await visitor.post(action, { flow, email, password });
    expectPage(locked, 429, /Too many attempts\. Try again in/);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect(visitor.cookies.has('platform_session')).toBe(false);
  });

  test('asks for what is missing, beside its field, and keeps what was typed', async () => {
    const visitor = await newVisitor();
    const page = await visitor.postFrom(form, action, { email: 'ada@example.com', password: '' });
    expectPage(page, 400, /Enter your password/);
    expect(wordsOf(page)).toContain('Check the marked field.');
    expect(page.text.match(/Enter your password/g)).toHaveLength(1);
    expect(page.text).toMatch(
      /<input class="input" id="password"[^>]* aria-invalid="true" aria-describedby="password-error" autofocus/,
    );
    expect(page.text).toContain('value="ada@example.com"');
    expect(page.text).toContain('<title>Error: Log in');
  });

  test.each([
    ['a form that is too old or changed', { flow: 'eyJraW5kIjoibG9naW4ifQ.x' }],
    ['a form without a token', {}],
  ])('shows %s again, and logs nobody in', async (_name, fields) => {
    const user = await newUserClient();
    const visitor = await newVisitor();
    await visitor.get(form);
    const page = await visitor.post(action, { ...fields, ...credentials(user) });
    expectPage(page, 400, /This page was open for too long. Try again./);
    expect(page.text).toContain(`value="${user.email}"`);
    expect(visitor.cookies.has('platform_session')).toBe(false);
    expectRedirect(await visitor.post(action, { flow: flowOf(page), ...credentials(user) }), '/console');
  });

  test('refuses the form that another browser was shown', async () => {
    const user = await newUserClient();
    const [attacker, victim] = [await newVisitor(), await newVisitor()];
    const flow = flowOf(await attacker.get(form));
    await victim.get(form);
    expectPage(await victim.post(action, { flow, ...credentials(user) }), 400, /open for too long/);
    expect(victim.cookies.has('platform_session')).toBe(false);
  });

  test('tells a browser without cookies what to do', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor();
    const flow = flowOf(await visitor.get(form));
    const page = await visitor.post(action, { flow, ...credentials(user) }, { cookie: '' });
    expectPage(page, 400, /Allow cookies/);
  });

  test.each([['https://evil.example'], ['null'], ['http://127.0.0.1']])('refuses a form from %s', async (origin) => {
    const user = await newUserClient();
    const visitor = await newVisitor();
    const flow = flowOf(await visitor.get(form));
    const page = await visitor.post(action, { flow, ...credentials(user) }, { origin });
    expectPage(page, 403, /This form came from another site/);
    expect(visitor.cookies.has('platform_session')).toBe(false);
  });
});

describe('what is posted to the login page', () => {
  test.each([
    ['JSON', '{}', { 'content-type': 'application/json' }, 415],
    ['a form of another kind', 'a', { 'content-type': 'multipart/form-data; boundary=a' }, 415],
    ['more than 64 KiB', `email=${'a'.repeat(70_000)}`, {}, 413],
    ['a field twice', 'email=a&email=b&password=c', {}, 400],
    ['a field that the form does not have', 'email=a&password=c&admin=true', {}, 400],
    ['what is no text', 'email=%ff%fe', {}, 400],
  ])('is refused with a page when it is %s', async (_name, body, headers, status) => {
    const visitor = await newVisitor();
    await visitor.get(form);
    expectPage(await visitor.post(action, body, headers as Record<string, string>), status);
  });

  test.each([
    ['an email of 10,000 characters', { email: `${'a'.repeat(10_000)}@example.com`, password: 'b' }],
    ['a password of 10,000 characters', { email: 'ada@example.com', password: 'b'.repeat(10_000) }],
    ['an email with tags', { email: '"><script>alert(1)</script>', password: 'b' }],
    ['control characters', { email: 'a\u0000b@example.com', password: '\u0000' }],
    ['operators', { email: '{"$gt":""}', password: '[object Object]' }],
  ])('is refused on the form when it is %s', async (_name, fields) => {
    const visitor = await newVisitor();
    const page = await visitor.postFrom(form, action, fields);
    expectPage(page, 400);
    expect(page.text).not.toContain('<script>');
    expect(visitor.cookies.has('platform_session')).toBe(false);
  });
});

describe('the address to return to', () => {
  test.each([
    ['https://evil.example/'],
    ['//evil.example'],
    ['///evil.example'],
    ['/\\evil.example'],
    ['\\\\evil.example'],
    ['https:evil.example'],
    ['https:/evil.example'],
    ['HTTPS://evil.example'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['/account%0d%0aSet-Cookie:a=b'],
    ['/account\r\nSet-Cookie: a=b'],
    ['/\t/evil.example'],
    ['/.//evil.example'],
    ['/..//evil.example'],
    ['account'],
    ['@evil.example'],
  ])('is refused when it is %j', async (returnTo) => {
    const user = await newUserClient();
    const query = `?return_to=${encodeURIComponent(returnTo)}`;
    const visitor = await newVisitor();
    expectPage(await visitor.get(form + query), 400, /address to return to/);
    const posted = await visitor.postFrom(form, action + query, credentials(user));
    expectPage(posted, 400, /address to return to/);
    expect(visitor.cookies.has('platform_session')).toBe(false);
    const loggedIn = await newVisitor(user.sessionToken);
    const answer = await loggedIn.get(form + query);
    expectPage(answer, 400);
    expect(answer.headers.location).toBeUndefined();
  });

  test('is refused when it only begins as the own origin does', async () => {
    const visitor = await newVisitor();
    const own = new URL(visitor.url);
    for (const url of [
      `${own.origin}.evil.example/`,
      `${own.origin}@evil.example/`,
      `${own.protocol}//user:word@${own.host}/`,
      `https://${own.host}/`,
    ]) {
      expectPage(await visitor.get(`${form}?return_to=${encodeURIComponent(url)}`), 400, /address to return to/);
    }
  });

  test('is refused when it is there twice', async () => {
    const visitor = await newVisitor();
    expectPage(await visitor.get(`${form}?return_to=/account&return_to=/account`), 400, /address to return to/);
  });

  test('may be an address of the platform, or of the origin of a client that is trusted, exactly', async () => {
    const { email, password, sessionToken } = await newUserClient();
    const { origin, trust } = await newClientOrigin();
    await trust(true);
    const visitor = await newVisitor();
    const action_ = `${action}?return_to=${encodeURIComponent(`${origin}/cart?a=b#c`)}`;
    expectRedirect(await visitor.postFrom(form, action_, { email, password }), `${origin}/cart?a=b#c`);
    const loggedIn = await newVisitor(sessionToken);
    const own = `${loggedIn.url}/account/data`;
    expectRedirect(await loggedIn.get(`${form}?return_to=${encodeURIComponent(own)}`), own);
    for (const other of [
      `${origin}.evil.example/`,
      `${origin}0/`,
      origin.replace('https', 'http'),
      origin.replace(':8443', ''),
    ]) {
      expectPage(await loggedIn.get(`${form}?return_to=${encodeURIComponent(other)}`), 400);
    }
  });

  test('is kept on the links to the other pages', async () => {
    const visitor = await newVisitor();
    const page = await visitor.get(`${form}?return_to=/account/data`);
    for (const path of ['recovery', 'registration']) {
      expect(page.text).toContain(`/self-service/${path}/browser?return_to=%2Faccount%2Fdata`);
    }
  });
});

function credentials({ email, password }: { email: string; password: string }): { email: string; password: string } {
  return { email, password };
}
