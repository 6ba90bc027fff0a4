import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventOf } from '../support/events.ts';
import { eventually } from '../support/until.ts';
import { newUserAgent } from '../support/user-agent.ts';
import { covers } from './covers.ts';
import { logIn, type Person, type Platform } from './platform.ts';

// All that is done by one member of `own`, or to them, in this order: after the last test they are gone.

const idOf = async (person: Person) => (await person.call('identity.me.read', {})).id;

let known: Person | undefined;

/** The member in one session, once the tests that end sessions are over. */
async function memberOf({ member }: Platform): Promise<Person> {
  known ??= await member();
  return known;
}

async function slugOfOwn({ own }: Pick<Platform, 'own'>): Promise<string> {
  return (await own.call('identity.organizations.list', { query: {} })).data[0]!.slug;
}

/** Waits until a session is refused; a second is what the platform allows itself. */
async function expectEnded(person: Person): Promise<void> {
  await eventually(async () => expect((await person.attempt('identity.me.read', {})).status).toBe(401));
}

covers('sessions.list', async ({ member }) => {
  const [here, there] = [await member(), await member()];
  const { status, body, text } = await here.attempt('identity.sessions.list', { query: { limit: '100' } });
  expect(status).toBe(200);
  expect(body.data.filter(({ current }) => current)).toHaveLength(1);
  expect(body.data[0]).toEqual({
    id: expect.stringMatching(/^ses_/),
    device: expect.any(String),
    userAgent: expect.any(String),
    address: expect.any(String),
    createdAt: expect.any(String),
    lastUsedAt: expect.any(String),
    expiresAt: expect.any(String),
    current: false,
  });
  const days = (Date.parse(body.data[0]!.expiresAt) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThanOrEqual(30);
  const newest = await there.call('identity.sessions.list', { query: { limit: '1' } });
  expect(newest.data[0]).toEqual({ ...body.data[0], current: true });
  expect(text).not.toMatch(/token|hash/i);
});

covers('sessions.revoke', async ({ member, owner }) => {
  const [here, there] = [await member(), await member()];
  const id = (await there.call('identity.sessions.list', { query: {} })).data.find(({ current }) => current)!.id;
  expect((await owner.attempt('identity.sessions.revoke', { path: { id } })).status).toBe(404);
  expect(await here.attempt('identity.sessions.revoke', { path: { id } })).toMatchObject({ status: 204, text: '' });
  await expectEnded(there);
  expect((await here.attempt('identity.sessions.revoke', { path: { id } })).status).toBe(404);
  expect((await here.attempt('identity.me.read', {})).status).toBe(200);
});

covers('sessions.revoke-others', async ({ member }) => {
  const [here, there, elsewhere] = [await member(), await member(), await member()];
  expect(await here.attempt('identity.sessions.revoke-others', {})).toMatchObject({ status: 204, text: '' });
  await expectEnded(there);
  await expectEnded(elsewhere);
  const { data } = await here.call('identity.sessions.list', { query: {} });
  expect(data.map(({ current }) => current)).toEqual([true]);
});

covers('password.rules', async ({ member }) => {
  const here = await member();
  const { password: currentPassword, email } = here;
  for (const newPassword of ['', 'seven77', 'x'.repeat(257), 'password1', 'Iloveyou', '1234567890', email, 12345678]) {
    const body = { currentPassword, newPassword };
    const answer = await here.attempt('identity.accounts.change-password', { body });
    expect({ newPassword, status: answer.status }).toEqual({ newPassword, status: 400 });
    expect(answer.body.details!.map(({ path }) => path)).toEqual(['body.newPassword']);
  }
  expect((await member()).email).toBe(email);
});

covers('password.change', async ({ own, member }) => {
  const [here, there] = [await member(), await member()];
  const { email, password } = here;
  const newPassword = `${randomBytes(120).toString('hex')} pässwörd`;
  const change = (body: object) => here.attempt('identity.accounts.change-password', { body });
  const wrong = await change({ currentPassword: 'not the password', newPassword });
  expect(wrong.body.details!.map(({ path }) => path)).toEqual(['body.currentPassword']);
  expect(await change({ currentPassword: password, newPassword })).toMatchObject({ status: 204, text: '' });
  await expectEnded(there);
  expect((await here.attempt('identity.me.read', {})).status).toBe(200);
  await expect(member()).rejects.toThrow('cannot log in');
  await logIn(own.url, { email, password: newPassword });
  expect((await change({ currentPassword: newPassword, newPassword: password })).status).toBe(204);
});

covers('login.logout', async ({ own, member }) => {
  const { email, password } = await member();
  const agent = newUserAgent(own.url);
  await agent.submit(await agent.open('/self-service/login/browser'), { email, password });
  const sessionToken = agent.cookies.get('platform_session')!;
  const asked = await agent.open('/self-service/logout/browser');
  expect(agent.cookies.get('platform_session')).toBe(sessionToken);
  await agent.submit(asked);
  expect(agent.cookies.has('platform_session')).toBe(false);
  const cookie = { authorization: null, cookie: `platform_session=${sessionToken}` };
  await eventually(async () => {
    expect((await own.attempt('identity.me.read', {}, cookie)).status).toBe(401);
  });
});

covers('users.sessions', async (platform) => {
  const { own, other, member } = platform;
  const userId = await idOf(await member());
  const of = { path: { userId }, query: { limit: '1' } };
  const { status, body, text } = await own.attempt('identity.users.list-sessions', of);
  expect(status).toBe(200);
  expect(body.data).toMatchObject([{ id: expect.stringMatching(/^ses_/), current: false }]);
  expect(text).not.toMatch(/token|hash/i);
  expect((await other.attempt('identity.users.list-sessions', of)).status).toBe(404);
});

covers('users.session-end', async ({ own, member }) => {
  const [kept, ended] = [await member(), await member()];
  const userId = await idOf(ended);
  const { data } = await own.call('identity.users.list-sessions', { path: { userId }, query: { limit: '1' } });
  const path = { userId, sessionId: data[0]!.id };
  expect((await own.attempt('identity.users.revoke-session', { path, query: {} })).status).toBe(204);
  await expectEnded(ended);
  expect((await kept.attempt('identity.me.read', {})).status).toBe(200);
});

covers('users.sessions-end', async ({ own, member }) => {
  const here = await member();
  const path = { userId: await idOf(here) };
  expect((await own.attempt('identity.users.revoke-sessions', { path, query: {} })).status).toBe(204);
  await expectEnded(here);
  known = undefined;
});

covers('members.list', async (platform) => {
  const { owner } = platform;
  const here = await memberOf(platform);
  const slug = await slugOfOwn(platform);
  const { status, body } = await owner.attempt('identity.members.list', { path: { slug }, query: {} });
  expect(status).toBe(200);
  expect(body.data).toContainEqual({
    userId: await idOf(here),
    role: 'member',
    email: here.email,
    displayName: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(body.data).toContainEqual(expect.objectContaining({ userId: await idOf(owner), role: 'owner' }));
  expect(await here.call('identity.members.list', { path: { slug }, query: {} })).toEqual(body);
});

covers('users.list', async (platform) => {
  const { own, owner, other } = platform;
  const ids = [await idOf(await memberOf(platform)), await idOf(owner)];
  const query = { orgId: own.orgId, limit: '100' };
  const { data } = await own.call('identity.users.list', { query });
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  const first = await owner.call('identity.users.list', { query: { ...query, limit: '1' } });
  const rest = await owner.call('identity.users.list', { query: { ...query, cursor: first.nextCursor! } });
  expect([...first.data, ...rest.data]).toEqual(data);
  expect(rest.nextCursor).toBeNull();
  expect((await own.attempt('identity.users.list', { query: { orgId: other.orgId } })).status).toBe(404);
});

covers('users.read', async (platform) => {
  const { own, owner, otherOwner } = platform;
  const here = await memberOf(platform);
  const { status, body } = await own.attempt('identity.users.read', { path: { userId: await idOf(here) } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ email: here.email, emailVerified: true, firstName: null, role: 'member' });
  for (const userId of [await idOf(otherOwner), 'usr_unknown']) {
    expect((await own.attempt('identity.users.read', { path: { userId } })).status).toBe(404);
  }
  const asOwner = await owner.attempt(
    'identity.users.read',
    { path: { userId: body.id } },
    { 'x-tenant-id': own.orgId },
  );
  expect(asOwner.body).toEqual(body);
});

covers('users.contacts', async (platform) => {
  const here = await memberOf(platform);
  const of = { path: { userId: await idOf(here) }, query: {} };
  const { data } = await platform.own.call('identity.users.list-contacts', of);
  expect(data).toMatchObject([{ type: 'email', value: here.email, isShortened: false }]);
  expect((await platform.other.attempt('identity.users.list-contacts', of)).status).toBe(404);
});

covers('users.recovery', async (platform) => {
  const { own, other } = platform;
  const of = { path: { userId: await idOf(await memberOf(platform)) }, query: {} };
  expect((await other.attempt('identity.users.send-recovery', of)).status).toBe(404);
  const { status, body } = await own.attempt('identity.users.send-recovery', of);
  expect({ status, body }).toEqual({ status: 202, body: { userId: of.path.userId, status: 'mailed' } });
});

covers('users.permission', async (platform) => {
  const { own } = platform;
  const here = await memberOf(platform);
  const userId = await idOf(here);
  for (const path of [`/identity/users?orgId=${own.orgId}`, `/identity/users/${userId}`]) {
    const { status, body } = await here.send('GET', path);
    expect({ path, status, error: body.error }).toEqual({ path, status: 403, error: 'PERMISSION_DENIED' });
    expect(body.message).toContain('console.users.read');
  }
});

covers('members.update', async (platform) => {
  const { owner } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform), userId: await idOf(here) };
  const set = (role: 'admin' | 'member') => owner.attempt('identity.members.update', { path, body: { role } });
  const mayWrite = () => here.attempt('identity.organizations.update', { path, body: {} }).then(({ status }) => status);
  expect(await mayWrite()).toBe(403);
  expect(await set('admin')).toMatchObject({ status: 200, body: { userId: path.userId, role: 'admin' } });
  await eventually(async () => expect(await mayWrite()).toBe(200));
  expect((await set('member')).status).toBe(200);
  await eventually(async () => expect(await mayWrite()).toBe(403));
});

covers('roles.member', async (platform) => {
  const { own } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform) };
  const tenant = { 'x-tenant-id': own.orgId };
  const reads = [
    await here.attempt('identity.organizations.read', { path }),
    await here.attempt('identity.invitations.list', { path, query: {} }),
    await here.attempt('identity.applications.list', { query: {} }),
    await here.attempt('context.story.read', { path: { customerId: 'nobody' }, query: {} }, tenant),
  ];
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
  const name = 'Of a member';
  const refused = [
    await here.attempt('identity.organizations.update', { path, body: { name } }),
    await here.attempt('identity.applications.create', { body: { name, slug: 'of-a-member' } }),
    await here.attempt('identity.audit.list', { path, query: {} }),
    await here.attempt('context.events.create', { body: eventOf(own.orgId) }, tenant),
    await here.attempt('identity.organizations.delete', { path, query: { confirm: path.slug } }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});

covers('roles.admin', async (platform) => {
  const { own, owner } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform), userId: await idOf(here) };
  await owner.call('identity.members.update', { path, body: { role: 'admin' } });
  await eventually(async () => {
    expect((await here.attempt('identity.organizations.update', { path, body: {} })).status).toBe(200);
  });
  const allowed = [
    await here.attempt('identity.audit.list', { path, query: {} }),
    await here.attempt('identity.users.list', { query: {} }),
    await here.attempt('identity.applications.update', { path: { slug: 'of-nobody' }, body: {} }),
  ];
  const { id } = await own.call('identity.me.read', {});
  const grant = (scope: string) =>
    here.attempt('identity.api-keys.create', { path: { id }, body: { name: 'A key', scopes: [scope] } });
  const scopes = ['context.events.write', 'svc:read', 'svc:admin', 'svc:write', 'billing.write'];
  const granted = await Promise.all(scopes.map(grant));
  const deleted = await here.attempt('identity.organizations.delete', { path, query: { confirm: path.slug } });
  await owner.call('identity.members.update', { path, body: { role: 'member' } });
  expect(allowed.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(granted.map(({ status }) => status)).toEqual([201, 201, 403, 403, 403]);
  expect(deleted).toMatchObject({ status: 403, body: { error: 'OWNER_REQUIRED' } });
});

