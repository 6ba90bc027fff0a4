import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Answer } from '../../support/http.ts';
import { expectPage, flowOf, newVisitor, type Visitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

type Person = Awaited<ReturnType<typeof newUserClient>>;
type Area = 'users' | 'invitations';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
let owner: Person;
let browser: Visitor;
const at = (path: string) => `/console/${slugOf(tenant.orgId)}/${path}`;
const join = (role: 'owner' | 'admin' | 'member' = 'member') => newUserClient({ orgId: tenant.orgId, role });

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await join('owner');
  browser = await newVisitor(owner.sessionToken);
});

const chosen = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [`chosen.${id}`, 'on']));

/** Posts the form of a list, or the one that confirms it, with the token of the list. */
const post = (who: Visitor, area: Area, act: string, ids: readonly string[], step: 'bulk' | 'bulk/confirm') =>
  who.postFrom(at(area), at(`${area}/${step}`), { act, ...chosen(ids) });

/** Chooses rows of a list and confirms, as a visitor does. */
async function perform(who: Visitor, area: Area, act: string, ids: readonly string[]): Promise<Answer> {
  const asked = await post(who, area, act, ids, 'bulk');
  expectPage(asked, 200);
  const names = [...asked.text.matchAll(/name="(chosen\.[^"]*)" value="on"/g)].map(([, name]) => name!);
  expect(names).toEqual(ids.map((id) => `chosen.${id}`));
  return who.post(at(`${area}/bulk/confirm`), { flow: flowOf(asked), act, ...chosen(ids) });
}

async function suspendedOf(users: readonly Person[]): Promise<boolean[]> {
  const found = await Promise.all(
    users.map(({ userId }) => tenant.call('identity.users.read', { path: { userId }, query: {} })),
  );
  return found.map(({ suspendedAt }) => suspendedAt !== undefined);
}

async function invite(): Promise<{ id: string; email: string }> {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const body = { email, role: 'member' as const };
  const { id } = await owner.call('identity.invitations.create', { path: { slug: slugOf(tenant.orgId) }, body });
  return { id, email };
}

async function statesOf(ids: readonly string[]): Promise<(string | undefined)[]> {
  const { data } = await owner.call('identity.invitations.list', {
    path: { slug: slugOf(tenant.orgId) },
    query: { limit: '100' },
  });
  return ids.map((wanted) => data.find(({ id }) => id === wanted)?.status);
}

describe('the chosen users', () => {
  test('are suspended and restored after a question, and each outcome is shown', async () => {
    const members = await Promise.all([join(), join(), join()]);
    const ids = members.map(({ userId }) => userId);
    const name = '<b>Zoë</b>';
    await members[0]!.call('identity.me.update', { body: { displayName: name } });
    const list = await browser.get(at('users'));
    for (const id of ids) expect(list.text).toContain(`class="pick" name="chosen.${id}" form="bulk"`);
    expect(list.text).toContain('aria-label="Select &lt;b&gt;Zoë&lt;/b&gt;"');
    const asked = await post(browser, 'users', 'suspend', ids, 'bulk');
    expectPage(asked, 200, /Suspend 3 members\? They lose all access .*<b>Zoë<\/b> .*Suspend members Cancel/);
    expect(asked.text).not.toContain('<b>Zoë');
    expect(await suspendedOf(members)).toEqual([false, false, false]);
    const done = await perform(browser, 'users', 'suspend', ids);
    expectPage(done, 200, /All 3 done\. .*<b>Zoë<\/b> .*Suspended .*Suspended .*Suspended/);
    expect(await suspendedOf(members)).toEqual([true, true, true]);
    const restored = await perform(browser, 'users', 'restore', ids.slice(1));
    expectPage(restored, 200, /End suspensions All 2 done\./);
    expect(await suspendedOf(members)).toEqual([true, false, false]);
  });

  test('that may not be changed are named with the reason, and the others are changed', async () => {
    const member = await join();
    const ids = [owner.userId, member.userId];
    const answer = await perform(browser, 'users', 'suspend', ids);
    expectPage(
      answer,
      200,
      /1 done, 1 refused\. Refused rows are as before\. .*You can’t suspend yourself.* Refused .*Suspended/,
    );
    expect(await suspendedOf([owner, member])).toEqual([false, true]);
    const asAdmin = await newVisitor((await join('admin')).sessionToken);
    const refused = await perform(asAdmin, 'users', 'suspend', [owner.userId]);
    expectPage(refused, 403, /Nothing was changed\. The list says why\. .*Only an owner can do this/);
    expect(await suspendedOf([owner])).toEqual([false]);
  });

  test('of another organization are not found, and are named among others', async () => {
    const stranger = await newUserClient({ orgId: (await newTenantClient()).orgId });
    for (const step of ['bulk', 'bulk/confirm'] as const) {
      for (const id of [stranger.userId, newId('usr'), 'x', '<i>']) {
        expectPage(await post(browser, 'users', 'suspend', [id], step), 404);
      }
    }
    const member = await join();
    const answer = await post(browser, 'users', 'suspend', [stranger.userId, member.userId], 'bulk/confirm');
    expectPage(answer, 200, new RegExp(`1 done, 1 refused.*${stranger.userId} .*no longer has it.*Suspended`));
    expect(await suspendedOf([member])).toEqual([true]);
    expect((await stranger.send('GET', '/identity/me')).status).toBe(200);
    const outside = await newVisitor(stranger.sessionToken);
    const fields = { flow: '', act: 'suspend', ...chosen([member.userId]) };
    expectPage(await outside.post(at('users/bulk/confirm'), fields), 404);
  });
});

