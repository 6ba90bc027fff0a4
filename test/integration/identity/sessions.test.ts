import { beforeAll, describe, expect, test } from '@jest/globals';
import type mongoose from 'mongoose';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import type { SessionDocument } from '../../../models/identity/session.ts';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { createUser, joinAs, newUserClient, sessionClientOf, type User } from '../../support/user-client.ts';

type Party = Client & Tenant;
let own: Party;
let other: Party;
let owner: Client & User;
let member: Client & User;

beforeAll(async () => {
  [own, other] = await Promise.all([newTenantClient(), newTenantClient()]);
  owner = await newUserClient({ orgId: own.orgId });
  member = await newUserClient({ orgId: own.orgId, role: 'member' });
});

const sessions = async <T>(work: (collection: Collection) => Promise<T>): Promise<T> =>
  withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    work(database.collection('identity_sessions')),
  );
type Collection = mongoose.mongo.Collection<SessionDocument>;

const keysPath = () => `/applications/${own.applicationId}/api-keys`;
const newKey = { name: 'A key', scopes: ['context.story.read'] };

describe('a session', () => {
  test('shows the user whom it belongs to, and their organizations', async () => {
    const { status, body } = await owner.send<object>('GET', '/identity/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'user',
      id: owner.userId,
      email: owner.email,
      emailVerified: true,
      organizations: [{ id: own.orgId, role: 'owner' }],
    });
  });

  test.each([
    ['without a cookie', null, 'CREDENTIAL_REQUIRED'],
    ['with a session nobody has', `platform_session=${'A'.repeat(22)}`, 'CREDENTIAL_INVALID'],
    ['with an empty cookie', 'platform_session=', 'CREDENTIAL_INVALID'],
    ['with a cookie of another name', 'session=x', 'CREDENTIAL_REQUIRED'],
    ['with an API key in the cookie', `platform_session=${newApiKeyToken()}`, 'CREDENTIAL_INVALID'],
  ])('%s is 401', async (_what, cookie, error) => {
    expect(await owner.send('GET', '/identity/me', undefined, { cookie })).toMatchObject({
      status: 401,
      body: { error },
    });
  });

  test('sent twice is nobody’s', async () => {
    const cookie = `platform_session=${owner.sessionToken}; platform_session=${member.sessionToken}`;
    expect(await owner.send('GET', '/identity/me', undefined, { cookie })).toMatchObject({ status: 401 });
  });

  test('does not count beside an Authorization header', async () => {
    const authorization = `Bearer ${newApiKeyToken()}`;
    expect(await owner.send('GET', '/identity/me', undefined, { authorization })).toMatchObject({ status: 401 });
  });

  test.each([
    ['expired', { expiresAt: new Date(Date.now() - 1) }],
    ['of another hash', { tokenHash: 'a'.repeat(64) }],
  ])('that is %s is 401', async (_what, change) => {
    const user = await newUserClient();
    const unique = 'tokenHash' in change ? { tokenHash: `${user.userId}`.padEnd(64, 'a') } : change;
    await sessions((collection) => collection.updateOne({ _id: user.sessionId }, { $set: unique }));
    expect(await user.send('GET', '/identity/me')).toMatchObject({
      status: 401,
      body: { error: 'CREDENTIAL_INVALID' },
    });
  });

  test('notes its use and expires later, but never after its 90 days', async () => {
    const user = await newUserClient();
    const hour = 3_600_000;
    const end = new Date(Date.now() + hour);
    const old = {
      lastUsedAt: new Date(Date.now() - hour),
      expiresAt: new Date(Date.now() + hour / 2),
      absoluteExpiresAt: end,
    };
    await sessions((collection) => collection.updateOne({ _id: user.sessionId }, { $set: old }));
    await user.call('identity.me.read', {});
    const read = () => sessions((collection) => collection.findOne({ _id: user.sessionId }));
    await until(async () => (await read())!.lastUsedAt > old.lastUsedAt);
    expect((await read())!.expiresAt).toEqual(end);
  });
});

describe('what a user may do in an organization', () => {
  test('is what their role allows', async () => {
    expect(await owner.send('GET', keysPath())).toMatchObject({ status: 200 });
    expect(await member.send('GET', keysPath())).toMatchObject({ status: 200 });
    expect(await owner.send('POST', keysPath(), newKey)).toMatchObject({ status: 201 });
    expect(await member.send('POST', keysPath(), newKey)).toMatchObject({
      status: 403,
      body: {
        error: 'PERMISSION_DENIED',
        message: 'Your role in this organization lacks the permission console.apps.write.',
      },
    });
  });

  test('is more by another role that gives it, for as long as they have that role', async () => {
    const user = await newUserClient({ orgId: own.orgId, role: 'member' });
    const write = () => user.send('POST', keysPath(), newKey).then(({ status }) => status);
    expect(await write()).toBe(403);
    const role = await own.call('access.roles.create', {
      body: { name: 'Keeper of keys', permissions: ['console.apps.write', 'context.story.read'] },
    });
    const body = { userId: user.userId, roleId: role.id };
    const { assignmentId } = await own.call('access.assignments.create', { body });
    expect(await write()).toBe(201);
    expect((await user.send('GET', '/identity/me')).body).toMatchObject({ organizations: [{ role: 'member' }] });
    await own.call('access.assignments.delete', { path: { assignmentId } });
    expect(await write()).toBe(403);
    await own.call('access.assignments.create', { body });
    await own.call('access.roles.delete', { path: { id: role.id }, headers: {} });
    expect(await write()).toBe(403);
  });

  test('is nothing in another organization', async () => {
    const path = `/applications/${other.applicationId}/api-keys`;
    expect(await owner.send('GET', path)).toMatchObject({ status: 404 });
    expect(await owner.send('GET', path, undefined, { 'x-tenant-id': other.orgId })).toMatchObject({
      status: 403,
      body: { error: 'TENANT_MISMATCH' },
    });
  });

  test('is asked of the organization that x-tenant-id names when there are several', async () => {
    const platform = await sharedPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    const user = await createUser(databaseUrl, { orgId: own.orgId });
    await joinAs(user, { orgId: other.orgId, role: 'member' });
    const client = sessionClientOf(platform.url, user.sessionToken);
    expect(await client.send('GET', keysPath())).toMatchObject({ status: 400, body: { error: 'TENANT_REQUIRED' } });
    const answer = await client.send('GET', keysPath(), undefined, { 'x-tenant-id': own.orgId });
    expect(answer).toMatchObject({ status: 200 });
    const foreign = `/applications/${other.applicationId}/api-keys`;
    expect(await client.send('POST', foreign, newKey, { 'x-tenant-id': other.orgId })).toMatchObject({ status: 403 });
  });
});

describe('a request that another page makes a browser send', () => {
  test.each([
    ['without an Origin', null],
    ['from another origin', 'https://evil.example'],
    ['from an opaque origin', 'null'],
    ['from a host that begins like ours', 'http://127.0.0.1.evil.example'],
  ])('%s changes nothing', async (_what, origin) => {
    const user = await newUserClient({ orgId: own.orgId });
    const before = await user.send('GET', keysPath());
    const answer = await user.send('POST', keysPath(), newKey, { origin });
    expect(answer).toMatchObject({ status: 403, body: { error: 'ORIGIN_REFUSED' } });
    expect((await user.send('GET', keysPath())).text).toBe(before.text);
  });
});
