import { describe, expect, test } from '@jest/globals';
import type { UserCaller } from '../../../lib/contract/context.ts';
import { isError } from '../../../lib/contract/errors.ts';
import { day, hour } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import {
  accountsBroker,
  actsOn,
  ask,
  mailsTo,
  mailTo,
  makeUser,
  newEmail,
  ownAccounts,
  pass,
  tokenIn,
  whoIs,
} from './accounts-setting.ts';

ownAccounts();

type User = Awaited<ReturnType<typeof makeUser>>;

const as = ({ caller }: User) => ({ meta: { caller, client: { address: '192.0.2.1', userAgent: '' } } });

/** A user with one more email contact, which is not confirmed. */
async function withContact(value = newEmail()) {
  const user = await makeUser();
  const body = { type: 'email', value };
  const { contactId } = await accountsBroker().call<{ contactId: string }, object>(
    'identity.contacts.create',
    { body },
    as(user),
  );
  return { user, contactId, value };
}

const askFor = (user: User, contactId: string) =>
  accountsBroker().call('identity.accounts.send-verification', { path: { contactId } }, as(user));
const confirm = (user: User, token: string) =>
  ask('identity.accounts.confirm-contact', { token }, { caller: user.caller });
const preview = (user: User, token: string) =>
  ask('identity.accounts.preview-contact-confirmation', { token }, { caller: user.caller });
const makeLogin = (user: User, contactId: string, currentPassword = user.password): Promise<void> =>
  accountsBroker().call('identity.accounts.change-login-email', { body: { contactId, currentPassword } }, as(user));

const stored = async ({ userId }: User) => {
  const { UserModel } = await import('../../../models/identity/user.ts');
  return (await UserModel.findOne({ _id: userId }).lean())!;
};

/** The same with the contact confirmed. */
async function withConfirmed(value?: string) {
  const given = await withContact(value);
  await askFor(given.user, given.contactId);
  await confirm(given.user, tokenIn(await mailTo(given.value)));
  return given;
}

describe('an email contact', () => {
  test('is confirmed by the link that is mailed there, once, of many at the same time', async () => {
    const { user, contactId, value } = await withContact();
    expect(await askFor(user, contactId)).toEqual({ contactId, status: 'mailed' });
    const token = tokenIn(await mailTo(value));
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(user, token)));
    expect(answers.filter(({ outcome }) => outcome === 'confirmed')).toHaveLength(1);
    expect(await confirm(user, token)).toEqual({ outcome: 'expired' });
    const { contacts } = await stored(user);
    expect(contacts).toMatchObject([{ isPrimary: true }, { contactId, value, verifiedAt: expect.any(Date) }]);
    expect(await actsOn(contactId)).toEqual(['contact.created', 'email.verified']);
  });

  test('is not confirmed by anybody but its user, nor without a session; the link stays good for its user', async () => {
    const { user, contactId, value } = await withContact();
    await askFor(user, contactId);
    const token = tokenIn(await mailTo(value));
    const victim = await makeUser();
    expect(await preview(victim, token)).toEqual({ outcome: 'other-user' });
    expect(await confirm(victim, token)).toEqual({ outcome: 'other-user' });
    const refused = ask('identity.accounts.confirm-contact', { token });
    await expect(refused).rejects.toMatchObject({ type: 'CREDENTIAL_REQUIRED' });
    const { contacts } = await stored(user);
    expect(contacts.find((contact) => contact.contactId === contactId)).toMatchObject({ verifiedAt: null });
    expect(await preview(user, token)).toEqual({ outcome: 'open', email: value });
    expect(await confirm(user, token)).toEqual({ outcome: 'confirmed' });
    expect(await preview(user, token)).toEqual({ outcome: 'expired' });
  });

  test('is not confirmed by a link that went to its former address, or after a day', async () => {
    const { user, contactId, value } = await withContact();
    await askFor(user, contactId);
    const path = { contactId };
    await accountsBroker().call('identity.contacts.update', { path, body: { value: newEmail() } }, as(user));
    expect(await confirm(user, tokenIn(await mailTo(value)))).toEqual({ outcome: 'expired' });
    const second = await withContact();
    await askFor(second.user, second.contactId);
    const token = tokenIn(await mailTo(second.value));
    pass(day);
    expect(await confirm(second.user, token)).toEqual({ outcome: 'expired' });
    const { contacts } = await stored(second.user);
    expect(contacts.find((contact) => contact.contactId === second.contactId)).toMatchObject({ verifiedAt: null });
  });

  test('that is gone, or whose user is, is not confirmed', async () => {
    const { user, contactId, value } = await withContact();
    await askFor(user, contactId);
    await accountsBroker().call('identity.contacts.remove', { path: { contactId } }, as(user));
    expect(await confirm(user, tokenIn(await mailTo(value)))).toEqual({ outcome: 'expired' });
    const second = await withContact();
    await askFor(second.user, second.contactId);
    const { UserModel } = await import('../../../models/identity/user.ts');
    await UserModel.deleteOne({ _id: second.user.userId });
    expect(await confirm(second.user, tokenIn(await mailTo(second.value)))).toEqual({ outcome: 'expired' });
  });

  test('is sent five links an hour, whoever asks', async () => {
    const { user, contactId, value } = await withContact();
    for (let count = 0; count < 7; count += 1) await askFor(user, contactId);
    await mailTo(value, 5);
    pass(hour);
    await askFor(user, contactId);
    await mailTo(value, 6);
  });
});

