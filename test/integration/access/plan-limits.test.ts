import { afterEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { PlanName } from '../../../models/billing/sold-version.ts';
import access from '../../../services/access/access.service.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import { limitsOfPlan } from '../../../services/billing/plans/plans.actions.ts';
import { actionsOf } from '../../support/actions-of.ts';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { putOnPlan } from '../../support/plans.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient } from '../../support/user-client.ts';
import { tokensMailedTo } from '../identity/invitation-mail.ts';
import { appendChanges, assignedTo, newMembers } from './access-log.ts';
import { newNamespace, readAll } from './keys.ts';
import { type MemoryPlatform, startMemoryPlatform } from './memory-platform.ts';

type Refused = ErrorBody & { upgradeUrl?: string };
type TenantClient = Client & Tenant;

const free = limitsOfPlan('free');

const numbersOf = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
const newRole = (client: Client, name = 'A role') =>
  client.send<Refused & { id: string }>('POST', '/access/roles', { name, permissions: [] });
const register = (client: Client, keys: string[]) => {
  const permissions = keys.map((key) => ({ key }));
  return client.send<Refused>('POST', '/access/permissions', { namespace: keys[0]!.split('.')[0], permissions });
};
const assign = (client: Client, userId: string, roleId: string, expiresAt: string | null = null) =>
  client.send<Refused & { assignmentId: string }>('POST', '/access/assignments', { userId, roleId, expiresAt });
const ownRoles = async (client: Client) =>
  (await readAll<{ isSystem: boolean }>(client, '/access/roles')).filter(({ isSystem }) => !isSystem);
const ownKeys = async (client: Client) =>
  (await readAll<{ isSystem: boolean }>(client, '/access/permissions')).filter(({ isSystem }) => !isSystem);

/** How many were answered with which status. */
function statusesOf(answers: Answer<unknown>[]): Record<number, number> {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

function expectRefusal({ status, body }: Answer<Refused>, { orgId }: Tenant, what: string): void {
  expect({ status, ...body }).toEqual({
    status: 402,
    error: 'PLAN_LIMIT_EXCEEDED',
    message: `The organization’s plan allows ${what}; remove some, or upgrade for more.`,
    requestId: expect.any(String),
    upgradeUrl: expect.stringContaining(`/console/billing?orgId=${orgId}`),
  });
}

async function append(tenant: Tenant, changes: Change[]): Promise<void> {
  await appendChanges(await databaseUrlOf(await sharedPlatform()), tenant.orgId, changes);
}

async function change(tenant: Tenant, plan: PlanName): Promise<void> {
  await putOnPlan(await databaseUrlOf(await sharedPlatform()), tenant.orgId, plan);
}

const roleChanges = (count: number): Change[] =>
  numbersOf(count).map((number) => ({
    kind: 'roleStored',
    role: { id: newId('role'), name: `Role ${number}`, description: '', permissions: [], includes: [] },
  }));

describe('roles', () => {
  test('are as many as the plan allows, however many ask for more at once', async () => {
    const tenant = await newTenantClient();
    await append(tenant, roleChanges(free.roles - 7));
    const answers = await Promise.all(numbersOf(40).map(() => newRole(tenant)));
    expect(statusesOf(answers)).toEqual({ 201: 7, 402: 33 });
    expectRefusal(answers.find(({ status }) => status === 402)!, tenant, '50 roles');
    expect(await ownRoles(tenant)).toHaveLength(free.roles);
    const made = answers.find(({ status }) => status === 201)!.body;
    expect((await tenant.send('DELETE', `/access/roles/${made.id}`)).status).toBe(204);
    expect((await newRole(tenant)).status).toBe(201);
    expectRefusal(await newRole(tenant), tenant, '50 roles');
  });

  test('beyond the limit stay after a downgrade, to be changed and deleted', async () => {
    const tenant = await newTenantClient({ plan: 'pro' });
    await append(tenant, roleChanges(free.roles + 1));
    const { body: role } = await newRole(tenant);
    await change(tenant, 'free');
    await until(async () => (await newRole(tenant)).status === 402);
    const before = (await ownRoles(tenant)).length;
    expect((await tenant.send('PATCH', `/access/roles/${role.id}`, { name: 'Another' })).status).toBe(200);
    expect((await tenant.send('DELETE', `/access/roles/${role.id}`)).status).toBe(204);
    expectRefusal(await newRole(tenant), tenant, '50 roles');
    expect(await ownRoles(tenant)).toHaveLength(before - 1);
    await change(tenant, 'pro');
    await until(async () => (await newRole(tenant)).status === 201);
  });
});

describe('permissions', () => {
  test('are as many as the plan allows, all keys of a request or none', async () => {
    const tenant = await newTenantClient();
    const namespace = newNamespace();
    const keys = numbersOf(free.permissions + 1).map((number) => `${namespace}.k${number}`);
    expect((await register(tenant, keys.slice(0, 500))).status).toBe(201);
    expect((await register(tenant, keys.slice(500, 999))).status).toBe(201);
    expectRefusal(await register(tenant, keys.slice(999)), tenant, '1000 permissions');
    expect(await ownKeys(tenant)).toHaveLength(999);
    expect((await register(tenant, [keys[999]!, keys[0]!])).status).toBe(201);
    expectRefusal(await register(tenant, [keys[1]!, keys[1000]!]), tenant, '1000 permissions');
    const described = { namespace, permissions: [{ key: keys[0], description: 'The first' }] };
    expect((await tenant.send('POST', '/access/permissions', described)).status).toBe(201);
    expect(await ownKeys(tenant)).toHaveLength(1000);
  });

  test('are exactly as many when many register at once', async () => {
    const tenant = await newTenantClient();
    const requests = numbersOf(16).map((number) => {
      const namespace = newNamespace();
      return register(
        tenant,
        numbersOf(100).map((key) => `${namespace}.r${number}-${key}`),
      );
    });
    expect(statusesOf(await Promise.all(requests))).toEqual({ 201: 10, 402: 6 });
    expect(await ownKeys(tenant)).toHaveLength(1000);
  });
});

describe('assignments', () => {
  /** A tenant with so many assignments, whose owner and last members can be assigned roles. */
  async function withAssignments(count: number, expiresAt: number | null = null) {
    const tenant = await newTenantClient();
    const members = newMembers(40);
    const subjects = members.flatMap((one) => (one.kind === 'assignmentStored' ? one.assignment.subject : []));
    const [crowd, role] = [subjects.slice(0, 25), (await newRole(tenant)).body.id];
    const roles = roleChanges(free.roles - 1);
    const ids = roles.flatMap((one) => (one.kind === 'roleStored' ? one.role.id : []));
    const pairs = crowd.flatMap((subject) => ids.map((id) => [subject, id] as const));
    const filler = numbersOf(count - pairs.length).map(() => newId('app'));
    const held = [...pairs, ...filler.map((subject) => [subject, ids[0]!] as const)].slice(0, count);
    const assigned = held.map(([subject, id], place) => assignedTo(subject, id, place === 0 ? expiresAt : null));
    await append(tenant, [...members, ...roles, ...assigned]);
    return { tenant, role, subjects: subjects.slice(25), held };
  }

  test('are as many as the plan allows beside the memberships, however many assign at once', async () => {
    const { tenant, role, subjects, held } = await withAssignments(free.assignments - 4);
    const answers = await Promise.all(subjects.map((userId) => assign(tenant, userId, role)));
    expect(statusesOf(answers)).toEqual({ 201: 4, 402: 11 });
    expectRefusal(answers.find(({ status }) => status === 402)!, tenant, '2000 role assignments');
    // What is there can be changed, and taken back.
    const [userId, roleId] = held[0]!;
    expect((await assign(tenant, userId, roleId, '2100-01-01T00:00:00.000Z')).status).toBe(201);
    const { assignmentId } = answers.find(({ status }) => status === 201)!.body;
    expect((await tenant.send('DELETE', `/access/assignments/${assignmentId}`)).status).toBe(204);
    expect(statusesOf(await Promise.all(subjects.map((one) => assign(tenant, one, role))))).toEqual({
      201: 4,
      402: 11,
    });
  });

  test('that have expired make room for others', async () => {
    const { tenant, role, subjects } = await withAssignments(free.assignments, Date.now() - 1);
    expect((await assign(tenant, subjects[0]!, role)).status).toBe(201);
    expectRefusal(await assign(tenant, subjects[1]!, role), tenant, '2000 role assignments');
  });
});

describe('members', () => {
  /** A user who is invited, and the path that accepts it. */
  async function invited(tenant: TenantClient) {
    const user = await newUserClient();
    const organization = `/organizations/${tenant.orgId.replace('_', '-')}`;
    const { status } = await tenant.send('POST', `${organization}/invitations`, { email: user.email, role: 'member' });
    expect(status).toBe(201);
    const [token] = await tokensMailedTo(user.email);
    return { user, path: `/organizations/invitations/${token}/accept` };
  }

  test('are as many as the plan allows, and who was refused can join when there is room', async () => {
    const tenant = await newTenantClient();
    // The founder is the first.
    await append(tenant, newMembers(free.members - 3));
    const guests = await Promise.all(numbersOf(5).map(() => invited(tenant)));
    const join = ({ user, path }: (typeof guests)[number]) => user.send<Refused>('POST', path);
    const answers = await Promise.all(guests.map(join));
    expect(statusesOf(answers)).toEqual({ 200: 2, 402: 3 });
    expectRefusal(answers.find(({ status }) => status === 402)!, tenant, '100 members');
    const organization = `/organizations/${tenant.orgId.replace('_', '-')}`;
    expect(await readAll(tenant, `${organization}/members`)).toHaveLength(free.members);
    const another = { email: 'somebody@example.com', role: 'member' };
    expectRefusal(await tenant.send<Refused>('POST', `${organization}/invitations`, another), tenant, '100 members');
    const waiting = guests.filter((_, place) => answers[place]!.status === 402);
    expect((await join(waiting[0]!)).status).toBe(402);
    await change(tenant, 'pro');
    await until(async () => (await join(waiting[0]!)).status === 200);
  });
});

describe('while billing cannot be reached', () => {
  let platform: MemoryPlatform;
  afterEach(() => platform.stop());

  test('nothing is added, and what is there can be changed', async () => {
    platform = await startMemoryPlatform(actionsOf(access, 'roles.'));
    const body = { name: 'A role', permissions: [] };
    const { id } = await platform.ask('access.roles.create', { body });
    await platform.broker.destroyService('billing');
    await expect(platform.ask('access.roles.create', { body })).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(platform.graph.sizes().roles).toBe(1);
    await platform.ask('access.roles.update', { path: { id }, headers: {}, body: { name: 'Another' } });
    expect(platform.graph.role(id)?.name).toBe('Another');
  });
});
