import { describe, expect, jest, test } from '@jest/globals';
import { hour } from '../../../lib/data/clock.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';
import {
  accountsBroker,
  actsOn,
  ask,
  goodPassword,
  hashesMade,
  mailsTo,
  mailTo,
  makeUser,
  newBrowserHash,
  newClient,
  newEmail,
  ownAccounts,
  pass,
  publicUrl,
  registerFor,
  tokenIn,
  whoIs,
} from './accounts-setting.ts';

ownAccounts();

const register = (email: string, { password = goodPassword, requestId = undefined as string | undefined } = {}) =>
  ask(
    'identity.accounts.register',
    { email, password, browserHash: newBrowserHash(), returnTo: null },
    requestId === undefined ? {} : { requestId },
  );

const userCount = async (email: string): Promise<number> => {
  const { UserModel } = await import('../../../models/identity/user.ts');
  return UserModel.countDocuments({ email });
};

const pendingFor = async (email: string) => {
  const { MailedTokenModel } = await import('../../../models/identity/mailed-token.ts');
  return MailedTokenModel.find({ email }).lean();
};

describe('a registration', () => {
  test('becomes a user who is logged in once the mailed link is followed in the same browser', async () => {
    const [email, browserHash] = [newEmail(), newBrowserHash()];
    const names = { firstName: 'Ada', lastName: 'Lovelace' };
    const body = { email, password: goodPassword, ...names, browserHash, returnTo: '/account' };
    expect(await ask('identity.accounts.register', body)).toEqual({ outcome: 'mailed' });
    const mail = await mailTo(email);
    expect(mail.text).toContain(`${publicUrl}/self-service/registration/confirm?token=`);
    expect(await userCount(email)).toBe(0);
    const confirmed = await ask('identity.accounts.confirm-registration', {
      token: tokenIn(mail),
      browserHash,
      password: null,
    });
    expect(confirmed).toMatchObject({ outcome: 'confirmed', returnTo: '/account' });
    const { UserModel } = await import('../../../models/identity/user.ts');
    const user = await UserModel.findOne({ email }).lean();
    expect(user).toMatchObject({
      ...names,
      status: 'active',
      contacts: [{ type: 'email', value: email, isPrimary: true, verifiedAt: expect.any(Date) }],
    });
    const token = confirmed.outcome === 'confirmed' ? confirmed.sessionToken : '';
    expect(await whoIs(token)).toBe(user!._id);
    expect(await actsOn(user!._id)).toEqual(['user.created']);
    expect(await pendingFor(email)).toEqual([]);
  });

  test('is for the address in its normal form', async () => {
    const email = newEmail();
    await register(` ${email.toUpperCase()} `);
    expect((await mailTo(email)).to).toBe(email);
  });

  test('asks in another browser for the password that was chosen, and keeps the link while it is wrong', async () => {
    const email = newEmail();
    const { token, browserHash } = await registerFor(email);
    const elsewhere = newBrowserHash();
    const confirm = (hash: string, password: string | null) =>
      ask('identity.accounts.confirm-registration', { token, browserHash: hash, password });
    expect(await confirm(elsewhere, null)).toEqual({ outcome: 'passwordNeeded' });
    expect(await confirm(elsewhere, 'not the password')).toEqual({ outcome: 'refused' });
    expect(await userCount(email)).toBe(0);
    expect(await confirm(elsewhere, goodPassword)).toMatchObject({ outcome: 'confirmed', returnTo: null });
    expect(await confirm(browserHash, null)).toEqual({ outcome: 'expired' });
  });

  test('lets nobody guess the password by the mailed link', async () => {
    const { token } = await registerFor(newEmail());
    const guess = (password: string) =>
      ask('identity.accounts.confirm-registration', { token, browserHash: newBrowserHash(), password });
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, index) => guess(`guess number ${index}`)));
    const outcomes = guesses.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array(4).fill('expired'), ...Array(10).fill('refused')]);
    expect(await guess(goodPassword)).toEqual({ outcome: 'expired' });
  });

  test('makes exactly one user of many parallel confirmations', async () => {
    const email = newEmail();
    const { token, browserHash } = await registerFor(email);
    const body = { token, browserHash, password: null };
    const attempts = propertyCases(40, 2000);
    const answers = await Promise.all(
      Array.from({ length: attempts }, () => ask('identity.accounts.confirm-registration', body)),
    );
    expect(answers.filter(({ outcome }) => outcome === 'confirmed')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'expired')).toHaveLength(attempts - 1);
    expect(await userCount(email)).toBe(1);
  });

  test('that has no mail because strangers used them up is confirmed by any of their mails, in its own browser', async () => {
    const email = newEmail();
    const strangers = [];
    for (let count = 1; count <= 5; count += 1) {
      const body = { email, password: 'the password of a stranger', browserHash: newBrowserHash(), returnTo: null };
      await ask('identity.accounts.register', body);
      strangers.push(tokenIn(await mailTo(email, count)));
    }
    const browserHash = newBrowserHash();
    await ask('identity.accounts.register', { email, password: goodPassword, browserHash, returnTo: '/account' });
    expect(await mailsTo(email)).toHaveLength(5);
    const body = { token: strangers[2]!, password: null };
    const elsewhere = { ...body, browserHash: newBrowserHash() };
    expect(await ask('identity.accounts.confirm-registration', elsewhere)).toEqual({ outcome: 'passwordNeeded' });
    const confirmed = await ask('identity.accounts.confirm-registration', { ...body, browserHash });
    expect(confirmed).toMatchObject({ outcome: 'confirmed', returnTo: '/account' });
    const login = (password: string) => ask('identity.accounts.login', { email, password, formerTokenHash: null });
    expect(await login('the password of a stranger')).toEqual({ outcome: 'refused' });
    expect(await login(goodPassword)).toMatchObject({ outcome: 'loggedIn' });
  });

  test('loses to another of the same address that is confirmed first', async () => {
    const email = newEmail();
    const first = await registerFor(email);
    const browserHash = newBrowserHash();
    await ask('identity.accounts.register', { email, password: 'another password', browserHash, returnTo: null });
    const second = { token: tokenIn(await mailTo(email, 2)), browserHash };
    const answers = await Promise.all(
      [first, second].map((link) => ask('identity.accounts.confirm-registration', { ...link, password: null })),
    );
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['confirmed', 'expired']);
  });

  test('is kept for 24 hours', async () => {
    const late = await registerFor(newEmail());
    const early = await registerFor(newEmail());
    pass(24 * hour - 60_000);
    const confirm = (link: typeof early) => ask('identity.accounts.confirm-registration', { ...link, password: null });
    expect(await confirm(early)).toMatchObject({ outcome: 'confirmed' });
    pass(60_000);
    expect(await confirm(late)).toEqual({ outcome: 'expired' });
    const { sweepAccounts } = await import('../../../services/identity/retention.ts');
    const { MailedTokenModel } = await import('../../../models/identity/mailed-token.ts');
    await sweepAccounts();
    expect(await MailedTokenModel.countDocuments({ expiresAt: { $lte: new Date() } })).toBe(0);
  });

  test('returns only to where a login may return', async () => {
    const link = await registerFor(newEmail(), { returnTo: 'https://evil.example/' });
    expect(await ask('identity.accounts.confirm-registration', { ...link, password: null })).toMatchObject({
      outcome: 'confirmed',
      returnTo: null,
    });
  });

  test.each([
    ['email', { email: 'ada' }],
    ['email', { email: 'ада@example.com'.replace('а', 'a') }],
    ['email', { email: `${'a'.repeat(10_000)}@example.com` }],
    ['password', { password: 'short' }],
    ['password', { password: 'password1' }],
    ['password', { password: 'x'.repeat(10_000) }],
    ['firstName', { firstName: 'A\u0000da' }],
    ['lastName', { lastName: 'x'.repeat(10_000) }],
  ])('is refused for its %s, and nothing is stored or mailed (%#)', async (field, wrong) => {
    const email = newEmail();
    const body = { email, password: goodPassword, browserHash: newBrowserHash(), returnTo: null, ...wrong };
    await expect(ask('identity.accounts.register', body)).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: `body.${field}` }] },
    });
    expect(await pendingFor(body.email)).toEqual([]);
  });
});

