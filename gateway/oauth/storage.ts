import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import { call } from '../../lib/contract/context.ts';
import { sign } from '../../lib/security/encryption.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { type Clients, metadataOf, registeredOf, verifyClientSecret } from './clients.ts';
import { isRegistered } from './redirect-uris.ts';
import { authTimeOf, currentExchange, type PlatformSession } from './request.ts';
import { decryptPayload, encryptPayload } from './sealed-payload.ts';

type Session = InstanceType<Provider['Session']>;
type RefreshToken = { jti: string; generateTokenId: () => string };
type ClientSchema = { redirectUris: () => void };
type AccessToken = { save: () => Promise<string> };
type IdToken = {
  ctx?: { oidc: { entities: { AccessToken?: object } } };
  set: (claim: string, value: string) => void;
  issue: (options: object) => Promise<string>;
};

/** Overrides the behaviour of a provider's models where its configuration has no option. */
export function adaptModels(provider: Provider, clients: Clients): void {
  compareHashedSecrets(provider, clients);
  useRegisteredUris(provider);
  followPlatformSession(provider);
  deriveSuccessors(provider);
  bindIdTokens(provider);
}

/** Compares hashed client secrets, of which two may be valid at the same time. */
function compareHashedSecrets(provider: Provider, clients: Clients): void {
  provider.Client.prototype.compareClientSecret = function compare(this: object, secret: string) {
    return verifyClientSecret(clients, currentExchange(), registeredOf(this), secret);
  };
}

/**
 * Disables the provider's check of redirect URIs, which are checked when a client is registered. It would reject the
 * whole client because of one URI with a private-use scheme or, for its native clients, one with https and a loopback
 * host.
 */
function useRegisteredUris({ Client }: Provider): void {
  const { Schema } = Client as unknown as { Schema: { prototype: ClientSchema } };
  Schema.prototype.redirectUris = () => {};
  Client.prototype.redirectUriAllowed = function isAllowed(this: object, uri) {
    return isRegistered(registeredOf(this).redirectUris, uri);
  };
  Client.prototype.postLogoutRedirectUriAllowed = function isAllowed(this: object, uri) {
    return isRegistered(registeredOf(this).postLogoutRedirectUris, uri);
  };
}

/**
 * Makes the provider's session follow the platform's: the same user and login time, or no user when none is logged in.
 * Its identifier changes with the user, which prevents session fixation.
 */
function followPlatformSession(provider: Provider): void {
  const { Session } = provider;
  const get = Session.get.bind(Session);
  Session.get = async (ctx) => {
    const session = await get(ctx);
    follow(session, await currentExchange().platformSession());
    return session;
  };
}

function follow(session: Session, platform: PlatformSession | null): void {
  const userId = platform?.userId;
  const loginTs = platform ? authTimeOf(platform) : undefined;
  if (session.accountId === userId && session.loginTs === loginTs) return;
  if (session.accountId !== userId) delete session.authorizations;
  if (userId === undefined || loginTs === undefined) {
    delete session.accountId;
    delete session.loginTs;
  } else {
    session.loginAccount({ accountId: userId, loginTs });
  }
  session.resetIdentifier();
}

/** The refresh token that replaces a used one. */
const successorOf = (token: string): string => sign('oauth.refresh-token', token);

/**
 * Derives the identifier of a rotated refresh token from the used one. A client that lost the answer and retries gets
 * the same token, and a second one never exists.
 */
function deriveSuccessors(provider: Provider): void {
  const prototype = provider.RefreshToken.prototype as unknown as RefreshToken;
  const { generateTokenId } = prototype;
  prototype.generateTokenId = function generate(this: RefreshToken) {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken as { jti: string } | undefined;
    return rotated ? successorOf(rotated.jti) : generateTokenId.call(this);
  };
}

