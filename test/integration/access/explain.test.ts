import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { assigned, makeRole, outcome, refusal } from './assigning.ts';
import { registerKeys, withScopes } from './keys.ts';

type Explanation = {
  allowed: boolean;
  because: { assignmentId: string; roleId: string; permission: string; through: string[] }[];
  missing: { reason: string; message: string; roles: string[] } | null;
};

let tenant: Client & Tenant;
let member: Client & User;
let read: string;
let write: string;
let reading: string;
beforeAll(async () => {
  tenant = await newTenantClient();
  [read, write] = (await registerKeys(tenant, 'orders.read', 'orders.write')) as [string, string];
  reading = await makeRole(tenant, [read]);
});

const join = () => newUserClient({ orgId: tenant.orgId, role: 'member' });
const ask = (body: unknown, client: Client = tenant): Promise<Answer<Explanation & ErrorBody>> =>
  client.send('POST', '/access/explain', body);

describe('POST /access/explain', () => {
  test('names every assignment that allows, its role, and the way through included roles', async () => {
    member = await join();
    const middle = await makeRole(tenant, [write], [reading]);
    const outer = await makeRole(tenant, [], [middle]);
    const direct = await assigned(tenant, { userId: member.userId, roleId: reading });
    const indirect = await assigned(tenant, { userId: member.userId, roleId: outer });
    const { status, body } = await ask({ userId: member.userId, permission: read });
    expect(status).toBe(200);
    expect(body).toEqual({
      allowed: true,
      because: expect.arrayContaining([
        { assignmentId: direct.assignmentId, roleId: reading, permission: read, through: [] },
        { assignmentId: indirect.assignmentId, roleId: outer, permission: read, through: [middle, reading] },
      ]),
      missing: null,
    });
    expect(body.because).toHaveLength(2);
    const byMembership = await ask({ userId: member.userId, permission: 'storage.read' });
    expect(byMembership.body).toMatchObject({ allowed: true, because: [{ roleId: 'role_member', through: [] }] });
  });

  test('says what is missing, and which roles would grant it', async () => {
    member = await join();
    const denied = async (body: object) => {
      const answer = await ask(body);
      expect(answer.body).toEqual({
        allowed: false,
        because: [],
        missing: { reason: expect.any(String), message: expect.any(String), roles: expect.any(Array) },
      });
      return answer.body.missing!;
    };
    const { userId } = member;
    const notGranted = await denied({ userId, permission: read });
    expect(notGranted.reason).toBe('NOT_GRANTED');
    expect(notGranted.roles).toContain(reading);
    expect(await denied({ userId, permission: 'never.registered' })).toMatchObject({
      reason: 'PERMISSION_UNKNOWN',
      roles: [],
    });
    for (const unknown of [newId('usr'), 'constructor', tenant.applicationId]) {
      expect(await denied({ userId: unknown, permission: read })).toMatchObject({ reason: 'SUBJECT_UNKNOWN' });
    }
    expect((await denied({ userId, permission: 'billing.write' })).roles).toContain('role_owner');
  });

  test('agrees with the check', async () => {
    member = await join();
    await assigned(tenant, { userId: member.userId, roleId: reading });
    for (const permission of [read, write, 'storage.read', 'billing.write', 'nothing', '__proto__']) {
      const body = { userId: member.userId, permission };
      const check = await tenant.send<{ allowed: boolean }>('POST', '/access/check', body);
      expect({ permission, allowed: (await ask(body)).body.allowed }).toEqual({ permission, ...check.body });
    }
  });

  test('is refused without console.access.read, in foreign organizations, and with a wrong body', async () => {
    member = await join();
    const body = { userId: member.userId, permission: read };
    expect(outcome(await ask(body, await withScopes(tenant, ['svc:write'])))).toBe('403 PERMISSION_DENIED');
    expect(outcome(await ask(body, member))).toBe('403 PERMISSION_DENIED');
    const stranger = await newTenantClient();
    expect(outcome(await ask({ ...body, context: { orgId: tenant.orgId } }, stranger))).toBe('404 NOT_FOUND');
    expect((await ask(body, stranger)).body).toMatchObject({ allowed: false, missing: { reason: 'SUBJECT_UNKNOWN' } });
    expect(refusal(await ask({ permission: read }))).toEqual({ status: 400, path: 'body.userId' });
    expect(refusal(await ask({ ...body, verbose: true }))).toEqual({ status: 400, path: 'body.verbose' });
  });
});
