import { describe, expect, test } from '@jest/globals';
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
