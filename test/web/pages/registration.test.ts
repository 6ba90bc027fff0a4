import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  expectPage,
  expectRedirect,
  flowOf,
  mailedLink,
  newClientOrigin,
  newVisitor,
  type Visitor,
  wordsOf,
} from '../../support/pages.ts';
import { newUserClient } from '../../support/user-client.ts';

const form = '/self-service/registration/browser';
const action = '/self-service/registration';
const confirmation = '/self-service/registration/confirm';
const password = 'several words in a row';

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;

/** Registers in this browser and gives the link in the mail. */
async function register(visitor: Visitor, email: string, query = ''): Promise<string> {
  expectPage(
    await visitor.postFrom(form, action + query, { email, password, firstName: 'Ada' }),
    200,
    /Check your email/,
  );
  return mailedLink(email, confirmation);
}

describe('registration', () => {
  test('makes the account when the mailed link is confirmed in the same browser, and logs in', async () => {
    const visitor = await newVisitor();
    const email = newEmail();
    const link = await register(visitor, email);
    expectRedirect(await visitor.get('/console'), '/self-service/login/browser?return_to=%2Fconsole');
    expectRedirect(await visitor.postFrom(link, link), '/console');
    const account = await visitor.get('/account');
    expectPage(account, 200, new RegExp(`You log in with ${email}`));
    expect(account.text).toMatch(/<input class="input" id="firstName"[^>]* value="Ada"/);
  });

  test('does nothing when the link is only opened, as programs that read mail do', async () => {
    const visitor = await newVisitor();
    const email = newEmail();
    const link = await register(visitor, email);
    const scanner = await newVisitor();
    for (let times = 0; times < 3; times += 1) expectPage(await scanner.get(link), 200, /Confirm your email address/);
    expect(scanner.cookies.has('platform_session')).toBe(false);
    expectRedirect(await visitor.postFrom(link, link), '/console');
  });

  test('asks in another browser for the password that was chosen', async () => {
    const link = await register(await newVisitor(), newEmail());
    const other = await newVisitor();
    const asking = await other.postFrom(link, link);
    expectPage(asking, 200, /another browser\. Enter the password/);
    expect(other.cookies.has('platform_session')).toBe(false);
    const wrong = await other.post(link, { flow: flowOf(asking), password: 'another one' });
    expectPage(wrong, 400, /This is not the password you chose/);
    expect(other.cookies.has('platform_session')).toBe(false);
    expectRedirect(await other.post(link, { flow: flowOf(wrong), password }), '/console');
    expectPage(await other.get('/account'), 200);
  });

  test('ends the session that the browser had', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor();
    const link = await register(visitor, newEmail());
    visitor.cookies.set('platform_session', user.sessionToken);
    expectRedirect(await visitor.postFrom(link, link), '/console');
    expect(visitor.cookies.get('platform_session')).not.toBe(user.sessionToken);
    expect((await user.attempt('identity.me.read', {})).status).toBe(401);
  });

  test('works once', async () => {
    const visitor = await newVisitor();
    const link = await register(visitor, newEmail());
    await visitor.postFrom(link, link);
    const again = await newVisitor();
    expectPage(await again.get(link), 410, /This link has expired.*Already have an account\? Log in/);
    expectPage(await visitor.get(link), 410);
    expect(again.cookies.has('platform_session')).toBe(false);
  });

  test('leads back to where the browser came from', async () => {
    const { origin, trust } = await newClientOrigin();
    await trust(true);
    const visitor = await newVisitor();
    const link = await register(visitor, newEmail(), `?return_to=${encodeURIComponent(`${origin}/cart`)}`);
    expectRedirect(await visitor.postFrom(link, link), `${origin}/cart`);
  });

  test('tells nobody whether an address has an account', async () => {
    const { email } = await newUserClient();
    const visitor = await newVisitor();
    const unknown = newEmail();
    const known = await visitor.postFrom(form, action, { email, password });
    const fresh = await visitor.postFrom(form, action, { email: unknown, password });
    expect(wordsOf(known).replaceAll(email, '')).toBe(wordsOf(fresh).replaceAll(unknown, ''));
    expect(await mailedLink(email, '/self-service/login/browser')).toBe('/self-service/login/browser');
  });

  test.each([
    ['no address', { email: 'nobody', password }, /Must be a valid email address/, 'email'],
    ['an empty address', { email: ' ', password }, /Enter your email address\./, 'email'],
    [
      'an address of 10,000 characters',
      { email: `${'a'.repeat(10_000)}@example.com`, password },
      /characters/,
      'email',
    ],
    ['a short password', { email: 'ada@example.com', password: 'short' }, /at least 8 characters/, 'password'],
    ['a common password', { email: 'ada@example.com', password: 'password1' }, /./, 'password'],
    [
      'a name of 10,000 characters',
      { email: 'ada@example.com', password, firstName: 'a'.repeat(10_000) },
      /at most 100 characters/,
      'firstName',
    ],
  ])('asks again beside the field for %s', async (_name, fields, words, field) => {
    const visitor = await newVisitor();
    const page = await visitor.postFrom(form, action, fields as Record<string, string>);
    expectPage(page, 400, words);
    expect(page.text).toMatch(
      new RegExp(
        `<input class="input" id="${field}"[^>]* aria-invalid="true" aria-describedby="[^"]*${field}-error" autofocus`,
      ),
    );
    expect(page.text).not.toContain(`value="${fields.password}"`);
  });

  test('marks the address and the password when both are wrong', async () => {
    const page = await (await newVisitor()).postFrom(form, action, { email: 'nobody', password: 'short' });
    expectPage(page, 400, /Check the 2 marked fields\./);
    for (const field of ['email', 'password']) expect(page.text).toContain(`id="${field}-error"`);
  });

  test('shows a stale form again with what was typed', async () => {
    const visitor = await newVisitor();
    await visitor.get(form);
    const page = await visitor.post(action, { flow: 'x', email: 'ada@example.com', password, firstName: '<Ada>' });
    expectPage(page, 400, /open for too long/);
    expect(page.text).toContain('value="&lt;Ada&gt;"');
    expect(page.text).not.toContain(password);
  });

  test.each([
    [''],
    ['?token='],
    ['?token=a&token=b'],
    ['?token=%00'],
    [`?token=${'a'.repeat(9000)}`],
    ['?token=AAAAAAAAAAAAAAAAAAAAAA'],
  ])('says of the link %p that it has expired', async (query) => {
    expectPage(await (await newVisitor()).get(confirmation + query.slice(0, 8000)), 410, /has expired/);
  });

  test('says so too when the link is used while its page is open', async () => {
    const visitor = await newVisitor();
    const link = await register(visitor, newEmail());
    const [here, there] = [await visitor.get(link), await newVisitor()];
    const asking = await there.get(link);
    expectRedirect(await visitor.post(link, { flow: flowOf(here) }), '/console');
    expectPage(await there.post(link, { flow: flowOf(asking) }), 410, /has expired/);
    expect(there.cookies.has('platform_session')).toBe(false);
  });

  test('is not offered to whoever is logged in', async () => {
    const { sessionToken } = await newUserClient();
    expectRedirect(await (await newVisitor(sessionToken)).get(form), '/console');
  });

  test('refuses an address to return to that nobody registered', async () => {
    const visitor = await newVisitor();
    expectPage(await visitor.get(`${form}?return_to=https://evil.example`), 400, /address to return to/);
    const page = await visitor.postFrom(form, `${action}?return_to=https://evil.example`, {
      email: newEmail(),
      password,
    });
    expectPage(page, 400, /address to return to/);
  });
});