describe('whether an address has an account', () => {
  test('is told by the mail alone', async () => {
    const { email } = await makeUser();
    const unknown = newEmail();
    const before = await hashesMade();
    const known = await register(email);
    const between = await hashesMade();
    const other = await register(unknown);
    expect(known).toEqual(other);
    expect(between - before).toBe((await hashesMade()) - between);
    const told = await mailTo(email, 2);
    expect(told.text).toContain(`${publicUrl}/self-service/login/browser`);
    expect(told.text).not.toContain('token=');
    expect((await mailTo(unknown)).text).toContain('token=');
    await until(async () => (await pendingFor(email)).length === 0);
  });

  test('is not looked up before the answer, so the time it takes tells nothing', async () => {
    const { email } = await makeUser();
    const { UserModel } = await import('../../../models/identity/user.ts');
    const { sendDueMails } = await import('../../../services/identity/accounts/account-mails.ts');
    const lookUp = jest.spyOn(UserModel, 'findOne').mockImplementation(() => {
      throw new Error('The look-up fails.');
    });
    expect(await register(email)).toEqual({ outcome: 'mailed' });
    expect(await ask('identity.accounts.begin-recovery', { email, returnTo: null })).toEqual({ outcome: 'mailed' });
    await until(() => lookUp.mock.calls.length === 2);
    lookUp.mockRestore();
    expect(await mailsTo(email)).toHaveLength(1);
    pass(60_000);
    await sendDueMails(accountsBroker());
    expect(await mailsTo(email)).toHaveLength(3);
  });
});

