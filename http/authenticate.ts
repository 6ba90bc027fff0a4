import { LRUCache } from 'lru-cache';
import type { ServiceBroker } from 'moleculer';
import { expireAfter } from '../lib/concurrency/ttl-cache.ts';
import { type AccessChange, type Caller, type CredentialsChange, type Ctx, call } from '../lib/contract/context.ts';
import { apiError } from '../lib/contract/errors.ts';
import { isApiKeyToken } from '../lib/security/api-key.ts';
import { hashToken } from '../lib/security/token-hash.ts';

/**
 * How long the answer for a credential is cached, counted from before the call. Together with the latency of a request
 * this guarantees that a revoked credential is rejected on every node within a second, even when the event that evicts
 * it is lost.
 */
const reuseMilliseconds = 500;
/**
 * The age from which a request refreshes the cached answer in the background, so that no request waits for a credential
 * in use.
 */
export const renewMilliseconds = 300;

/** The cache key of a session; other credentials are cached by their hash. */
export const sessionKey = (tokenHash: string): string => `session ${tokenHash}`;

type CachedCredential = {
  caller: Promise<Caller | null>;
  known?: Caller | null;
  askedAt: number;
  isRefreshed: boolean;
};
type Entries = LRUCache<string, CachedCredential>;
type CredentialQuery = () => Promise<Caller | null>;

/** A short-lived cache of callers by the hashes of their credentials, and by {@link sessionKey}. */
export type CredentialCache = {
  /**
   * The cached answer, otherwise the answer of `ask`. Concurrent requests share one call, and failures are not cached.
   */
  find: (hash: string, ask: CredentialQuery) => Promise<Caller | null>;
  forget: (changed: CredentialsChange) => void;
  forgetRights: (changed: AccessChange) => void;
};

export function createCredentialMemory(): CredentialCache {
  const entries: Entries = new LRUCache({ max: 10_000, ...expireAfter(reuseMilliseconds) });
  return {
    find(hash, ask) {
      const known = entries.get(hash);
      if (!known) return cacheEntry(entries, hash, beginAsking(ask));
      const isDue = !known.isRefreshed && performance.now() >= known.askedAt + renewMilliseconds;
      if (isDue) refreshEntry(entries, hash, known, beginAsking(ask));
      return known.caller;
    },
    forget: (changed) => evictChanged(entries, changed),
    forgetRights: (changed) => evictRights(entries, changed),
  };
}

function beginAsking(ask: CredentialQuery): CachedCredential {
  const entry: CachedCredential = { askedAt: performance.now(), caller: ask(), isRefreshed: false };
  entry.caller.then(
    (caller) => {
      entry.known = caller;
    },
    () => undefined,
  );
  return entry;
}

function cacheEntry(entries: Entries, hash: string, entry: CachedCredential): Promise<Caller | null> {
  entries.set(hash, entry, { start: entry.askedAt });
  entry.caller.catch(() => {
    if (entries.peek(hash) === entry) entries.delete(hash);
  });
  return entry.caller;
}

/** Refreshes an entry, unless it was evicted during the call. On failure the cached answer remains until it expires. */
function refreshEntry(entries: Entries, hash: string, previous: CachedCredential, entry: CachedCredential): void {
  previous.isRefreshed = true;
  entry.caller.then(
    () => {
      if (entries.peek(hash) === previous) entries.set(hash, entry, { start: entry.askedAt });
    },
    () => undefined,
  );
}

function evictChanged(entries: Entries, change: CredentialsChange): void {
  const { tokenHash, userId, clientId, orgId } = change;
  if (tokenHash !== undefined) {
    entries.delete(tokenHash);
    entries.delete(sessionKey(tokenHash));
  }
  if (userId === undefined && clientId === undefined && orgId === undefined) return;
  for (const [hash, { known }] of entries) {
    // An answer in flight may be from before the change.
    if (known === undefined || holds(known, change)) entries.delete(hash);
  }
}

function evictRights(entries: Entries, { orgId, subjects }: AccessChange): void {
  if (subjects?.length === 0) return;
  const changed = subjects && new Set(subjects);
  for (const [hash, { known }] of entries) {
    // An answer in flight may be from before the change too.
    if (known === undefined || isConcerned(known, orgId, changed)) entries.delete(hash);
  }
}

