import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';
import type { Platform } from './platform.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const unknownUser = 'usr_00000000000000000000000000';

/** A key that nobody else registered, a role with it, and the owner, who has no such role yet. */
type Setting = { key: string; roleId: string; userId: string; applicationId: string };

async function prepare({ own, owner }: Platform): Promise<Setting> {
  const namespace = `acceptance-${randomBytes(8).toString('hex')}`;
  const key = `${namespace}.orders.read`;
  await own.call('access.permissions.register', { body: { namespace, permissions: [{ key }] } });
  const { id: roleId } = await own.call('access.roles.create', { body: { name: 'Of a test', permissions: [key] } });
  const { id: userId } = await owner.call('identity.me.read', {});
  const { id: applicationId } = await own.call('identity.me.read', {});
  return { key, roleId, userId, applicationId };
}

const assign = (
  client: Client,
  body: { userId?: string; applicationId?: string; roleId: string; expiresAt?: string },
) => client.call('access.assignments.create', { body });

const isAllowed = async (client: Client, userId: string, permission: string): Promise<boolean> =>
  (await client.call('access.check', { body: { userId, permission } })).allowed;

async function withScopes(client: Client, scopes: string[]): Promise<Client> {
  const { id } = await client.call('identity.me.read', {});
  const { token } = await client.call('identity.api-keys.create', { path: { id }, body: { name: 'A key', scopes } });
  return clientOf({ ...client, apiKey: token });
}

covers('assignments.create', async (platform) => {
  const { own } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const { status, body } = await own.attempt('access.assignments.create', {
    body: { userId, roleId, context: { orgId: own.orgId } },
  });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      assignmentId: expect.stringMatching(/^asg_[0-9a-hjkmnp-tv-z]{26}$/),
      userId,
      roleId,
      context: { orgId: own.orgId },
      expiresAt: null,
      revision: expect.any(Number),
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    },
  });
  expect(await isAllowed(own, userId, key)).toBe(true);
  expect(await assign(own, { userId, roleId })).toEqual(body);
  await expectRefused(own, 'POST', '/access/assignments', [
    [{ userId }, 'roleId'],
    [{ roleId }, 'userId'],
    [{ userId, roleId, expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    [{ userId, roleId, orgId: own.orgId }, 'orgId'],
  ]);
});

covers('assignments.foreign', async (platform) => {
  const { own, other, otherOwner } = platform;
  const { roleId, userId } = await prepare(platform);
  const stranger = await otherOwner.call('identity.me.read', {});
  const foreign = await other.call('access.roles.create', { body: { name: 'Foreign', permissions: [] } });
  const attempts = [
    { userId: stranger.id, roleId },
    { userId: unknownUser, roleId },
    { applicationId: (await other.call('identity.me.read', {})).id, roleId },
    { userId, roleId: foreign.id },
    { userId, roleId, context: { orgId: other.orgId } },
  ];
  for (const body of attempts) {
    expect(await own.attempt('access.assignments.create', { body })).toMatchObject({ status: 404 });
  }
  const { data } = await own.call('access.assignments.list-of-user', { path: { userId }, query: { limit: '100' } });
  expect(data.map((one) => one.roleId)).not.toContain(roleId);
});

covers('assignments.grant', async (platform) => {
  const { own } = platform;
  const { roleId, userId } = await prepare(platform);
  const weak = await withScopes(own, ['console.access.write', 'console.access.read']);
  const refused = await weak.attempt('access.assignments.create', { body: { userId, roleId } });
  expect(refused).toMatchObject({ status: 403, body: { error: 'SCOPE_NOT_HELD' } });
  const reading = await withScopes(own, ['console.access.read']);
  const denied = await reading.attempt('access.assignments.create', { body: { userId, roleId } });
  expect(denied).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
});

covers('assignments.membership', async (platform) => {
  const { owner } = platform;
  const { userId } = await prepare(platform);
  const slug = `acceptance-${randomBytes(8).toString('hex')}`;
  const { id } = await owner.call('identity.organizations.create', { body: { name: 'Of a test', slug } });
  const tenant = { 'x-tenant-id': id };
  const { data } = await owner.call('access.assignments.list-of-user', { path: { userId }, query: {} }, tenant);
  expect(data).toMatchObject([{ roleId: 'role_owner', context: { orgId: id } }]);
  const { assignmentId } = data[0]!;
  const demoting = { body: { userId, roleId: 'role_member', context: { orgId: id } } };
  const last = { status: 409, body: { error: 'LAST_OWNER' } };
  expect(await owner.attempt('access.assignments.create', demoting)).toMatchObject(last);
  expect(await owner.attempt('access.assignments.delete', { path: { assignmentId } }, tenant)).toMatchObject(last);
  await owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
});

covers('assignments.application', async (platform) => {
  const { own } = platform;
  const { key, roleId, applicationId } = await prepare(platform);
  const made = await assign(own, { applicationId, roleId });
  expect(made).toMatchObject({ applicationId, roleId });
  expect(await own.call('access.check', { body: { applicationId, permission: key } })).toEqual({ allowed: true });
  const list = { path: { applicationId }, query: { limit: '100' } };
  expect((await own.call('access.assignments.list-of-application', list)).data).toContainEqual(made);
});

covers('assignments.expiry', async (platform) => {
  const { own } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const end = Date.now() + 3000;
  const expiresAt = new Date(end).toISOString();
  expect((await assign(own, { userId, roleId, expiresAt })).expiresAt).toBe(expiresAt);
  const isAllowedAtFirst = await isAllowed(own, userId, key);
  // A host that was slow may have come to its end meanwhile.
  expect(isAllowedAtFirst || Date.now() >= end).toBe(true);
  await eventually(async () => expect(await isAllowed(own, userId, key)).toBe(false));
});