covers('members.role', async (platform) => {
  const { owner } = platform;
  const path = { slug: await slugOfOwn(platform), userId: await idOf(await memberOf(platform)) };
  for (const role of ['root', 'Owner', '', null, 1, ['owner']]) {
    const { status, body } = await owner.attempt('identity.members.update', { path, body: { role } });
    expect({ role, status, at: body.details?.[0]?.path }).toEqual({ role, status: 400, at: 'body.role' });
  }
});

covers('members.above', async (platform) => {
  const { owner } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform), userId: await idOf(here) };
  const above = { ...path, userId: await idOf(owner) };
  await owner.call('identity.members.update', { path, body: { role: 'admin' } });
  await eventually(async () => {
    expect((await here.attempt('identity.organizations.update', { path, body: {} })).status).toBe(200);
  });
  const attempts = [
    await here.attempt('identity.members.update', { path, body: { role: 'owner' } }),
    await here.attempt('identity.members.update', { path: above, body: { role: 'member' } }),
    await here.attempt('identity.members.remove', { path: above }),
    await here.attempt('identity.invitations.create', { path, body: { email: 'more@example.com', role: 'owner' } }),
  ];
  await owner.call('identity.members.update', { path, body: { role: 'member' } });
  expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(attempts.map(({ body }) => body.error)).not.toContain('PERMISSION_DENIED');
});

