import { type Client, createClient } from 'platform-sdk';
import type { Connection } from '../shop-backend/platform/connection.ts';
import { pacedFetch } from '../shop-backend/platform/pace.ts';

/** The organization that is seeded, a client with its key, and the address of its console. */
export type Organization = { client: Client; connection: Connection; slug: string; console: string };

/** The result of a step. `added` is 0 when an earlier run has created everything; `where` says where to look. */
export type Step = { what: string; total: number; added: number; where: string };

/** Opens the organization of an API key. */
export async function openOrganization(url: string, apiKey: string): Promise<Organization> {
  const fetch = pacedFetch();
  const owner = await createClient({ url, token: apiKey, fetch }).get('/identity/me');
  if (owner.type !== 'application') throw new Error('The key must be an API key of an application.');
  const tenantId = owner.orgId;
  const client = createClient({ url, token: apiKey, tenantId, fetch });
  const slug = await slugOf(client, tenantId);
  return { client, connection: { url, apiKey, tenantId }, slug, console: `${url}/console/${slug}` };
}

async function slugOf(client: Client, orgId: string): Promise<string> {
  for await (const { id, slug } of client.list('/organizations', {})) if (id === orgId) return slug;
  throw new Error('The key cannot read its organization: use one with the scope svc:admin.');
}

/** Collects one field of all items of a list, to compare with the items that a seed creates. */
export async function valuesOf<T>(list: AsyncIterable<T>, fieldOf: (item: T) => string): Promise<Set<string>> {
  const values = new Set<string>();
  for await (const item of list) values.add(fieldOf(item));
  return values;
}

/** Returns the first item of a list that matches, or undefined. */
export async function findIn<T>(list: AsyncIterable<T>, matches: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of list) if (matches(item)) return item;
  return undefined;
}

/** Names a resource whose name is unique on the platform. */
export const uniqueName = ({ connection }: Organization, name: string): string =>
  `${name}-${connection.tenantId.slice(-10).toLowerCase()}`;
