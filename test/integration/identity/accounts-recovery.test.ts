import { describe, expect, test } from '@jest/globals';
import { hour } from '../../../lib/data/clock.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';
import {
  actsOn,
  ask,
  goodPassword,
  mailsTo,
  mailTo,
  makeUser,
  newClient,
  newEmail,
  ownAccounts,
  pass,
  publicUrl,
  tokenIn,
  whoIs,
} from './accounts-setting.ts';

ownAccounts();

const newPassword = 'another four words, quite new';

const begin = (email: string, returnTo: string | null = null) =>
  ask('identity.accounts.begin-recovery', { email, returnTo });
const recover = (token: string, password = newPassword) => ask('identity.accounts.recover', { token, password });
const check = (token: string) => ask('identity.accounts.check-recovery', { token });
const logIn = (email: string, password: string, client = newClient()) =>
  ask('identity.accounts.login', { email, password, formerTokenHash: null }, { client });

/** A user with a link in their mail for choosing a new password. */
async function withLink() {
  const user = await makeUser();
  await begin(user.email);
  return { ...user, token: tokenIn(await mailTo(user.email, 2)) };
}

describe('a recovery', () => {
  test('by the mailed link sets the password, ends all sessions and tells the owner', async () => {
    const { email, userId, sessionToken, token } = await withLink();
    expect(await check(token)).toEqual({ valid: true });
    expect(await recover(token)).toMatchObject({ outcome: 'recovered' });
    expect(await whoIs(sessionToken)).toBeNull();
    expect(await logIn(email, goodPassword)).toEqual({ outcome: 'refused' });
    expect(await logIn(email, newPassword)).toMatchObject({ outcome: 'loggedIn' });
    const notice = await mailTo(email, 3);
    expect(notice.subject).toContain('password was changed');
    expect(notice.text).toContain(`${publicUrl}/self-service/recovery/browser`);
    expect(await actsOn(userId)).toEqual(['user.created', 'password.recovered', 'login.failed']);
  });

  test('leaves the link and everything else as it was when the password is refused', async () => {
    const { userId, sessionToken, token, email } = await withLink();
    for (const password of ['short', 'password1', email]) {
      await expect(recover(token, password)).rejects.toMatchObject({
        type: 'INPUT_INVALID',
        data: { details: [{ path: 'body.password' }] },
      });
    }
    expect(await whoIs(sessionToken)).toBe(userId);
    expect(await check(token)).toEqual({ valid: true });
    expect(await recover(token)).toMatchObject({ outcome: 'recovered' });
  });

  test('works once, of many at the same time', async () => {
    const { token, email } = await withLink();
    const attempts = propertyCases(50, 2000);
    const answers = await Promise.all(Array.from({ length: attempts }, () => recover(token)));
    expect(answers.filter(({ outcome }) => outcome === 'recovered')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'expired')).toHaveLength(attempts - 1);
    expect(await recover(token)).toEqual({ outcome: 'expired' });
    expect(await check(token)).toEqual({ valid: false });
    await mailTo(email, 3);
  });

  test('works for an hour', async () => {
    const { token } = await withLink();
    const { token: late } = await withLink();
    pass(hour - 60_000);
    expect(await recover(token)).toMatchObject({ outcome: 'recovered' });
    pass(60_000);
    expect(await check(late)).toEqual({ valid: false });
    expect(await recover(late)).toEqual({ outcome: 'expired' });
  });

  test('makes the other links that were mailed worthless', async () => {
    const { email, token } = await withLink();
    await begin(email);
    const second = tokenIn(await mailTo(email, 3));
    expect(await recover(second)).toMatchObject({ outcome: 'recovered' });
    expect(await recover(token)).toEqual({ outcome: 'expired' });
  });

  test('is for whoever has the address as their login: nobody when it was given up', async () => {
    const { userId, token } = await withLink();
    const { UserModel } = await import('../../../models/identity/user.ts');
    await UserModel.updateOne({ _id: userId }, { $set: { email: newEmail() } });
    expect(await recover(token)).toEqual({ outcome: 'expired' });
  });

  test('ends the lock-out of the client that did it', async () => {
    const { email, token } = await withLink();
    const client = newClient();
    const { beginLoginAttempt } = await import('../../../services/identity/accounts/login.ts');
    for (let count = 0; count < 10; count += 1) await beginLoginAttempt(email, { client });
    expect(await logIn(email, goodPassword, client)).toMatchObject({ outcome: 'locked' });
    await ask('identity.accounts.recover', { token, password: newPassword }, { client });
    expect(await logIn(email, newPassword, client)).toMatchObject({ outcome: 'loggedIn' });
  });

  test('of an address that nobody has is answered the same, and nothing is mailed or kept', async () => {
    const email = newEmail();
    expect(await begin(email)).toEqual({ outcome: 'mailed' });
    const { MailedTokenModel } = await import('../../../models/identity/mailed-token.ts');
    await until(async () => (await MailedTokenModel.countDocuments({ email })) === 0);
    expect(await mailsTo(email)).toEqual([]);
  });

  test('of what is no address is refused', async () => {
    await expect(begin('ada')).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: 'body.email' }] },
    });
  });

  test.each(['', 'x', 'A'.repeat(32), '{"$ne":null}'])(
    'by the token %j, which nobody was mailed, is none',
    async (token) => {
      expect(await check(token)).toEqual({ valid: false });
      expect(await recover(token)).toEqual({ outcome: 'expired' });
    },
  );

  test('is followed by no grant of a session that it ended', async () => {
    const { email, caller } = await makeUser();
    await ask('identity.accounts.begin-recovery', { email, returnTo: null });
    const token = tokenIn(await mailTo(email, 2));
    expect(await ask('identity.accounts.recover', { token, password: 'a new one, long enough' })).toMatchObject({
      outcome: 'recovered',
    });
    const artifact = { kind: 'Grant' as const, hash: 'c'.repeat(64), uid: null, grantId: null, accountId: caller.id };
    const offline = { ...artifact, clientId: 'cli_1', sessionId: null, sealed: 'sealed', expiresInSeconds: 60 };
    const late = ask('identity.oauth.artifacts.upsert', { ...offline, madeInSessionId: caller.sessionId! });
    await expect(late).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
    const { OAuthArtifactModel } = await import('../../../models/identity/oauth-artifact.ts');
    expect(await OAuthArtifactModel.countDocuments({ accountId: caller.id })).toBe(0);
  });

  test('is not to be had by a link for something else', async () => {
    const email = newEmail();
    const body = { email, password: goodPassword, browserHash: 'a'.repeat(64), returnTo: null };
    await ask('identity.accounts.register', body);
    const token = tokenIn(await mailTo(email));
    expect(await check(token)).toEqual({ valid: false });
    const { caller } = await makeUser();
    expect(await ask('identity.accounts.confirm-contact', { token }, { caller })).toEqual({ outcome: 'expired' });
  });

  test('carries the way back in its link, when that is one', async () => {
    const { email } = await makeUser();
    await begin(email, '/account?tab=keys');
    expect((await mailTo(email, 2)).text).toContain(`&return_to=${encodeURIComponent('/account?tab=keys')}`);
    await begin(email, 'https://evil.example/');
    expect((await mailTo(email, 3)).text).not.toContain('return_to');
  });
});

