import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

type Tenant = Awaited<ReturnType<typeof newTenantClient>>;

const markup = '<b>Grüße</b> & "more" שלום';
const variables = [
  { name: 'name', required: false, sample: 'Grace' },
  { name: 'number', required: true, sample: 'A-1' },
];
const content = { subject: 'Order {{ number }}', html: '<p>Hello {{ name }}, <b>{{ number }}</b></p>' };

let tenant: Tenant;
let owner: Visitor;
let member: Visitor;
/** The token of a form that the member opened before the permission was taken away. */
let memberFlow: string;
let email: string;
let list: string;

const consoleOf = (orgId: string, path: string) => `/console/${slugOf(orgId)}/${path}`;

beforeAll(async () => {
  tenant = await newTenantClient();
  const user = await newUserClient({ orgId: tenant.orgId });
  ({ email } = user);
  owner = await newVisitor(user.sessionToken);
  list = consoleOf(tenant.orgId, 'templates');
  const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
  member = await newVisitor(admin.sessionToken);
  memberFlow = flowOf(await member.get(`${list}/new`));
  const path = { slug: slugOf(tenant.orgId), userId: admin.userId };
  await tenant.call('identity.members.update', { path, body: { role: 'member' } });
});

const create = (body: object = {}) =>
  tenant.call('mail.templates.create', { body: { name: 'Order', ...content, variables, ...body } });
const read = (templateId: string) => tenant.call('mail.templates.read', { path: { templateId }, query: {} });
const templates = async () => (await tenant.call('mail.templates.list', { query: { limit: '100' } })).data;

describe('the mail templates of an organization', () => {
  test('are shown how to begin', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const page = await visitor.get(consoleOf(other.orgId, 'templates'));
    expectPage(page, 200, /Templates .* Mail Notifications No mail templates yet .* New template/);
  });

  test('are listed with their state, version and languages, and lead to their pages', async () => {
    const { id } = await create({ name: markup, locales: { de: { subject: 'Auftrag', text: 'Hallo' } } });
    await tenant.call('mail.templates.update', {
      path: { templateId: id },
      body: { subject: 'New', publish: false },
    });
    await create({ name: 'Never published', publish: false });
    const page = await owner.get(list);
    expectPage(page, 200, /Grüße<\/b> & "more" שלום .* Version 1 live, 2 draft Default, de 2/);
    expect(wordsOf(page)).toMatch(/Never published .* Draft Default 1/);
    expect(page.text).toContain(`href="${list}/${id}"`);
    expect(page.text).not.toContain('<b>Grüße');
  });

  test('are found by the beginning of their name', async () => {
    const { id } = await create({ name: `Überweisung ${markup}` });
    const page = await owner.get(`${list}?search=uber`);
    expectPage(page, 200, /Templates .* Überweisung <b>Grüße<\/b>/);
    expect(page.text).toContain(`href="${list}/${id}"`);
    expect(page.text).toContain('value="uber"');
    expect(page.text).not.toContain('Never published');
    const none = await owner.get(`${list}?${new URLSearchParams({ search: '<i>none' })}`);
    expectPage(none, 200, /No templates found No name begins with “ <i>none ”\./);
    expect(none.text).not.toContain('<i>none');
    expectPage(await owner.get(`${list}?cursor=broken`), 400);
  });

  test('are created blank or from a starter, as drafts', async () => {
    const form = await owner.get(`${list}/new`);
    expectPage(form, 200, /New template .* Blank .* Receipt Confirms a payment/);
    for (const [starter, subject] of [
      ['blank', 'Hello {{ name }}'],
      ['welcome', 'Welcome to {{ companyName }}'],
    ] as const) {
      const answer = await owner.postFrom(`${list}/new`, `${list}/new`, { name: markup, starter });
      const [, id = ''] = /\/(tpl_[^/?]+)\?done=created$/.exec(String(answer.headers.location))!;
      expect(await read(id)).toMatchObject({ name: markup, subject, liveVersion: null });
      expectPage(await owner.get(`${list}/${id}?done=created`), 200, /Template created as a draft/);
    }
  });

  test('are not created without a name, from another starter, by a stale form or without the permission', async () => {
    const before = (await templates()).length;
    const post = (fields: Record<string, string>) => owner.postFrom(`${list}/new`, `${list}/new`, fields);
    expectPage(await post({ name: ' ', starter: 'blank' }), 400, /Enter a name/);
    expectPage(await post({ name: 'x'.repeat(101), starter: 'blank' }), 400, /at most 100 characters/);
    const refused = await post({ name: markup, starter: 'toString' });
    expectPage(refused, 400, /Choose one of these/);
    expect(decodeEntities(refused.text)).toContain(`value="${markup}"`);
    expectPage(await owner.post(`${list}/new`, { flow: 'x', name: 'x', starter: 'blank' }), 400);
    expectPage(await post({ name: 'x', starter: 'blank', more: '1' }), 400, /more/);
    const form = { flow: memberFlow, name: 'x', starter: 'blank' };
    expectPage(await member.post(`${list}/new`, form), 403, /mail\.templates\.write/);
    const offered = await member.get(`${list}/new`);
    expectPage(offered, 200, /lacks mail\.templates\.write/);
    expect(offered.text).not.toContain(`action="${list}/new"`);
    expect((await templates()).length).toBe(before);
  });
});

