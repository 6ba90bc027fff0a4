import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
let browser: Visitor;
let member: Awaited<ReturnType<typeof newUserClient>>;
let roles: string;

beforeAll(async () => {
  tenant = await newTenantClient();
  browser = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
  roles = `/console/${slugOf(tenant.orgId)}/roles`;
});

const newRole = (name: string, permissions: string[], includes: string[] = []) =>
  tenant.call('access.roles.create', { body: { name, permissions, includes } });
const read = (id: string) => tenant.call('access.roles.read', { path: { id } });
const holders = async (id: string) =>
  (await tenant.call('access.assignments.list-of-role', { path: { id }, query: {} })).data;

/** What the matrix says of a permission, column by column. */
function rowOf(text: string, key: string): string[] {
  const row = new RegExp(`<tr><th scope="row"><code>${key}</code>.*?</tr>`, 's').exec(text)?.[0] ?? '';
  return [...row.matchAll(/class="vh">([^<]*)</g)].map(([, words = '']) => words);
}

describe('the matrix of roles and permissions', () => {
  test('shows what each role allows by itself and by the roles that it includes', async () => {
    const inner = await newRole('Inner', ['mail.read']);
    await newRole('<b>Outer</b>', ['storage.read'], [inner.id]);
    const page = await browser.get(roles);
    expectPage(page, 200, /Roles .* Owner Admin Member Inner <b>Outer<\/b>/);
    expect(rowOf(page.text, 'mail\\.read')).toEqual(['Yes', 'Yes', 'Yes', 'Yes', 'Yes, by another role']);
    expect(rowOf(page.text, 'billing\\.write')).toEqual(['Yes', 'No', 'No', 'No', 'No']);
    expect(page.text).not.toContain('<b>Outer');
  });

  test('is filtered by key and description', async () => {
    const page = await browser.get(`${roles}?filter=Send+mail`);
    expect(wordsOf(page)).toContain('mail.send');
    expect(rowOf(page.text, 'billing\\.write')).toEqual([]);
    expectPage(await browser.get(`${roles}?filter=%3Cnothing%3E`), 200, /No permission matches/);
  });

  test('has the roles as a list too', async () => {
    expectPage(await browser.get(`${roles}/list`), 200, /Owner \d+ permissions May do everything Built in/);
  });
});

describe('a role', () => {
  test('is created, changed and deleted', async () => {
    const fields = { name: '<i>Support</i> 😀', description: 'a', revision: '', 'permissions.mail.send': 'on' };
    const made = await browser.postFrom(`${roles}/new`, `${roles}/new`, fields);
    const [, id] = /\/roles\/(role_\w+)\?done=created$/.exec(String(made.headers.location))!;
    const path = `${roles}/${id}`;
    const page = await browser.get(`${path}?done=created`);
    expectPage(page, 200, /Role created/);
    expect(page.text).toContain('name="permissions.mail.send" checked');
    const revision = /name="revision" value="(\d+)"/.exec(page.text)![1]!;
    const change = {
      name: 'Support',
      description: '',
      revision,
      'permissions.mail.read': 'on',
      'includes.role_member': 'on',
    };
    expectRedirect(await browser.postFrom(path, path, change), `${path}?done=saved`);
    expect(await read(id!)).toMatchObject({ name: 'Support', permissions: ['mail.read'], includes: ['role_member'] });
    // From a page that was opened before the change.
    expectPage(await browser.postFrom(path, path, { ...change, name: 'Stale' }), 412);
    expect(await read(id!)).toMatchObject({ name: 'Support' });
    expectRedirect(await browser.postFrom(path, `${path}/delete`), `${roles}?done=deleted`);
    expect((await browser.get(path)).status).toBe(404);
  });

  test('is refused without a name, with an unknown permission or as part of itself; what was typed stays', async () => {
    const { id } = await newRole('Kept', ['mail.read']);
    const path = `${roles}/${id}`;
    const revision = '*';
    const refusals = [
      [{ name: ' ', description: 'typed' }, /Enter a name/],
      [{ name: 'x', description: 'typed', 'permissions.no.such': 'on' }, /There is no such permission/],
      [{ name: 'x', description: 'typed', [`includes.${id}`]: 'on' }, /form a cycle/],
    ] as const;
    const before = await read(id);
    for (const [fields, words] of refusals) {
      const answer = await browser.postFrom(path, path, { ...fields, revision: `${before.revision}` });
      expectPage(answer, 400, words);
      expect(answer.text).toContain('typed');
    }
    expectPage(
      await browser.post(path, { name: 'x', description: '', revision, flow: 'none' }),
      400,
      /open for too long/,
    );
    expect(await read(id)).toEqual(before);
  });

  test('of the platform is shown without a form', async () => {
    const page = await browser.get(`${roles}/role_member`);
    expectPage(page, 200, /Member Built in .* can’t be changed\. access\.check .* Who has it/);
    expect(page.text).not.toContain('name="flow"');
  });

  test('is assigned to members and applications, with an end, and removed', async () => {
    const { id } = await newRole('To assign', ['mail.read']);
    const path = `${roles}/${id}`;
    const post = (fields: Record<string, string>) => browser.postFrom(path, `${path}/assign`, fields);
    expectRedirect(await post({ subject: member.userId, until: '2126-11-30' }), `${path}?done=assigned`);
    expectRedirect(await post({ subject: tenant.applicationId, until: '' }), `${path}?done=assigned`);
    expect(await holders(id)).toMatchObject([
      { applicationId: tenant.applicationId, expiresAt: null },
      { userId: member.userId, expiresAt: '2126-11-30T23:59:59.999Z' },
    ]);
    const page = await browser.get(path);
    expect(wordsOf(page)).toContain(`${member.email} Until 30 Nov 2126`);
    const refusals = [
      [{ subject: '', until: '' }, 400, /Choose a member/],
      [{ subject: member.userId, until: 'soon' }, 400, /Enter a date like/],
      [{ subject: member.userId, until: '2020-01-01' }, 400, /future/],
      [{ subject: 'usr_nobody', until: '' }, 404, /no such member/],
    ] as const;
    for (const [fields, status, words] of refusals) expectPage(await post(fields), status, words);
    const [{ assignmentId = '' } = {}] = await holders(id);
    expectRedirect(await browser.postFrom(path, `${path}/remove`, { assignmentId }), `${path}?done=removed`);
    expect(await holders(id)).toMatchObject([{ userId: member.userId }]);
    expectPage(await browser.postFrom(path, `${path}/remove`, { assignmentId }), 404, /no such assignment/);
  });
});

