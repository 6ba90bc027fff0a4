import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context, ServiceBroker } from 'moleculer';
import { createAuthenticator } from '../../../http/authenticate.ts';
import type { Caller, UserCaller } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';

const caller: Caller = { type: 'application', id: 'app_1', orgId: 'org_1', scopes: ['svc:read'], keyId: 'key_1' };
const verify = jest.fn<(name: string, input: unknown) => Promise<{ caller: Caller | null }>>();
const verifyToken = jest.fn<(ctx: Context, token: string) => Promise<Caller | null>>();
const newAuthenticator = () => {
  const { authenticate, forget, forgetRights } = createAuthenticator(broker, verifyToken as never);
  return {
    forget,
    forgetRights,
    authenticate: (on: Context, authorization?: string) =>
      authenticate(on as never, { authorization, session: undefined }),
  };
};
const ctx = { call: verify } as unknown as Context;
const broker = { logger: { debug: () => undefined } } as unknown as ServiceBroker;
const token = newApiKeyToken();

beforeEach(() => {
  verify.mockReset().mockResolvedValue({ caller });
});

describe('a credential', () => {
  test('is looked up by its hash, and never travels itself', async () => {
    expect(await newAuthenticator().authenticate(ctx, `Bearer ${token}`)).toEqual(caller);
    expect(verify.mock.calls).toEqual([['identity.api-keys.verify', { body: { tokenHash: hashToken(token) } }]]);
  });

  test.each(['bearer', 'BEARER'])('may be introduced by %s', async (scheme) => {
    expect(await newAuthenticator().authenticate(ctx, `${scheme} ${token}`)).toEqual(caller);
  });

  const mistyped = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
  test.each([
    ['no header', undefined, 'CREDENTIAL_REQUIRED'],
    ['an empty header', '', 'CREDENTIAL_INVALID'],
    ['a scheme without a token', 'Bearer', 'CREDENTIAL_INVALID'],
    ['a token without a scheme', token, 'CREDENTIAL_INVALID'],
    ['another scheme', `Basic ${token}`, 'CREDENTIAL_INVALID'],
    ['two blanks', `Bearer  ${token}`, 'CREDENTIAL_INVALID'],
    ['more than a token', `Bearer ${token} x`, 'CREDENTIAL_INVALID'],
    ['a wrong checksum', `Bearer ${mistyped}`, 'CREDENTIAL_INVALID'],
    ['a test key', `Bearer ${token.replace('live', 'test')}`, 'CREDENTIAL_INVALID'],
    ['a key that is too long', `Bearer ${token}0`, 'CREDENTIAL_INVALID'],
  ])('with %s is refused without a look-up', async (_what, header, type) => {
    await expect(newAuthenticator().authenticate(ctx, header)).rejects.toMatchObject({ type });
    expect(verify).not.toHaveBeenCalled();
  });

  test('that nobody has is CREDENTIAL_INVALID', async () => {
    verify.mockResolvedValue({ caller: null });
    const authenticating = newAuthenticator().authenticate(ctx, `Bearer ${token}`);
    await expect(authenticating).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
  });
});