describe('a mail template', () => {
  let id: string;
  let page: string;
  const fields = {
    name: 'Order',
    category: 'transactional',
    locale: '',
    ...{ format: 'html', text: '', act: 'draft' },
  };
  const rows = {
    'variable-0': 'name',
    'sample-0': 'Grace',
    'variable-1': 'number',
    'sample-1': 'A-1',
    'required-1': 'on',
  };
  const whole = { ...fields, ...rows, version: '1', subject: content.subject, body: content.html };
  const save = (changes: Record<string, string>) => owner.postFrom(page, page, { ...whole, ...changes });
  const expectSame = async () =>
    expect(await read(id)).toMatchObject({ latestVersion: 1, liveVersion: 1, name: 'Order' });

  beforeEach(async () => {
    ({ id } = await create());
    page = `${list}/${id}`;
  });

  test('is shown with its fields, samples, preview and versions, which work without a script', async () => {
    const shown = await owner.get(page);
    expectPage(shown, 200, /Order Version 1 live .* Order A-1 .* Versions Version 1 , live/);
    expect(shown.text).toMatch(/id="subject"[^>]* value="Order \{\{ number \}\}"/);
    expect(shown.text).toMatch(/id="variable-1"[^>]* value="number"/);
    expect(shown.headers['content-security-policy']).toContain("frame-src 'self'");
    const [, src] = /<iframe[^>]* src="([^"]*)"/.exec(shown.text)!;
    const frame = await owner.get(decodeEntities(src!));
    expect(frame.text).toContain('<p>Hello Grace, <b>A-1</b></p>');
    const policy = String(frame.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'self'; sandbox (?!.*allow-scripts)/);
  });

  test('is saved as a draft, and published', async () => {
    const subject = `${markup} {{ number }}`;
    expectRedirect(await save({ subject, name: markup }), `${page}?done=saved`);
    expect(await read(id)).toMatchObject({
      subject,
      name: markup,
      liveVersion: 1,
      latestVersion: 2,
      html: content.html,
    });
    const shown = await owner.get(`${page}?done=saved`);
    expectPage(shown, 200, /Version 1 live, 2 draft .* Draft saved/);
    expect(shown.text).not.toContain('<b>Grüße');
    const published = { subject, name: markup, version: '2', act: 'publish' };
    expectRedirect(await save(published), `${page}?done=published`);
    expect(await read(id)).toMatchObject({ liveVersion: 2, latestVersion: 2 });
    expectRedirect(await save({ ...published, act: 'draft' }), `${page}?done=unchanged`);
    expectRedirect(await save({ ...published, name: 'Renamed', act: 'draft' }), `${page}?done=saved`);
    expect(await read(id)).toMatchObject({ name: 'Renamed', latestVersion: 2 });
  });

  test('is saved in another format, with other variables', async () => {
    const mjml =
      '<mjml><mj-body><mj-section><mj-column><mj-text>{{ city }}</mj-text></mj-column></mj-section></mj-body></mjml>';
    const row = { 'variable-7': ' city ', 'sample-7': 'Kiel' };
    expectRedirect(await save({ format: 'mjml', body: mjml, text: 'In {{ city }}', ...row }), `${page}?done=saved`);
    const saved = await read(id);
    expect(saved).toMatchObject({ mjml, text: 'In {{ city }}' });
    expect(saved.html).toBeUndefined();
    expect(saved.variables).toEqual([...variables, { name: 'city', required: false, sample: 'Kiel' }]);
    expectRedirect(
      await save({ ...row, version: '2', format: 'none', text: 'Only {{ number }}' }),
      `${page}?done=saved`,
    );
    expect((await read(id)).mjml).toBeUndefined();
  });

  test('has each problem at its field, and nothing is saved', async () => {
    const refusals = [
      [{ subject: '{{ nope }}' }, 'subject', 'The variable nope is used but not declared.'],
      [{ body: '<p>{% if %}</p>' }, 'body', ''],
      [{ body: '' }, 'body', 'Required.'],
      [{ format: 'mjml', body: '<p>' }, 'body', ''],
      [{ format: 'none' }, 'body', 'One of html, mjml and text is required.'],
      [{ text: '{{ number' }, 'text', ''],
      [{ 'variable-4': '1x' }, 'variable-4', 'Must be 1 to 50 letters'],
      [{ 'variable-4': 'name' }, 'variables', 'Variable names must be unique.'],
      [{ name: ' ' }, 'name', 'Enter a name.'],
      [{ category: 'spam' }, 'category', ''],
    ] as const;
    for (const [changes, field, words] of refusals) {
      const answer = await save({ ...changes, act: 'publish' });
      expectPage(answer, 400, /Check the marked field/);
      expect(decodeEntities(answer.text)).toMatch(new RegExp(`id="${field}-error">.*${words}`));
    }
    await expectSame();
  });

  test('is not saved over a version that was saved meanwhile, until it is saved again', async () => {
    await tenant.call('mail.templates.update', {
      path: { templateId: id },
      body: { subject: 'Theirs', publish: false },
    });
    const refused = await save({ subject: 'Mine' });
    expectPage(refused, 409, /Version 2 was saved while you were editing/);
    expect(await read(id)).toMatchObject({ subject: 'Theirs', latestVersion: 2 });
    const again = { ...whole, flow: flowOf(refused), subject: 'Mine' };
    expectPage(await owner.post(page, again), 409);
    expect(refused.text).toContain('name="version" value="2"');
    expectRedirect(await owner.post(page, { ...again, version: '2' }), `${page}?done=saved`);
  });

  test('has a content for a language, which is added, changed and removed', async () => {
    const adding = await owner.get(`${page}?locale=de`);
    expectPage(adding, 200, /Default German \(de\) .* German \(de\) is added when you save/);
    const german = { locale: 'de', subject: 'Bestellung {{ number }}' };
    expectRedirect(await save(german), `${page}?locale=de&done=saved`);
    expect(await read(id)).toMatchObject({ subject: content.subject, locales: { de: { subject: german.subject } } });
    expectPage(await owner.get(`${page}?locale=de`), 200, /Bestellung A-1/);
    const refused = await save({ ...german, version: '2', subject: '{{ nope }}' });
    expect(decodeEntities(refused.text)).toMatch(/id="subject-error">.*The variable nope/);
    const elsewhere = await save({ version: '2', 'variable-1': '', subject: 'x', body: 'x' });
    expectPage(elsewhere, 400, /German \(de\), \w+: The variable number is used but not declared/);
    const removed = await owner.postFrom(page, `${page}/languages/remove`, { locale: 'de' });
    expectRedirect(removed, `${page}?done=language-removed`);
    expect(await read(id)).toMatchObject({ locales: {}, latestVersion: 3, liveVersion: 1 });
    expectPage(await owner.postFrom(page, `${page}/languages/remove`, { locale: '<b>' }), 400);
    expectPage(await save({ locale: '<b>', version: '3', subject: 'x' }), 400);
    expect((await read(id)).latestVersion).toBe(3);
  });

  test('is previewed while it is edited: in the frame, and as a fragment for the script', async () => {
    const flow = flowOf(await owner.get(page));
    const draft = { ...whole, flow, subject: 'Now {{ number }}', body: '<p>{{ name }}!</p>' };
    expect((await owner.post(`${page}/preview`, draft)).text).toBe('<p>Grace!</p>');
    const fragment = await owner.post(`${page}/preview?fragment=preview`, draft);
    expect(fragment.text).toContain('<h3 data-part="subject">Now A-1</h3>');
    expect(decodeEntities(fragment.text)).toContain('data-document="<p>Grace!</p>"');
    const without = await owner.post(`${page}/preview`, { ...draft, samples: 'required' });
    expect(without.text).toBe('<p>!</p>');
    const wrong = { ...draft, body: '{{ nope }}', subject: '{{ 1 | nope }}' };
    const frame = await owner.post(`${page}/preview`, wrong);
    expect(decodeEntities(frame.text)).toContain('<li>The variable nope is used but not declared.</li>');
    const marked = await owner.post(`${page}/preview?fragment=preview`, wrong);
    expect(marked.text).toMatch(/data-field="body"><p class="error" id="body-error">.*nope/);
    expect(marked.text).toMatch(/data-field="subject">/);
    const stale = await owner.post(`${page}/preview?fragment=preview`, { ...draft, flow: 'x' });
    expect(stale.text).toMatch(/data-part="status">\S/);
    expect((await owner.post(`${page}/preview`, { ...draft, more: '1' })).status).toBe(400);
    await expectSame();
  });

  test('takes a body of many characters, as its endpoint does', async () => {
    const body = `<p>${'ü€'.repeat(40_000)}</p>`;
    expectRedirect(await save({ body }), `${page}?done=saved`);
    expect((await read(id)).html).toBe(body);
  });

  test('shows an older version to read, and publishes it', async () => {
    await save({ subject: 'Second', act: 'publish' });
    const older = await owner.get(`${page}?version=1`);
    expectPage(older, 200, /You are looking at version 1\. .* Order A-1/);
    expect(older.text).not.toContain('value="draft"');
    const published = await owner.postFrom(page, `${page}/publish`, { version: '1' });
    expectRedirect(published, `${page}?done=published`);
    expect(await read(id)).toMatchObject({ liveVersion: 1, latestVersion: 2 });
    for (const version of ['9', 'x', '']) {
      const refused = await owner.postFrom(page, `${page}/publish`, { version });
      expect([400, 404]).toContain(refused.status);
    }
    expect((await read(id)).liveVersion).toBe(1);
    expectPage(await owner.get(`${page}?version=9`), 404);
  });

  test('is tested by a mail to the member, or to a typed address', async () => {
    const sentTo = async (to: string) => (await tenant.call('mail.messages.list', { query: { to } })).data;
    expect((await owner.get(page)).text).toMatch(new RegExp(`id="to"[^>]* value="${email}"`));
    const to = `${newId('req')}@example.com`;
    const test = { flow: flowOf(await owner.get(page)), to, 'test-locale': '' };
    for (const _ of [1, 2]) expectRedirect(await owner.post(`${page}/test`, test), `${page}?done=tested`);
    // Its subject is rendered after the answer.
    await eventually(async () => expect(await sentTo(to)).toMatchObject([{ subject: 'Order A-1', templateId: id }]));
    const wrong = await owner.postFrom(page, `${page}/test`, { to: 'nobody', 'test-locale': '' });
    expectPage(wrong, 400, /Check the marked field/);
    expect(wrong.text).toMatch(/id="to-error"/);
    const other = await owner.post(`${page}/test`, { ...test, flow: 'x', to: `other-${to}` });
    expectPage(other, 400);
    expect(await sentTo(`other-${to}`)).toEqual([]);
  });

  test('is deleted', async () => {
    expectPage(await owner.post(`${page}/delete`, { flow: 'x' }), 400);
    await expectSame();
    expectRedirect(await owner.postFrom(page, `${page}/delete`), `${list}?done=deleted`);
    expectPage(await owner.get(page), 404);
    expectPage(await owner.get(`${list}?done=deleted`), 200, /Template deleted/);
  });

  test('is only shown to a member without the permission', async () => {
    const shown = await member.get(page);
    expectPage(shown, 200, /lacks mail\.templates\.write/);
    expect(shown.text).not.toMatch(/<button[^>]* value="(?:draft|publish)"|\/delete"|\/publish"/);
    expect(shown.text).toContain('<textarea');
    expect(shown.text).not.toMatch(/<textarea(?![^>]* readonly)/);
    const posts = [
      ['', { ...whole, subject: 'x' }],
      ['/publish', { version: '1' }],
      ['/delete', {}],
      ['/languages/remove', { locale: 'de' }],
    ] as const;
    for (const [path, form] of posts) {
      expectPage(await member.post(page + path, { ...form, flow: memberFlow }), 403, /mail\.templates\.write/);
    }
    await expectSame();
  });

  test('is not found in another organization, nor by strangers', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const path = consoleOf(other.orgId, `templates/${id}`);
    const flow = flowOf(await visitor.get(consoleOf(other.orgId, 'templates/new')));
    for (const one of [path, `${path}/preview`]) expect((await visitor.get(one)).status).toBe(404);
    expectPage(await visitor.get(page), 404);
    for (const [below, form] of [
      ['', whole],
      ['/publish', { version: '1' }],
      ['/delete', {}],
      ['/test', { to: email, 'test-locale': '' }],
      ['/languages/remove', { locale: 'de' }],
    ] as const) {
      expectPage(await visitor.post(path + below, { ...form, flow }), 404);
    }
    expect((await visitor.post(`${path}/preview`, { ...whole, flow })).status).toBe(404);
    await expectSame();
  });
});
