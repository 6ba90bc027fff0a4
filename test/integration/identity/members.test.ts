import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

type Member = { userId: string; role: string; email: string; displayName: string | null };
type Page = { data: Member[]; nextCursor: string | null };
type Role = 'owner' | 'admin' | 'member';

let tenant: Client & Tenant;
let members: string;
let owner: Client & User;
beforeEach(async () => {
  tenant = await newTenantClient();
  members = `/organizations/${tenant.orgId.replace('_', '-')}/members`;
  owner = await newUserClient({ orgId: tenant.orgId });
});

const join = (role: Role): Promise<Client & User> => newUserClient({ orgId: tenant.orgId, role });

const change = (client: Client, userId: string, role: string): Promise<Answer<Member & ErrorBody>> =>
  client.send('PATCH', `${members}/${userId}`, { role });
const remove = (client: Client, userId: string) => client.send('DELETE', `${members}/${userId}`);

/** The roles by user, as the organization's key sees them. */
async function roles(): Promise<Record<string, string>> {
  const { body } = await tenant.send<Page>('GET', `${members}?limit=100`);
  return Object.fromEntries(body.data.map(({ userId, role }) => [userId, role]));
}

const outcome = ({ status, body }: Answer<ErrorBody>) => `${status} ${body?.error ?? ''}`.trim();

async function acts(action: string): Promise<object[]> {
  const path = members.replace(/members$/, `audit-log?action=${action}`);
  return (await tenant.send<{ data: object[] }>('GET', path)).body.data;
}

describe('GET /organizations/:slug/members', () => {
  test('shows who is a member, and as what, page by page', async () => {
    const [admin, member] = [await join('admin'), await join('member')];
    await member.send('PATCH', '/identity/me', { displayName: 'Ada' });
    const first = await member.send<Page>('GET', `${members}?limit=2`);
    const second = await member.send<Page>('GET', `${members}?limit=2&cursor=${first.body.nextCursor}`);
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    expect([...first.body.data, ...second.body.data]).toEqual([
      { userId: owner.userId, role: 'owner', email: owner.email, displayName: null, ...times },
      { userId: admin.userId, role: 'admin', email: admin.email, displayName: null, ...times },
      { userId: member.userId, role: 'member', email: member.email, displayName: 'Ada', ...times },
    ]);
    expect(second.body.nextCursor).toBeNull();
    expect(second.text).not.toMatch(/password|scrypt|contacts/);
  });

  test('is hidden from strangers, and refused without console.orgs.read', async () => {
    expect((await (await newUserClient()).send('GET', members)).status).toBe(404);
    expect((await (await newTenantClient()).send('GET', members)).status).toBe(404);
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const key = await tenant.send<{ token: string }>('POST', keys, { name: 'k', scopes: ['svc:write'] });
    expect((await clientOf({ ...tenant, apiKey: key.body.token }).send('GET', members)).status).toBe(403);
  });
});

