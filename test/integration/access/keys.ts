import { newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import type { Tenant } from '../../support/tenants.ts';

/** A namespace that no other test of the organization uses. */
export const newNamespace = (): string => `shop-${newId('obj').slice(-8)}`;

/** A client with a key of the tenant's application that has these scopes alone. */
export async function withScopes(tenant: Client & Tenant, scopes: string[]): Promise<Client> {
  const path = { id: tenant.applicationId };
  const { token } = await tenant.call('identity.api-keys.create', { path, body: { name: 'A key', scopes } });
  return clientOf({ ...tenant, apiKey: token });
}

/** Registers permissions, and gives their keys. */
export async function registerKeys(client: Client, ...names: string[]): Promise<string[]> {
  const namespace = newNamespace();
  const permissions = names.map((name) => ({ key: `${namespace}.${name}` }));
  await client.call('access.permissions.register', { body: { namespace, permissions } });
  return permissions.map(({ key }) => key);
}

/** The acts of a kind in the organization's audit log, the newest first. */
export async function actsOf(client: Client & Tenant, action: string): Promise<Record<string, unknown>[]> {
  const path = `/organizations/${client.orgId.replace('_', '-')}/audit-log?action=${action}`;
  return (await client.send<{ data: Record<string, unknown>[] }>('GET', path)).body.data;
}

/** All items of a list, page by page. */
export async function readAll<T>(client: Client, path: string, limit = 100): Promise<T[]> {
  const all: T[] = [];
  let cursor = '';
  do {
    const page = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`;
    const { status, text, body } = await client.send<{ data: T[]; nextCursor: string | null }>('GET', page);
    if (status !== 200) throw new Error(`GET ${page} was answered ${status}: ${text}`);
    all.push(...body.data);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  return all;
}
