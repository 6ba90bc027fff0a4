import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { assigned, makeRole, outcome, unassign } from './assigning.ts';
import { readAll, registerKeys, withScopes } from './keys.ts';

let tenant: Client & Tenant;
let member: Client & User;
let stranger: Client & Tenant;
beforeAll(async () => {
  tenant = await newTenantClient();
  member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
  stranger = await newTenantClient();
});

const keysOf = async (userId: string, limit?: number): Promise<string[]> =>
  (await readAll<{ key: string }>(tenant, `/access/users/${userId}/permissions`, limit)).map(({ key }) => key);
const holdersOf = async (key: string, limit?: number): Promise<string[]> =>
  (await readAll<{ userId: string }>(tenant, `/access/permissions/${key}/users`, limit)).map(({ userId }) => userId);

describe('GET /access/users/:userId/permissions', () => {
  test('lists all that a member holds, sorted, page by page', async () => {
    const before = await keysOf(member.userId);
    expect(before).toEqual(before.toSorted());
    expect(before).toContain('storage.upload');
    expect(before).not.toContain('billing.write');
    const names = Array.from({ length: 30 }, (_one, place) => `thing.do-${place}`);
    const keys = await registerKeys(tenant, ...names);
    const inner = await makeRole(tenant, keys.slice(0, 20));
    const outer = await makeRole(tenant, keys.slice(10), [inner]);
    const { assignmentId } = await assigned(tenant, { userId: member.userId, roleId: outer });
    const all = [...before, ...keys].sort();
    expect(await keysOf(member.userId)).toEqual(all);
    expect(await keysOf(member.userId, 7)).toEqual(all);
    expect(await readAll(tenant, `/access/users/${member.userId}/permissions?orgId=${tenant.orgId}`)).toHaveLength(
      all.length,
    );
    await unassign(tenant, assignmentId);
    expect(await keysOf(member.userId)).toEqual(before);
  });

  test.each(['', '?orgId=nonsense'])(
    'is 404 for whoever is no member of the organization that is asked%s',
    async (query) => {
      const others = await newUserClient({ orgId: stranger.orgId });
      for (const userId of [others.userId, newId('usr'), tenant.applicationId, 'constructor']) {
        expect(outcome(await tenant.send('GET', `/access/users/${userId}/permissions${query}`))).toBe('404 NOT_FOUND');
      }
      const path = `/access/users/${member.userId}/permissions?orgId=${tenant.orgId}`;
      expect(outcome(await stranger.send('GET', path))).toBe('404 NOT_FOUND');
    },
  );
});

describe('GET /access/permissions/:key/users', () => {
  test('lists everybody who holds it, sorted, page by page, and nobody else', async () => {
    const [key] = (await registerKeys(tenant, 'orders.read')) as [string];
    const roleId = await makeRole(tenant, [key]);
    const including = await makeRole(tenant, [], [roleId]);
    expect(await holdersOf(key)).toEqual([]);
    const users: string[] = [];
    for (let made = 0; made < 7; made += 1) {
      const { userId } = await newUserClient({ orgId: tenant.orgId, role: 'member' });
      await assigned(tenant, { userId, roleId: made % 2 ? roleId : including });
      users.push(userId);
    }
    await assigned(tenant, { applicationId: tenant.applicationId, roleId });
    expect(await holdersOf(key)).toEqual(users.toSorted());
    for (const limit of [1, 3, 7]) expect(await holdersOf(key, limit)).toEqual(users.toSorted());
    expect(await holdersOf('access.check')).toEqual(expect.arrayContaining([...users, member.userId]));
    expect(await holdersOf('billing.write')).not.toContain(member.userId);
  });

  test('is 404 for an unknown permission, and in a foreign organization', async () => {
    const [key] = (await registerKeys(stranger, 'orders.read')) as [string];
    for (const unknown of [key, 'never.registered', '__proto__', 'svc:admin']) {
      expect(outcome(await tenant.send('GET', `/access/permissions/${unknown}/users`))).toBe('404 NOT_FOUND');
    }
    const path = `/access/permissions/access.check/users?orgId=${stranger.orgId}`;
    expect(outcome(await tenant.send('GET', path))).toBe('404 NOT_FOUND');
  });
});

describe('every list of access', () => {
  const paths = [
    () => `/access/users/${member.userId}/permissions`,
    () => '/access/permissions/access.check/users',
    () => `/access/applications/${tenant.applicationId}/assignments`,
  ];

  test.each(paths)('refuses a wrong query', async (pathOf) => {
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'page=2', 'orgId=a&orgId=b']) {
      expect({ query, status: (await tenant.send('GET', `${pathOf()}?${query}`)).status }).toEqual({
        query,
        status: 400,
      });
    }
  });

  test.each(paths)('needs console.access.read', async (pathOf) => {
    expect(outcome(await member.send('GET', pathOf()))).toBe('403 PERMISSION_DENIED');
    const key = await withScopes(tenant, ['svc:write', 'console.access.write']);
    expect(outcome(await key.send('GET', pathOf()))).toBe('403 PERMISSION_DENIED');
    expect((await tenant.send('GET', pathOf(), undefined, { authorization: null })).status).toBe(401);
    expect((await (await withScopes(tenant, ['console.access.read'])).send('GET', pathOf())).status).toBe(200);
  });
});