describe('the login email', () => {
  test('becomes a confirmed contact; the former address is told, and its links for a new password are worthless', async () => {
    const { user, contactId, value } = await withConfirmed();
    await ask('identity.accounts.begin-recovery', { email: user.email, returnTo: null });
    const token = tokenIn(await mailTo(user.email, 2));
    await makeLogin(user, contactId);
    const notice = await mailTo(user.email, 3);
    expect(notice.text).toContain(value);
    const logIn = (email: string) =>
      ask('identity.accounts.login', { email, password: user.password, formerTokenHash: null });
    expect(await logIn(value)).toMatchObject({ outcome: 'loggedIn' });
    expect(await logIn(user.email)).toEqual({ outcome: 'refused' });
    expect(await ask('identity.accounts.recover', { token, password: 'a password of a thief' })).toEqual({
      outcome: 'expired',
    });
    expect(await actsOn(user.userId)).toEqual(['user.created', 'login-email.changed']);
  });

  test('stays without the password; wrong ones are recorded and lock out as failed logins do', async () => {
    const { user, contactId } = await withConfirmed();
    const wrong = { type: 'INPUT_INVALID', data: { details: [{ path: 'body.currentPassword' }] } };
    for (let guess = 0; guess < 10; guess += 1) {
      await expect(makeLogin(user, contactId, `guess ${guess}`)).rejects.toMatchObject(wrong);
    }
    await expect(makeLogin(user, contactId)).rejects.toMatchObject({ type: 'RATE_LIMITED' });
    expect((await stored(user)).email).toBe(user.email);
    const failures = [...Array(10).fill('login.failed'), 'login.locked'];
    expect((await actsOn(user.userId)).slice(1)).toEqual(failures);
  });

  test('stays when the chosen one is it already', async () => {
    const user = await makeUser();
    const before = await stored(user);
    await makeLogin(user, before.contacts[0]!.contactId);
    expect(await stored(user)).toEqual(before);
    expect(await mailsTo(user.email)).toHaveLength(1);
  });

  test('cannot be one that somebody else logs in with', async () => {
    const rival = newEmail();
    const first = await withConfirmed(rival);
    const second = await withConfirmedAgain(rival);
    await makeLogin(first.user, first.contactId);
    await expect(makeLogin(second.user, second.contactId)).rejects.toMatchObject({ type: 'EMAIL_TAKEN' });
    expect(await stored(second.user)).toMatchObject({ email: second.user.email });
  });

  test('cannot be a contact that is not confirmed, no email, or not there', async () => {
    const { user, contactId } = await withContact();
    const wrong = { type: 'INPUT_INVALID', data: { details: [{ path: 'body.contactId' }] } };
    await expect(makeLogin(user, contactId)).rejects.toMatchObject(wrong);
    const body = { type: 'phone', value: '+49301234567' };
    const phone = await accountsBroker().call<{ contactId: string }, object>(
      'identity.contacts.create',
      { body },
      as(user),
    );
    await expect(makeLogin(user, phone.contactId)).rejects.toMatchObject(wrong);
    await expect(makeLogin(user, newId('con'))).rejects.toMatchObject({ type: 'NOT_FOUND' });
    expect((await stored(user)).email).toBe(user.email);
  });
});