describe('the chosen invitations', () => {
  test('are sent again or revoked, and those that are not open are named', async () => {
    const invitations = await Promise.all([invite(), invite(), invite()]);
    const ids = invitations.map(({ id }) => id);
    const asked = await post(browser, 'invitations', 'resend', ids, 'bulk');
    expectPage(asked, 200, /Resend 3 invitations\? Each person gets a new link/);
    expectPage(await perform(browser, 'invitations', 'resend', ids), 200, /All 3 done\. .*Sent again/);
    expectPage(await perform(browser, 'invitations', 'revoke', ids.slice(0, 2)), 200, /All 2 done\. .*Revoked/);
    expect(await statesOf(ids)).toEqual(['revoked', 'revoked', 'pending']);
    const answer = await perform(browser, 'invitations', 'revoke', ids);
    const [first] = invitations;
    expectPage(
      answer,
      200,
      new RegExp(`1 done, 2 refused\\..*${first!.email} This invitation was accepted or revoked`),
    );
    expect(await statesOf(ids)).toEqual(['revoked', 'revoked', 'revoked']);
    expect((await browser.get(at('invitations'))).text).not.toContain(`name="chosen.${ids[0]}"`);
  });

  test('of another organization are not found', async () => {
    const other = await newTenantClient();
    const stranger = await newUserClient({ orgId: other.orgId });
    const { id } = await stranger.call('identity.invitations.create', {
      path: { slug: slugOf(other.orgId) },
      body: { email: 'grace@example.com', role: 'member' },
    });
    for (const step of ['bulk', 'bulk/confirm'] as const) {
      for (const one of [id, newId('inv'), 'x']) {
        expectPage(await post(browser, 'invitations', 'revoke', [one], step), 404);
      }
    }
    const path = { slug: slugOf(other.orgId) };
    const { data } = await stranger.call('identity.invitations.list', { path, query: {} });
    expect(data.map(({ status }) => status)).toEqual(['pending']);
  });
});