describe('where a browser may return to', () => {
  const decide = async (url: string): Promise<string> =>
    (await ask('identity.accounts.check-return-to', { url })).decision;

  test('is the platform, and after asking the origins that clients have registered, exactly', async () => {
    const { OAuthClientModel } = await import('../../../models/identity/oauth-client.ts');
    await OAuthClientModel.collection.insertOne({
      _id: 'cli_1' as never,
      orgId: 'org_1',
      applicationId: 'app_1',
      redirectOrigins: ['https://shop.example:8443'],
    });
    expect(await decide('/account')).toBe('allowed');
    expect(await decide(`${publicUrl}/account`)).toBe('allowed');
    expect(await decide('https://shop.example:8443/callback?a=b#c')).toBe('ask');
    expect(await decide('https://shop.example/callback')).toBe('refused');
    expect(await decide('http://shop.example:8443/callback')).toBe('refused');
    expect(await decide('https://shop.example:8443.evil.example/')).toBe('refused');
    expect(await decide(`${publicUrl}.evil.example/`)).toBe('refused');
    expect(await decide('//shop.example:8443/')).toBe('refused');
  });

  test('is without asking what an organization registered that is trusted and stands', async () => {
    const { OAuthClientModel } = await import('../../../models/identity/oauth-client.ts');
    const { OrganizationModel } = await import('../../../models/identity/organization.ts');
    const origin = 'https://trusted.example';
    for (const orgId of ['org_2', 'org_3']) {
      const client = { _id: `cli_${orgId}` as never, orgId, applicationId: `app_${orgId}`, redirectOrigins: [origin] };
      await OAuthClientModel.collection.insertOne(client);
    }
    const organization = { _id: 'org_2' as never, name: 'Shop', slug: 'trusted-shop', status: 'active' };
    await OrganizationModel.collection.insertOne(organization);
    const change = (changes: object) =>
      OrganizationModel.collection.updateOne({ slug: 'trusted-shop' }, { $set: changes });
    expect(await decide(`${origin}/`)).toBe('ask');
    await change({ isTrusted: true });
    expect(await decide(`${origin}/`)).toBe('allowed');
    expect(await decide('https://shop.example:8443/')).toBe('ask');
    await change({ status: 'deleting' });
    expect(await decide(`${origin}/`)).toBe('ask');
    await change({ status: 'active', isTrusted: false });
    expect(await decide(`${origin}/`)).toBe('ask');
  });
});