/** Another user who has proved that the same address is theirs. */
async function withConfirmedAgain(value: string) {
  const given = await withContact(value);
  await askFor(given.user, given.contactId);
  await confirm(given.user, tokenIn(await mailTo(value, 2)));
  return given;
}

test('a change of the login email ends the other sessions of the user', async () => {
  const { user, contactId } = await withConfirmed();
  const other = await ask('identity.accounts.login', {
    email: user.email,
    password: user.password,
    formerTokenHash: null,
  });
  const otherToken = other.outcome === 'loggedIn' ? other.sessionToken : '';
  expect(await whoIs(otherToken)).toBe(user.userId);
  await expect(makeLogin(user, contactId, 'wrong')).rejects.toThrow();
  expect(await whoIs(otherToken)).toBe(user.userId);
  await makeLogin(user, contactId);
  expect(await whoIs(otherToken)).toBeNull();
  expect(await whoIs(user.sessionToken)).toBe(user.userId);
});

/** A client that holds an access token with these scopes for a user. */
async function clientOf(granted: string[]) {
  const { email, userId } = await makeUser();
  const caller: UserCaller = {
    type: 'user',
    id: userId,
    memberships: [],
    orgId: null,
    scopes: [],
    clientId: 'cli_1',
    granted,
  };
  const ask = (name: string, input: object): Promise<unknown> =>
    accountsBroker().call(`identity.${name}`, input, { meta: { caller } });
  return { ask, email };
}

const address = { type: 'home', addressLine: 'Main Street 1', city: 'Doha', country: 'QA' };

describe('a client with a token of a user', () => {
  test('reads the profile and addresses when it was granted that, and sees no email without the scope', async () => {
    const { ask } = await clientOf(['openid', 'profile']);
    expect(await ask('me.read', {})).toMatchObject({ type: 'user', email: null });
    expect(await ask('addresses.list', { query: {} })).toMatchObject({ data: [] });
  });

  test('cannot list contacts without the scope email, for contacts tell it', async () => {
    const { ask } = await clientOf(['profile']);
    await expect(ask('contacts.list', { query: {} })).rejects.toMatchObject({
      type: 'PERMISSION_DENIED',
      message: expect.stringContaining('email'),
    });
  });

  test.each<[string, object]>([
    ['me.update', { body: { firstName: 'Mallory' } }],
    ['contacts.create', { body: { type: 'chatapp', value: 'mallory' } }],
    ['contacts.update', { path: { contactId: 'con_1' }, body: {} }],
    ['contacts.remove', { path: { contactId: 'con_1' } }],
    ['accounts.send-verification', { path: { contactId: 'con_1' } }],
    ['addresses.create', { body: address }],
    ['addresses.update', { path: { addressId: 'adr_1' }, body: {} }],
    ['addresses.remove', { path: { addressId: 'adr_1' } }],
  ])('cannot use %s, for its scopes only read', async (name, input) => {
    const { ask } = await clientOf(['openid', 'profile', 'email', 'svc:admin']);
    await expect(ask(name, input)).rejects.toMatchObject({ type: 'SESSION_REQUIRED' });
  });

  test('uses the contacts with both scopes', async () => {
    const { ask, email } = await clientOf(['profile', 'email']);
    expect(await ask('contacts.list', { query: {} })).toMatchObject({ data: [{ value: email, isPrimary: true }] });
  });

  test.each<[string, object]>([
    ['contacts.list', { query: {} }],
    ['addresses.list', { query: {} }],
  ])('cannot use %s without the scope profile', async (name, input) => {
    const { ask } = await clientOf(['openid', 'email']);
    await expect(ask(name, input)).rejects.toMatchObject({ type: 'PERMISSION_DENIED' });
  });

  test.each<[string, object]>([
    ['me.delete', {}],
    ['me.export', {}],
    ['sessions.list', { query: {} }],
    ['sessions.revoke', { path: { id: 'ses_1' } }],
    ['sessions.revoke-others', {}],
  ])('cannot use %s, which is for people alone', async (name, input) => {
    const { ask } = await clientOf(['openid', 'profile', 'email']);
    const refusal = await ask(name, input).catch((error: unknown) => error);
    expect(isError(refusal, 'SESSION_REQUIRED')).toBe(true);
  });
});
