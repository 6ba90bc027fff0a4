import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { sweepJoins } from '../../../services/identity/accept-invitation.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eachOf } from '../../support/each-of.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until, untilAnswered } from '../../support/until.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { tokensMailedTo } from './invitation-mail.ts';
import { sweepNow } from './sweep-now.ts';

type Invitation = { id: string; email: string; role: string; status: string; expiresAt: string };
type Membership = { userId: string; role: string; organization: { id: string } };

const day = 86_400_000;

let tenant: Client & Tenant;
let organization: string;
let path: string;
let owner: Client & User;
beforeEach(async () => {
  tenant = await newTenantClient();
  organization = `/organizations/${tenant.orgId.replace('_', '-')}`;
  path = `${organization}/invitations`;
  owner = await newUserClient({ orgId: tenant.orgId });
});

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;
const outcome = ({ status, body }: Answer<ErrorBody>) => `${status} ${body?.error ?? ''}`.trim();

/** Invites once, however busy the platform is with others. */
function invite(email: string, role = 'member', client: Client = owner): Promise<Answer<Invitation & ErrorBody>> {
  const headers = { 'Idempotency-Key': randomUUID() };
  return untilAnswered(() => client.send('POST', path, { email, role }, headers));
}
const accept = (client: Client, token: string): Promise<Answer<Membership & ErrorBody>> =>
  untilAnswered(() => client.send('POST', `/organizations/invitations/${token}/accept`));
const resend = (id: string, client: Client = owner): Promise<Answer<Invitation & ErrorBody>> =>
  client.send('POST', `${path}/${id}/resend`);
const revoke = (id: string, client: Client = owner) => client.send('DELETE', `${path}/${id}`);

async function list(): Promise<Invitation[]> {
  const { body } = await tenant.send<{ data: Invitation[] }>('GET', `${path}?limit=100`);
  return body.data;
}

async function members(): Promise<Record<string, string>> {
  const { body } = await tenant.send<{ data: Membership[] }>('GET', `${organization}/members?limit=100`);
  return Object.fromEntries(body.data.map(({ userId, role }) => [userId, role]));
}

async function acts(action: string): Promise<Record<string, unknown>[]> {
  const { body } = await tenant.send<{ data: Record<string, unknown>[] }>(
    'GET',
    `${organization}/audit-log?action=${action}`,
  );
  return body.data;
}

async function change(id: string, set: object): Promise<void> {
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<{ _id: string }>('identity_invitations').updateOne({ _id: id }, { $set: set }),
  );
}

/** Lets an invitation be as old as one that has expired. */
const expire = (id: string): Promise<void> => change(id, { expiresAt: new Date(Date.now() - 1) });

/** A user who is invited, and the token they were mailed. */
async function invited(role = 'member'): Promise<{ user: Client & User; token: string; id: string }> {
  const user = await newUserClient();
  const { body } = await invite(user.email, role);
  const [token] = await tokensMailedTo(user.email);
  return { user, token: token!, id: body.id };
}

