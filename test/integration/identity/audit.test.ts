import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

let own: Client & Tenant;
let owner: Client & User;
let slug: string;

beforeEach(async () => {
  own = await newTenantClient();
  owner = await newUserClient({ orgId: own.orgId });
  slug = own.orgId.replace('_', '-');
});

const makeKey = (client: Client, name: string, headers = {}) =>
  client.call(
    'identity.api-keys.create',
    { path: { id: own.applicationId }, body: { name, scopes: ['context.story.read'] } },
    headers,
  );
const read = (query = {}, client: Client = own) => client.call('identity.audit.list', { path: { slug }, query });
const attempt = (query = {}, client: Client = own) => client.attempt('identity.audit.list', { path: { slug }, query });

describe('GET /organizations/:slug/audit-log', () => {
  test('tells who did what to what, when, from where and by which request, without the secret', async () => {
    const headers = { 'x-request-id': 'request-of-a-test', 'user-agent': 'Test 1.0' };
    const { id, token } = await makeKey(owner, 'New', headers);
    const { data, nextCursor } = await read();
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        action: 'api-key.created',
        actor: { type: 'user', id: owner.userId, credentialId: owner.sessionId },
        target: { type: 'api-key', id },
        address: '127.0.0.1',
        userAgent: 'Test 1.0',
        requestId: 'request-of-a-test',
        before: null,
        after: { name: 'New', scopes: ['context.story.read'], expiresAt: null, applicationId: own.applicationId },
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(nextCursor).toBeNull();
    expect(JSON.stringify(data)).not.toContain(token);
  });

  test('names the application and its key when no user acted', async () => {
    const { id } = await makeKey(own, 'By a key');
    await own.call('identity.api-keys.revoke', { path: { id: own.applicationId, keyId: id } });
    const { data } = await read({ action: 'api-key.revoked' });
    const actor = { type: 'application', id: own.applicationId, credentialId: own.keyId };
    expect(data).toMatchObject([{ action: 'api-key.revoked', actor, target: { type: 'api-key', id } }]);
  });

  test('gives the newest first, in pages that neither repeat nor leave out', async () => {
    for (const name of ['1', '2', '3', '4', '5']) await makeKey(own, name);
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await read({ limit: '2', ...(cursor && { cursor }) });
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.data.map(({ after }) => after?.name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
  });

  test('is filtered by action, actor, target and time', async () => {
    const { id } = await makeKey(own, 'first');
    const { data } = await read();
    const at = data[0]!.createdAt;
    const later = new Date(Date.parse(at) + 1).toISOString();
    await makeKey(owner, 'second');
    const names = async (query: object) => (await read(query)).data.map(({ after }) => after?.name);
    expect(await names({ actorId: owner.userId })).toEqual(['second']);
    expect(await names({ targetId: id })).toEqual(['first']);
    expect(await names({ action: 'api-key.created' })).toEqual(['second', 'first']);
    expect(await names({ action: 'api-key.revoked' })).toEqual([]);
    expect(await names({ to: later, from: at })).toContain('first');
    expect(await names({ to: at })).toEqual([]);
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', 'x'],
    ['from', 'yesterday'],
    ['to', '2026-01-01'],
    ['action', ''],
    ['actorId', 'a'.repeat(101)],
    ['colour', 'blue'],
  ])('refuses the query %s=%s', async (name, value) => {
    expect(await attempt({ [name]: value })).toMatchObject({ status: 400 });
  });

  test('is for those who hold console.audit.read there', async () => {
    const [admin, member, stranger] = await Promise.all([
      newUserClient({ orgId: own.orgId, role: 'admin' }),
      newUserClient({ orgId: own.orgId, role: 'member' }),
      newUserClient(),
    ]);
    const other = await newTenantClient();
    const weak = await newTenantClient({ scopes: ['svc:write'] });
    expect(await attempt({}, admin)).toMatchObject({ status: 200 });
    expect(await attempt({}, member)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    expect(await attempt({}, stranger)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await attempt({}, other)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await attempt({}, weak)).toMatchObject({ status: 403 });
    expect(await own.attempt('identity.audit.list', { path: { slug: 'nobody' }, query: {} })).toMatchObject({
      status: 404,
    });
  });

  test('keeps nothing of what was refused', async () => {
    const refused = { path: { id: own.applicationId }, body: { name: '', scopes: [] } };
    expect(await own.attempt('identity.api-keys.create', refused)).toMatchObject({ status: 400 });
    const { data } = await read();
    expect(data).toEqual([]);
  });

  test('cannot be changed over HTTP', async () => {
    await makeKey(own, 'kept');
    const path = `/organizations/${slug}/audit-log`;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await own.send(method, path)).toMatchObject({ status: 405 });
    }
    const stored = await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection('identity_audit_records').countDocuments({ orgId: own.orgId }),
    );
    expect(stored).toBe(1);
  });

  test('has each record at its own address, for its organization alone', async () => {
    await makeKey(owner, 'Read by itself');
    const [record] = (await read()).data;
    const path = { slug, recordId: record!.id };
    expect(await own.call('identity.audit.read', { path })).toEqual(record);
    const other = await newTenantClient();
    const member = await newUserClient({ orgId: own.orgId, role: 'member' });
    const foreign = { slug: other.orgId.replace('_', '-'), recordId: record!.id };
    expect(await other.attempt('identity.audit.read', { path })).toMatchObject({ status: 404 });
    expect(await other.attempt('identity.audit.read', { path: foreign })).toMatchObject({ status: 404 });
    expect(await member.attempt('identity.audit.read', { path })).toMatchObject({ status: 403 });
    expect(await own.attempt('identity.audit.read', { path: { slug, recordId: 'x' } })).toMatchObject({ status: 404 });
  });
});
