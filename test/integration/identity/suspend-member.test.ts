import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { assigned, isAllowed, makeRole, outcome, register } from '../access/assigning.ts';

type Person = Client & User;
type Role = 'owner' | 'admin' | 'member';
type Member = { userId: string; role: string; suspendedAt?: string };

let tenant: Client & Tenant;
let organization: string;
let owner: Person;
let member: Person;
beforeEach(async () => {
  tenant = await newTenantClient();
  organization = `/organizations/${tenant.orgId.replace('_', '-')}`;
  owner = await newUserClient({ orgId: tenant.orgId });
  member = await join('member');
});

const join = (role: Role): Promise<Person> => newUserClient({ orgId: tenant.orgId, role });
const act =
  (what: 'suspend' | 'restore') =>
  (client: Client, userId: string): Promise<Answer<Member & ErrorBody>> =>
    client.send('POST', `${organization}/members/${userId}/${what}`);
const [suspend, restore] = [act('suspend'), act('restore')];
const memberOf = async (userId: string): Promise<Member | undefined> => {
  const { body } = await tenant.send<{ data: Member[] }>('GET', `${organization}/members?limit=100`);
  return body.data.find((one) => one.userId === userId);
};
const acts = async (action: string): Promise<object[]> =>
  (await tenant.send<{ data: object[] }>('GET', `${organization}/audit-log?action=${action}`)).body.data;