function isConcerned(caller: Caller | null, orgId: string, subjects: Set<string> | null): boolean {
  if (caller?.type !== 'user') return false;
  return subjects ? subjects.has(caller.id) : belongsTo(caller, orgId);
}

/** Whether a caller's credential is one of an organization, or the caller is a member of it. */
export function belongsTo(caller: Caller, orgId: string): boolean {
  if (caller.orgId === orgId) return true;
  return caller.type === 'user' && caller.memberships.some((membership) => membership.orgId === orgId);
}

/** Whether a caller is the user, acts by the client, or belongs to the organization whose credentials have changed. */
export function holds(caller: Caller | null, { userId, clientId, orgId }: CredentialsChange): boolean {
  if (!caller) return false;
  if (orgId !== undefined && belongsTo(caller, orgId)) return true;
  return (caller.type === 'user' && caller.id === userId) || (clientId !== undefined && caller.clientId === clientId);
}

/** The credential of a request: the Authorization header, otherwise the session cookie. */
export type Credentials = { authorization: string | undefined; session: string | undefined };

/** Authenticates credentials. A gateway has one, with its cache. */
export type Authenticator = {
  authenticate: (ctx: Ctx, credentials: Credentials) => Promise<Caller>;
  /** Drops the cached answers for a credential, or for all credentials of a user, a client or an organization. */
  forget: (changed: CredentialsChange) => void;
  /** Drops the cached callers whose permissions in an organization have changed. */
  forgetRights: (changed: AccessChange) => void;
};

/** Finds the caller of a token; null when the token is not valid. */
type Verify = (ctx: Ctx, token: string) => Promise<Caller | null>;

export function createAuthenticator(broker: ServiceBroker, verifyAccessToken: Verify): Authenticator {
  const memory = createCredentialMemory();

  async function find(ctx: Ctx, hash: string, ask: () => Promise<Caller | null>): Promise<Caller | null> {
    try {
      return await memory.find(hash, ask);
    } catch (error) {
      broker.logger.debug('A credential could not be checked', { error, requestId: ctx.requestID });
      throw error;
    }
  }

  function look(ctx: Ctx, token: string): Promise<Caller | null> | null {
    if (isApiKeyToken(token)) {
      const tokenHash = hashToken(token);
      const ask = () => call(ctx, 'identity.api-keys.verify', { body: { tokenHash } }).then(({ caller }) => caller);
      return find(ctx, tokenHash, ask);
    }
    // A mistyped key fails the checksum, and other invalid tokens do not have the form of a JWT: neither costs a call.
    return isJwt(token) ? find(ctx, hashToken(token), () => verifyAccessToken(ctx, token)) : null;
  }

  function lookSession(ctx: Ctx, token: string): Promise<Caller | null> {
    const tokenHash = hashToken(token);
    // Keyed separately from tokens of the Authorization header, which must not be used as sessions.
    return find(ctx, sessionKey(tokenHash), () =>
      call(ctx, 'identity.sessions.verify', { body: { tokenHash } }).then(({ caller }) => caller),
    );
  }

  return {
    async authenticate(ctx, { authorization, session }) {
      if (authorization === undefined && session === undefined) throw apiError('CREDENTIAL_REQUIRED');
      const caller =
        authorization === undefined
          ? await lookSession(ctx, session ?? '')
          : await look(ctx, bearerToken(authorization));
      if (!caller) throw apiError('CREDENTIAL_INVALID');
      if (caller.isSuspended) throw apiError('ORGANIZATION_SUSPENDED');
      return caller;
    },
    forget: memory.forget,
    forgetRights: memory.forgetRights,
  };
}

/** The hash of a credential; null without one. Throws CREDENTIAL_INVALID for a malformed header. */
export function tokenHashOf({ authorization, session }: Credentials): string | null {
  const token = authorization === undefined ? session : bearerToken(authorization);
  return token ? hashToken(token) : null;
}

function bearerToken(authorization: string): string {
  const [scheme, token, ...rest] = authorization.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) throw apiError('CREDENTIAL_INVALID');
  return token;
}

const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
