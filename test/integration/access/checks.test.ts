import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { assigned, isAllowed, makeRole, outcome, refusal, unassign } from './assigning.ts';
import { registerKeys, withScopes } from './keys.ts';

type Allowed = { allowed: boolean };

let tenant: Client & Tenant;
let member: Client & User;
let permission: string;
let other: string;
let roleId: string;
beforeAll(async () => {
  tenant = await newTenantClient();
  member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
  [permission, other] = (await registerKeys(tenant, 'orders.read', 'orders.write')) as [string, string];
  roleId = await makeRole(tenant, [permission]);
  await assigned(tenant, { userId: member.userId, roleId });
});

const check = (body: unknown, client: Client = tenant): Promise<Answer<Allowed & ErrorBody>> =>
  client.send('POST', '/access/check', body);
const about = (more: object = {}) => ({ userId: member.userId, permission, ...more });

describe('POST /access/check', () => {
  test('answers whether a user holds a permission, and nothing else', async () => {
    const allowed = await check(about());
    expect({ status: allowed.status, body: allowed.body }).toEqual({ status: 200, body: { allowed: true } });
    const denied = await check(about({ permission: other }));
    expect({ status: denied.status, body: denied.body }).toEqual({ status: 200, body: { allowed: false } });
  });

  test("knows the platform's own permissions by the system roles", async () => {
    expect(await isAllowed(tenant, about({ permission: 'storage.upload' }))).toBe(true);
    expect(await isAllowed(tenant, about({ permission: 'billing.write' }))).toBe(false);
    const owner = await newUserClient({ orgId: tenant.orgId });
    expect(await isAllowed(tenant, { userId: owner.userId, permission: 'billing.write' })).toBe(true);
    // Only a role gives an organization's own keys.
    expect(await isAllowed(tenant, { userId: owner.userId, permission })).toBe(false);
  });

  test('is asked of the organization that the context names, else of the caller’s', async () => {
    expect((await check(about({ context: { orgId: tenant.orgId } }))).body).toEqual({ allowed: true });
    expect((await check(about({ context: {} }))).body).toEqual({ allowed: true });
    const stranger = await newTenantClient();
    expect((await check(about(), stranger)).body).toEqual({ allowed: false });
    for (const orgId of [stranger.orgId, newId('org'), 'nonsense', '__proto__']) {
      expect({ orgId, outcome: outcome(await check(about({ context: { orgId } }))) }).toEqual({
        orgId,
        outcome: '404 NOT_FOUND',
      });
    }
    expect(outcome(await check(about({ context: { orgId: tenant.orgId } }), stranger))).toBe('404 NOT_FOUND');
  });

  test('of users of two organizations needs to know which', async () => {
    const user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const second = await newTenantClient();
    await joinAs(user, { orgId: second.orgId, role: 'member' });
    expect(outcome(await check(about(), user))).toBe('400 TENANT_REQUIRED');
    expect((await check(about({ context: { orgId: tenant.orgId } }), user)).body).toEqual({ allowed: true });
    expect((await check(about({ context: { orgId: second.orgId } }), user)).body).toEqual({ allowed: false });
    const named = await user.send('POST', '/access/check', about(), { 'x-tenant-id': tenant.orgId });
    expect(named.body).toEqual({ allowed: true });
  });

  test.each<[string, object]>([
    ['an unknown user', { userId: newId('usr') }],
    ['a user id that is none', { userId: 'constructor' }],
    ['a user that is an application', { userId: 'app_0000000000000000000000000' }],
    ['an unknown application', { userId: undefined, applicationId: newId('app') }],
    ['an unknown permission', { permission: 'shop.never.registered' }],
    ['a permission with capitals', { permission: 'Shop.Orders.Read' }],
    ['a wildcard', { permission: '*' }],
    ['a wildcard of a namespace', { permission: 'storage.*' }],
    ['a group of scopes', { permission: 'svc:admin' }],
    ['a prototype', { permission: '__proto__' }],
    ['a permission with a line break', { permission: 'storage.read\n' }],
    ['256 characters', { permission: 'p'.repeat(256) }],
  ])('denies %s', async (_name, changes) => {
    const { status, body } = await check(about(changes));
    expect({ status, body }).toEqual({ status: 200, body: { allowed: false } });
  });

  test('denies a user when an application of theirs is named so, and the reverse', async () => {
    const { applicationId } = tenant;
    await assigned(tenant, { applicationId, roleId });
    expect(await isAllowed(tenant, { applicationId, permission })).toBe(true);
    expect(await isAllowed(tenant, { userId: applicationId, permission })).toBe(false);
    expect(await isAllowed(tenant, { applicationId: member.userId, permission })).toBe(false);
  });

  test.each<[string, unknown, string]>([
    ['no body', undefined, 'body'],
    ['a list', [], 'body'],
    ['no subject', { permission: 'a.b' }, 'body.userId'],
    ['two subjects', { userId: 'usr_1', applicationId: 'app_1', permission: 'a.b' }, 'body.userId'],
    ['an empty user', { userId: '', permission: 'a.b' }, 'body.userId'],
    ['null', { userId: null, permission: 'a.b' }, 'body.userId'],
    ['257 characters', { userId: 'usr_1', permission: 'p'.repeat(257) }, 'body.permission'],
    ['an operator', { userId: 'usr_1', permission: { $gt: '' } }, 'body.permission'],
    ['no permission', { userId: 'usr_1' }, 'body.permission'],
    [
      'an organization that is no text',
      { userId: 'usr_1', permission: 'a.b', context: { orgId: 1 } },
      'body.context.orgId',
    ],
    ['an unknown context', { userId: 'usr_1', permission: 'a.b', context: { tenant: 'x' } }, 'body.context.tenant'],
    ['another field', { userId: 'usr_1', permission: 'a.b', orgId: 'x' }, 'body.orgId'],
    ['half a revision', { userId: 'usr_1', permission: 'a.b', minRevision: 1.5 }, 'body.minRevision'],
    ['a negative revision', { userId: 'usr_1', permission: 'a.b', minRevision: -1 }, 'body.minRevision'],
    ['a revision as a text', { userId: 'usr_1', permission: 'a.b', minRevision: '1' }, 'body.minRevision'],
  ])('refuses %s', async (_name, body, path) => {
    const answer = await check(body);
    expect(answer.status).toBe(400);
    if (body !== undefined) expect(refusal(answer)).toEqual({ status: 400, path });
  });

  test('is refused without access.check, and without a credential', async () => {
    expect(outcome(await check(about(), await withScopes(tenant, ['console.access.write'])))).toBe(
      '403 PERMISSION_DENIED',
    );
    expect((await check(about(), await withScopes(tenant, ['access.check']))).body).toEqual({ allowed: true });
    expect((await check(about(), member)).body).toEqual({ allowed: true });
    const nobody = await tenant.send('POST', '/access/check', about(), { authorization: null });
    expect(nobody.status).toBe(401);
  });

  test('sees with minRevision what the write did that answered it', async () => {
    const user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    for (let round = 0; round < 5; round += 1) {
      const { assignmentId, revision } = await assigned(tenant, { userId: user.userId, roleId });
      const given = { userId: user.userId, permission };
      expect(await isAllowed(tenant, { ...given, minRevision: revision })).toBe(true);
      const { headers } = await unassign(tenant, assignmentId);
      expect(await isAllowed(tenant, { ...given, minRevision: Number(headers['access-revision']) })).toBe(false);
    }
  });

  test('gives up on a revision that does not come, and says so', async () => {
    const answer = await check(about({ minRevision: 1_000_000_000 }));
    expect(outcome(answer)).toBe('503 REVISION_NOT_REACHED');
    expect(answer.headers['retry-after']).toBe('1');
    expect((await check(about({ minRevision: 0 }))).body).toEqual({ allowed: true });
  });

  test('follows roles as they are changed and deleted, through included ones too', async () => {
    const user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const inner = await makeRole(tenant, [other]);
    const middle = await makeRole(tenant, [], [inner]);
    const outer = await makeRole(tenant, [], [middle]);
    await assigned(tenant, { userId: user.userId, roleId: outer });
    const given = { userId: user.userId, permission: other };
    expect(await isAllowed(tenant, given)).toBe(true);
    await tenant.send('PATCH', `/access/roles/${inner}`, { permissions: [permission] });
    expect(await isAllowed(tenant, given)).toBe(false);
    expect(await isAllowed(tenant, { ...given, permission })).toBe(true);
    await tenant.send('DELETE', `/access/roles/${middle}`);
    expect(await isAllowed(tenant, { ...given, permission })).toBe(false);
  });
});
