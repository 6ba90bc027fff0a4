import type { Schemas } from 'platform-sdk';
import { findIn, type Organization, type Step, uniqueName, valuesOf } from './organization.ts';

const invited = [
  { email: 'amara.diallo@example.com', role: 'admin' },
  { email: 'bruno.keller@example.com', role: 'admin' },
  { email: 'chiara.ricci@example.com', role: 'member' },
  { email: 'daniel.osei@example.com', role: 'member' },
  { email: 'elif.yilmaz@example.com', role: 'member' },
  { email: 'freya.holm@example.com', role: 'member' },
  { email: 'gustavo.lima@example.com', role: 'member' },
  { email: 'hana.sato@example.com', role: 'member' },
] as const;

const namespace = 'roastery';
const permissions = [
  { key: 'roastery.orders.read', description: 'Read orders' },
  { key: 'roastery.orders.refund', description: 'Refund orders' },
  { key: 'roastery.roasts.plan', description: 'Plan roasts' },
  { key: 'roastery.stock.write', description: 'Change the stock of green coffee' },
];
const roles = [
  { name: 'Customer support', permissions: ['roastery.orders.read', 'roastery.orders.refund'] },
  { name: 'Roaster', permissions: ['roastery.roasts.plan', 'roastery.stock.write'] },
  { name: 'Order service', permissions: ['roastery.orders.read', 'roastery.stock.write'] },
];

const keyName = 'Web shop';

/** Invites the team. An address that was invited before, in any state, is not invited again. */
export async function inviteTeam({ client, slug, console }: Organization): Promise<Step> {
  const path = { slug };
  const known = await valuesOf(client.list('/organizations/{slug}/invitations', { path }), ({ email }) => email);
  const missing = invited.filter(({ email }) => !known.has(email));
  for (const body of missing) await client.post('/organizations/{slug}/invitations', { path, body });
  return { what: 'invitations', total: invited.length, added: missing.length, where: `${console}/invitations` };
}

/** Registers the permissions of the roastery, and creates its roles. */
export async function createRoles({ client, console }: Organization): Promise<Step> {
  await client.post('/access/permissions', { body: { namespace, permissions } });
  const known = await valuesOf(client.list('/access/roles', {}), ({ name }) => name);
  const missing = roles.filter(({ name }) => !known.has(name));
  for (const body of missing) await client.post('/access/roles', { body });
  return { what: 'roles', total: roles.length, added: missing.length, where: `${console}/roles` };
}

export type ShopApplication = {
  step: Step;
  application: Schemas['Application'];
  /** The token of the new API key; null when an earlier run has created it. */
  token: string | null;
};

/** Creates the application of the shop with an API key that may send events, and assigns its role. */
export async function createApplication(organization: Organization): Promise<ShopApplication> {
  const { client, console } = organization;
  const slug = uniqueName(organization, 'roastery-shop');
  const application = { name: 'Roastery shop', slug, description: 'Sends the orders of the web shop.' };
  const found = await findIn(client.list('/applications', {}), (present) => present.slug === slug);
  const created = found ?? (await client.post('/applications', { body: application }));
  const { id } = created;
  const role = await findIn(client.list('/access/roles', {}), ({ name }) => name === 'Order service');
  if (role) await client.post('/access/assignments', { body: { applicationId: id, roleId: role.id } });
  const keys = client.list('/applications/{id}/api-keys', { path: { id } });
  const key = await findIn(keys, ({ name }) => name === keyName);
  const body = { name: keyName, scopes: ['context.events.write'] };
  const token = key ? null : (await client.post('/applications/{id}/api-keys', { path: { id }, body })).token;
  const step = { what: 'application', total: 1, added: found ? 0 : 1, where: `${console}/applications` };
  return { step, application: created, token };
}