/** Adds `at_hash`, the hash of the access token, to ID tokens. The provider omits it at the token endpoint. */
function bindIdTokens(provider: Provider): void {
  const values = new WeakMap<object, string>();
  const accessTokens = provider.AccessToken.prototype as unknown as AccessToken;
  const { save } = accessTokens;
  accessTokens.save = async function saveAndKeep(this: AccessToken) {
    const value = await save.call(this);
    values.set(this, value);
    return value;
  };
  const idTokens = provider.IdToken.prototype as unknown as IdToken;
  const { issue } = idTokens;
  idTokens.issue = function issueBound(this: IdToken, options: object) {
    const accessToken = this.ctx?.oidc.entities.AccessToken;
    const value = accessToken && values.get(accessToken);
    if (value !== undefined) this.set('at_hash', value);
    return issue.call(this, options);
  };
}

const stored = ['Session', 'Interaction', 'Grant', 'AuthorizationCode', 'RefreshToken'] as const;
type Stored = (typeof stored)[number];

/**
 * The storage adapter of the provider. The identity service stores the objects; it gets only the hashes of the
 * identifiers, and encrypted contents. Access tokens are not stored.
 */
export function createAdapterFactory(clients: Clients): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return { ...nothing, find: async (id) => findMetadata(clients, id) };
    return isStored(name) ? artifacts(name) : nothing;
  };
}

function isStored(name: string): name is Stored {
  return (stored as readonly string[]).includes(name);
}

/**
 * Finds a client in the provider's format. A logout needs it also while its organization is suspended.
 *
 * @throws ORGANIZATION_SUSPENDED
 */
async function findMetadata(clients: Clients, id: string): Promise<AdapterPayload | undefined> {
  const exchange = currentExchange();
  const route = Provider.ctx?.oidc.route;
  const isLogout = route === undefined || route.startsWith('end_session');
  const client = isLogout ? await clients.find(exchange.ctx, id) : await clients.findInForce(exchange, id);
  // A public client does not authenticate, so its request is counted by address before it is answered.
  if (client?.tokenEndpointAuthMethod === 'none') await exchange.meter.countAddress();
  return client ? metadataOf(client) : undefined;
}

const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

function artifacts(kind: Stored): Adapter {
  return {
    ...nothing,
    upsert: (id, payload, expiresIn = 0) => store(kind, id, payload, expiresIn),
    async find(id) {
      const { artifact } = await call(currentExchange().ctx, 'identity.oauth.artifacts.find', {
        body: { kind, hash: hashToken(id) },
      });
      return decryptPayload(artifact);
    },
    async findByUid(uid) {
      const { artifact } = await call(currentExchange().ctx, 'identity.oauth.artifacts.find-by-uid', {
        body: { kind, uid: hashToken(uid) },
      });
      return decryptPayload(artifact);
    },
    async consume(id) {
      const { consumed } = await call(currentExchange().ctx, 'identity.oauth.artifacts.consume', {
        body: { kind, hash: hashToken(id), successor: kind === 'RefreshToken' ? hashToken(successorOf(id)) : null },
      });
      if (!consumed) throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      await call(currentExchange().ctx, 'identity.oauth.artifacts.destroy', { body: { kind, hash: hashToken(id) } });
    },
    async revokeByGrantId(grantId) {
      await call(currentExchange().ctx, 'identity.oauth.artifacts.revoke-grant', {
        body: { hash: hashToken(grantId) },
      });
    },
  };
}

async function store(kind: Stored, id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
  const { uid, grantId, accountId, clientId } = payload;
  const madeInSessionId = kind === 'Grant' ? await currentSessionId() : null;
  await call(currentExchange().ctx, 'identity.oauth.artifacts.upsert', {
    body: {
      kind,
      hash: hashToken(id),
      uid: uid === undefined ? null : hashToken(uid),
      grantId: grantId === undefined ? null : hashToken(grantId),
      accountId: accountId ?? null,
      clientId: clientId ?? null,
      sessionId: outlivesSession(payload) ? null : madeInSessionId,
      madeInSessionId,
      sealed: encryptPayload(payload),
      expiresInSeconds: Math.max(1, Math.floor(expiresIn)),
    },
  });
}

/** A grant with `offline_access` outlives the session in which it was created; any other ends with the session. */
function outlivesSession(payload: AdapterPayload): boolean {
  const { openid } = payload as { openid?: { scope?: string } };
  return openid?.scope?.split(' ').includes('offline_access') ?? false;
}

async function currentSessionId(): Promise<string | null> {
  return (await currentExchange().platformSession())?.sessionId ?? null;
}
