import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { joinAs, newUserClient } from '../../support/user-client.ts';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
let owner: Visitor;
/** A member of the organization, who owns another one and can open forms there. */
let member: Visitor;
let otherOrgId: string;

const consoleOf = (orgId: string, path: string) => `/console/${slugOf(orgId)}/${path}`;

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  ({ orgId: otherOrgId } = await newTenantClient());
  const user = await newUserClient({ orgId: otherOrgId });
  await joinAs(user, { orgId: tenant.orgId, role: 'member' });
  member = await newVisitor(user.sessionToken);
});

describe('the sender of mail', () => {
  const read = () => tenant.call('mail.settings.read', {});
  const page = () => consoleOf(tenant.orgId, 'sender');

  test('is shown with its defaults, changed, and returned to them', async () => {
    const defaults = await read();
    const shown = await owner.get(page());
    expectPage(shown, 200, /Mail sender .* Connections Mail sender .* Reply to/);
    expect(shown.text).toContain(`value="${defaults.from}"`);
    const save = (fields: Record<string, string>) => owner.postFrom(page(), page(), fields);
    const changed = { fromName: 'Grüße & Söhne', from: defaults.from, replyTo: 'service@acme.example' };
    expectRedirect(await save(changed), `${page()}?done=saved`);
    expect(await read()).toEqual(changed);
    expectPage(await owner.get(`${page()}?done=saved`), 200, /Sender saved/);
    expectRedirect(await save({ fromName: ' ', from: '', replyTo: '' }), `${page()}?done=saved`);
    expect(await read()).toEqual(defaults);
  });

  test('is not changed to one that is not allowed, by a stale form or without the permission', async () => {
    const before = await read();
    const whole = { fromName: 'Acme', from: before.from, replyTo: '' };
    const refusals = [
      [{ from: 'ada@bank.example' }, 'from', /operator of the platform does not allow this address/],
      [{ from: 'nobody' }, 'from', /Check the marked field/],
      [{ replyTo: '<b>@' }, 'replyTo', /Check the marked field/],
      [{ fromName: 'x'.repeat(101) }, 'fromName', /100/],
    ] as const;
    for (const [changes, field, words] of refusals) {
      const answer = await owner.postFrom(page(), page(), { ...whole, ...changes });
      expectPage(answer, 400, words);
      expect(answer.text).toContain(`id="${field}-error"`);
      expect(answer.text).not.toContain('<b>@');
    }
    expectPage(await owner.post(page(), { ...whole, flow: 'x' }), 400);
    expectPage(await owner.postFrom(page(), page(), { ...whole, more: '1' }), 400);
    const shown = await member.get(page());
    expectPage(shown, 200, /lacks mail\.settings\.write/);
    expect(shown.text).not.toContain('Save sender');
    const flow = flowOf(await member.get(consoleOf(otherOrgId, 'sender')));
    expectPage(await member.post(page(), { ...whole, flow }), 403, /lack mail\.settings\.write/);
    expect(await read()).toEqual(before);
  });

  test('is not found by strangers', async () => {
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    expectPage(await stranger.get(page()), 404);
    expectPage(await stranger.post(page(), { fromName: 'x', from: '', replyTo: '' }), 404);
  });
});

describe('the suppressed addresses', () => {
  const page = () => consoleOf(tenant.orgId, 'messages/suppressions');
  const all = async () => (await tenant.call('mail.suppressions.list', { query: {} })).data;
  const suppress = (address: string) => tenant.call('mail.suppressions.create', { body: { address } });

  test('are none at first', async () => {
    expectPage(await owner.get(page()), 200, /^Suppressed addresses .* No suppressed addresses/);
  });

  test('are added, listed, found and removed', async () => {
    const address = `${newId('req')}@example.com`;
    expectRedirect(await owner.postFrom(page(), page(), { address: ` ${address} ` }), `${page()}?done=added`);
    await suppress('other@example.com');
    const shown = await owner.get(`${page()}?done=added`);
    expectPage(shown, 200, new RegExp(`Address suppressed.* other@example\\.com .* ${address} .* Added by hand`));
    const found = await owner.get(`${page()}?address=${address}`);
    expectPage(found, 200, new RegExp(address));
    expect(found.text).not.toContain('other@example.com');
    expectPage(await owner.get(`${page()}?address=%3Cb%3E`), 200, /This address is not suppressed/);
    const { id } = (await all()).find((one) => one.address === address)!;
    expectRedirect(await owner.postFrom(page(), `${page()}/${id}/remove`), `${page()}?done=removed`);
    expect((await all()).map((one) => one.address)).toEqual(['other@example.com']);
  });

  test('are not changed by a wrong address, a stale form or a member without the permission', async () => {
    const { id } = await suppress(`${newId('req')}@example.com`);
    const before = await all();
    expectPage(await owner.postFrom(page(), page(), { address: ' ' }), 400, /Enter an email address/);
    const wrong = await owner.postFrom(page(), page(), { address: '<b>nobody' });
    expectPage(wrong, 400, /Check the marked field/);
    expect(wrong.text).toContain('id="address-error"');
    expect(wrong.text).not.toContain('<b>nobody');
    expectPage(await owner.post(page(), { flow: 'x', address: 'a@example.com' }), 400);
    expectPage(await owner.post(`${page()}/${id}/remove`, { flow: 'x' }), 400);
    expectPage(await owner.postFrom(page(), `${page()}/${newId('sup')}/remove`), 404, /No suppression has this id/);
    const shown = await member.get(page());
    expectPage(shown, 200, /lacks mail\.settings\.write/);
    expect(shown.text).not.toMatch(/Suppress address|\/remove"/);
    const flow = flowOf(await member.get(consoleOf(otherOrgId, 'messages/suppressions')));
    for (const path of [page(), `${page()}/${id}/remove`]) {
      const form = { flow, ...(path === page() ? { address: 'b@example.com' } : undefined) };
      expectPage(await member.post(path, form), 403, /lack mail\.settings\.write/);
    }
    expectPage(await owner.get(`${page()}?cursor=abc`), 400, /cursor/);
    expect(await all()).toEqual(before);
  });

  test('are those of the organization alone', async () => {
    const { id } = await suppress('theirs@example.com');
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const own = consoleOf(other.orgId, 'messages/suppressions');
    expectPage(await visitor.postFrom(own, `${own}/${id}/remove`), 404);
    expectPage(await visitor.get(page()), 404);
    expect(await all()).toContainEqual(expect.objectContaining({ id }));
  });
});