covers('members.suspend', async (platform) => {
  const { owner } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform), userId: await idOf(here) };
  const { status, body } = await owner.attempt('identity.members.suspend', { path });
  expect({ status, body }).toMatchObject({ status: 200, body: { suspendedAt: expect.any(String), role: 'member' } });
  await eventually(async () => {
    expect((await here.attempt('identity.organizations.read', { path })).status).toBe(404);
  });
});

covers('members.restore', async (platform) => {
  const { owner } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform), userId: await idOf(here) };
  const { status, body } = await owner.attempt('identity.members.restore', { path });
  expect({ status, role: body.role }).toEqual({ status: 200, role: 'member' });
  expect(body).not.toHaveProperty('suspendedAt');
  await eventually(async () => {
    expect((await here.attempt('identity.organizations.read', { path })).status).toBe(200);
  });
});

covers('members.remove', async (platform) => {
  const { owner } = platform;
  const here = await memberOf(platform);
  const path = { slug: await slugOfOwn(platform), userId: await idOf(here) };
  expect((await here.attempt('identity.organizations.read', { path })).status).toBe(200);
  expect(await owner.attempt('identity.members.remove', { path })).toMatchObject({ status: 204, text: '' });
  await eventually(async () => {
    expect((await here.attempt('identity.organizations.read', { path })).status).toBe(404);
  });
  expect((await owner.attempt('identity.members.remove', { path })).status).toBe(404);
});

covers('me.delete', async (platform) => {
  const here = await memberOf(platform);
  expect(await here.attempt('identity.me.delete', {})).toMatchObject({ status: 204, text: '' });
  await expectEnded(here);
  await expect(platform.member()).rejects.toThrow('cannot log in');
});