describe('mail', () => {
  test('goes to an address five times an hour, however often it is asked for', async () => {
    const email = newEmail();
    const answers = [];
    for (let count = 0; count < 8; count += 1) answers.push(await register(email));
    expect(answers).toEqual(Array(8).fill({ outcome: 'mailed' }));
    await mailTo(email, 5);
    pass(hour);
    await register(email);
    await mailTo(email, 6);
  });

  test('goes five times for many requests at once', async () => {
    const { consumeMailQuota } = await import('../../../services/identity/accounts/attempts.ts');
    const email = newEmail();
    const turns = await Promise.all(Array.from({ length: 200 }, () => consumeMailQuota('recovery', email)));
    expect(turns.filter(Boolean)).toHaveLength(5);
  });

  test('goes once for a request that is repeated with its id', async () => {
    const [email, requestId] = [newEmail(), 'the-same-request'];
    await register(email, { requestId });
    await register(email, { requestId });
    await mailTo(email);
    expect(await pendingFor(email)).toHaveLength(1);
  });

  test('that could not be handed over goes later, once', async () => {
    const email = newEmail();
    const { sendDueMails } = await import('../../../services/identity/accounts/account-mails.ts');
    const { storeMailedToken } = await import('../../../services/identity/accounts/mailed-tokens.ts');
    // A node that stored the link and died.
    await storeMailedToken({ requestID: email, meta: {} } as never, {
      kind: 'email-verification',
      email,
      userId: 'usr_1',
      contactId: 'con_1',
    });
    await sendDueMails(accountsBroker());
    expect(await mailsTo(email)).toEqual([]);
    pass(60_000);
    await Promise.all([sendDueMails(accountsBroker()), sendDueMails(accountsBroker())]);
    await sendDueMails(accountsBroker());
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await pendingFor(email)).toMatchObject([{ sealedToken: null, mailDueAt: null }]);
  });

  test('holds the token, and the database does not', async () => {
    const email = newEmail();
    const { token } = await registerFor(email);
    await until(async () => (await pendingFor(email)).every(({ sealedToken }) => sealedToken === null));
    expect(JSON.stringify(await pendingFor(email))).not.toContain(token);
    expect(JSON.stringify(await pendingFor(email))).not.toContain(goodPassword);
  });

  test('to many addresses may be asked for from one client', async () => {
    const client = newClient();
    const emails = Array.from({ length: 3 }, newEmail);
    for (const email of emails) {
      const body = { email, password: goodPassword, browserHash: newBrowserHash(), returnTo: null };
      await ask('identity.accounts.register', body, { client });
    }
    for (const email of emails) await mailTo(email);
  });
});
