import { beforeAll, describe, expect, test } from '@jest/globals';
import { fromNow, hour } from '../../../lib/data/clock.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { red, solid } from '../../integration/storage/images/test-images.ts';
import type { Client } from '../../support/client.ts';
import type { Answer } from '../../support/http.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient, testPassword } from '../../support/user-client.ts';

let tenant: Client & Tenant;
let owner: Visitor;
let slug: string;
let page: string;

beforeAll(async () => {
  tenant = await newTenantClient();
  slug = slugOf(tenant.orgId);
  page = `/console/${slug}/settings`;
  owner = await join('owner');
});

const join = async (role: 'owner' | 'admin' | 'member'): Promise<Visitor> =>
  newVisitor((await newUserClient({ orgId: tenant.orgId, role })).sessionToken);
const readOrganization = () => tenant.call('identity.organizations.read', { path: { slug } });
const countMembers = async () =>
  (await tenant.call('identity.members.list', { path: { slug }, query: { limit: '100' } })).data.length;

describe('the settings of an organization', () => {
  test('show its name, slug and id, and how long its data is kept', async () => {
    const shown = await owner.get(page);
    expectPage(shown, 200, /^Settings General Brand Security Data retention Danger zone General .*Save changes Slug/);
    expect(wordsOf(shown)).toContain(slug);
    expect(shown.text).toContain(`<code class="id clip" id="organization-id">${tenant.orgId}</code>`);
    expect(wordsOf(shown)).toMatch(/Events, stories and conversations 30 days Audit log 90 days .* Compare plans/);
    expect(shown.text).toContain(`href="/console/${slug}/usage"`);
  });

  test('change its name, whatever it holds', async () => {
    const name = '<b>Café</b> ‮Zoë 😀 مطبعة';
    expectRedirect(await owner.postFrom(page, page, { name }), `${page}?done=saved`);
    const shown = await owner.get(`${page}?done=saved`);
    expectPage(shown, 200, /Changes saved/);
    expect((await readOrganization()).name).toBe(name);
    expect(shown.text).not.toContain('<b>Café');
    expect(shown.text).toContain('value="&lt;b&gt;Café');
  });

  test('refuse a name that is missing, too long or the platform’s, keep what was typed, and change nothing', async () => {
    const before = await readOrganization();
    const refusals = [
      ['  ', /Enter a name/],
      [`Kept${'a'.repeat(97)}`, /at most 100 characters/],
      ['Kept Platform', /Check the marked field/],
    ] as const;
    for (const [name, words] of refusals) {
      const answer = await owner.postFrom(page, page, { name });
      expectPage(answer, 400, words);
      expect(answer.text).toContain('id="name-error"');
      if (name.trim() !== '') expect(answer.text).toContain(`value="${name}"`);
    }
    expectPage(await owner.post(page, { flow: 'none', name: 'Stale' }), 400, /open for too long/);
    expect(await readOrganization()).toEqual(before);
  });

  test('are shown to a member without the forms that change them, and refused by the name of the permission', async () => {
    const member = await join('member');
    const shown = await member.get(page);
    expectPage(shown, 200, /your role lacks console\.orgs\.write.*Only an owner can delete the organization/);
    expect(shown.text).not.toMatch(/name="name"|name="confirm"/);
    const before = await readOrganization();
    expectPage(await member.postFrom(page, page, { name: 'Taken over' }), 403, /lacks console\.orgs\.write/);
    expect(await readOrganization()).toEqual(before);
  });

  test('are not found by those who do not belong to it', async () => {
    const outsider = await newVisitor((await newUserClient()).sessionToken);
    expect((await outsider.get(page)).status).toBe(404);
    for (const path of [page, `${page}/leave`, `${page}/delete`]) {
      expect((await outsider.postFrom('/account', path)).status).toBe(404);
    }
    expect(await readOrganization()).toMatchObject({ slug });
  });
});