describe('POST /organizations/:slug/members/:userId/suspend', () => {
  test('ends all access to the organization with the next request, until it is restored', async () => {
    await register(tenant, 'shop.orders.read');
    const roleId = await makeRole(tenant, ['shop.orders.read', 'console.users.read']);
    await assigned(tenant, { userId: member.userId, roleId });
    const asked = { userId: member.userId, permission: 'shop.orders.read' };
    const statuses = async () => [
      (await member.send('GET', organization)).status,
      (await member.send('GET', `/identity/users?orgId=${tenant.orgId}`)).status,
      (await member.send('GET', '/v1/mail/templates', undefined, { 'x-tenant-id': tenant.orgId })).status,
    ];
    expect([await statuses(), await isAllowed(tenant, asked)]).toEqual([[200, 200, 200], true]);

    const { status, body } = await suspend(owner, member.userId);
    expect({ status, body }).toMatchObject({ status: 200, body: { userId: member.userId, role: 'member' } });
    expect(new Date(body.suspendedAt!).toISOString()).toBe(body.suspendedAt);
    expect([await statuses(), await isAllowed(tenant, asked)]).toEqual([[404, 404, 403], false]);
    expect(await member.call('identity.me.read', {})).toMatchObject({ organizations: [] });
    expect(await tenant.call('access.explain', { body: asked })).toMatchObject({ missing: { reason: 'SUSPENDED' } });
    expect(await memberOf(member.userId)).toMatchObject({ role: 'member', suspendedAt: body.suspendedAt });
    const shown = await tenant.call('identity.users.read', { path: { userId: member.userId }, query: {} });
    expect(shown.suspendedAt).toBe(body.suspendedAt);

    expect((await restore(owner, member.userId)).body).not.toHaveProperty('suspendedAt');
    expect([await statuses(), await isAllowed(tenant, asked)]).toEqual([[200, 200, 200], true]);
    const by = { actor: { id: owner.userId }, target: { type: 'user', id: member.userId } };
    expect(await acts('member.suspended')).toMatchObject([by]);
    expect(await acts('member.restored')).toMatchObject([by]);
  });

  test('leaves the session, and what the user has in other organizations', async () => {
    const other = await newTenantClient();
    await joinAs(member, { orgId: other.orgId, role: 'admin' });
    expect((await suspend(owner, member.userId)).status).toBe(200);
    expect(await member.call('identity.me.read', {})).toMatchObject({ organizations: [{ id: other.orgId }] });
    expect((await member.send('GET', `/organizations/${other.orgId.replace('_', '-')}/members`)).status).toBe(200);
  });

  test('twice is one suspension', async () => {
    const first = await suspend(owner, member.userId);
    expect((await suspend(owner, member.userId)).body.suspendedAt).toBe(first.body.suspendedAt);
    expect((await restore(owner, member.userId)).status).toBe(200);
    expect((await restore(owner, member.userId)).status).toBe(200);
    expect([await acts('member.suspended'), await acts('member.restored')]).toMatchObject([[{}], [{}]]);
  });

  test.each<[Role, Role, string]>([
    ['owner', 'owner', '200'],
    ['owner', 'admin', '200'],
    ['admin', 'member', '200'],
    ['admin', 'admin', '200'],
    ['admin', 'owner', '403 OWNER_REQUIRED'],
    ['member', 'member', '403 PERMISSION_DENIED'],
  ])('by an %s, of an %s: %s', async (by, of, expected) => {
    const [caller, target] = [await join(by), await join(of)];
    expect(outcome(await suspend(caller, target.userId))).toBe(expected);
    expect((await memberOf(target.userId))?.suspendedAt !== undefined).toBe(expected === '200');
    expect(outcome(await restore(caller, target.userId))).toBe(expected);
  });

  test('needs what the member holds by other roles too', async () => {
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const scopes = ['svc:read', 'console.orgs.read', 'console.orgs.write', 'console.apps.read', 'storage.upload'];
    const key = await tenant.send<{ token: string }>('POST', keys, {
      name: 'k',
      scopes: [...scopes, 'connect.write', 'access.check'],
    });
    const weak = clientOf({ ...tenant, apiKey: key.body.token });
    await assigned(tenant, { userId: member.userId, roleId: await makeRole(tenant, ['storage.delete']) });
    expect(outcome(await suspend(weak, member.userId))).toBe('403 SCOPE_NOT_HELD');
    expect(outcome(await suspend(weak, (await join('member')).userId))).toBe('200');
  });

  test('is refused of oneself, and of the only owner who is not suspended', async () => {
    expect(outcome(await suspend(owner, owner.userId))).toBe('409 OWN_MEMBERSHIP');
    expect(outcome(await suspend(tenant, owner.userId))).toBe('409 LAST_OWNER');
    const second = await join('owner');
    expect(outcome(await suspend(second, owner.userId))).toBe('200');
    expect(outcome(await suspend(tenant, second.userId))).toBe('409 LAST_OWNER');
    expect(outcome(await second.send('DELETE', `${organization}/members/${second.userId}`))).toBe('409 LAST_OWNER');
    expect(outcome(await restore(owner, owner.userId))).toBe('404 NOT_FOUND');
    // A suspended owner can be demoted and removed: another one stays.
    expect(outcome(await second.send('PATCH', `${organization}/members/${owner.userId}`, { role: 'member' }))).toBe(
      '200',
    );
    expect((await memberOf(owner.userId))?.suspendedAt).toEqual(expect.any(String));
    expect(outcome(await second.send('DELETE', `${organization}/members/${owner.userId}`))).toBe('204');
  });

  test('is 404 for nobody, and for a stranger', async () => {
    const stranger = await newUserClient({ orgId: (await newTenantClient()).orgId });
    for (const userId of [stranger.userId, newId('usr'), 'x', '%24ne']) {
      expect(outcome(await suspend(owner, userId))).toBe('404 NOT_FOUND');
      expect(outcome(await restore(owner, userId))).toBe('404 NOT_FOUND');
    }
    expect(outcome(await suspend(stranger, member.userId))).toBe('404 NOT_FOUND');
  });

  test('does not hold up the deletion of the account, and an invitation does not end it', async () => {
    await suspend(owner, member.userId);
    await expect(joinAs(member, { orgId: tenant.orgId, role: 'admin' })).rejects.toThrow('INVITATION_NOT_OPEN');
    expect((await memberOf(member.userId))?.suspendedAt).toEqual(expect.any(String));
    expect((await member.send('DELETE', '/identity/me')).status).toBe(204);
    expect(await memberOf(member.userId)).toBeUndefined();
  });
});