covers('assignments.list', async (platform) => {
  const { own, other } = platform;
  const { roleId, userId } = await prepare(platform);
  const made = await assign(own, { userId, roleId });
  const read = (client: Client, orgId?: string) =>
    client.attempt('access.assignments.list-of-user', { path: { userId }, query: { limit: '100', orgId } });
  expect((await read(own)).body.data).toContainEqual(made);
  expect((await read(own, own.orgId)).body.data).toContainEqual(made);
  expect((await read(other)).status).toBe(404);
  expect((await read(own, other.orgId)).status).toBe(404);
});

covers('assignments.revoke', async (platform) => {
  const { own, other } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const { assignmentId } = await assign(own, { userId, roleId });
  const revoke = (client: Client) => client.attempt('access.assignments.delete', { path: { assignmentId } });
  expect((await revoke(other)).status).toBe(404);
  expect(await isAllowed(own, userId, key)).toBe(true);
  expect((await revoke(own)).status).toBe(204);
  await eventually(async () => expect(await isAllowed(own, userId, key)).toBe(false));
  expect((await revoke(own)).status).toBe(404);
});

covers('checks.check', async (platform) => {
  const { own, owner } = platform;
  const { key, roleId, userId } = await prepare(platform);
  await assign(own, { userId, roleId });
  const check = (client: Client, body: object) => client.attempt('access.check', { body });
  const about = { userId, permission: key, context: { orgId: own.orgId } };
  expect(await check(own, about)).toMatchObject({ status: 200, body: { allowed: true } });
  expect((await check(own, about)).text).toBe('{"allowed":true}');
  expect(await check(owner, about)).toMatchObject({ status: 200, body: { allowed: true } });
  for (const unknown of [
    { userId: unknownUser },
    { userId: 'nobody' },
    { permission: `${key}-too` },
    { permission: '*' },
  ]) {
    expect(await check(own, { ...about, ...unknown })).toMatchObject({ status: 200, body: { allowed: false } });
  }
  await expectRefused(own, 'POST', '/access/check', [
    [{ userId }, 'permission'],
    [{ permission: key }, 'userId'],
    [{ userId, permission: '' }, 'permission'],
    [{ userId, permission: key, orgId: own.orgId }, 'orgId'],
  ]);
});

covers('checks.foreign', async (platform) => {
  const { own, other } = platform;
  const { key, roleId, userId } = await prepare(platform);
  await assign(own, { userId, roleId });
  const body = { userId, permission: key };
  for (const orgId of [other.orgId, 'nonsense']) {
    const answer = await own.attempt('access.check', { body: { ...body, context: { orgId } } });
    expect(answer).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  }
  expect(await other.call('access.check', { body })).toEqual({ allowed: false });
});

covers('checks.revision', async (platform) => {
  const { own } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const { revision } = await assign(own, { userId, roleId });
  const body = { userId, permission: key, minRevision: revision };
  expect(await own.call('access.check', { body })).toEqual({ allowed: true });
  const late = await own.attempt('access.check', { body: { ...body, minRevision: revision + 1_000_000 } });
  expect(late).toMatchObject({ status: 503, body: { error: 'REVISION_NOT_REACHED' } });
});

covers('checks.batch', async (platform) => {
  const { own } = platform;
  const { key, roleId, userId } = await prepare(platform);
  await assign(own, { userId, roleId });
  const checks = Array.from({ length: 1000 }, (_one, place) => ({
    userId,
    permission: place % 2 ? key : `${key}-too`,
  }));
  const { results } = await own.call('access.check-batch', { body: { checks } });
  expect(results.map(({ allowed }) => allowed)).toEqual(checks.map(({ permission }) => permission === key));
  for (const wrong of [[], [...checks, checks[0]]]) {
    expect((await own.attempt('access.check-batch', { body: { checks: wrong } })).status).toBe(400);
  }
});

covers('checks.explain', async (platform) => {
  const { own } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const body = { userId, permission: key };
  const denied = await own.call('access.explain', { body });
  expect(denied).toMatchObject({ allowed: false, because: [], missing: { reason: 'NOT_GRANTED', roles: [roleId] } });
  const outer = await own.call('access.roles.create', { body: { name: 'Outer', permissions: [], includes: [roleId] } });
  const { assignmentId } = await assign(own, { userId, roleId: outer.id });
  expect(await own.call('access.explain', { body })).toEqual({
    allowed: true,
    because: [{ assignmentId, roleId: outer.id, permission: key, through: [roleId] }],
    missing: null,
  });
});

covers('checks.permissions', async (platform) => {
  const { own } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const list = async () => {
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = { path: { userId }, query: { limit: '7', cursor } };
      const { data, nextCursor } = await own.call('access.users.list-permissions', page);
      keys.push(...data.map((one) => one.key));
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    return keys;
  };
  const before = await list();
  expect(before).not.toContain(key);
  await assign(own, { userId, roleId });
  // Other tests give the owner roles of theirs meanwhile.
  expect(await list()).toEqual(expect.arrayContaining([key, 'billing.write', 'access.check']));
});

covers('checks.users', async (platform) => {
  const { own, other } = platform;
  const { key, roleId, userId } = await prepare(platform);
  const holders = (client: Client) => client.attempt('access.permissions.list-users', { path: { key }, query: {} });
  expect((await holders(own)).body).toEqual({ data: [], nextCursor: null });
  await assign(own, { userId, roleId });
  expect((await holders(own)).body).toEqual({ data: [{ userId }], nextCursor: null });
  expect((await holders(other)).status).toBe(404);
});
