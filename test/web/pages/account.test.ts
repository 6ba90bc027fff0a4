import { describe, expect, test } from '@jest/globals';
import { consentId, type OAuthConsentDocument } from '../../../models/identity/oauth-consent.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import {
  expectPage,
  expectRedirect,
  flowOf,
  mailedLink,
  newVisitor,
  type Visitor,
  wordsOf,
} from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { newUserClient, testPassword } from '../../support/user-client.ts';

const login = '/self-service/login/browser';

/** A user with a browser that is logged in. */
async function newMember() {
  const user = await newUserClient();
  return { user, visitor: await newVisitor(user.sessionToken) };
}

const gets = ['', '/organizations', '/password', '/contacts', '/addresses', '/sessions', '/applications', '/data'].map(
  (path) => `/account${path}`,
);
const posts = [
  ['/account', '/account', { firstName: 'Eve' }],
  ['/account/organizations', '/account/organizations', { name: 'Shop', slug: 'shop' }],
  ['/account/password', '/account/password', { currentPassword: 'a', newPassword: 'b' }],
  ['/account/contacts', '/account/contacts', { type: 'phone', value: '+49 30 1234567' }],
  ['/account/contacts/change', '/account/contacts', { contactId: 'con_x', act: 'removed' }],
  ['/account/addresses', '/account/addresses', { type: 'home', addressLine: 'a', city: 'b', country: 'DE' }],
  ['/account/addresses/remove', '/account/addresses', { addressId: 'adr_x' }],
  ['/account/sessions/end', '/account/sessions', { sessionId: 'ses_x' }],
  ['/account/sessions/end-others', '/account/sessions', {}],
  ['/account/applications/withdraw', '/account/applications', { clientId: 'cli_x' }],
  ['/account/data/delete', '/account/data', { email: '' }],
] as const;