describe('the questions beside the matrix', () => {
  test('are answered with the path to a permission, or with what is missing', async () => {
    const inner = await newRole('Inner of path', ['mail.send']);
    const outer = await newRole('Outer of path', [], [inner.id]);
    const body = { userId: member.userId, roleId: outer.id };
    const query = `subject=${member.userId}&permission=mail.send`;
    expectPage(
      await browser.get(`${roles}?${query}`),
      200,
      /No, .* may not use mail\.send .* would allow it: .*Inner of path/,
    );
    await tenant.call('access.assignments.create', { body });
    expectPage(
      await browser.get(`${roles}?${query}`),
      200,
      /Yes, .* may use mail\.send .* Outer of path Has this role Inner of path Included .* mail\.send In this role/,
    );
    expectPage(await browser.get(`${roles}?who=mail.send`), 200, new RegExp(`Who can .* ${member.email}`));
    expectPage(await browser.get(`${roles}?who=billing.write`), 200);
    expect((await browser.get(`${roles}?who=no.such.key`)).status).toBe(200);
    expect((await browser.get(`${roles}?subject=usr_x&permission=x`)).status).toBe(200);
  });
});

describe('who may not', () => {
  test('read roles is told which permission is missing', async () => {
    const visitor = await newVisitor(member.sessionToken);
    expectPage(await visitor.get(roles), 403, /lacks console\.access\.read/);
  });

  test('change roles sees them without the acts, and is refused by the name of the permission', async () => {
    const { id } = await newRole('Reader', ['console.access.read']);
    const reader = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    await tenant.call('access.assignments.create', { body: { userId: reader.userId, roleId: id } });
    const visitor = await newVisitor(reader.sessionToken);
    const path = `${roles}/new`;
    const flow = flowOf(await visitor.get(path));
    await tenant.call('identity.members.update', {
      path: { slug: slugOf(tenant.orgId), userId: reader.userId },
      body: { role: 'member' },
    });
    const page = await visitor.get(`${roles}/${id}`);
    expectPage(page, 200, /lacks console\.access\.write/);
    expect(page.text).not.toContain('name="flow"');
    expect((await visitor.get(roles)).text).not.toContain(`${roles}/new`);
    const offered = await visitor.get(path);
    expectPage(offered, 200, /lacks console\.access\.write/);
    expect(offered.text).not.toContain('name="flow"');
    const refused = await visitor.post(path, { flow, name: 'x', description: '', revision: '' });
    expectPage(refused, 403, /lacks the permission console\.access\.write/);
  });

  test('see the organization gets 404, and so does one who names the role of another', async () => {
    const foreign = await newTenantClient();
    const { id } = await foreign.call('access.roles.create', { body: { name: 'Foreign', permissions: [] } });
    expect((await browser.get(`${roles}/${id}`)).status).toBe(404);
    const outsider = await newVisitor((await newUserClient()).sessionToken);
    for (const path of [roles, `${roles}/list`, `${roles}/role_owner`])
      expect((await outsider.get(path)).status).toBe(404);
  });
});
