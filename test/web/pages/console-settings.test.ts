import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { expectPage, expectRedirect, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf, type Tenant } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

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
    expectPage(shown, 200, /^Settings General Data retention Danger zone General .*Save changes Slug/);
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