describe('a bulk action is refused', () => {
  test('without a row, with more rows than a page has, and for an unknown act or field', async () => {
    const member = await join();
    for (const step of ['bulk', 'bulk/confirm'] as const) {
      for (const area of ['users', 'invitations'] as const) {
        const act = area === 'users' ? 'suspend' : 'revoke';
        expectPage(await post(browser, area, act, [], step), 400, /Select at least one row/);
        const many = [member.userId, ...Array.from({ length: 50 }, () => newId('usr'))];
        expectPage(await post(browser, area, act, many, step), 400, /Select at most 50 rows/);
        for (const unknown of ['remove', 'constructor', '']) {
          expectPage(await post(browser, area, unknown, [member.userId], step), 400);
        }
      }
      const fields = { act: 'suspend', more: 'x', ...chosen([member.userId]) };
      expectPage(await browser.postFrom(at('users'), at(`users/${step}`), fields), 400);
    }
    expect(await suspendedOf([member])).toEqual([false]);
  });

  test('for a stale form', async () => {
    const member = await join();
    const invitation = await invite();
    for (const step of ['bulk', 'bulk/confirm']) {
      const suspend = { act: 'suspend', flow: 'x', ...chosen([member.userId]) };
      expectPage(await browser.post(at(`users/${step}`), suspend), 400, /open for too long/);
      const revoke = { act: 'revoke', flow: 'x', ...chosen([invitation.id]) };
      expectPage(await browser.post(at(`invitations/${step}`), revoke), 400, /open for too long/);
    }
    expect(await suspendedOf([member])).toEqual([false]);
    expect(await statesOf([invitation.id])).toEqual(['pending']);
  });

  test('to members who may not change memberships, whose lists have no boxes', async () => {
    const invitation = await invite();
    const reader = await newVisitor((await join()).sessionToken);
    const list = await reader.get(at('invitations'));
    expectPage(list, 200);
    expect(list.text).not.toMatch(/class="pick"|class="bulk"/);
    const fields = { act: 'revoke', ...chosen([invitation.id]) };
    const flow = await flowOfAccount(reader);
    for (const step of ['bulk', 'bulk/confirm']) {
      expectPage(await reader.post(at(`invitations/${step}`), { ...fields, flow }), 400, /open for too long/);
      expectPage(await reader.post(at(`users/${step}`), { ...fields, act: 'suspend', flow }), 403, /lacks/);
    }
    expect(await statesOf([invitation.id])).toEqual(['pending']);
  });
});

test('a member whose role was changed since can no longer act on the list', async () => {
  const invitation = await invite();
  const admin = await join('admin');
  const visitor = await newVisitor(admin.sessionToken);
  const flow = flowOf(await visitor.get(at('invitations')));
  const path = { slug: slugOf(tenant.orgId), userId: admin.userId };
  await owner.call('identity.members.update', { path, body: { role: 'member' } });
  for (const step of ['bulk', 'bulk/confirm']) {
    const fields = { flow, act: 'revoke', ...chosen([invitation.id]) };
    expectPage(await visitor.post(at(`invitations/${step}`), fields), 403, /lacks console\.orgs\.write/);
  }
  expect(await statesOf([invitation.id])).toEqual(['pending']);
});

const flowOfAccount = async (visitor: Visitor): Promise<string> => flowOf(await visitor.get('/account'));

test('an action keeps the place in the list: its filters, order and page', async () => {
  const member = await join();
  const query = { search: 'a&b "><i>', sort: 'lastLoginAt', order: 'asc', other: 'x' };
  const list = at(`users?${new URLSearchParams(query)}`);
  const kept = `?${new URLSearchParams({ search: query.search, sort: query.sort, order: query.order })}`.replaceAll(
    '&',
    '&amp;',
  );
  const step = (name: string) => at(`users/${name}?${new URLSearchParams(query)}`);
  const fields = { act: 'suspend', ...chosen([member.userId]) };
  const asked = await browser.post(step('bulk'), { flow: flowOf(await browser.get(at('users'))), ...fields });
  expectPage(asked, 200);
  expect(asked.text).toContain(`action="${at('users/bulk/confirm')}${kept}"`);
  expect(asked.text).toContain(`<a class="btn" href="${at('users')}${kept}">`);
  const done = await browser.post(step('bulk/confirm'), { flow: flowOf(asked), ...fields });
  expectPage(done, 200, /Back to the list/);
  expect(done.text).toContain(`<a class="btn" href="${at('users')}${kept}">`);
  const found = await browser.get(at(`users?search=${encodeURIComponent(member.email)}`));
  expect(found.text).toContain(`action="${at('users/bulk')}?${new URLSearchParams({ search: member.email })}"`);
  expect((await browser.get(list)).status).toBe(200);
});
