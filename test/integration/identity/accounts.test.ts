import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import type { SessionDocument } from '../../../models/identity/session.ts';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { until } from '../../support/until.ts';
import { newUserClient, sessionClientOf, testPassword, type User } from '../../support/user-client.ts';
import { actsOf, inDatabase, storedUser } from './me-stored.ts';

type Person = Client & User;
let user: Person;
let other: Person;
beforeAll(async () => {
  [user, other] = await Promise.all([newUserClient(), newUserClient()]);
});

const newPassword = 'a quite different one, also long';

const change = (client: Client, body: object, headers?: Record<string, string | null>) =>
  client.attempt('identity.accounts.change-password', { body }, headers);

/** Logs a user in once more, from another browser. */
async function logInAgain({ url, userId }: Person): Promise<Client> {
  const token = newId('ses');
  await inDatabase(async (database) => {
    const sessions = database.collection<SessionDocument>('identity_sessions');
    const [own] = await sessions.find({ userId }).toArray();
    await sessions.insertOne({ ...own!, _id: newId('ses'), tokenHash: hashToken(token) });
  });
  return sessionClientOf(url, token);
}

describe('PUT /identity/me/password', () => {
  test('sets the password, keeps this session and ends the others', async () => {
    const someone = await newUserClient();
    const elsewhere = await logInAgain(someone);
    expect(await elsewhere.send('GET', '/identity/me')).toMatchObject({ status: 200 });
    const before = await storedUser(someone.userId);
    const { status, text } = await change(someone, { currentPassword: testPassword, newPassword });
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(await someone.send('GET', '/identity/me')).toMatchObject({ status: 200 });
    await until(() => elsewhere.send('GET', '/identity/me').then((answer) => answer.status === 401));
    expect((await storedUser(someone.userId))!.passwordHash).not.toBe(before!.passwordHash);
    expect(await change(someone, { currentPassword: testPassword, newPassword: 'one more password' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'body.currentPassword' }] },
    });
    const acts = await actsOf(someone.userId, 'platform');
    expect(acts.map(({ action }) => action)).toContain('password.changed');
    expect(JSON.stringify(acts)).not.toMatch(/scrypt|quite different/);
  });

  test.each([
    ['a wrong current password', { currentPassword: 'wrong' }, 'body.currentPassword'],
    ['no current password', { currentPassword: undefined }, 'body.currentPassword'],
    ['a number', { newPassword: 12345678 }, 'body.newPassword'],
    ['one of 7 characters', { newPassword: '1234567' }, 'body.newPassword'],
    ['one of 257 characters', { newPassword: 'x'.repeat(257) }, 'body.newPassword'],
    ['a common one', { newPassword: 'Password1' }, 'body.newPassword'],
    ['the present one', { newPassword: testPassword }, 'body.newPassword'],
    ['an unknown field', { password: newPassword }, 'body.password'],
  ])('refuses %s, and nothing changes', async (_name, wrong, path) => {
    const someone = await newUserClient();
    const before = await storedUser(someone.userId);
    const answer = await change(someone, { currentPassword: testPassword, newPassword, ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID', details: [{ path }] } });
    expect(await storedUser(someone.userId)).toEqual(before);
  });

  test('refuses the own email address as a password', async () => {
    for (const chosen of [user.email, user.email.split('@')[0]!.toUpperCase()]) {
      const body = { currentPassword: testPassword, newPassword: chosen };
      expect(await change(user, body)).toMatchObject({
        status: 400,
        body: { details: [{ path: 'body.newPassword' }] },
      });
    }
  });

  test('refuses to go on after ten wrong ones, with 429 and when to try again', async () => {
    const someone = await newUserClient();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => change(someone, { currentPassword: `guess ${index}`, newPassword })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    const right = await change(someone, { currentPassword: testPassword, newPassword });
    expect(right).toMatchObject({ status: 429, body: { error: 'RATE_LIMITED' } });
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
    expect((await actsOf(someone.userId, 'platform')).map(({ action }) => action)).toContain('login.locked');
  });

  test('is for the session of a user alone', async () => {
    const body = { currentPassword: testPassword, newPassword };
    const tenant = await newTenantClient();
    expect(await change(tenant, body)).toMatchObject({ status: 403, body: { error: 'USER_REQUIRED' } });
    expect(await change(user, body, { cookie: null })).toMatchObject({ status: 401 });
    expect(await change(user, body, { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: { error: 'ORIGIN_REFUSED' },
    });
    expect(await change(user, body, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await change(user, { ...body, newPassword: 'x'.repeat(200_000) })).toMatchObject({ status: 413 });
  });
});

describe('POST /identity/me/contacts/:contactId/verification', () => {
  const ask = (client: Client, contactId: string, headers?: Record<string, string | null>) =>
    client.attempt('identity.accounts.send-verification', { path: { contactId } }, headers);
  const add = (person: Person, body: { type: 'email' | 'phone'; value: string }) =>
    person.call('identity.contacts.create', { body });

  test('answers 202, and once for an Idempotency-Key', async () => {
    const { contactId } = await add(user, { type: 'email', value: 'ada.second@example.com' });
    const { status, body } = await ask(user, contactId);
    expect({ status, body }).toEqual({ status: 202, body: { contactId, status: 'mailed' } });
    const headers = { 'idempotency-key': newId('req') };
    await ask(user, contactId, headers);
    expect((await ask(user, contactId, headers)).headers).toMatchObject({ 'idempotency-replayed': 'true' });
  });

  test('refuses a contact of another type, another user’s and one that is not there', async () => {
    const phone = await add(user, { type: 'phone', value: '+49301234567' });
    expect(await ask(user, phone.contactId)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'path.contactId' }] },
    });
    const foreign = await add(other, { type: 'email', value: 'foreign@example.com' });
    expect(await ask(user, foreign.contactId)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await ask(user, newId('con'))).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await ask(await newTenantClient(), phone.contactId)).toMatchObject({ status: 403 });
    expect(await ask(user, phone.contactId, { cookie: null })).toMatchObject({ status: 401 });
  });
});