describe('the brand of an organization', () => {
  const logo = () => solid(40, 20, red).png().toBuffer();
  const brand = async () => (await readOrganization()).brand ?? { logoUrl: null, color: null };

  /** Posts a file as browsers post the form of the settings. */
  async function upload(visitor: Visitor, file: Uint8Array<ArrayBuffer> | Buffer, flow?: string): Promise<Answer> {
    const form = new FormData();
    form.set('flow', flow ?? flowOf(await visitor.get(page)));
    form.set('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'logo.png');
    const request = new Request(visitor.url, { method: 'POST', body: form });
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    return await visitor.post(`${page}/logo`, new Uint8Array(await request.arrayBuffer()), headers);
  }

  test('has a logo that is uploaded without a script, shown in the console, and removed', async () => {
    expectPage(await owner.get(page), 200, /Brand .*Logo .*PNG, JPEG, WebP, AVIF or GIF, at most 512 KiB.*Everyone/);
    expectRedirect(await upload(owner, await logo()), `${page}?done=logo`);
    const { logoUrl } = await brand();
    const source = new URL(logoUrl!).pathname;
    const shown = await owner.get(`${page}?done=logo`);
    expectPage(shown, 200, /Logo saved/);
    expect(shown.text).toContain(`<img class="logo-tile" src="${source}" alt="Logo of`);
    const emblem = `<span class="avatar sq logo" aria-hidden="true"><img src="${source}" alt=""></span>`;
    const switcher = shown.text.slice(shown.text.indexOf('id="orgs"'));
    expect([shown.text.includes(emblem), switcher.includes(emblem)]).toEqual([true, true]);
    expect((await owner.get('/account/organizations')).text).toContain(emblem);
    expectRedirect(await owner.postFrom(page, `${page}/logo/remove`), `${page}?done=logo-removed`);
    expect((await brand()).logoUrl).toBeNull();
    expect((await owner.get(page)).text).not.toContain('logo-tile');
  });

  test('is not changed by a file that is missing, too large or no image, and says why', async () => {
    const before = await brand();
    for (const [file, status, words] of [
      [Buffer.alloc(0), 400, /Choose an image/],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, /damaged or has an unsupported format/],
      [Buffer.alloc(600 * 1024), 413, /The image is too large/],
      [Buffer.alloc(3 * 1024 * 1024), 413, /The image is too large/],
    ] as const) {
      const answer = await upload(owner, file);
      expectPage(answer, status, words);
      expect(answer.text).toContain('id="file-error"');
    }
    expectPage(await upload(owner, await logo(), 'none'), 400, /open for too long/);
    expect((await owner.post(`${page}/logo`, { flow: 'none' })).status).toBe(415);
    expect(await brand()).toEqual(before);
  });

  test('has a colour that is set and removed', async () => {
    expectRedirect(await owner.postFrom(page, `${page}/color`, { color: '#AA3300' }), `${page}?done=color`);
    expect((await brand()).color).toBe('#aa3300');
    expect((await owner.get(page)).text).toContain('value="#aa3300"');
    const refused = await owner.postFrom(page, `${page}/color`, { color: 'red' });
    expectPage(refused, 400, /Must be a colour such as #0b57d0/);
    expect(refused.text).toContain('id="color-error"');
    expectRedirect(await owner.postFrom(page, `${page}/color/remove`), `${page}?done=color-removed`);
    expect((await brand()).color).toBeNull();
  });

  test('is shown to members and to nobody else on the page, and changed by neither', async () => {
    const [member, outsider] = [await join('member'), await newVisitor((await newUserClient()).sessionToken)];
    const before = await brand();
    const shown = await member.get(page);
    expectPage(shown, 200, /Logo None Colour None/);
    expect(shown.text).not.toMatch(/type="file"|type="color"/);
    for (const path of ['/logo/remove', '/color', '/color/remove']) {
      const fields: Record<string, string> = path === '/color' ? { color: '#123456' } : {};
      expectPage(await member.postFrom(page, page + path, fields), 403, /lacks console\.orgs\.write/);
      expect((await outsider.postFrom('/account', page + path, fields)).status).toBe(404);
    }
    expectPage(await upload(member, await logo()), 403, /lacks console\.orgs\.write/);
    expect((await upload(outsider, await logo(), 'none')).status).toBe(404);
    expect(await brand()).toEqual(before);
  });

  test('is shown in German too', async () => {
    const shown = await owner.get(page, { 'accept-language': 'de' });
    expectPage(shown, 200, /Marke .*Logo .*höchstens 512\sKiB.*Farbe speichern/);
  });
});

describe('the rules for members', () => {
  const rules = () => tenant.call('identity.security.read', { path: { slug } });
  let member: Visitor;
  beforeAll(async () => {
    member = await join('member');
  });

  test('are changed, and shown as they are', async () => {
    const typed = { allowedEmailDomains: 'Acme.example,\r\nmugs.example', maxSessionHours: ' 12 ' };
    expectRedirect(await owner.postFrom(page, `${page}/security`, typed), `${page}?done=security`);
    expect(await rules()).toEqual({ allowedEmailDomains: ['acme.example', 'mugs.example'], maxSessionHours: 12 });
    const shown = await owner.get(`${page}?done=security`);
    expectPage(shown, 200, /Rules saved.*Security .*Email domains of members .*Hours until members log in again/);
    expect(shown.text).toContain('>\nacme.example\nmugs.example</textarea>');
    expect(shown.text).toContain('value="12"');
    expectPage(await member.get(page), 200, /Email domains of members acme\.example, mugs\.example Hours/);
  });

  test('are refused with what is wrong, keep what was typed, and change nothing', async () => {
    const before = await rules();
    const domains = 'acme.example\nnot a domain@';
    for (const [typed, words, field] of [
      [{ allowedEmailDomains: domains, maxSessionHours: '' }, /not: Must be a domain/, 'allowedEmailDomains'],
      [{ allowedEmailDomains: '', maxSessionHours: 'many' }, /Enter a whole number of hours/, 'maxSessionHours'],
      [{ allowedEmailDomains: '', maxSessionHours: '9999' }, /Must be at most 2,?160/, 'maxSessionHours'],
    ] as const) {
      const answer = await owner.postFrom(page, `${page}/security`, typed);
      expectPage(answer, 400, words);
      expect(answer.text).toContain(`id="${field}-error"`);
    }
    const stale = await owner.post(`${page}/security`, { flow: 'none', allowedEmailDomains: '', maxSessionHours: '' });
    expectPage(stale, 400, /open for too long/);
    const asked = await member.postFrom(page, `${page}/security`, { allowedEmailDomains: '', maxSessionHours: '' });
    expectPage(asked, 403, /lacks console\.orgs\.write/);
    const outsider = await newVisitor((await newUserClient()).sessionToken);
    expect((await outsider.postFrom('/account', `${page}/security`)).status).toBe(404);
    expect(await rules()).toEqual(before);
    expectRedirect(
      await owner.postFrom(page, `${page}/security`, { allowedEmailDomains: '', maxSessionHours: '' }),
      `${page}?done=security`,
    );
    expect(await rules()).toEqual({ allowedEmailDomains: [], maxSessionHours: null });
  });

  test('lead a member with an old login to the login, and back', async () => {
    const own = await newTenantClient();
    const settings = `/console/${slugOf(own.orgId)}/settings`;
    const user = await newUserClient({ orgId: own.orgId });
    const visitor = await newVisitor(user.sessionToken);
    expectPage(await visitor.get(settings), 200);
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection('identity_sessions')
        .updateOne({ tokenHash: hashToken(user.sessionToken) }, { $set: { authenticatedAt: fromNow(-5 * hour) } }),
    );
    await own.call('identity.security.update', { path: { slug: slugOf(own.orgId) }, body: { maxSessionHours: 4 } });
    const login = `/self-service/login/browser?${new URLSearchParams({ return_to: settings, refresh: 'true', notice: 'session-too-old' })}`;
    await until(async () => (await visitor.get(settings)).headers.location === login);
    expectRedirect(await visitor.post(`${settings}/leave`, { flow: 'none' }), login);
    expectPage(await visitor.get('/account'), 200);
    expectPage(await visitor.get(login), 200, /This organization asks its members to log in again from time to time/);
    expectPage(await visitor.get(login, { 'accept-language': 'de' }), 200, /von Zeit zu Zeit neu anmelden/);
    const form = { email: user.email, password: testPassword };
    const path = `/self-service/login?${new URLSearchParams({ return_to: settings })}`;
    const answer = await visitor.postFrom(login, path, form);
    expect(new URL(answer.headers.location ?? '', visitor.url).pathname).toBe(settings);
    expectPage(await visitor.get(settings), 200);
  });
});

