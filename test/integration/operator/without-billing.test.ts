import { expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { accountsBroker, ownAccounts } from '../identity/accounts-setting.ts';

ownAccounts();

/* Where no node offers billing, operators still find organizations. */

test('an organization is listed and read without its plan', async () => {
  const { OrganizationModel } = await import('../../../models/identity/organization.ts');
  const id = newId('org');
  const times = { createdAt: new Date(), updatedAt: new Date() };
  await OrganizationModel.create({ _id: id, slug: 'a-shop', name: 'A shop', status: 'active', ...times });
  const caller = { type: 'user', id: newId('usr'), memberships: [], orgId: null, scopes: [], sessionId: newId('ses') };
  const options = { meta: { caller: { ...caller, isOperator: true } } };
  const shown = { id, slug: 'a-shop', plan: null, status: null, members: 0 };
  const list = accountsBroker().call('identity.operator.organizations.list', { query: {} }, options);
  expect(await list).toMatchObject({ data: [shown], nextCursor: null });
  const read = accountsBroker().call('identity.operator.organizations.read', { path: { orgId: id } }, options);
  expect(await read).toMatchObject({ ...shown, owners: [], usage: null });
});