describe('every page of the account', () => {
  test.each(gets)('%s asks for a login first, and is come back to', async (path) => {
    const location = `${login}?return_to=${encodeURIComponent(path)}`;
    expectRedirect(await (await newVisitor()).get(path), location);
    expectRedirect(await (await newVisitor('AAAAAAAAAAAAAAAAAAAAAA')).get(path), location);
  });

  test.each(gets)('%s is shown to whoever is logged in, with where it stands', async (path) => {
    const { visitor } = await newMember();
    const page = await visitor.get(path);
    expectPage(page, 200);
    expect(page.text).toContain(`<a href="${path}" aria-current="page">`);
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
  });

  test.each(posts)('POST %s changes nothing without a session', async (action, path, fields) => {
    expectRedirect(await (await newVisitor()).post(action, fields), `${login}?return_to=${encodeURIComponent(path)}`);
  });

  test.each(posts)(
    'POST %s changes nothing by a form that is stale, of another session or of another page',
    async (action, path, fields) => {
      const { user, visitor } = await newMember();
      const before = await user.call('identity.me.export', {});
      const other = await newUserClient();
      expectPage(await visitor.post(action, { ...fields, flow: 'x.y' }), 400);
      // The form of somebody else who was logged in, in this very browser.
      visitor.cookies.set('platform_session', other.sessionToken);
      const flow = flowOf(await visitor.get('/account/contacts'));
      visitor.cookies.set('platform_session', user.sessionToken);
      expectPage(await visitor.post(action, { ...fields, flow }), 400, /open for too long|logged in again/);
      const foreign = flowOf(await visitor.get(path === '/account/data' ? '/account' : '/account/data'));
      expectPage(await visitor.post(action, { ...fields, flow: foreign }), 400, /open for too long/);
      expectPage(await visitor.post(action, fields, { origin: 'https://evil.example' }), 403);
      const after = await user.call('identity.me.export', {});
      expect({ ...after.user, contacts: after.contacts, addresses: after.addresses }).toEqual({
        ...before.user,
        contacts: before.contacts,
        addresses: before.addresses,
      });
      expect((await user.attempt('identity.me.read', {})).status).toBe(200);
    },
  );

  test('moves the end of the cookie on with use', async () => {
    const { visitor } = await newMember();
    const { headers } = await visitor.get('/account');
    const expires = /Expires=([^;]*)/.exec(
      headers['set-cookie']!.find((line) => line.startsWith('platform_session='))!,
    )![1]!;
    const days = (Date.parse(expires) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });

  test('ignores a credential that is no cookie', async () => {
    const { user } = await newMember();
    const visitor = await newVisitor();
    expectRedirect(
      await visitor.get('/account', { authorization: `Bearer ${user.sessionToken}` }),
      `${login}?return_to=%2Faccount`,
    );
  });
});

describe('the profile', () => {
  test('is saved, and empty fields are cleared', async () => {
    const { user, visitor } = await newMember();
    const typed = { firstName: 'Ada', lastName: "O'Neil <b>", birthDate: '1990-02-28', gender: '' };
    expectRedirect(await visitor.postFrom('/account', '/account', typed), '/account?done=saved');
    const page = await visitor.get('/account?done=saved');
    expectPage(page, 200, /Profile saved/);
    expect(page.text).toContain('value="O&#39;Neil &lt;b&gt;"');
    expect(await user.call('identity.me.read', {})).toMatchObject({
      firstName: 'Ada',
      birthDate: '1990-02-28',
      gender: null,
    });
    await visitor.postFrom('/account', '/account', { firstName: ' ' });
    expect(await user.call('identity.me.read', {})).toMatchObject({ firstName: null, birthDate: '1990-02-28' });
  });

  test('says beside the field what is wrong, and keeps what was typed', async () => {
    const { user, visitor } = await newMember();
    const typed = { firstName: 'Ada', birthDate: '2999-01-01', avatarUrl: 'javascript:alert(1)' };
    const page = await visitor.postFrom('/account', '/account', typed);
    expectPage(page, 400);
    expect(page.text).toMatch(
      /<input class="input" id="birthDate"[^>]* aria-invalid="true" aria-describedby="birthDate-error" autofocus/,
    );
    expect(page.text).toMatch(/id="avatarUrl-error"/);
    expect(page.text).toContain('value="Ada"');
    expect(await user.call('identity.me.read', {})).toMatchObject({ firstName: null, birthDate: null });
  });

  test('leads a user without an organization to create one', async () => {
    const { visitor } = await newMember();
    const page = await visitor.get('/account');
    expectPage(page, 200, /not a member of any organization yet\. Create organization/);
    expect(page.text).toContain('<a href="/account/organizations">');
    const { orgId } = await newTenantClient();
    const { sessionToken } = await newUserClient({ orgId, role: 'member' });
    expect((await (await newVisitor(sessionToken)).get('/account')).text).not.toContain('not a member of any');
  });
});

describe('the organizations', () => {
  const path = '/account/organizations';

  test('are those one belongs to', async () => {
    const { orgId } = await newTenantClient();
    const { sessionToken } = await newUserClient({ orgId, role: 'member' });
    expectPage(await (await newVisitor(sessionToken)).get(path), 200, /Organization of a test member/);
  });

  test('are created by name, with a slug made of it', async () => {
    const { user, visitor } = await newMember();
    const mark = user.userId.slice(-8).toLowerCase();
    const address = `/console/cafe-zoe-co-${mark}?done=created`;
    expectRedirect(await visitor.postFrom(path, path, { name: `Café Zoë & Co. ${mark}`, slug: '' }), address);
    const overview = await visitor.get(address);
    expectPage(overview, 200, /Overview .*You are its owner\..*First steps 0 of 6 done .*Events by day/);
    const console = `/console/cafe-zoe-co-${mark}`;
    for (const area of ['applications', 'events', 'customers', 'files', 'templates', 'invitations'])
      expect(overview.text).toContain(`<a class="btn sm" href="${console}/${area}"`);
    expectPage(await visitor.get(path), 200, /Café Zoë & Co\. \w+ owner/);
    const me = await user.call('identity.me.read', {});
    expect(me).toMatchObject({ organizations: [{ slug: `cafe-zoe-co-${mark}`, role: 'owner' }] });
  });

  test('are created once by a form that is sent twice, at the same time and again', async () => {
    const { user, visitor } = await newMember();
    const flow = flowOf(await visitor.get(path));
    const typed = { flow, name: 'Twice', slug: `twice-${user.userId.slice(-8).toLowerCase()}` };
    const both = await Promise.all([visitor.post(path, typed), visitor.post(path, typed)]);
    for (const answer of [...both, await visitor.post(path, typed)])
      expectRedirect(answer, `/console/${typed.slug}?done=created`);
    expect(await user.call('identity.me.read', {})).toMatchObject({ organizations: [{ slug: typed.slug }] });
    // On a new page, or changed, it is another request.
    expect((await visitor.postFrom(path, path, { name: 'Twice', slug: typed.slug })).status).toBe(409);
    const corrected = `${typed.slug}-b`;
    expectRedirect(await visitor.post(path, { ...typed, slug: corrected }), `/console/${corrected}?done=created`);
  });

  test.each([
    ['no name', { name: ' ', slug: '' }, 'name', 'Enter a name.'],
    ['a name without a Latin letter', { name: '株式会社', slug: '' }, 'slug', 'Enter a slug: 1 to 63'],
    ['a bad slug', { name: 'Shop', slug: 'My Shop' }, 'slug', 'Must be 1 to 63 lower-case letters'],
    ['a reserved slug', { name: 'Admin', slug: '' }, 'slug', 'This word is reserved'],
    ['markup in the slug', { name: 'Shop', slug: '"><script>' }, 'slug', 'Must be 1 to 63 lower-case letters'],
  ])('are not created with %s, and the form says why', async (_what, typed, field, words) => {
    const { user, visitor } = await newMember();
    const page = await visitor.postFrom(path, path, typed);
    expectPage(page, 400, new RegExp(words.replaceAll('(', '\\(')));
    expect(page.text).toContain(`id="${field}-error"`);
    expect(page.text).not.toContain('<script>');
    expect(await user.call('identity.me.read', {})).toMatchObject({ organizations: [] });
  });

  test('are not created with a slug that is taken, or from a stale form', async () => {
    const { orgId } = await newTenantClient();
    const { user, visitor } = await newMember();
    const typed = { name: 'Shop', slug: orgId.replace('_', '-') };
    const taken = await visitor.postFrom(path, path, typed);
    expect(taken.status).toBe(409);
    expect(taken.text).toContain(`value="${typed.slug}"`);
    expect((await visitor.post(path, { name: 'Shop', slug: '' })).status).toBe(400);
    expect(await user.call('identity.me.read', {})).toMatchObject({ organizations: [] });
  });
});

describe('the password', () => {
  test('is changed, which ends the other sessions', async () => {
    const { user, visitor } = await newMember();
    const other = await newVisitor();
    await other.postFrom(login, '/self-service/login', { email: user.email, password: user.password });
    const fields = { currentPassword: user.password, newPassword: 'several words in a row' };
    expectRedirect(
      await visitor.postFrom('/account/password', '/account/password', fields),
      '/account/password?done=changed',
    );
    expectPage(await visitor.get('/account/password?done=changed'), 200, /Password changed/);
    expectRedirect(await other.get('/account'), `${login}?return_to=%2Faccount`);
  });

  test.each([
    [
      'a wrong current one',
      { currentPassword: 'wrong wrong', newPassword: 'several words in a row' },
      'currentPassword',
    ],
    ['a short new one', { currentPassword: 'wrong wrong', newPassword: 'short' }, 'newPassword'],
    ['nothing', {}, 'currentPassword'],
  ])('is refused with %s, beside the field', async (_name, fields, field) => {
    const { visitor } = await newMember();
    const page = await visitor.postFrom('/account/password', '/account/password', fields as Record<string, string>);
    expectPage(page, 400);
    expect(page.text).toMatch(new RegExp(`<input class="input" id="${field}"[^>]* aria-invalid="true"`));
    expect(page.text).not.toMatch(/type="password"[^>]* value=/);
  });
});

describe('the contacts', () => {
  const path = '/account/contacts';
  const idOf = ({ text }: { text: string }, value: string): string =>
    new RegExp(`<h2>${value.replaceAll('+', '\\+')}</h2>[\\s\\S]*?name="contactId" value="([^"]*)"`).exec(text)![1]!;

  test('are added, confirmed by mail, made the login and removed', async () => {
    const { user, visitor } = await newMember();
    const email = `second-${user.email}`;
    expectRedirect(await visitor.postFrom(path, path, { type: 'email', value: email }), `${path}?done=added`);
    const contactId = idOf(await visitor.get(path), email);
    const act = (name: string) => visitor.postFrom(path, `${path}/change`, { contactId, act: name });
    const loginPath = `${path}/login-email?contactId=${contactId}`;
    const makeLogin = (currentPassword: string) => visitor.postFrom(loginPath, loginPath, { currentPassword });
    expectPage(await makeLogin(testPassword), 400, /confirmed/);
    expectRedirect(await act('mailed'), `${path}?done=mailed`);
    const link = await mailedLink(email, '/self-service/contacts/confirm');
    expectPage(await visitor.get(link), 200, new RegExp(`Confirm your email address .*${email}`));
    expect(wordsOf(await visitor.get(path))).toContain('not confirmed yet');
    const flow = flowOf(await visitor.get(link));
    expectPage(await visitor.post(link, { flow }), 200, /Confirmed/);
    expectPage(await visitor.post(link, { flow }), 410, /This link has expired/);
    expect((await visitor.get(path)).text).toContain(`href="${loginPath}"`);
    const refused = await makeLogin('not the password');
    expectPage(refused, 400, /not your current password/);
    expect(refused.text).toMatch(/<input class="input" id="currentPassword"[^>]* aria-invalid="true"/);
    expectPage(await makeLogin(''), 400, /Enter your current password/);
    const posted = { flow: flowOf(await visitor.get(path)), currentPassword: testPassword };
    expectPage(await visitor.post(loginPath, posted), 400, /open for too long/);
    const loginFirst = `${login}?return_to=${encodeURIComponent(loginPath)}`;
    expectRedirect(await (await newVisitor()).post(loginPath, posted), loginFirst);
    expectPage(await visitor.get('/account'), 200, new RegExp(`You log in with ${user.email}`));
    expectRedirect(await makeLogin(testPassword), `${path}?done=login`);
    expectPage(await visitor.get('/account'), 200, new RegExp(`You log in with ${email}`));
    expectPage(await act('removed'), 409, /address you log in with/);
    expectRedirect(await act('primary'), `${path}?done=primary`);
  });

  test('are confirmed by whoever added them alone, who logs in first and comes back', async () => {
    const { user, visitor } = await newMember();
    const victim = await newMember();
    const email = `attacked-${victim.user.email}`;
    await visitor.postFrom(path, path, { type: 'email', value: email });
    const contactId = idOf(await visitor.get(path), email);
    await visitor.postFrom(path, `${path}/change`, { contactId, act: 'mailed' });
    const link = await mailedLink(email, '/self-service/contacts/confirm');
    const isVerified = async () => {
      const { data } = await user.call('identity.contacts.list', { query: {} });
      return data.find((contact) => contact.contactId === contactId)!.verified;
    };
    const stranger = await newVisitor();
    const loginFirst = `${login}?return_to=${encodeURIComponent(link)}`;
    expectRedirect(await stranger.get(link), loginFirst);
    expectRedirect(await stranger.post(link, { flow: flowOf(await stranger.get(login)) }), loginFirst);
    const shown = await victim.visitor.get(link);
    expectPage(shown, 403, new RegExp(`belongs to another account You are logged in as ${victim.user.email}`));
    expect(shown.text).not.toContain(email);
    expectPage(await victim.visitor.post(link, { flow: flowOf(shown) }), 403, /belongs to another account/);
    const theirs = flowOf(await visitor.get(link));
    victim.visitor.cookies.set('platform_browser', visitor.cookies.get('platform_browser')!);
    expectPage(await victim.visitor.post(link, { flow: theirs }), 403, /belongs to another account/);
    expect(await isVerified()).toBe(false);
    const { email: address, password } = user;
    const entered = await stranger.postFrom(loginFirst, loginFirst.replace('/browser', ''), {
      email: address,
      password,
    });
    expect(new URL(entered.headers.location!, stranger.url).pathname).toBe('/self-service/contacts/confirm');
    expectPage(await stranger.postFrom(link, link), 200, /Confirmed/);
    expect(await isVerified()).toBe(true);
  });

  test('are removed', async () => {
    const { user, visitor } = await newMember();
    await visitor.postFrom(path, path, { type: 'phone', value: '+49 30 1234567' });
    const contactId = idOf(await visitor.get(path), '+49301234567');
    expectRedirect(
      await visitor.postFrom(path, `${path}/change`, { contactId, act: 'removed' }),
      `${path}?done=removed`,
    );
    expect((await user.call('identity.contacts.list', { query: {} })).data).toHaveLength(1);
  });

  test.each([
    ['no kind', { type: '', value: 'a' }, 400],
    ['an unknown kind', { type: 'fax', value: 'a' }, 400],
    ['no value', { type: 'email', value: ' ' }, 400],
    ['a wrong number', { type: 'phone', value: '<script>' }, 400],
    ['10,000 characters', { type: 'chatapp', value: 'a'.repeat(10_000) }, 400],
  ])('are refused with %s', async (_name, fields, status) => {
    const { user, visitor } = await newMember();
    const page = await visitor.postFrom(path, path, fields);
    expectPage(page, status);
    expect(page.text).toContain('role="alert"');
    expect((await user.call('identity.contacts.list', { query: {} })).data).toHaveLength(1);
  });

  test.each([['removed'], ['primary'], ['mailed']])("are not somebody else's: %s", async (act) => {
    const { visitor } = await newMember();
    const other = await newUserClient();
    const { data } = await other.call('identity.contacts.list', { query: {} });
    const before = JSON.stringify(data);
    const { contactId } = data[0]!;
    expectPage(await visitor.postFrom(path, `${path}/change`, { contactId, act }), 404);
    expect(JSON.stringify((await other.call('identity.contacts.list', { query: {} })).data)).toBe(before);
  });

  test("are not somebody else's to log in with", async () => {
    const { visitor } = await newMember();
    const other = await newUserClient();
    const { contactId } = (await other.call('identity.contacts.list', { query: {} })).data[0]!;
    const loginPath = `${path}/login-email?contactId=${contactId}`;
    expectPage(await visitor.get(loginPath), 404);
    expectPage(await visitor.get(`${path}/login-email`), 404);
    expectPage(await visitor.postFrom(path, loginPath, { currentPassword: testPassword }), 404);
  });

  test.each([['constructor'], ['__proto__'], [''], ['deleted']])('have no act named %p', async (act) => {
    const { visitor } = await newMember();
    expectPage(await visitor.postFrom(path, `${path}/change`, { contactId: 'con_x', act }), 400, /Choose what to do/);
  });
});

describe('the addresses', () => {
  const path = '/account/addresses';
  const address = {
    type: 'work',
    addressLine: 'Lange Straße 5',
    city: 'Köln',
    postalCode: '50667',
    state: '',
    country: 'DE',
  };

  test('are added, changed and removed', async () => {
    const { user, visitor } = await newMember();
    expectRedirect(await visitor.postFrom(path, path, { addressId: '', ...address }), `${path}?done=saved`);
    const page = await visitor.get(path);
    expectPage(page, 200, /Work Lange Straße 5 50667 Köln Germany/);
    const edit = /href="([^"]*\?edit=[^"]*)"/.exec(page.text)![1]!;
    const addressId = edit.split('=')[1]!;
    const form = await visitor.get(edit);
    expectPage(form, 200, /Edit address/);
    expect(form.text).toContain('<option value="DE" selected>');
    expectRedirect(
      await visitor.post(path, { flow: flowOf(form), addressId, ...address, city: 'Bonn' }),
      `${path}?done=saved`,
    );
    expect((await user.call('identity.addresses.list', { query: {} })).data).toMatchObject([
      { addressId, city: 'Bonn' },
    ]);
    expectRedirect(await visitor.postFrom(path, `${path}/remove`, { addressId }), `${path}?done=removed`);
    expect((await user.call('identity.addresses.list', { query: {} })).data).toEqual([]);
  });

  test('are refused beside the field, and what was typed is kept', async () => {
    const { user, visitor } = await newMember();
    const page = await visitor.postFrom(path, path, { ...address, city: '', country: '' });
    expectPage(page, 400, /Enter a city/);
    expect(page.text).toMatch(/<select class="input" id="country"[^>]* aria-invalid="true"/);
    expect(page.text).toContain('value="Lange Straße 5"');
    expect(page.text).toContain('<option value="work" selected>');
    expectPage(await visitor.postFrom(path, path, { ...address, country: 'XX' }), 400);
    expect((await user.call('identity.addresses.list', { query: {} })).data).toEqual([]);
  });

  test("are not somebody else's", async () => {
    const { visitor } = await newMember();
    const other = await newUserClient();
    const { addressId } = await other.call('identity.addresses.create', { body: address as never });
    expectPage(await visitor.postFrom(path, path, { ...address, addressId, city: 'Bonn' }), 404);
    expectPage(await visitor.postFrom(path, `${path}/remove`, { addressId }), 404);
    expect((await other.call('identity.addresses.list', { query: {} })).data).toMatchObject([{ city: 'Köln' }]);
  });
});

describe('the sessions', () => {
  const path = '/account/sessions';
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

  async function logIn(user: { email: string; password: string }): Promise<Visitor> {
    const visitor = await newVisitor();
    const flow = flowOf(await visitor.get(login));
    const { email, password } = user;
    await visitor.post('/self-service/login', { flow, email, password }, { 'user-agent': firefox });
    return visitor;
  }

  test('show the device, and which one this is', async () => {
    const { user, visitor } = await newMember();
    const other = await logIn(user);
    expectPage(await visitor.get(path), 200, /Firefox on Linux From 127.0.0.1, logged in .*This browser/);
    expectPage(await other.get(path), 200, /Firefox on Linux This browser/);
  });

  test('are ended one by one', async () => {
    const { user, visitor } = await newMember();
    const other = await logIn(user);
    const page = await visitor.get(path);
    const sessionId = /name="sessionId" value="([^"]*)"/.exec(page.text)![1]!;
    expectRedirect(await visitor.post(`${path}/end`, { flow: flowOf(page), sessionId }), `${path}?done=ended`);
    expectRedirect(await other.get('/account'), `${login}?return_to=%2Faccount`);
    expectPage(await visitor.get('/account'), 200);
    expectPage(await visitor.post(`${path}/end`, { flow: flowOf(page), sessionId }), 404, /ended already/);
  });

  test('are all ended but this', async () => {
    const { user, visitor } = await newMember();
    const others = [await logIn(user), await logIn(user)];
    expectRedirect(await visitor.postFrom(path, `${path}/end-others`), `${path}?done=others-ended`);
    for (const other of others) expectRedirect(await other.get('/account'), `${login}?return_to=%2Faccount`);
    const page = await visitor.get(path);
    expectPage(page, 200);
    expect(page.text).not.toContain('End all other sessions');
  });

  test("are not somebody else's", async () => {
    const { user, visitor } = await newMember();
    await logIn(user);
    const other = await newUserClient();
    expectPage(await visitor.postFrom(path, `${path}/end`, { sessionId: other.sessionId }), 404);
    expect((await other.attempt('identity.me.read', {})).status).toBe(200);
  });
});

