import { beforeEach, describe, expect, test } from '@jest/globals';
import { scopesOf } from '../../../lib/contract/authorize.ts';
import type { UserCaller } from '../../../lib/contract/context.ts';
import { newId } from '../../../lib/data/ids.ts';
import {
  accountsBroker,
  ask,
  goodPassword,
  mailTo,
  makeUser,
  newEmail,
  ownAccounts,
  pass,
} from './accounts-setting.ts';

ownAccounts();

const week = 7 * 86_400_000;
let owner: UserCaller;
let slug: string;
beforeEach(async () => {
  const { caller: user } = await makeUser();
  slug = newId('org').replace('_', '-');
  const made = await act<{ id: string }>('identity.organizations.create', user, { body: { name: 'Mugs', slug } });
  const memberships = [{ orgId: made.id, role: 'owner' as const }];
  owner = { ...user, memberships, orgId: made.id, scopes: scopesOf('owner') };
});

/** Calls an action in a user's name, as the gateway does. */
function act<T>(name: string, caller: UserCaller, params: object): Promise<T> {
  return accountsBroker().call(name, params, { meta: { caller, client: { address: '10.0.0.1', userAgent: 'test' } } });
}

const invite = (email: string, role = 'member') =>
  act<{ id: string }>('identity.invitations.create', owner, { path: { slug }, body: { email, role } });

async function tokenOf(email: string): Promise<string> {
  const { text } = await mailTo(email);
  return /invitations\/accept\?token=([\w-]+)/.exec(text)?.[1] ?? '';
}

async function invited(role = 'member'): Promise<{ email: string; token: string; id: string }> {
  const email = newEmail();
  const { id } = await invite(email, role);
  return { email, token: await tokenOf(email), id };
}

async function members(): Promise<{ userId: string; email: string; role: string }[]> {
  const page = await act<{ data: { userId: string; email: string; role: string }[] }>('identity.members.list', owner, {
    path: { slug },
    query: { limit: '100' },
  });
  return page.data;
}

const register = (token: string, given: object = {}) =>
  ask('identity.invitations.register-and-accept', { token, password: goodPassword, ...given });

const nothing = { invitation: null, joined: null };

describe('identity.invitations.preview', () => {
  test('tells what an open invitation is, and nothing of one that is not', async () => {
    const { email, token, id } = await invited('admin');
    const inviterName = expect.any(String);
    const organizationBrand = { logoUrl: null, color: null };
    const organization = { organizationName: 'Mugs', organizationBrand };
    const invitation = { ...organization, inviterName, role: 'admin', email, accountExists: false };
    expect(await ask('identity.invitations.preview', { token })).toEqual({ invitation, joined: null });
    expect(await ask('identity.invitations.preview', { token: `${token}x` })).toEqual(nothing);
    await act('identity.invitations.revoke', owner, { path: { slug, invitationId: id } });
    expect(await ask('identity.invitations.preview', { token })).toEqual(nothing);
  });

  test('tells that somebody logs in with the address', async () => {
    const { email, token } = await invited();
    await register(token);
    expect(await ask('identity.invitations.preview', { token })).toEqual({
      ...nothing,
      joined: { organizationName: 'Mugs' },
    });
    const other = newId('org').replace('_', '-');
    const made = await act<{ id: string }>('identity.organizations.create', owner, {
      body: { name: 'Cups', slug: other },
    });
    owner = { ...owner, memberships: [...owner.memberships, { orgId: made.id, role: 'owner' }] };
    await act('identity.invitations.create', owner, { path: { slug: other }, body: { email, role: 'member' } });
    const { text } = await mailTo(email, 2);
    const second = /token=([\w-]+)/.exec(text)?.[1] ?? '';
    expect(await ask('identity.invitations.preview', { token: second })).toMatchObject({
      invitation: { organizationName: 'Cups', accountExists: true },
    });
    expect(await register(second)).toEqual({ outcome: 'accountExists' });
  });

  test('tells nothing after seven days', async () => {
    const { token } = await invited();
    pass(week - 60_000);
    expect((await ask('identity.invitations.preview', { token })).invitation).not.toBeNull();
    pass(120_000);
    expect(await ask('identity.invitations.preview', { token })).toEqual(nothing);
    expect(await register(token)).toEqual({ outcome: 'expired' });
    expect(await members()).toHaveLength(1);
  });
});

describe('identity.invitations.register-and-accept', () => {
  test('makes the account with the invited address, a member, and logs in', async () => {
    const { email, token } = await invited('admin');
    const result = await register(token, { firstName: 'Ada', lastName: 'Moreau' });
    expect(result).toMatchObject({ outcome: 'accepted', sessionToken: expect.any(String), email });
    expect(await members()).toContainEqual(expect.objectContaining({ email, role: 'admin' }));
    expect(
      await ask('identity.accounts.login', { email, password: goodPassword, formerTokenHash: null }),
    ).toMatchObject({
      outcome: 'loggedIn',
    });
    expect(await register(token)).toEqual({ outcome: 'expired' });
  });

  test('makes one account of many at once', async () => {
    const { email, token } = await invited();
    const results = await Promise.all(Array.from({ length: 8 }, () => register(token)));
    const outcomes = results.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect((await members()).filter((member) => member.email === email)).toHaveLength(1);
  });

  test('refuses a password that is none, and leaves the invitation open', async () => {
    const { email, token } = await invited();
    for (const password of ['short', 'password123', email]) {
      await expect(register(token, { password })).rejects.toMatchObject({
        type: 'INPUT_INVALID',
        data: { details: [{ path: 'body.password' }] },
      });
    }
    expect(await members()).toHaveLength(1);
    expect((await register(token)).outcome).toBe('accepted');
  });
});
