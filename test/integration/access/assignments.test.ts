import { beforeEach, describe, expect, test } from '@jest/globals';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { instantFromNow } from '../identity/setting.ts';
import {
  type Assignment,
  assign,
  assigned,
  assignmentsOf,
  isAllowed,
  makeRole,
  outcome,
  refusal,
  register,
  unassign,
} from './assigning.ts';
import { actsOf, readAll, withScopes } from './keys.ts';

const hour = 3_600_000;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let tenant: Client & Tenant;
let owner: Client & User;
let member: Client & User;
let roleId: string;
beforeEach(async () => {
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  member = await join('member');
  await register(tenant, 'shop.orders.read', 'shop.orders.write');
  roleId = await makeRole(tenant, ['shop.orders.read']);
});

const join = (role: 'owner' | 'admin' | 'member') => newUserClient({ orgId: tenant.orgId, role });

/** The roles that the member has beside that of their membership. */
const rolesOf = async (userId = member.userId) =>
  (await assignmentsOf(tenant, userId)).map((one) => one.roleId).filter((id) => id !== 'role_member');

const membershipOf = async (userId: string) =>
  (await assignmentsOf(tenant, userId)).find((one) => /^role_(owner|admin|member)$/.test(one.roleId))!;

describe('POST /access/assignments', () => {
  test('gives a member a role, which counts at once', async () => {
    const asked = { userId: member.userId, permission: 'shop.orders.read' };
    expect(await isAllowed(tenant, asked)).toBe(false);
    const { status, body, headers } = await assign(tenant, { userId: member.userId, roleId });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        assignmentId: expect.stringMatching(idPattern('asg')),
        userId: member.userId,
        roleId,
        context: { orgId: tenant.orgId },
        expiresAt: null,
        revision: Number(headers['access-revision']),
        createdAt: expect.stringMatching(timestamp),
        updatedAt: body.createdAt,
      },
    });
    expect(await isAllowed(tenant, asked)).toBe(true);
    expect(await isAllowed(tenant, { ...asked, permission: 'shop.orders.write' })).toBe(false);
    expect(await assignmentsOf(tenant, member.userId)).toContainEqual(body);
    expect(await actsOf(tenant, 'assignment.created')).toMatchObject([
      {
        actor: { type: 'application', id: tenant.applicationId },
        target: { type: 'assignment', id: body.assignmentId },
        before: null,
        after: { subject: member.userId, roleId, expiresAt: null },
      },
    ]);
  });

  test('gives an application a role', async () => {
    const { applicationId } = tenant;
    const made = await assigned(tenant, { applicationId, roleId });
    expect(made).toMatchObject({ applicationId, roleId });
    expect(made).not.toHaveProperty('userId');
    expect(await isAllowed(tenant, { applicationId, permission: 'shop.orders.read' })).toBe(true);
    expect(await readAll(tenant, `/access/applications/${applicationId}/assignments`)).toEqual([made]);
  });

  test('answers the same assignment when it is made again, and makes no other', async () => {
    const first = await assigned(tenant, { userId: member.userId, roleId });
    expect(await assigned(tenant, { userId: member.userId, roleId, expiresAt: null })).toEqual(first);
    const named = { userId: member.userId, roleId, context: { orgId: tenant.orgId } };
    expect(await assigned(owner, named)).toEqual(first);
    expect(await rolesOf()).toEqual([roleId]);
    expect(await actsOf(tenant, 'assignment.created')).toHaveLength(1);
    expect(await actsOf(tenant, 'assignment.updated')).toEqual([]);
  });

  test('makes one assignment of fifty at once', async () => {
    const attempts = Array.from({ length: 50 }, () => assigned(tenant, { userId: member.userId, roleId }));
    const made = await Promise.all(attempts);
    expect(new Set(made.map(({ assignmentId }) => assignmentId)).size).toBe(1);
    expect(await rolesOf()).toEqual([roleId]);
    expect(await actsOf(tenant, 'assignment.created')).toHaveLength(1);
  });

  test('changes when an assignment ends, and keeps its id', async () => {
    const [soon, later] = [instantFromNow(hour), instantFromNow(2 * hour)];
    const given = { userId: member.userId, roleId };
    const first = await assigned(tenant, { ...given, expiresAt: soon });
    const second = await assigned(tenant, { ...given, expiresAt: later });
    expect(second).toEqual({
      ...first,
      expiresAt: later,
      revision: second.revision,
      updatedAt: second.updatedAt,
    });
    expect(second.revision).toBeGreaterThan(first.revision);
    expect(await assigned(tenant, given)).toMatchObject({ assignmentId: first.assignmentId, expiresAt: null });
    expect(await actsOf(tenant, 'assignment.updated')).toMatchObject([
      { before: { expiresAt: later }, after: { expiresAt: null } },
      { before: { expiresAt: soon }, after: { expiresAt: later } },
    ]);
  });

  test('makes one assignment of a repetition with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': newId('req') };
    const given = { userId: member.userId, roleId };
    const first = await tenant.send<Assignment>('POST', '/access/assignments', given, key);
    await unassign(tenant, first.body.assignmentId);
    const second = await tenant.send<Assignment>('POST', '/access/assignments', given, key);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(await rolesOf()).toEqual([]);
  });

  test.each<[string, (given: { userId: string; roleId: string }) => object, string]>([
    ['nobody', ({ roleId }) => ({ roleId }), 'body.userId'],
    ['two subjects', (given) => ({ ...given, applicationId: newId('app') }), 'body.userId'],
    ['an empty user', (given) => ({ ...given, userId: '' }), 'body.userId'],
    ['a user of 257 characters', (given) => ({ ...given, userId: 'u'.repeat(257) }), 'body.userId'],
    ['a list of users', (given) => ({ ...given, userId: [given.userId] }), 'body.userId'],
    ['an object for a role', (given) => ({ ...given, roleId: { $ne: null } }), 'body.roleId'],
    ['no role', ({ userId }) => ({ userId }), 'body.roleId'],
    ['an end in the past', (given) => ({ ...given, expiresAt: instantFromNow(-1) }), 'body.expiresAt'],
    ['an end without milliseconds', (given) => ({ ...given, expiresAt: '2090-01-01T00:00:00Z' }), 'body.expiresAt'],
    ['an end elsewhere', (given) => ({ ...given, expiresAt: '2090-01-01T00:00:00.000+02:00' }), 'body.expiresAt'],
    ['an end that is no day', (given) => ({ ...given, expiresAt: '2090-02-30T00:00:00.000Z' }), 'body.expiresAt'],
    ['another field', (given) => ({ ...given, admin: true }), 'body.admin'],
    ['another field of the context', (given) => ({ ...given, context: { org: 'x' } }), 'body.context.org'],
  ])('refuses %s, and assigns nothing', async (_name, bodyOf, path) => {
    const answer = await assign(tenant, bodyOf({ userId: member.userId, roleId }));
    expect(refusal(answer)).toEqual({ status: 400, path });
    expect(await rolesOf()).toEqual([]);
  });

  test('refuses whoever and whatever is not of the organization, and says the same as if it were nowhere', async () => {
    const stranger = await newTenantClient();
    const others = await newUserClient({ orgId: stranger.orgId });
    const foreignRole = await makeRole(stranger, ['console.orgs.read']);
    const attempts: [object, string][] = [
      [{ userId: others.userId, roleId }, 'body.userId'],
      [{ userId: newId('usr'), roleId }, 'body.userId'],
      [{ userId: tenant.applicationId, roleId }, 'body.userId'],
      [{ applicationId: stranger.applicationId, roleId }, 'body.applicationId'],
      [{ applicationId: newId('app'), roleId }, 'body.applicationId'],
      [{ applicationId: member.userId, roleId }, 'body.applicationId'],
      [{ userId: member.userId, roleId: foreignRole }, 'body.roleId'],
      [{ userId: member.userId, roleId: newId('role') }, 'body.roleId'],
      [{ userId: member.userId, roleId: '__proto__' }, 'body.roleId'],
    ];
    for (const [body, path] of attempts) {
      expect({ body, ...refusal(await assign(tenant, body)) }).toEqual({ body, status: 404, path });
    }
    const named = { userId: member.userId, roleId, context: { orgId: tenant.orgId } };
    expect(outcome(await assign(stranger, named))).toBe('404 NOT_FOUND');
    expect(outcome(await assign(others, named))).toBe('404 NOT_FOUND');
    expect(await rolesOf()).toEqual([]);
    expect(await actsOf(tenant, 'assignment.created')).toEqual([]);
  });

  test('is refused without console.access.write, and without a credential', async () => {
    const given = { userId: member.userId, roleId };
    for (const client of [member, await withScopes(tenant, ['console.access.read', 'svc:write', 'shop.orders.read'])]) {
      expect(outcome(await assign(client, given))).toBe('403 PERMISSION_DENIED');
    }
    const nobody = await tenant.send('POST', '/access/assignments', given, { authorization: null });
    expect(nobody.status).toBe(401);
    expect(await rolesOf()).toEqual([]);
  });

  test('gives nobody what the caller does not hold, through included roles either', async () => {
    const writing = await makeRole(tenant, ['shop.orders.write']);
    const including = await makeRole(tenant, ['shop.orders.read'], [writing]);
    const billing = await makeRole(tenant, ['billing.write']);
    const admin = await join('admin');
    expect(outcome(await assign(admin, { userId: member.userId, roleId: billing }))).toBe('403 SCOPE_NOT_HELD');
    expect(outcome(await assign(admin, { userId: member.userId, roleId: including }))).toBe('201');

    const granter = await join('member');
    const managing = await makeRole(tenant, ['console.access.write', 'console.access.read', 'shop.orders.read']);
    await assigned(tenant, { userId: granter.userId, roleId: managing });
    const other = await join('member');
    expect(outcome(await assign(granter, { userId: other.userId, roleId }))).toBe('201');
    for (const notHeld of [writing, including, billing]) {
      const answer = await assign(granter, { userId: other.userId, roleId: notHeld });
      expect(outcome(answer)).toBe('403 SCOPE_NOT_HELD');
      expect(answer.body.message).toMatch(notHeld === billing ? 'billing.write' : 'shop.orders.write');
    }
    expect(await rolesOf(other.userId)).toEqual([roleId]);

    const key = await withScopes(tenant, ['console.access.write', 'shop.orders.read']);
    expect(outcome(await assign(key, { userId: other.userId, roleId: including }))).toBe('403 SCOPE_NOT_HELD');
    expect(outcome(await assign(key, { userId: owner.userId, roleId }))).toBe('201');
  });
});

