import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { mailedLink } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { outcome } from '../access/assigning.ts';

type Person = Client & User;
type Acts = { data: { actor: { id: string }; target: object; before: object }[] };

let tenant: Client & Tenant;
let owner: Person;
let admin: Person;
let member: Person;
beforeEach(async () => {
  tenant = await newTenantClient();
  const { orgId } = tenant;
  owner = await newUserClient({ orgId });
  admin = await newUserClient({ orgId, role: 'admin' });
  member = await newUserClient({ orgId, role: 'member' });
});

const pathOf = (userId: string, rest: string) => `/identity/users/${userId}/${rest}`;
const isOut = (client: Client) => client.send('GET', '/identity/me').then(({ status }) => status === 401);
const acts = async (action: string, { orgId, send }: Client): Promise<Acts['data']> =>
  (await send<Acts>('GET', `/organizations/${orgId.replace('_', '-')}/audit-log?action=${action}`)).body.data;

/** Each act on the account of a user of the organization, as method and path. */
const actsOnAccounts: [string, (person: Person) => string][] = [
  ['GET', ({ userId }) => pathOf(userId, 'sessions')],
  ['GET', ({ userId }) => pathOf(userId, 'contacts')],
  ['DELETE', ({ userId }) => pathOf(userId, 'sessions')],
  ['DELETE', ({ userId, sessionId }) => pathOf(userId, `sessions/${sessionId}`)],
  ['POST', ({ userId }) => pathOf(userId, 'recovery')],
];

describe.each(actsOnAccounts)('%s of the account of a user', (method, path) => {
  test('is not for members, for keys without the permission, and for another organization', async () => {
    const stranger = await newUserClient({ orgId: (await newTenantClient()).orgId });
    const weak = await newTenantClient({ scopes: ['svc:write', 'console.orgs.write', 'console.access.write'] });
    const [inOwn, nobody] = [path(member), path({ ...member, userId: newId('usr') })];
    expect(outcome(await member.send(method, path(admin)))).toBe('403 PERMISSION_DENIED');
    expect(outcome(await weak.send(method, inOwn))).toBe('403 PERMISSION_DENIED');
    expect(outcome(await stranger.send(method, inOwn))).toBe('404 NOT_FOUND');
    expect(outcome(await stranger.send(method, `${inOwn}?orgId=${tenant.orgId}`))).toBe('404 NOT_FOUND');
    for (const target of [path(stranger), nobody, path({ ...member, userId: 'x' })]) {
      expect(outcome(await tenant.send(method, target))).toBe('404 NOT_FOUND');
    }
    expect([await isOut(member), await isOut(stranger)]).toEqual([false, false]);
  });
});

describe('the sessions of a user', () => {
  test('are shown as to themselves, and none is current', async () => {
    const { status, body } = await admin.send<{ data: object[] }>('GET', pathOf(member.userId, 'sessions'));
    expect(status).toBe(200);
    const [own] = (await member.call('identity.sessions.list', { query: {} })).data;
    expect(body).toEqual({ data: [{ ...own, current: false }], nextCursor: null });
  });

  test('end one by one, and all, which the log of this organization tells', async () => {
    const other = await newTenantClient();
    await joinAs(member, { orgId: other.orgId, role: 'owner' });
    const path = pathOf(member.userId, 'sessions');
    expect(outcome(await admin.send('DELETE', `${path}/${admin.sessionId}`))).toBe('404 NOT_FOUND');
    expect(outcome(await admin.send('DELETE', `${path}/${member.sessionId}`))).toBe('204');
    await until(() => isOut(member));
    expect(outcome(await admin.send('DELETE', `${path}/${member.sessionId}`))).toBe('404 NOT_FOUND');
    expect(outcome(await admin.send('DELETE', path))).toBe('204');
    expect(await isOut(admin)).toBe(false);
    expect(await acts('session.revoked', tenant)).toMatchObject([
      {
        actor: { id: admin.userId },
        target: { type: 'user', id: member.userId },
        before: { sessionId: member.sessionId },
      },
    ]);
    expect(await acts('session.revoked', other)).toEqual([]);
  });

  test('are ended only by who may do all that the user may', async () => {
    const path = pathOf(owner.userId, 'sessions');
    expect(outcome(await admin.send('DELETE', path))).toBe('403 OWNER_REQUIRED');
    expect(outcome(await admin.send('DELETE', `${path}/${owner.sessionId}`))).toBe('403 OWNER_REQUIRED');
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const key = await tenant.send<{ token: string }>('POST', keys, { name: 'k', scopes: ['console.users.write'] });
    const weak = clientOf({ ...tenant, apiKey: key.body.token });
    expect(outcome(await weak.send('DELETE', pathOf(member.userId, 'sessions')))).toBe('403 SCOPE_NOT_HELD');
    expect([await isOut(owner), await isOut(member)]).toEqual([false, false]);
  });
});

test('the contacts of a user are shortened, but for the login email', async () => {
  await member.call('identity.contacts.create', { body: { type: 'phone', value: '+49 431 5550142' } });
  const { text, body } = await admin.send<{ data: object[] }>('GET', pathOf(member.userId, 'contacts'));
  expect(body.data).toMatchObject([
    { type: 'email', value: member.email, isShortened: false, verified: true, isPrimary: true },
    { type: 'phone', value: '+49…42', isShortened: true, verified: false, isPrimary: true },
  ]);
  expect(text).not.toContain('5550142');
});

describe('POST /identity/users/:userId/recovery', () => {
  test('mails the user a link that sets a password, and changes nothing', async () => {
    const answer = await admin.send('POST', pathOf(member.userId, 'recovery'));
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 202,
      body: { userId: member.userId, status: 'mailed' },
    });
    expect(await mailedLink(member.email, '/self-service/recovery/reset')).toContain('token=');
    expect(await isOut(member)).toBe(false);
    expect(await acts('recovery.requested', tenant)).toMatchObject([{ target: { id: member.userId } }]);
  });

  test('says that an address got its five mails of the hour', async () => {
    for (let count = 0; count < 5; count += 1) {
      expect((await admin.send('POST', pathOf(member.userId, 'recovery'))).status).toBe(202);
    }
    expect(outcome(await admin.send('POST', pathOf(member.userId, 'recovery')))).toBe('429 RATE_LIMITED');
  });
});