describe('PUT /identity/me/login-email', () => {
  const choose = (client: Client, body: object, headers?: Record<string, string | null>) => {
    const whole = { currentPassword: testPassword, ...body };
    return client.attempt('identity.accounts.change-login-email', { body: whole }, headers);
  };

  test('refuses to go without the password, as a change of the password does', async () => {
    const someone = await newUserClient();
    const { contactId } = (await storedUser(someone.userId))!.contacts[0]!;
    for (const currentPassword of ['wrong', undefined, '']) {
      const answer = await choose(someone, { contactId, currentPassword });
      const details = [{ path: 'body.currentPassword' }];
      expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID', details } });
    }
    expect((await actsOf(someone.userId, 'platform')).map(({ action }) => action)).toContain('login.failed');
  });

  test('answers 204 for the address that it is, and refuses others that may not be it', async () => {
    const { contacts, email } = (await storedUser(user.userId))!;
    const own = contacts.find(({ value }) => value === email)!;
    expect(await choose(user, { contactId: own.contactId })).toMatchObject({ status: 204, text: '' });
    const fresh = await user.call('identity.contacts.create', {
      body: { type: 'email', value: 'unproved@example.com' },
    });
    expect(await choose(user, { contactId: fresh.contactId })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'body.contactId' }] },
    });
    const foreign = (await storedUser(other.userId))!.contacts[0]!;
    expect(await choose(user, { contactId: foreign.contactId })).toMatchObject({ status: 404 });
    expect(await choose(user, {})).toMatchObject({ status: 400, body: { details: [{ path: 'body.contactId' }] } });
    expect(await choose(await newTenantClient(), { contactId: own.contactId })).toMatchObject({ status: 403 });
    expect(await choose(user, { contactId: own.contactId }, { cookie: null })).toMatchObject({ status: 401 });
    expect(await storedUser(user.userId)).toMatchObject({ email });
  });
});

describe('what only pages may do', () => {
  test.each([
    'login',
    'register',
    'recover',
    'begin-recovery',
    'preview-contact-confirmation',
    'confirm-contact',
    'check-return-to',
  ])('has no path: %s', async (name) => {
    await expect(user.attempt(`identity.accounts.${name}` as never, {})).rejects.toThrow('offers no');
  });
});