describe('POST /organizations/:slug/invitations', () => {
  test('mails a link to the address, whose token is shown and stored nowhere else', async () => {
    const email = newEmail();
    const { status, body, text } = await invite(email.toUpperCase(), 'admin');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(idPattern('inv')),
      email,
      role: 'admin',
      status: 'pending',
      invitedBy: { type: 'user', id: owner.userId },
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(Math.abs(Date.parse(body.expiresAt) - Date.now() - 7 * day)).toBeLessThan(60_000);
    expect(await list()).toEqual([body]);
    const [token] = await tokensMailedTo(email);
    expect(token).toMatch(/^[\w-]{22,}$/);
    expect(text).not.toContain(token);
    const stored = await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection<{ _id: string }>('identity_invitations').findOne({ _id: body.id }),
    );
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(stored).toMatchObject({ tokenHash: hashToken(token!) });
    const [act] = await acts('invitation.created');
    expect(act).toMatchObject({ target: { type: 'invitation', id: body.id }, after: { email, role: 'admin' } });
  });

  test('is one mail for repetitions with the same Idempotency-Key', async () => {
    const [email, key] = [newEmail(), { 'idempotency-key': newId('req') }];
    const ask = () => owner.send<Invitation>('POST', path, { email, role: 'member' }, key);
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
    expect(await tokensMailedTo(email)).toHaveLength(1);
  });

  test('refuses a member, oneself, and an address that is invited already, however it is typed', async () => {
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    expect(outcome(await invite(member.email))).toBe('409 ALREADY_MEMBER');
    expect(outcome(await invite(` ${owner.email.toUpperCase()} `))).toBe('409 ALREADY_MEMBER');
    const email = newEmail();
    expect((await invite(email)).status).toBe(201);
    expect(outcome(await invite(email.toUpperCase(), 'admin'))).toBe('409 INVITATION_PENDING');
    for (let round = 0; round < 5; round += 1) expect(outcome(await invite(email))).toBe('409 INVITATION_PENDING');
    expect(await list()).toMatchObject([{ email, role: 'member' }]);
    expect(await tokensMailedTo(email)).toHaveLength(1);
  });

  test('makes one invitation of forty at once', async () => {
    const email = newEmail();
    const outcomes = (await Promise.all(Array.from({ length: 40 }, () => invite(email)))).map(outcome);
    expect(outcomes.filter((one) => one === '201')).toHaveLength(1);
    expect(outcomes.filter((one) => !['201', '409 INVITATION_PENDING', '429 RATE_LIMITED'].includes(one))).toEqual([]);
    expect(await list()).toHaveLength(1);
  });

  test.each([
    ['admin', 'member', '201'],
    ['admin', 'admin', '201'],
    ['admin', 'owner', '403 OWNER_REQUIRED'],
    ['member', 'member', '403 PERMISSION_DENIED'],
    ['owner', 'owner', '201'],
  ] as const)('by an %s as an %s is %s', async (by, role, expected) => {
    const inviter = await newUserClient({ orgId: tenant.orgId, role: by });
    const email = newEmail();
    expect(outcome(await invite(email, role, inviter))).toBe(expected);
    expect(await list()).toHaveLength(expected === '201' ? 1 : 0);
  });

  test('by a key grants no more than the key holds', async () => {
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const key = await tenant.send<{ token: string }>('POST', keys, { name: 'k', scopes: ['console.orgs.write'] });
    const weak = clientOf({ ...tenant, apiKey: key.body.token });
    expect(outcome(await invite(newEmail(), 'member', weak))).toBe('403 SCOPE_NOT_HELD');
    expect((await invite(newEmail(), 'owner', tenant)).status).toBe(201);
  });

  test.each([
    ['what is no address', { email: 'nobody', role: 'member' }, 'body.email'],
    ['two addresses', { email: 'a@example.com, b@example.com', role: 'member' }, 'body.email'],
    ['a header in the address', { email: 'a@example.com\r\nBcc: b@example.com', role: 'member' }, 'body.email'],
    ['an address of 10,000 characters', { email: `${'a'.repeat(10_000)}@example.com`, role: 'member' }, 'body.email'],
    ['letters of two alphabets', { email: '\u0430da@example.com', role: 'member' }, 'body.email'],
    ['a list of addresses', { email: ['a@example.com'], role: 'member' }, 'body.email'],
    ['an unknown role', { email: 'a@example.com', role: 'god' }, 'body.role'],
    ['no role', { email: 'a@example.com' }, 'body.role'],
    ['an organization of its choice', { email: 'a@example.com', role: 'member', orgId: 'org_1' }, 'body.orgId'],
  ])('refuses %s', async (_case, given, field) => {
    const { status, body } = await owner.send('POST', path, given);
    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path: field });
    expect(await list()).toEqual([]);
  });

  test('mails no more than five in an hour to one address', async () => {
    const email = newEmail();
    for (let round = 0; round < 5; round += 1) {
      const { body } = await invite(email);
      expect((await revoke(body.id)).status).toBe(204);
    }
    expect(outcome(await invite(email))).toBe('429 RATE_LIMITED');
    expect(await tokensMailedTo(email, 5)).toHaveLength(5);
  });

  test('mails no more than ten in an hour to one address, of all organizations together', async () => {
    const email = newEmail();
    const outcomes: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { orgId } = await newTenantClient();
      const other = await newUserClient({ orgId });
      outcomes.push(
        outcome(
          await other.send('POST', `/organizations/${orgId.replace('_', '-')}/invitations`, { email, role: 'member' }),
        ),
      );
    }
    expect(outcomes.filter((one) => one === '201')).toHaveLength(10);
    expect(outcomes.slice(10)).toEqual(['429 RATE_LIMITED', '429 RATE_LIMITED']);
  });
});