describe('leaving an organization', () => {
  test('ends the membership, and says so', async () => {
    const member = await join('member');
    const before = await countMembers();
    expectRedirect(await member.postFrom(page, `${page}/leave`), '/account/organizations?done=left');
    expectPage(await member.get('/account/organizations?done=left'), 200, /You left the organization/);
    expect((await member.get(page)).status).toBe(404);
    expect(await countMembers()).toBe(before - 1);
  });

  test('is refused to the last owner, and with a form that is stale', async () => {
    const before = await countMembers();
    expectPage(await owner.postFrom(page, `${page}/leave`), 409, /only owner who is not suspended/);
    expectPage(await owner.post(`${page}/leave`, { flow: 'none' }), 400, /open for too long/);
    expect(await countMembers()).toBe(before);
  });
});

describe('deleting an organization', () => {
  test('is refused without its slug, with a stale form, and to all but owners', async () => {
    for (const confirm of ['', 'another', slug.toUpperCase()]) {
      const answer = await owner.postFrom(page, `${page}/delete`, { confirm });
      expectPage(answer, 400, new RegExp(`Enter ${slug} exactly`));
      expect(answer.text).toContain('id="confirm-error"');
    }
    expectPage(await owner.post(`${page}/delete`, { flow: 'none', confirm: slug }), 400, /open for too long/);
    const admin = await join('admin');
    expectPage(await admin.get(page), 200, /Only an owner can delete the organization/);
    expectPage(await admin.postFrom(page, `${page}/delete`, { confirm: slug }), 403, /Only an owner/);
    expect(await readOrganization()).toMatchObject({ slug });
  });

  test('ends all access to it once its slug is entered', async () => {
    const doomed = await newTenantClient();
    const user = await newUserClient({ orgId: doomed.orgId });
    const visitor = await newVisitor(user.sessionToken);
    const settings = `/console/${slugOf(doomed.orgId)}/settings`;
    const answer = await visitor.postFrom(settings, `${settings}/delete`, { confirm: slugOf(doomed.orgId) });
    expectRedirect(answer, '/account/organizations?done=deleted');
    expectPage(await visitor.get('/account/organizations?done=deleted'), 200, /Organization deleted/);
    expect((await visitor.get(settings)).status).toBe(404);
    const path = { slug: slugOf(doomed.orgId) };
    expect((await doomed.attempt('identity.organizations.read', { path })).status).toBe(401);
  });
});
