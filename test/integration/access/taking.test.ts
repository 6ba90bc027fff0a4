import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { clientOf } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserClient } from '../../support/user-client.ts';
import { assign, assigned, assignmentsOf, makeRole, outcome, unassign } from './assigning.ts';

type TenantClient = Awaited<ReturnType<typeof newTenantClient>>;
type Person = Awaited<ReturnType<typeof newUserClient>>;

let tenant: TenantClient;
let owner: Person;
let members: string;
let invitations: string;
beforeEach(async () => {
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  const organization = `/organizations/${tenant.orgId.replace('_', '-')}`;
  members = `${organization}/members`;
  invitations = `${organization}/invitations`;
});

const join = (role: 'owner' | 'admin' | 'member') => newUserClient({ orgId: tenant.orgId, role });

/** A member to whom a role of the organization gives these permissions of the platform. */
async function memberWith(...permissions: string[]): Promise<Person> {
  const member = await join('member');
  await assigned(tenant, { userId: member.userId, roleId: await makeRole(tenant, permissions) });
  return member;
}

const isMember = async (userId: string, role: string): Promise<boolean> => {
  const { body } = await tenant.send<{ data: object[] }>('GET', `${members}?limit=100`);
  return body.data.some((one) => JSON.stringify(one).includes(`"userId":"${userId}","role":"${role}"`));
};

const membershipOf = async (userId: string): Promise<string> => {
  const all = await assignmentsOf(tenant, userId);
  return all.find(({ roleId }) => /^role_(?:owner|admin|member)$/.test(roleId))!.assignmentId;
};

describe('a member whose role gives console.orgs.write', () => {
  test('neither demotes nor removes an admin or an owner, and manages other members', async () => {
    const manager = await memberWith('console.orgs.write');
    const [admin, member] = [await join('admin'), await join('member')];
    for (const [userId, role, refusal] of [
      [admin.userId, 'admin', '403 SCOPE_NOT_HELD'],
      [owner.userId, 'owner', '403 OWNER_REQUIRED'],
    ] as const) {
      expect(outcome(await manager.send('PATCH', `${members}/${userId}`, { role: 'member' }))).toBe(refusal);
      expect(outcome(await manager.send('DELETE', `${members}/${userId}`))).toBe(refusal);
      expect(await isMember(userId, role)).toBe(true);
    }
    expect((await manager.send('DELETE', `${members}/${member.userId}`)).status).toBe(204);
  });

  test('removes no member with a role whose permissions they lack', async () => {
    const manager = await memberWith('console.orgs.write');
    const payer = await memberWith('billing.write');
    expect(outcome(await manager.send('DELETE', `${members}/${payer.userId}`))).toBe('403 SCOPE_NOT_HELD');
    expect(await isMember(payer.userId, 'member')).toBe(true);
    expect((await owner.send('DELETE', `${members}/${payer.userId}`)).status).toBe(204);
  });

  test('takes back no invitation of an admin', async () => {
    const manager = await memberWith('console.orgs.write');
    const invite = async (role: string) => {
      const body = { email: `${newId('usr').replace('_', '-')}@example.com`, role };
      return (await owner.send<{ id: string }>('POST', invitations, body)).body.id;
    };
    const [toAdmin, toMember] = [await invite('admin'), await invite('member')];
    expect(outcome(await manager.send('DELETE', `${invitations}/${toAdmin}`))).toBe('403 SCOPE_NOT_HELD');
    const { body } = await owner.send<{ data: { id: string; status: string }[] }>('GET', invitations);
    expect(body.data.find(({ id }) => id === toAdmin)).toMatchObject({ status: 'pending' });
    expect((await manager.send('DELETE', `${invitations}/${toMember}`)).status).toBe(204);
  });
});

describe('a member whose role gives console.orgs.write and console.access.write', () => {
  test('changes and ends no membership above their own by its assignment', async () => {
    const manager = await memberWith('console.orgs.write', 'console.access.write');
    const [admin, member] = [await join('admin'), await join('member')];
    const [ofAdmin, ofMember] = [await membershipOf(admin.userId), await membershipOf(member.userId)];
    expect(outcome(await unassign(manager, ofAdmin))).toBe('403 SCOPE_NOT_HELD');
    expect(outcome(await assign(manager, { userId: admin.userId, roleId: 'role_member' }))).toBe('403 SCOPE_NOT_HELD');
    expect(outcome(await unassign(manager, await membershipOf(owner.userId)))).toBe('403 OWNER_REQUIRED');
    expect(await isMember(admin.userId, 'admin')).toBe(true);
    expect((await unassign(manager, ofMember)).status).toBe(204);
  });

  test('takes away and deletes no role whose permissions they lack, nor takes them out of it', async () => {
    const manager = await memberWith('console.orgs.write', 'console.access.write');
    const payer = await join('member');
    const [payments, reading] = [await makeRole(tenant, ['billing.write']), await makeRole(tenant, ['access.check'])];
    const holding = await makeRole(tenant, [], [payments]);
    const { assignmentId } = await assigned(tenant, { userId: payer.userId, roleId: payments });
    for (const refused of [
      await unassign(manager, assignmentId),
      await manager.send<never>('DELETE', `/access/roles/${payments}`),
      await manager.send<never>('PATCH', `/access/roles/${payments}`, { permissions: [] }),
      await manager.send<never>('PATCH', `/access/roles/${holding}`, { includes: [] }),
    ]) {
      expect(outcome(refused)).toBe('403 SCOPE_NOT_HELD');
    }
    expect((await assignmentsOf(tenant, payer.userId)).map(({ roleId }) => roleId)).toContain(payments);
    const other = await assigned(tenant, { userId: payer.userId, roleId: reading });
    expect((await unassign(manager, other.assignmentId)).status).toBe(204);
    expect((await manager.send('PATCH', `/access/roles/${reading}`, { permissions: [] })).status).toBe(200);
    expect((await manager.send('DELETE', `/access/roles/${reading}`)).status).toBe(204);
  });

  test('may leave, and so may everybody, with all the roles they have', async () => {
    const payer = await memberWith('billing.write');
    expect((await payer.send('DELETE', `${members}/${payer.userId}`)).status).toBe(204);
    expect(outcome(await payer.send('DELETE', `${members}/${payer.userId}`))).toBe('404 NOT_FOUND');
  });
});

test('a key with console.orgs.write alone removes no admin', async () => {
  const keys = `/applications/${tenant.applicationId}/api-keys`;
  const body = { name: 'k', scopes: ['console.orgs.write'] };
  const made = await tenant.send<{ token: string }>('POST', keys, body);
  const key = clientOf({ ...tenant, apiKey: made.body.token });
  const admin = await join('admin');
  expect(outcome(await key.send('DELETE', `${members}/${admin.userId}`))).toBe('403 SCOPE_NOT_HELD');
  expect(outcome(await key.send('PATCH', `${members}/${admin.userId}`, { role: 'member' }))).toBe('403 SCOPE_NOT_HELD');
  expect(await isMember(admin.userId, 'admin')).toBe(true);
});