describe('POST /organizations/invitations/:token/accept', () => {
  test('makes the invited user a member with the next request', async () => {
    const { user, token, id } = await invited('admin');
    expect((await user.send('GET', organization)).status).toBe(404);
    const { status, body } = await accept(user, token);
    expect(status).toBe(200);
    expect(body).toEqual({
      userId: user.userId,
      role: 'admin',
      email: user.email,
      displayName: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      organization: { id: tenant.orgId, slug: tenant.orgId.replace('_', '-'), name: expect.any(String) },
    });
    expect(await user.send('GET', organization)).toMatchObject({ status: 200, body: { role: 'admin' } });
    expect(await list()).toMatchObject([{ id, status: 'accepted' }]);
    expect(await acts('invitation.accepted')).toMatchObject([{ actor: { id: user.userId }, target: { id } }]);
    expect(await acts('member.added')).toMatchObject([{ target: { id: user.userId }, after: { role: 'admin' } }]);
  });

  test('is for the invited address alone', async () => {
    const { user, token } = await invited();
    const other = await newUserClient();
    const refused = await accept(other, token);
    expect(outcome(refused)).toBe('403 PERMISSION_DENIED');
    expect(refused.text).not.toContain(user.email);
    expect(refused.text).not.toContain(tenant.orgId);
    expect(Object.keys(await members())).toEqual([owner.userId]);
    expect(outcome(await accept(tenant, token))).toBe('403 USER_REQUIRED');
    expect(
      outcome(await other.send('POST', `/organizations/invitations/${token}/accept`, undefined, { cookie: null })),
    ).toBe('401 CREDENTIAL_REQUIRED');
    expect((await accept(user, token)).status).toBe(200);
  });

  test('takes an address that the user has verified besides the one they log in with, and no other', async () => {
    const user = await newUserClient();
    const email = newEmail();
    await invite(email);
    const [token] = await tokensMailedTo(email);
    const contact = await user.send<{ contactId: string }>('POST', '/identity/me/contacts', {
      type: 'email',
      value: email,
    });
    expect(contact.status).toBe(201);
    expect(outcome(await accept(user, token!))).toBe('403 PERMISSION_DENIED');
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: user.userId, 'contacts.value': email }, { $set: { 'contacts.$.verifiedAt': new Date() } }),
    );
    expect((await accept(user, token!)).status).toBe(200);
  });

  test('gives whoever accepted the same membership again, and does not bring back who was removed', async () => {
    const { user, token } = await invited();
    const first = await accept(user, token);
    expect((await accept(user, token)).body).toEqual(first.body);
    expect((await owner.send('DELETE', `${organization}/members/${user.userId}`)).status).toBe(204);
    expect(outcome(await accept(user, token))).toBe('409 INVITATION_NOT_OPEN');
    expect(Object.keys(await members())).toEqual([owner.userId]);
    expect((await invite(user.email)).status).toBe(201);
  });

  test('makes one membership of sixty at once', async () => {
    const { user, token } = await invited();
    const answers = await Promise.all(Array.from({ length: 60 }, () => accept(user, token)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await members()).toEqual({ [owner.userId]: 'owner', [user.userId]: 'member' });
    expect(await acts('member.added')).toHaveLength(1);
    expect(await acts('invitation.accepted')).toHaveLength(1);
  });

  test('is for one of two users who share the address', async () => {
    const { user, token } = await invited();
    const other = await newUserClient();
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: other.userId }, { $set: { 'contacts.0.value': user.email } }),
    );
    const answers = await Promise.all(Array.from({ length: 40 }, (_one, n) => accept(n % 2 ? user : other, token)));
    const winners = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.userId));
    expect(winners.size).toBe(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(outcome))).toEqual(
      new Set(['409 INVITATION_NOT_OPEN']),
    );
    expect(Object.keys(await members())).toHaveLength(2);
  });

  test('leaves a member what they are', async () => {
    const { user, token } = await invited('member');
    const second = newEmail();
    await invite(second, 'admin');
    const [other] = await tokensMailedTo(second);
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection<{ _id: string }>('identity_users')
        .updateOne({ _id: user.userId }, { $push: { contacts: verified(second) } } as never),
    );
    expect((await accept(user, token)).body.role).toBe('member');
    expect((await accept(user, other!)).body.role).toBe('member');
    expect((await members())[user.userId]).toBe('member');
  });

  test('refuses what is unknown, revoked, expired or replaced', async () => {
    const { user, token, id } = await invited();
    for (const unknown of ['x', randomBytes(24).toString('base64url'), `${token}x`, '%00', 'x'.repeat(150)]) {
      expect(outcome(await accept(user, unknown))).toMatch(/^40[04] /);
    }
    await expire(id);
    expect(outcome(await accept(user, token))).toBe('409 INVITATION_NOT_OPEN');
    expect(await list()).toMatchObject([{ id, status: 'expired' }]);
    expect((await resend(id)).status).toBe(200);
    const [former, newer] = await tokensMailedTo(user.email, 2);
    const [old, fresh] = former === token ? [former, newer] : [newer, former];
    expect(outcome(await accept(user, old!))).toBe('404 NOT_FOUND');
    expect((await revoke(id)).status).toBe(204);
    expect(outcome(await accept(user, fresh!))).toBe('409 INVITATION_NOT_OPEN');
    expect(Object.keys(await members())).toEqual([owner.userId]);
  });

  test('that died before the membership was made is completed by the sweep', async () => {
    const { user, id } = await invited();
    const joinBy = new Date(Date.now() - 1000);
    await change(id, { status: 'accepted', acceptedBy: user.userId, joinBy, openKey: id });
    const gone = await invited();
    await change(gone.id, { status: 'accepted', acceptedBy: newId('usr'), joinBy, openKey: gone.id });
    await sweepNow(sweepJoins);
    await until(async () => (await members())[user.userId] === 'member');
    // Whoever was to have an account has none: the invitation is open again.
    await until(async () => (await list()).some(({ id: each, status }) => each === gone.id && status === 'pending'));
    expect((await accept(gone.user, gone.token)).status).toBe(200);
  });
});