describe('PATCH /organizations/:slug/members/:userId', () => {
  test('changes a role, which counts with the next request', async () => {
    const member = await join('member');
    expect((await member.send('PATCH', members.replace('/members', ''), { name: 'x' })).status).toBe(403);
    const { status, body } = await change(owner, member.userId, 'admin');
    expect({ status, role: body.role, userId: body.userId }).toEqual({
      status: 200,
      role: 'admin',
      userId: member.userId,
    });
    expect((await member.send('PATCH', members.replace('/members', ''), { name: 'x' })).status).toBe(200);
    expect((await change(owner, member.userId, 'member')).status).toBe(200);
    expect((await member.send('PATCH', members.replace('/members', ''), { name: 'y' })).status).toBe(403);
    expect(await acts('member.updated')).toMatchObject([
      { actor: { id: owner.userId }, before: { role: 'admin' }, after: { role: 'member' } },
      { target: { type: 'user', id: member.userId }, before: { role: 'member' }, after: { role: 'admin' } },
    ]);
  });

  test('that changes nothing is no act', async () => {
    const member = await join('member');
    expect((await change(owner, member.userId, 'member')).status).toBe(200);
    expect((await change(owner, owner.userId, 'owner')).status).toBe(200);
    expect(await acts('member.updated')).toEqual([]);
  });

  test.each<[Role, Role, Role, string]>([
    ['owner', 'member', 'owner', '200'],
    ['owner', 'owner', 'member', '200'],
    ['owner', 'admin', 'member', '200'],
    ['admin', 'member', 'admin', '200'],
    ['admin', 'admin', 'member', '200'],
    ['admin', 'member', 'owner', '403 OWNER_REQUIRED'],
    ['admin', 'owner', 'member', '403 OWNER_REQUIRED'],
    ['admin', 'owner', 'admin', '403 OWNER_REQUIRED'],
    ['member', 'member', 'admin', '403 PERMISSION_DENIED'],
    ['member', 'member', 'member', '403 PERMISSION_DENIED'],
  ])('by an %s, of an %s to an %s: %s', async (by, from, to, expected) => {
    const [caller, target] = [await join(by), await join(from)];
    const before = await roles();
    expect(outcome(await change(caller, target.userId, to))).toBe(expected);
    expect(await roles()).toEqual({ ...before, [target.userId]: expected === '200' ? to : from });
  });

  test('by oneself makes nobody more than they are', async () => {
    const [admin, member] = [await join('admin'), await join('member')];
    expect(outcome(await change(admin, admin.userId, 'owner'))).toBe('403 OWNER_REQUIRED');
    expect(outcome(await change(member, member.userId, 'admin'))).toBe('403 PERMISSION_DENIED');
  });

  test('by a key grants no role that may do more than the key', async () => {
    const member = await join('member');
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const key = await tenant.send<{ token: string }>('POST', keys, { name: 'k', scopes: ['console.orgs.write'] });
    const weak = clientOf({ ...tenant, apiKey: key.body.token });
    expect(outcome(await change(weak, member.userId, 'admin'))).toBe('403 SCOPE_NOT_HELD');
    expect(outcome(await change(weak, member.userId, 'owner'))).toBe('403 OWNER_REQUIRED');
    expect(outcome(await remove(weak, owner.userId))).toBe('403 OWNER_REQUIRED');
    expect((await change(tenant, member.userId, 'owner')).status).toBe(200);
  });

  test('does not demote the last owner', async () => {
    await join('admin');
    expect(outcome(await change(owner, owner.userId, 'admin'))).toBe('409 LAST_OWNER');
    expect(outcome(await change(tenant, owner.userId, 'member'))).toBe('409 LAST_OWNER');
    expect(outcome(await remove(tenant, owner.userId))).toBe('409 LAST_OWNER');
    expect((await roles())[owner.userId]).toBe('owner');
  });

  test('is 404 for somebody who is no member, a stranger, and nobody', async () => {
    const outsider = await newUserClient();
    for (const userId of [outsider.userId, newId('usr'), 'x', '%24ne']) {
      expect(outcome(await change(owner, userId, 'member'))).toBe('404 NOT_FOUND');
      expect(outcome(await remove(owner, userId))).toBe('404 NOT_FOUND');
    }
    expect(outcome(await change(outsider, owner.userId, 'member'))).toBe('404 NOT_FOUND');
    expect(outcome(await remove(outsider, owner.userId))).toBe('404 NOT_FOUND');
  });

  test.each([[{}], [{ role: 'root' }], [{ role: null }], [{ role: 'member', userId: 'usr_1' }]])(
    'refuses %j',
    async (body) => {
      const member = await join('member');
      expect((await owner.send('PATCH', `${members}/${member.userId}`, body)).status).toBe(400);
      expect((await roles())[member.userId]).toBe('member');
    },
  );
});

describe('DELETE /organizations/:slug/members/:userId', () => {
  test('removes a member, who sees nothing of the organization with the next request', async () => {
    const member = await join('member');
    expect((await member.send('GET', members)).status).toBe(200);
    expect((await remove(owner, member.userId)).status).toBe(204);
    expect((await member.send('GET', members)).status).toBe(404);
    expect(await roles()).toEqual({ [owner.userId]: 'owner' });
    expect(await acts('member.removed')).toMatchObject([
      { target: { type: 'user', id: member.userId }, before: { role: 'member' }, after: null },
    ]);
    expect(outcome(await remove(owner, member.userId))).toBe('404 NOT_FOUND');
  });

  test('lets everybody leave, whatever their role, but the last owner', async () => {
    const [second, admin, member] = [await join('owner'), await join('admin'), await join('member')];
    for (const user of [member, admin, second]) expect((await remove(user, user.userId)).status).toBe(204);
    expect(outcome(await remove(owner, owner.userId))).toBe('409 LAST_OWNER');
    expect(await roles()).toEqual({ [owner.userId]: 'owner' });
    expect(await acts('member.left')).toHaveLength(3);
  });

  test('is not for members to do to others, nor for admins to do to owners', async () => {
    const [admin, member] = [await join('admin'), await join('member')];
    await join('owner');
    expect(outcome(await remove(member, admin.userId))).toBe('403 PERMISSION_DENIED');
    expect(outcome(await remove(admin, owner.userId))).toBe('403 OWNER_REQUIRED');
    expect((await remove(admin, member.userId)).status).toBe(204);
    expect(outcome(await member.send('DELETE', `${members}/x`))).toBe('404 NOT_FOUND');
  });
});

describe('two owners', () => {
  test('who demote, remove and leave eighty times at once leave one owner', async () => {
    const second = await join('owner');
    const pairs = [
      [owner, second],
      [second, owner],
    ] as const;
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_one, place) => {
        const [one, other] = pairs[place % 2]!;
        const acting = [
          () => change(one, other.userId, 'member'),
          () => remove(one, one.userId),
          () => change(one, one.userId, 'admin'),
          () => remove(one, other.userId),
        ];
        return acting[Math.floor(place / 2) % acting.length]!();
      }),
    );
    const left = Object.values(await roles()).filter((role) => role === 'owner');
    expect(left).toHaveLength(1);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    expect(answers.map(outcome)).toContain('409 LAST_OWNER');
  });

  test('who demote one another eighty times at once leave one owner', async () => {
    const second = await join('owner');
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_one, place) =>
        place % 2 ? change(owner, second.userId, 'admin') : change(second, owner.userId, 'admin'),
      ),
    );
    expect(Object.values(await roles()).sort()).toEqual(['admin', 'owner']);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    expect(await acts('member.updated')).toHaveLength(1);
  });
});
