import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newUserClient } from '../../support/user-client.ts';
import { type Assignment, assigned, makeRole, outcome, unassign } from './assigning.ts';
import { readAll } from './keys.ts';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
beforeAll(async () => {
  tenant = await newTenantClient();
});

const holdersOf = (roleId: string, limit?: number) =>
  readAll<Assignment>(tenant, `/access/roles/${roleId}/assignments`, limit);

describe('GET /access/roles/:id/assignments', () => {
  test('lists who has a role, page by page, and nobody else', async () => {
    const role = await makeRole(tenant, ['storage.read']);
    expect(await holdersOf(role)).toEqual([]);
    const members = await Promise.all([1, 2, 3].map(() => newUserClient({ orgId: tenant.orgId, role: 'member' })));
    const made: Assignment[] = [];
    for (const { userId } of members) made.push(await assigned(tenant, { userId, roleId: role }));
    made.push(await assigned(tenant, { applicationId: tenant.applicationId, roleId: role }));
    await assigned(tenant, { userId: members[0]!.userId, roleId: await makeRole(tenant, ['storage.read']) });
    const bySubject = made.toSorted((one, other) => (subject(one) < subject(other) ? -1 : 1));
    expect(await holdersOf(role)).toEqual(bySubject);
    expect(await holdersOf(role, 1)).toEqual(bySubject);
    await unassign(tenant, made[0]!.assignmentId);
    expect(await holdersOf(role)).toEqual(
      bySubject.filter(({ assignmentId }) => assignmentId !== made[0]!.assignmentId),
    );
  });

  test('lists the memberships of a role of the platform', async () => {
    const { userId } = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    expect(await holdersOf('role_admin')).toEqual([expect.objectContaining({ userId, roleId: 'role_admin' })]);
  });

  test('is 404 for a role of another organization, and 403 and 400 as all lists', async () => {
    const stranger = await newTenantClient();
    const role = await makeRole(tenant, ['storage.read']);
    for (const id of [role, newId('role'), 'role_nothing']) {
      expect(outcome(await stranger.send('GET', `/access/roles/${id}/assignments`))).toBe('404 NOT_FOUND');
    }
    const path = `/access/roles/${role}/assignments`;
    expect(outcome(await tenant.send('GET', `${path}?cursor=no`))).toBe('400 CURSOR_INVALID');
    expect(outcome(await tenant.send('GET', `${path}?limit=0`))).toBe('400 INPUT_INVALID');
    const limited = await newTenantClient({ scopes: ['access.check'] });
    expect(outcome(await limited.send('GET', '/access/roles/role_owner/assignments'))).toBe('403 PERMISSION_DENIED');
  });
});

const subject = ({ userId, applicationId }: Assignment): string => userId ?? applicationId ?? '';
