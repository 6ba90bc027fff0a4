import { timingSafeEqual } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import type { Ctx } from '../../lib/caller.ts';
import { type CallOutput, call } from '../../lib/calls.ts';
import { openidScopes } from '../../lib/openid-scopes.ts';
import { hashToken } from '../../lib/token-hash.ts';

export type Client = NonNullable<CallOutput<'identity.oauth.clients.find'>['client']>;

/** The metadata key under which a provider's client holds the platform's data of it. */
export const extraMetadata = 'registered';

/** Finds clients by id, with a short-lived cache. */
export type Clients = {
  find: (ctx: Ctx, clientId: string) => Promise<Client | null>;
  /** Drops the cached data of a client. */
  forget: (clientId: string) => void;
};

/** Together with the latency of a request this guarantees that a deleted client is rejected within a second. */
const reuseMilliseconds = 750;
const maxCached = 10_000;
const clientIdPattern = /^cli_[0-9a-z]{26}$/;

export function createClients(): Clients {
  const remembered = new Map<string, { client: Promise<Client | null>; until: number }>();
  return {
    find(ctx, clientId) {
      if (!clientIdPattern.test(clientId)) return Promise.resolve(null);
      const known = remembered.get(clientId);
      const instant = performance.now();
      if (known && instant < known.until) return known.client;
      const client = call(ctx, 'identity.oauth.clients.find', { body: { clientId } }).then((found) => found.client);
      if (remembered.size >= maxCached) remembered.clear();
      remembered.set(clientId, { client, until: instant + reuseMilliseconds });
      client.catch(() => remembered.delete(clientId));
      return client;
    },
    forget: (clientId) => void remembered.delete(clientId),
  };
}

/**
 * A client in the provider's format. The provider requires a secret; it is a placeholder, because only hashes are
 * stored.
 */
export function metadataOf(client: Client): AdapterPayload {
  const openid = client.scopes.filter((scope) => openidScopes.includes(scope));
  const usesCodes = client.grantTypes.includes('authorization_code') && client.redirectUris.length > 0;
  const isPublic = client.tokenEndpointAuthMethod === 'none';
  const metadata = {
    client_id: client.clientId,
    client_name: client.applicationName,
    ...(!isPublic && { client_secret: 'hashed' }),
    grant_types: client.grantTypes,
    response_types: usesCodes ? ['code'] : [],
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    ...(openid.length > 0 && { scope: openid.join(' ') }),
    [extraMetadata]: client,
  };
  return metadata as AdapterPayload;
}

/** The platform's data of a provider's client. */
export function registeredOf(client: object): Client {
  return (client as { registered: Client }).registered;
}

/**
 * Verifies a secret of a client; for a day after a rotation two are valid. A secret that does not match may be newer
 * than the cache, so the client is then read again.
 */
export async function hasSecret(clients: Clients, ctx: Ctx, client: Client, secret: string): Promise<boolean> {
  if (isAmong(client.secretHashes, secret)) return true;
  clients.forget(client.clientId);
  const current = await clients.find(ctx, client.clientId);
  return current !== null && isAmong(current.secretHashes, secret);
}

function isAmong(hashes: string[], secret: string): boolean {
  const given = Buffer.from(hashToken(secret));
  return hashes.filter((hash) => isEqual(Buffer.from(hash), given)).length > 0;
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
