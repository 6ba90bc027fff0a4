import { describe, expect, test } from '@jest/globals';
import type { UserCaller } from '../../../lib/contract/context.ts';
import { isError } from '../../../lib/contract/errors.ts';
import { accountsBroker, makeUser, ownAccounts } from './accounts-setting.ts';

ownAccounts();

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
