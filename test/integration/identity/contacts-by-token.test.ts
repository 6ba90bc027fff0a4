import { describe, expect, test } from '@jest/globals';
import type { UserCaller } from '../../../lib/caller.ts';
import { isError } from '../../../lib/errors.ts';
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
const missing = { contactId: 'con_1' };

describe('a client with a token of a user', () => {
  test('changes the profile when it was granted that, and sees no email without the scope', async () => {
    const { ask } = await clientOf(['openid', 'profile']);
    expect(await ask('me.update', { body: { firstName: 'Ada' } })).toMatchObject({ firstName: 'Ada', email: null });
    expect(await ask('addresses.create', { body: address })).toMatchObject(address);
  });

  test.each<[string, object]>([
    ['contacts.list', { query: {} }],
    ['contacts.create', { body: { type: 'chatapp', value: 'ada' } }],
    ['contacts.update', { path: missing, body: {} }],
    ['contacts.remove', { path: missing }],
  ])('cannot use %s without the scope email, for contacts tell it', async (name, input) => {
    const { ask } = await clientOf(['profile']);
    await expect(ask(name, input)).rejects.toMatchObject({
      type: 'PERMISSION_DENIED',
      message: expect.stringContaining('email'),
    });
  });

  test('uses the contacts with both scopes', async () => {
    const { ask, email } = await clientOf(['profile', 'email']);
    expect(await ask('contacts.list', { query: {} })).toMatchObject({ data: [{ value: email, isPrimary: true }] });
  });

  test.each<[string, object]>([
    ['me.update', { body: {} }],
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