const verified = (value: string): object => ({
  contactId: newId('con'),
  type: 'email',
  value,
  isPrimary: false,
  verifiedAt: new Date(),
  createdAt: new Date(),
  updatedAt: new Date(),
});

describe('the invitations of an organization', () => {
  test('are listed the newest first, page by page, for who holds console.orgs.read', async () => {
    const made = [(await invite(newEmail())).body, (await invite(newEmail())).body, (await invite(newEmail())).body];
    type Page = { data: Invitation[]; nextCursor: string };
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const first = await member.send<Page>('GET', `${path}?limit=2`);
    const second = await member.send<Page>('GET', `${path}?limit=2&cursor=${first.body.nextCursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual([...made].reverse());
    expect(first.text).not.toMatch(/token|openKey/i);
  });

  test('are resent with a new link for seven days, not to be used up', async () => {
    const email = newEmail();
    const { id } = (await invite(email)).body;
    await change(id, { expiresAt: new Date(Date.now() + day) });
    const { status, body } = await resend(id);
    expect({ status, id: body.id, state: body.status }).toEqual({ status: 200, id, state: 'pending' });
    expect(Math.abs(Date.parse(body.expiresAt) - Date.now() - 7 * day)).toBeLessThan(60_000);
    const tokens = await tokensMailedTo(email, 2);
    expect(new Set(tokens).size).toBe(2);
    expect(await acts('invitation.resent')).toHaveLength(1);
    for (let count = 3; count <= 5; count += 1) expect((await resend(id)).status).toBe(200);
    expect(outcome(await resend(id))).toBe('429 RATE_LIMITED');
  });

  test('that have expired give their place to a new one, and are not reopened beside it', async () => {
    const email = newEmail();
    const old = (await invite(email)).body;
    await expire(old.id);
    const fresh = await invite(email, 'admin');
    expect(fresh.status).toBe(201);
    expect(outcome(await resend(old.id))).toBe('409 INVITATION_PENDING');
    expect((await list()).map(({ id, status }) => [id, status])).toEqual([
      [fresh.body.id, 'pending'],
      [old.id, 'expired'],
    ]);
  });

  test('are revoked once, and the address can be invited anew', async () => {
    const email = newEmail();
    const { id } = (await invite(email)).body;
    expect((await revoke(id)).status).toBe(204);
    expect(outcome(await revoke(id))).toBe('409 INVITATION_NOT_OPEN');
    expect(outcome(await resend(id))).toBe('409 INVITATION_NOT_OPEN');
    expect(await acts('invitation.revoked')).toMatchObject([{ target: { id }, before: { email, role: 'member' } }]);
    expect((await invite(email)).status).toBe(201);
  });

  test('that were accepted cannot be revoked', async () => {
    const { user, token, id } = await invited();
    await accept(user, token);
    expect(outcome(await revoke(id))).toBe('409 INVITATION_NOT_OPEN');
    expect((await members())[user.userId]).toBe('member');
  });

  test('are nothing to strangers, and no admin resends one for an owner', async () => {
    const { id } = (await invite(newEmail(), 'owner')).body;
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const stranger = await newTenantClient();
    expect(outcome(await resend(id, admin))).toBe('403 OWNER_REQUIRED');
    for (const act of [resend, revoke]) {
      expect(outcome(await act(id, member))).toBe('403 PERMISSION_DENIED');
      expect(outcome(await act(id, stranger))).toBe('404 NOT_FOUND');
      expect(outcome(await act(newId('inv')))).toBe('404 NOT_FOUND');
    }
    const elsewhere = `/organizations/${stranger.orgId.replace('_', '-')}/invitations/${id}`;
    expect((await stranger.send('DELETE', elsewhere)).status).toBe(404);
    expect((await stranger.send('GET', path)).status).toBe(404);
    expect(outcome(await invite(newEmail(), 'member', stranger))).toBe('404 NOT_FOUND');
    expect(await list()).toMatchObject([{ id, status: 'pending' }]);
  });
});

describe('an organization', () => {
  test('mails no more than a hundred in an hour, whoever asks', async () => {
    const inviters = [owner, tenant];
    const inviteMany = (count: number) =>
      eachOf(count, (place) => invite(newEmail(), 'member', inviters[place % 2]!), 10);
    const first = await inviteMany(60);
    // As many may be open, too: the later ones would be refused for that.
    const revoked = await eachOf(60, (place) => revoke(first[place]!.body.id));
    expect(new Set(revoked.map(({ status }) => status))).toEqual(new Set([204]));
    const answers = [...first, ...(await inviteMany(70))];
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(100);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(outcome))).toEqual(new Set(['429 RATE_LIMITED']));
    expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
    expect((await list()).filter(({ status }) => status === 'pending')).toHaveLength(40);
  });
});
