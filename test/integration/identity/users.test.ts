import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { inDatabase } from './me-stored.ts';

type Person = Client & User;
let own: Client & Tenant;
let foreign: Client & Tenant;
let owner: Person;
let admin: Person;
let member: Person;
let stranger: Person;
beforeAll(async () => {
  [own, foreign] = await Promise.all([newTenantClient(), newTenantClient()]);
  const { orgId } = own;
  owner = await newUserClient({ orgId });
  admin = await newUserClient({ orgId, role: 'admin' });
  member = await newUserClient({ orgId, role: 'member' });
  stranger = await newUserClient({ orgId: foreign.orgId });
});

describe('GET /identity/users', () => {
  test('shows the members of the organization, the newest first, with their role', async () => {
    const { data, nextCursor } = await own.call('identity.users.list', { query: {} });
    expect(nextCursor).toBeNull();
    expect(data.map(({ id, role }) => [id, role])).toEqual([
      [member.userId, 'member'],
      [admin.userId, 'admin'],
      [owner.userId, 'owner'],
    ]);
    expect(data[1]).toEqual({
      id: admin.userId,
      email: admin.email,
      emailVerified: true,
      firstName: null,
      middleName: null,
      lastName: null,
      preferredName: null,
      birthDate: null,
      gender: null,
      displayName: null,
      avatarUrl: null,
      language: null,
      role: 'admin',
      lastLoginAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test('is for admins too, and says nothing of passwords, contacts or addresses', async () => {
    const { status, text } = await admin.send('GET', '/identity/users');
    expect(status).toBe(200);
    expect(text).not.toMatch(/password|contact|addresses|scrypt|revision|status/i);
  });

  test('shows the organization that the query names', async () => {
    const both = await newUserClient({ orgId: own.orgId, role: 'admin' });
    await joinAs(both, { orgId: foreign.orgId, role: 'admin' });
    const listIn = (orgId: string) => both.call('identity.users.list', { query: { orgId } });
    expect((await listIn(own.orgId)).data.map(({ id }) => id)).toContain(admin.userId);
    expect((await listIn(foreign.orgId)).data.map(({ id }) => id)).toEqual([both.userId, stranger.userId]);
    expect(await both.attempt('identity.users.list', { query: {} })).toMatchObject({
      status: 400,
      body: { error: 'TENANT_REQUIRED' },
    });
    const inForeign = await both.call('identity.users.list', { query: {} }, { 'x-tenant-id': foreign.orgId });
    expect(inForeign.data.map(({ id }) => id)).toContain(stranger.userId);
  });

  test.each<[string, () => [Client, string | undefined], number, string]>([
    ['a key of another organization', () => [foreign, own.orgId], 404, 'NOT_FOUND'],
    ['an admin of another organization', () => [stranger, own.orgId], 404, 'NOT_FOUND'],
    ['a key, of an organization that does not exist', () => [own, 'org_00000000000000000000000000'], 404, 'NOT_FOUND'],
    ['a key, of no organization’s id', () => [own, 'first'], 404, 'NOT_FOUND'],
    ['an empty id', () => [own, ''], 404, 'NOT_FOUND'],
    ['a member', () => [member, own.orgId], 403, 'PERMISSION_DENIED'],
    ['a member who names none', () => [member, undefined], 403, 'PERMISSION_DENIED'],
  ])('refuses %s', async (_who, ask, status, error) => {
    const [client, orgId] = ask();
    const answer = await client.attempt('identity.users.list', { query: orgId === undefined ? {} : { orgId } });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
    expect(answer.text).not.toContain('@example.com');
  });

  test('refuses keys without the permission, whatever they name, and users of no organization', async () => {
    const weak = await newTenantClient({ scopes: ['svc:write', 'console.users.write'] });
    for (const orgId of [weak.orgId, own.orgId]) {
      expect(await weak.attempt('identity.users.list', { query: { orgId } })).toMatchObject({
        status: 403,
        body: { error: 'PERMISSION_DENIED' },
      });
    }
    expect(await (await newUserClient()).send('GET', '/identity/users')).toMatchObject({
      status: 400,
      body: { error: 'TENANT_REQUIRED' },
    });
  });

  test('needs a credential', async () => {
    expect(await own.send('GET', '/identity/users', undefined, { authorization: null })).toMatchObject({ status: 401 });
  });

  test('shows each member once, whoever joins and leaves between the pages', async () => {
    const tenant = await newTenantClient();
    const { orgId } = tenant;
    const founder = await newUserClient({ orgId });
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.push((await newUserClient({ orgId, role: 'member' })).userId);
    const first = await tenant.call('identity.users.list', { query: { limit: '3' } });
    expect(first.data.map(({ id }) => id)).toEqual([ids[6], ids[5], ids[4]]);
    await newUserClient({ orgId });
    for (const gone of [ids[4], ids[2]]) {
      await tenant.send('DELETE', `/organizations/${orgId.replace('_', '-')}/members/${gone}`);
    }
    const next = await tenant.call('identity.users.list', { query: { limit: '3', cursor: first.nextCursor! } });
    expect(next.data.map(({ id }) => id)).toEqual([ids[3], ids[1], ids[0]]);
    const last = await tenant.call('identity.users.list', { query: { limit: '3', cursor: next.nextCursor! } });
    expect(last.data.map(({ id }) => id)).toEqual([founder.userId]);
    expect(last.nextCursor).toBeNull();
  });

  test.each([
    [{ limit: '0' }, 'INPUT_INVALID'],
    [{ limit: '101' }, 'INPUT_INVALID'],
    [{ limit: 'ten' }, 'INPUT_INVALID'],
    [{ cursor: 'abc' }, 'CURSOR_INVALID'],
    [{ email: 'a@example.com' }, 'INPUT_INVALID'],
    [{ 'orgId[$ne]': 'x' }, 'INPUT_INVALID'],
  ])('refuses %j', async (query, error) => {
    expect(await own.attempt('identity.users.list', { query })).toMatchObject({ status: 400, body: { error } });
  });
});

describe('GET /identity/users/:userId', () => {
  const read = (client: Client, userId: string) => client.attempt('identity.users.read', { path: { userId } });

  test('shows a member to whoever may read users', async () => {
    for (const client of [own, admin]) {
      expect(await read(client, member.userId)).toMatchObject({
        status: 200,
        body: { id: member.userId, email: member.email, emailVerified: true, role: 'member' },
      });
    }
  });

  test('knows no user of another organization, and none at all', async () => {
    const missing = 'usr_00000000000000000000000000';
    const answers = await Promise.all([read(own, stranger.userId), read(own, missing), read(admin, stranger.userId)]);
    const [ofAnother, ofNobody] = answers.map(({ status, body }) => ({ ...body, status, requestId: '' }));
    expect(ofAnother).toMatchObject({ status: 404, error: 'NOT_FOUND' });
    expect(ofAnother).toEqual(ofNobody);
    expect(answers[2]).toMatchObject({ status: 404 });
  });

  test('is not for members, not even of themselves', async () => {
    expect(await read(member, member.userId)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
  });

  test('knows nobody who is being deleted', async () => {
    const leaving = await newUserClient({ orgId: own.orgId, role: 'member' });
    await inDatabase((database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: leaving.userId }, { $set: { status: 'deleting' } }),
    );
    expect(await read(own, leaving.userId)).toMatchObject({ status: 404 });
    const { text } = await own.send('GET', '/identity/users?limit=100');
    expect(text).not.toContain(leaving.userId);
  });
});
