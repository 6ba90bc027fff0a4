import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectPage, expectRedirect, mailedLink, newVisitor, wordsOf } from '../../support/pages.ts';
import { newUserClient } from '../../support/user-client.ts';

const form = '/self-service/recovery/browser';
const action = '/self-service/recovery';
const reset = '/self-service/recovery/reset';
const login = '/self-service/login/browser';
const password = 'several words in another row';

describe('recovery', () => {
  test('lets the owner of the address choose a new password, once, and ends all sessions', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor();
    expectPage(await visitor.postFrom(form, action, { email: user.email }), 200, /Check your email/);
    const link = await mailedLink(user.email, reset);
    expectPage(await visitor.get(link), 200, /Reset your password.*New password/);
    expectRedirect(await visitor.postFrom(link, link, { password }), `${login}?notice=password-changed`);
    expectPage(await visitor.get(`${login}?notice=password-changed`), 200, /Password changed/);
    expect((await user.attempt('identity.me.read', {})).status).toBe(401);
    expectPage(await visitor.get(link), 410, /This link has expired/);
    const former = await visitor.postFrom(login, '/self-service/login', { email: user.email, password: user.password });
    expectPage(former, 400, /Incorrect email address or password/);
    expectRedirect(await visitor.postFrom(login, '/self-service/login', { email: user.email, password }), '/console');
  });

  test('keeps the address to return to', async () => {
    const { email } = await newUserClient();
    const visitor = await newVisitor();
    await visitor.postFrom(form, `${action}?return_to=/account/data`, { email });
    const link = await mailedLink(email, reset);
    expectRedirect(
      await visitor.postFrom(link, link, { password }),
      `${login}?return_to=%2Faccount%2Fdata&notice=password-changed`,
    );
  });

  test('works although the client that it leads back to is gone', async () => {
    const { email } = await newUserClient();
    const visitor = await newVisitor();
    await visitor.postFrom(form, action, { email });
    const link = `${await mailedLink(email, reset)}&return_to=https%3A%2F%2Fevil.example`;
    expectRedirect(await visitor.postFrom(link, link, { password }), `${login}?notice=password-changed`);
  });

  test('tells nobody whether an address has an account', async () => {
    const { email } = await newUserClient();
    const unknown = `${randomBytes(8).toString('hex')}@example.com`;
    const visitor = await newVisitor();
    const [known, nobody] = [
      await visitor.postFrom(form, action, { email }),
      await visitor.postFrom(form, action, { email: unknown }),
    ];
    expectPage(nobody, 200, /Check your email/);
    expect(wordsOf(known).replaceAll(email, '')).toBe(wordsOf(nobody).replaceAll(unknown, ''));
  });

  test('says beside the field why a password is refused, and leaves the link good', async () => {
    const { email } = await newUserClient();
    const visitor = await newVisitor();
    await visitor.postFrom(form, action, { email });
    const link = await mailedLink(email, reset);
    const page = await visitor.postFrom(link, link, { password: 'short' });
    expectPage(page, 400, /at least 8 characters/);
    expect(page.text).toMatch(/<input class="input" id="password"[^>]* aria-invalid="true"/);
    expectRedirect(await visitor.postFrom(link, link, { password }), `${login}?notice=password-changed`);
  });

  test('changes nothing by a form that is stale or of another browser', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor();
    await visitor.postFrom(form, action, { email: user.email });
    const link = await mailedLink(user.email, reset);
    expectPage(await visitor.post(link, { flow: 'x.y', password }), 400, /open for too long/);
    expect((await user.attempt('identity.me.read', {})).status).toBe(200);
  });

  test.each([[''], ['?token=AAAAAAAAAAAAAAAAAAAAAA'], ['?token=a&token=b']])(
    'says of the link %p that it has expired',
    async (query) => {
      const visitor = await newVisitor();
      expectPage(await visitor.get(reset + query), 410, /This link has expired/);
    },
  );

  test('asks for an address', async () => {
    const visitor = await newVisitor();
    expectPage(await visitor.postFrom(form, action, { email: '' }), 400, /Enter your email address\./);
  });
});
