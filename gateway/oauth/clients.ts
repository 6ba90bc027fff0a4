import { timingSafeEqual } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import { readForm } from '../../http/read-body.ts';
import { createTtlCache } from '../../lib/concurrency/ttl-cache.ts';
import { type CallOutput, type Ctx, call } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { openidScopes } from '../../lib/security/oauth-scopes.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import type { Form } from '../../web/define-page.ts';
import { allowRefusal, OAuthRefusal, restrictOrigin } from './paths.ts';
import type { Exchange } from './request.ts';

export type Client = NonNullable<CallOutput<'identity.oauth.clients.find'>['client']>;

/** The metadata key under which a provider's client holds the platform's data of it. */
export const extraMetadata = 'registered';

/** Finds clients by id, with a short-lived cache. */
export type Clients = {
  find: (ctx: Ctx, clientId: string) => Promise<Client | null>;
  /**
   * {@link Clients.find}, for a request that acts for the client's organization. Its error is logged for that.
   *
   * @throws ORGANIZATION_SUSPENDED
   */
  findInForce: (exchange: Pick<Exchange, 'ctx' | 'request'>, clientId: string) => Promise<Client | null>;
  /** Drops the cached data of a client. */
  forget: (clientId: string) => void;
  /** Drops the cached data of an organization's clients. */
  forgetOf: (orgId: string) => void;
};

/** Together with the latency of a request this guarantees that a deleted client is rejected within a second. */
const reuseMilliseconds = 750;
const clientIdPattern = /^cli_[0-9a-z]{26}$/;

export function createClients(): Clients {
  const cached = createTtlCache<Client | null>(reuseMilliseconds);

  function find(ctx: Ctx, clientId: string): Promise<Client | null> {
    if (!clientIdPattern.test(clientId)) return Promise.resolve(null);
    const ask = () => call(ctx, 'identity.oauth.clients.find', { body: { clientId } }).then(({ client }) => client);
    return cached.find(clientId, ask);
  }

  return {
    find,
    async findInForce({ ctx, request }, clientId) {
      const client = await find(ctx, clientId);
      if (client) request.oauthClient = client;
      if (client?.isSuspended) throw apiError('ORGANIZATION_SUSPENDED');
      return client;
    },
    forget: cached.forget,
    forgetOf: (orgId) => cached.forgetWhere((client) => client?.orgId === orgId),
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
  const sentHash = Buffer.from(hashToken(secret));
  return hashes.filter((hash) => isEqual(Buffer.from(hash), sentHash)).length > 0;
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

type Credentials = { clientId: string; secret: string | undefined };

/** A request of a client about a token. */
export type TokenRequest = { client: Client; token: string };

/**
 * Reads the client and the token of a request (RFC 7009 section 2.1, RFC 7662 section 2.1). A confidential client
 * authenticates by Basic or in the form, not both; a public one only sends its id.
 *
 * @throws OAuthRefusal invalid_client, invalid_request; ORGANIZATION_SUSPENDED.
 */
export async function readTokenRequest(clients: Clients, exchange: Exchange): Promise<TokenRequest> {
  allowRefusal(exchange);
  const form = await readForm(exchange.request);
  const { clientId, secret } = readCredentials(exchange.request.headers.authorization, form);
  const client = await clients.findInForce(exchange, clientId);
  if (!client || !(await isProven(clients, exchange, client, secret))) throw failedAuthentication();
  restrictOrigin(exchange, client);
  const { token } = form;
  if (!token) throw new OAuthRefusal(400, 'invalid_request', 'send the token');
  return { client, token };
}

async function isProven(
  clients: Clients,
  exchange: Exchange,
  client: Client,
  secret: string | undefined,
): Promise<boolean> {
  if (client.tokenEndpointAuthMethod !== 'none') {
    return secret !== undefined && (await verifyClientSecret(clients, exchange, client, secret));
  }
  if (secret !== undefined) return false;
  await exchange.meter.countAddress();
  return true;
}

/** Whether a request authenticates as a client by its secret. Rate limits then count it by the client. */
export function verifyClientSecret(
  clients: Clients,
  { ctx, meter }: Exchange,
  client: Client,
  secret: string,
): Promise<boolean> {
  return meter.prove(client.clientId, () => hasSecret(clients, ctx, client, secret));
}

function readCredentials(authorization: string | undefined, form: Form): Credentials {
  if (authorization === undefined) {
    if (!form.client_id) throw failedAuthentication();
    return { clientId: form.client_id, secret: form.client_secret };
  }
  const basic = readBasic(authorization);
  const isOneWay = form.client_secret === undefined && (form.client_id ?? basic.clientId) === basic.clientId;
  if (!isOneWay) throw new OAuthRefusal(400, 'invalid_request', 'authenticate the client in one way');
  return basic;
}

/** Decodes both parts, which are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function readBasic(authorization: string): Credentials {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  try {
    return { clientId: decodePart(id), secret: decodePart(secret) };
  } catch {
    throw failedAuthentication();
  }
}

function decodePart(part: string): string {
  return decodeURIComponent(part.replaceAll('+', ' '));
}

function failedAuthentication(): OAuthRefusal {
  return new OAuthRefusal(401, 'invalid_client', 'client authentication failed', 'Basic realm="platform"');
}