describe('the applications', () => {
  const path = '/account/applications';

  /** An application that the user has allowed something. */
  async function allow(userId: string): Promise<string> {
    const databaseUrl = await databaseUrlOf(await sharedPlatform());
    const { clientId } = await createOAuthClient(databaseUrl, await createTenant(databaseUrl), {});
    const times = { createdAt: new Date(), updatedAt: new Date() };
    const consent = { _id: consentId(userId, clientId), userId, clientId, scopes: ['openid', 'profile'], ...times };
    await withDatabase(databaseUrl, (database) =>
      database.collection<OAuthConsentDocument>('identity_oauth_consents').insertOne(consent),
    );
    return clientId;
  }

  test('are shown with what they may do, until that is withdrawn', async () => {
    const { user, visitor } = await newMember();
    const clientId = await allow(user.userId);
    const page = await visitor.get(path);
    expectPage(
      page,
      200,
      /Application of a test By Organization of a test, allowed .* Verify your identity View your profile.* Remove access/,
    );
    expectRedirect(await visitor.post(`${path}/withdraw`, { flow: flowOf(page), clientId }), `${path}?done=withdrawn`);
    expectPage(await visitor.get(path), 200, /No applications have access to your account/);
  });

  test("are not somebody else's", async () => {
    const { visitor, user } = await newMember();
    const other = await newUserClient();
    await allow(user.userId);
    const clientId = await allow(other.userId);
    expectPage(await visitor.postFrom(path, `${path}/withdraw`, { clientId }), 404);
    expectPage(await (await newVisitor(other.sessionToken)).get(path), 200, /Remove access/);
  });
});