describe('POST /access/assignments of a system role', () => {
  test('changes what the member is, and keeps the id', async () => {
    const before = await membershipOf(member.userId);
    const { status, body } = await assign(owner, { userId: member.userId, roleId: 'role_admin' });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { assignmentId: before.assignmentId, roleId: 'role_admin', createdAt: before.createdAt },
    });
    expect(await membershipOf(member.userId)).toEqual(body);
    const members = await readAll(tenant, `/organizations/${tenant.orgId.replace('_', '-')}/members`);
    expect(members).toContainEqual(expect.objectContaining({ userId: member.userId, role: 'admin' }));
    const changed = { before: { role: 'member' }, after: { role: 'admin' } };
    expect(await actsOf(tenant, 'member.updated')).toMatchObject([
      { actor: { id: owner.userId }, target: { type: 'user', id: member.userId }, ...changed },
    ]);
    expect(await actsOf(tenant, 'assignment.updated')).toMatchObject([
      { before: { roleId: 'role_member' }, after: { roleId: 'role_admin' } },
    ]);
    expect((await assigned(owner, { userId: member.userId, roleId: 'role_admin' })).revision).toBe(body.revision);
    expect(await actsOf(tenant, 'member.updated')).toHaveLength(1);
  });

  test('needs console.orgs.write too', async () => {
    const key = await withScopes(tenant, ['console.access.write']);
    expect(outcome(await assign(key, { userId: member.userId, roleId: 'role_member' }))).toBe('403 PERMISSION_DENIED');
    expect(outcome(await assign(key, { userId: member.userId, roleId: 'role_admin' }))).toBe('403 PERMISSION_DENIED');
    const both = await withScopes(tenant, ['console.access.write', 'console.orgs.write']);
    expect(outcome(await assign(both, { userId: member.userId, roleId: 'role_admin' }))).toBe('403 SCOPE_NOT_HELD');
    expect((await membershipOf(member.userId)).roleId).toBe('role_member');
  });

  test('lets nobody but owners make owners or change them', async () => {
    const admin = await join('admin');
    await join('owner');
    expect(outcome(await assign(admin, { userId: member.userId, roleId: 'role_owner' }))).toBe('403 OWNER_REQUIRED');
    expect(outcome(await assign(admin, { userId: owner.userId, roleId: 'role_member' }))).toBe('403 OWNER_REQUIRED');
    expect((await membershipOf(member.userId)).roleId).toBe('role_member');
    expect((await membershipOf(owner.userId)).roleId).toBe('role_owner');
    expect(outcome(await assign(owner, { userId: member.userId, roleId: 'role_owner' }))).toBe('201');
  });

  test('keeps the last owner', async () => {
    expect(outcome(await assign(owner, { userId: owner.userId, roleId: 'role_admin' }))).toBe('409 LAST_OWNER');
    expect((await membershipOf(owner.userId)).roleId).toBe('role_owner');
    const others = await Promise.all([join('owner'), join('owner'), join('owner')]);
    const all = [owner, ...others];
    const demotions = await Promise.all(all.map(({ userId }) => assign(tenant, { userId, roleId: 'role_member' })));
    expect(demotions.map(outcome).sort()).toEqual(['201', '201', '201', '409 LAST_OWNER']);
    const left = await Promise.all(all.map(({ userId }) => membershipOf(userId)));
    expect(left.filter((one) => one.roleId === 'role_owner')).toHaveLength(1);
  });

  test('is neither for applications nor for a time, and makes nobody a member', async () => {
    const { applicationId } = tenant;
    const forApplication = await assign(tenant, { applicationId, roleId: 'role_member' });
    expect(refusal(forApplication)).toEqual({ status: 400, path: 'body.roleId' });
    const forTime = { userId: member.userId, roleId: 'role_admin', expiresAt: instantFromNow(hour) };
    expect(refusal(await assign(tenant, forTime))).toEqual({ status: 400, path: 'body.expiresAt' });
    const stranger = await newUserClient();
    const joining = await assign(tenant, { userId: stranger.userId, roleId: 'role_member' });
    expect(refusal(joining)).toEqual({ status: 404, path: 'body.userId' });
    expect(await readAll(tenant, `/access/applications/${applicationId}/assignments`)).toEqual([]);
    expect((await membershipOf(member.userId)).roleId).toBe('role_member');
  });
});