describe('the memory of credentials', () => {
  test('asks once for many requests at once', async () => {
    const { authenticate } = newAuthenticator();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(ctx, `Bearer ${token}`)));
    expect(verify).toHaveBeenCalledTimes(1);
  });

  describe('as time goes by', () => {
    const clock = jest.spyOn(performance, 'now');
    beforeEach(() => {
      clock.mockReturnValue(1000);
    });
    afterAll(() => clock.mockRestore());
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const other = { ...caller, scopes: ['svc:write'] };

    test('asks anew after 500 milliseconds, counted from before the former answer', async () => {
      const { authenticate } = newAuthenticator();
      await authenticate(ctx, `Bearer ${token}`);
      clock.mockReturnValue(1299);
      await authenticate(ctx, `Bearer ${token}`);
      expect(verify).toHaveBeenCalledTimes(1);
      clock.mockReturnValue(1500);
      verify.mockResolvedValue({ caller: null });
      await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
      expect(verify).toHaveBeenCalledTimes(2);
    });

    test('asks once after 300 milliseconds, and answers by what it knows meanwhile', async () => {
      const { authenticate } = newAuthenticator();
      await authenticate(ctx, `Bearer ${token}`);
      clock.mockReturnValue(1300);
      verify.mockResolvedValue({ caller: other });
      expect(await Promise.all([1, 2].map(() => authenticate(ctx, `Bearer ${token}`)))).toEqual([caller, caller]);
      expect(verify).toHaveBeenCalledTimes(2);
      await turn();
      expect(await authenticate(ctx, `Bearer ${token}`)).toEqual(other);
      clock.mockReturnValue(1799);
      await authenticate(ctx, `Bearer ${token}`);
      expect(verify).toHaveBeenCalledTimes(3);
    });

    test('never brings back by such an answer what was forgotten meanwhile', async () => {
      const { authenticate, forget } = newAuthenticator();
      await authenticate(ctx, `Bearer ${token}`);
      clock.mockReturnValue(1300);
      await authenticate(ctx, `Bearer ${token}`);
      forget({ tokenHash: hashToken(token) });
      await turn();
      verify.mockResolvedValue({ caller: null });
      await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
    });

    test('answers by what it knows to its end when asking again fails', async () => {
      const { authenticate } = newAuthenticator();
      await authenticate(ctx, `Bearer ${token}`);
      verify.mockRejectedValue(apiError('UNAVAILABLE'));
      clock.mockReturnValue(1300);
      await authenticate(ctx, `Bearer ${token}`);
      await turn();
      clock.mockReturnValue(1499);
      expect(await authenticate(ctx, `Bearer ${token}`)).toEqual(caller);
      clock.mockReturnValue(1500);
      await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    });
  });

  test('forgets a revoked key at once', async () => {
    const { authenticate, forget } = newAuthenticator();
    await authenticate(ctx, `Bearer ${token}`);
    forget({ tokenHash: hashToken(token) });
    verify.mockResolvedValue({ caller: null });
    await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
  });

  const user: UserCaller = {
    type: 'user',
    id: 'usr_1',
    memberships: [{ orgId: 'org_1', role: 'member' }],
    orgId: null,
    scopes: [],
    sessionId: 'ses_1',
  };
  test.each<[string, Caller, { orgId: string; subjects: string[] | null }, number]>([
    ['a user whose rights changed, whatever they were a member of', user, { orgId: 'org_2', subjects: ['usr_1'] }, 2],
    ['everybody in an organization where anybody’s did', user, { orgId: 'org_1', subjects: null }, 2],
    ['nobody where nobody’s did', user, { orgId: 'org_1', subjects: [] }, 1],
    ['no other user', user, { orgId: 'org_1', subjects: ['usr_2'] }, 1],
    ['nobody of another organization', user, { orgId: 'org_2', subjects: null }, 1],
    ['no application, whose scopes are its own', caller, { orgId: 'org_1', subjects: null }, 1],
  ])('forgets %s', async (_whom, known, changed, lookUps) => {
    verify.mockResolvedValue({ caller: known });
    const { authenticate, forgetRights } = newAuthenticator();
    await authenticate(ctx, `Bearer ${token}`);
    forgetRights(changed);
    await authenticate(ctx, `Bearer ${token}`);
    expect(verify).toHaveBeenCalledTimes(lookUps);
  });

  test.each<[string, Caller, string, number]>([
    ['an application of a suspended organization', caller, 'org_1', 2],
    ['a member of it', user, 'org_1', 2],
    ['no application of another', caller, 'org_2', 1],
    ['no member of another', user, 'org_2', 1],
  ])('is forgotten of %s', async (_whom, known, orgId, lookUps) => {
    verify.mockResolvedValue({ caller: known });
    const { authenticate, forget } = newAuthenticator();
    await authenticate(ctx, `Bearer ${token}`);
    forget({ orgId });
    await authenticate(ctx, `Bearer ${token}`);
    expect(verify).toHaveBeenCalledTimes(lookUps);
  });

  test('of a suspended organization is refused, with one look-up for many requests', async () => {
    verify.mockResolvedValue({ caller: { ...caller, isSuspended: true } });
    const { authenticate } = newAuthenticator();
    for (let count = 0; count < 3; count += 1) {
      await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'ORGANIZATION_SUSPENDED' });
    }
    expect(verify).toHaveBeenCalledTimes(1);
  });

  test('keeps no failure', async () => {
    const { authenticate } = newAuthenticator();
    verify.mockRejectedValueOnce(apiError('UNAVAILABLE'));
    await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(await authenticate(ctx, `Bearer ${token}`)).toEqual(caller);
  });
});
