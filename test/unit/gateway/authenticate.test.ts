import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context, ServiceBroker } from 'moleculer';
import { createAuthenticator } from '../../../gateway/authenticate.ts';
import { hashApiKeyToken, newApiKeyToken } from '../../../lib/api-key.ts';
import { fail } from '../../../lib/errors.ts';

const caller = { type: 'application', id: 'app_1', orgId: 'org_1', scopes: ['svc:read'], keyId: 'key_1' };
const verify = jest.fn<(name: string, input: unknown) => Promise<{ caller: typeof caller | null }>>();
const ctx = { call: verify } as unknown as Context;
const broker = { logger: { debug: () => undefined } } as unknown as ServiceBroker;
const token = newApiKeyToken();

beforeEach(() => {
  verify.mockReset().mockResolvedValue({ caller });
});

describe('a credential', () => {
  test('is looked up by its hash, and never travels itself', async () => {
    expect(await createAuthenticator(broker).authenticate(ctx, `Bearer ${token}`)).toEqual(caller);
    expect(verify.mock.calls).toEqual([['identity.api-keys.verify', { body: { tokenHash: hashApiKeyToken(token) } }]]);
  });

  test.each(['bearer', 'BEARER'])('may be introduced by %s', async (scheme) => {
    expect(await createAuthenticator(broker).authenticate(ctx, `${scheme} ${token}`)).toEqual(caller);
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
    await expect(createAuthenticator(broker).authenticate(ctx, header)).rejects.toMatchObject({ type });
    expect(verify).not.toHaveBeenCalled();
  });

  test('that nobody has is CREDENTIAL_INVALID', async () => {
    verify.mockResolvedValue({ caller: null });
    const authenticating = createAuthenticator(broker).authenticate(ctx, `Bearer ${token}`);
    await expect(authenticating).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
  });
});

describe('the memory of credentials', () => {
  test('asks once for many requests at once', async () => {
    const { authenticate } = createAuthenticator(broker);
    await Promise.all(Array.from({ length: 50 }, () => authenticate(ctx, `Bearer ${token}`)));
    expect(verify).toHaveBeenCalledTimes(1);
  });

  test('asks again after 750 milliseconds, counted from before the former answer', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
    const { authenticate } = createAuthenticator(broker);
    await authenticate(ctx, `Bearer ${token}`);
    clock.mockReturnValue(1749);
    await authenticate(ctx, `Bearer ${token}`);
    expect(verify).toHaveBeenCalledTimes(1);
    clock.mockReturnValue(1750);
    await authenticate(ctx, `Bearer ${token}`);
    expect(verify).toHaveBeenCalledTimes(2);
    clock.mockRestore();
  });

  test('forgets a revoked key at once', async () => {
    const { authenticate, forget } = createAuthenticator(broker);
    await authenticate(ctx, `Bearer ${token}`);
    forget(hashApiKeyToken(token));
    verify.mockResolvedValue({ caller: null });
    await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'CREDENTIAL_INVALID' });
  });

  test('keeps no failure', async () => {
    const { authenticate } = createAuthenticator(broker);
    verify.mockRejectedValueOnce(fail('UNAVAILABLE'));
    await expect(authenticate(ctx, `Bearer ${token}`)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(await authenticate(ctx, `Bearer ${token}`)).toEqual(caller);
  });
});