describe('DELETE /access/assignments/:assignmentId', () => {
  test('takes the role away at once, and is 404 afterwards', async () => {
    const { assignmentId } = await assigned(tenant, { userId: member.userId, roleId });
    const removed = await unassign(tenant, assignmentId);
    expect({ status: removed.status, text: removed.text }).toEqual({ status: 204, text: '' });
    expect(Number(removed.headers['access-revision'])).toBeGreaterThan(0);
    expect(await isAllowed(tenant, { userId: member.userId, permission: 'shop.orders.read' })).toBe(false);
    expect(await rolesOf()).toEqual([]);
    expect(outcome(await unassign(tenant, assignmentId))).toBe('404 NOT_FOUND');
    expect(await actsOf(tenant, 'assignment.deleted')).toMatchObject([
      { target: { type: 'assignment', id: assignmentId }, before: { subject: member.userId, roleId }, after: null },
    ]);
  });

  test('is answered once of twenty at once', async () => {
    const { assignmentId } = await assigned(tenant, { userId: member.userId, roleId });
    const answers = await Promise.all(Array.from({ length: 20 }, () => unassign(tenant, assignmentId)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
    expect(await actsOf(tenant, 'assignment.deleted')).toHaveLength(1);
  });

  test("is refused for another organization's, for none, and without the permission", async () => {
    const { assignmentId } = await assigned(tenant, { userId: member.userId, roleId });
    const stranger = await newTenantClient();
    expect(outcome(await unassign(stranger, assignmentId))).toBe('404 NOT_FOUND');
    expect(outcome(await unassign(tenant, newId('asg')))).toBe('404 NOT_FOUND');
    expect(outcome(await unassign(tenant, '__proto__'))).toBe('404 NOT_FOUND');
    expect(outcome(await unassign(await withScopes(tenant, ['console.access.read']), assignmentId))).toBe(
      '403 PERMISSION_DENIED',
    );
    expect(outcome(await unassign(member, assignmentId))).toBe('403 PERMISSION_DENIED');
    expect(await rolesOf()).toEqual([roleId]);
  });

  test('of a membership lets the member leave with all they have', async () => {
    await assigned(tenant, { userId: member.userId, roleId });
    const { assignmentId } = await membershipOf(member.userId);
    expect(outcome(await unassign(await withScopes(tenant, ['console.access.write']), assignmentId))).toBe(
      '403 PERMISSION_DENIED',
    );
    expect(await rolesOf()).toEqual([roleId]);
    expect((await unassign(owner, assignmentId)).status).toBe(204);
    expect((await tenant.send('GET', `/identity/users/${member.userId}/assignments`)).status).toBe(404);
    expect(await isAllowed(tenant, { userId: member.userId, permission: 'shop.orders.read' })).toBe(false);
    expect(outcome(await member.send('GET', '/access/roles', undefined, { 'x-tenant-id': tenant.orgId }))).toBe(
      '403 TENANT_MISMATCH',
    );
    expect(await actsOf(tenant, 'member.removed')).toMatchObject([
      { target: { type: 'user', id: member.userId }, before: { role: 'member' } },
    ]);
  });

  test('keeps the last owner, and owners from all but owners', async () => {
    const admin = await join('admin');
    const membership = await membershipOf(owner.userId);
    expect(outcome(await unassign(owner, membership.assignmentId))).toBe('409 LAST_OWNER');
    await join('owner');
    expect(outcome(await unassign(admin, membership.assignmentId))).toBe('403 OWNER_REQUIRED');
    expect(await membershipOf(owner.userId)).toEqual(membership);
    expect(outcome(await unassign(owner, membership.assignmentId))).toBe('204');
  });
});

describe('GET /identity/users/:userId/assignments', () => {
  test('lists the membership and every role, page by page', async () => {
    const roles = await Promise.all(Array.from({ length: 5 }, () => makeRole(tenant, ['shop.orders.read'])));
    const made: Assignment[] = [];
    for (const one of roles) made.push(await assigned(tenant, { userId: member.userId, roleId: one }));
    const path = `/identity/users/${member.userId}/assignments`;
    const all = await readAll<Assignment>(tenant, path, 2);
    expect(all).toEqual([expect.objectContaining({ roleId: 'role_member' }), ...made]);
    expect(await readAll(owner, `${path}?orgId=${tenant.orgId}`)).toEqual(all);
  });

  test('is 404 for whoever is no member, and in a foreign organization', async () => {
    const stranger = await newTenantClient();
    const others = await newUserClient({ orgId: stranger.orgId });
    const list = (client: Client, userId: string, query = '') =>
      client.send('GET', `/identity/users/${userId}/assignments${query}`);
    expect(outcome(await list(tenant, others.userId))).toBe('404 NOT_FOUND');
    expect(outcome(await list(tenant, tenant.applicationId))).toBe('404 NOT_FOUND');
    expect(outcome(await list(stranger, member.userId))).toBe('404 NOT_FOUND');
    expect(outcome(await list(stranger, member.userId, `?orgId=${tenant.orgId}`))).toBe('404 NOT_FOUND');
    expect(outcome(await list(tenant, member.userId, '?orgId=nonsense'))).toBe('404 NOT_FOUND');
  });

  test('is refused without console.access.read, and with a wrong query', async () => {
    const path = `/identity/users/${member.userId}/assignments`;
    expect(outcome(await member.send('GET', path))).toBe('403 PERMISSION_DENIED');
    expect(outcome(await (await withScopes(tenant, ['svc:write'])).send('GET', path))).toBe('403 PERMISSION_DENIED');
    for (const query of ['limit=0', 'limit=101', 'cursor=nonsense', 'page=2', 'orgId=a&orgId=b']) {
      expect({ query, status: (await tenant.send('GET', `${path}?${query}`)).status }).toEqual({ query, status: 400 });
    }
  });
});

describe('GET /access/applications/:applicationId/assignments', () => {
  test("is 404 for another organization's application, and once the application is deleted", async () => {
    const stranger = await newTenantClient();
    const list = (applicationId: string) => tenant.send('GET', `/access/applications/${applicationId}/assignments`);
    expect(outcome(await list(stranger.applicationId))).toBe('404 NOT_FOUND');
    expect(outcome(await list(newId('app')))).toBe('404 NOT_FOUND');
    expect(outcome(await list(member.userId))).toBe('404 NOT_FOUND');

    const made = { name: 'Shop', slug: newId('app').replace('_', '-') };
    const { body } = await tenant.send<{ id: string }>('POST', '/applications', made);
    await assigned(tenant, { applicationId: body.id, roleId });
    const asked = { applicationId: body.id, permission: 'shop.orders.read' };
    expect(await isAllowed(tenant, asked)).toBe(true);
    expect((await tenant.send('DELETE', `/applications/${made.slug}`)).status).toBe(204);
    expect(await isAllowed(tenant, asked)).toBe(false);
    expect(outcome(await list(body.id))).toBe('404 NOT_FOUND');
    expect(outcome(await assign(tenant, { applicationId: body.id, roleId }))).toBe('404 NOT_FOUND');
  });
});

describe('assignments while their subject goes', () => {
  test('leave nothing to a member who leaves at that moment', async () => {
    const roles = await Promise.all(Array.from({ length: 20 }, () => makeRole(tenant, ['shop.orders.read'])));
    const { assignmentId } = await membershipOf(member.userId);
    const assigning = roles.map((one) => assign(tenant, { userId: member.userId, roleId: one }));
    const [left, ...answers] = await Promise.all([unassign(tenant, assignmentId), ...assigning]);
    expect(left!.status).toBe(204);
    expect(answers.every(({ status }) => status === 201 || status === 404)).toBe(true);
    expect((await tenant.send('GET', `/identity/users/${member.userId}/assignments`)).status).toBe(404);
    expect(await isAllowed(tenant, { userId: member.userId, permission: 'shop.orders.read' })).toBe(false);
  });

  test('leave nothing to an application that is deleted at that moment', async () => {
    const roles = await Promise.all(Array.from({ length: 20 }, () => makeRole(tenant, ['shop.orders.read'])));
    const made = { name: 'Shop', slug: newId('app').replace('_', '-') };
    const { id: applicationId } = (await tenant.send<{ id: string }>('POST', '/applications', made)).body;
    const assigning = roles.map((one) => assign(tenant, { applicationId, roleId: one }));
    const [deleted, ...answers] = await Promise.all([
      tenant.send('DELETE', `/applications/${made.slug}`),
      ...assigning,
    ]);
    expect(deleted!.status).toBe(204);
    expect(answers.every(({ status }) => status === 201 || status === 404)).toBe(true);
    expect(await isAllowed(tenant, { applicationId, permission: 'shop.orders.read' })).toBe(false);
    const { body } = await tenant.send<{ missing: object }>('POST', '/access/explain', {
      applicationId,
      permission: 'shop.orders.read',
    });
    expect(body.missing).toMatchObject({ reason: 'SUBJECT_UNKNOWN' });
  });
});

describe('every write of an assignment', () => {
  test('refuses another content type, a body that is no JSON, and one that is too large', async () => {
    const send = (body: unknown, headers = {}) => tenant.send('POST', '/access/assignments', body, headers);
    expect((await send('userId=x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('{"userId":')).body.error).toBe('JSON_MALFORMED');
    expect((await send({ userId: member.userId, roleId: 'x'.repeat(2e5) })).status).toBe(413);
    expect(await rolesOf()).toEqual([]);
  });
});

describe('a role that is assigned', () => {
  test('opens what needs its permissions to the member, and closes it when it is taken away', async () => {
    const read = () => member.send('GET', '/access/roles');
    expect(outcome(await read())).toBe('403 PERMISSION_DENIED');
    const reading = await makeRole(tenant, ['console.access.read']);
    const { assignmentId } = await assigned(tenant, { userId: member.userId, roleId: reading });
    await until(async () => (await read()).status === 200);
    await unassign(tenant, assignmentId);
    await until(async () => (await read()).status === 403);
  });
});