describe('what is stored', () => {
  test('is a file to download', async () => {
    const { user, visitor } = await newMember();
    const page = await visitor.get('/account/data');
    const href = /<a class="btn" href="([^"]*)" download>/.exec(page.text)![1]!;
    const file = await visitor.get(href);
    expect(file.headers['content-disposition']).toMatch(/^attachment/);
    expect(file.body).toMatchObject({ user: { id: user.userId } });
  });

  test('is deleted once the address is typed', async () => {
    const { user, visitor } = await newMember();
    const path = '/account/data';
    const wrong = await visitor.postFrom(path, `${path}/delete`, { email: 'another@example.com' });
    expectPage(wrong, 400, /not your login email/);
    expect((await user.attempt('identity.me.read', {})).status).toBe(200);
    const done = `${login}?notice=account-deleted`;
    const typed = ` ${user.email.toUpperCase()} `;
    expectRedirect(await visitor.post(`${path}/delete`, { flow: flowOf(wrong), email: typed }), done);
    expect(visitor.cookies.has('platform_session')).toBe(false);
    expect((await user.attempt('identity.me.read', {})).status).toBe(401);
    expectPage(await visitor.get(done), 200, /Your account was deleted/);
  });

  test('is kept as long as an organization has no other owner', async () => {
    const { orgId } = await newTenantClient();
    const user = await newUserClient({ orgId, role: 'owner' });
    const visitor = await newVisitor(user.sessionToken);
    expectPage(await visitor.postFrom('/account/data', '/account/data/delete', { email: user.email }), 409, /owner/);
    expect((await user.attempt('identity.me.read', {})).status).toBe(200);
  });
});
