import type { Context, ServiceBroker } from 'moleculer';
import { isApiKeyToken } from '../lib/api-key.ts';
import type { AccessChange, Caller, CredentialsChange, RequestMeta } from '../lib/caller.ts';
import { call } from '../lib/calls.ts';
import { fail } from '../lib/errors.ts';
import { hashToken } from '../lib/token-hash.ts';

/**
 * How long an answer about a credential may be reused, counted from before it was asked for. Together with the way of
 * a request this keeps the promise that a revoked one is refused on every node within a second, even when the event
 * that drops it at once is lost.
 */
const reuseMilliseconds = 500;
const mostRemembered = 10_000;

type Remembered = { caller: Promise<Caller | null>; known?: Caller | null; until: number };
type Ctx = Context<unknown, RequestMeta>;

/** What a request carries: the Authorization header, else the session cookie. */
export type Credentials = { authorization: string | undefined; session: string | undefined };

/** Finds out who a credential belongs to; one a gateway, so that its memory can be dropped. */
export type Authenticator = {
  authenticate: (ctx: Ctx, credentials: Credentials) => Promise<Caller>;
  /** Drops what is remembered of a credential, or of everything a user or a client holds. */
  forget: (changed: CredentialsChange) => void;
  /** Drops what is remembered of users who may do something else in an organization from now on. */
  forgetRights: (changed: AccessChange) => void;
};

/** Says whose a token is; null when it is nobody's. */
type Verify = (ctx: Ctx, token: string) => Promise<Caller | null>;

export function createAuthenticator(broker: ServiceBroker, verifyAccessToken: Verify): Authenticator {
  const remembered = new Map<string, Remembered>();

  function find(ctx: Ctx, hash: string, ask: () => Promise<Caller | null>): Promise<Caller | null> {
    const known = remembered.get(hash);
    const instant = performance.now();
    if (known && instant < known.until) return known.caller;
    const entry: Remembered = { caller: ask(), until: instant + reuseMilliseconds };
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(hash, entry);
    entry.caller.then(
      (caller) => {
        entry.known = caller;
      },
      (error) => {
        remembered.delete(hash);
        broker.logger.debug('A credential could not be checked', { error, requestId: ctx.requestID });
      },
    );
    return entry.caller;
  }

  function look(ctx: Ctx, token: string): Promise<Caller | null> | null {
    if (isApiKeyToken(token)) {
      const tokenHash = hashToken(token);
      const ask = () => call(ctx, 'identity.api-keys.verify', { body: { tokenHash } }).then(({ caller }) => caller);
      return find(ctx, tokenHash, ask);
    }
    // A mistyped key fails its checksum, and whatever else is no JWT its form: neither costs a look-up.
    return isJwt(token) ? find(ctx, hashToken(token), () => verifyAccessToken(ctx, token)) : null;
  }

  function lookSession(ctx: Ctx, token: string): Promise<Caller | null> {
    const tokenHash = hashToken(token);
    return find(ctx, tokenHash, () =>
      call(ctx, 'identity.sessions.verify', { body: { tokenHash } }).then(({ caller }) => caller),
    );
  }

  return {
    async authenticate(ctx, { authorization, session }) {
      if (authorization === undefined && session === undefined) throw fail('CREDENTIAL_REQUIRED');
      const caller =
        authorization === undefined
          ? await lookSession(ctx, session ?? '')
          : await look(ctx, bearerToken(authorization));
      if (!caller) throw fail('CREDENTIAL_INVALID');
      return caller;
    },
    forget: (changed) => forget(remembered, changed),
    forgetRights: (changed) => forgetRights(remembered, changed),
  };
}

function forget(remembered: Map<string, Remembered>, { tokenHash, userId, clientId }: CredentialsChange): void {
  if (tokenHash !== undefined) remembered.delete(tokenHash);
  if (userId === undefined && clientId === undefined) return;
  for (const [hash, { known }] of remembered) {
    // One that is still being asked for may have been answered from before the change.
    if (known === undefined || holds(known, userId, clientId)) remembered.delete(hash);
  }
}

function forgetRights(remembered: Map<string, Remembered>, { orgId, subjects }: AccessChange): void {
  if (subjects?.length === 0) return;
  const changed = subjects && new Set(subjects);
  for (const [hash, { known }] of remembered) {
    // As above, of one that is still being asked for nobody knows how old its answer is.
    if (known === undefined || isConcerned(known, orgId, changed)) remembered.delete(hash);
  }
}

function isConcerned(caller: Caller | null, orgId: string, subjects: Set<string> | null): boolean {
  if (caller?.type !== 'user') return false;
  return subjects ? subjects.has(caller.id) : caller.memberships.some((membership) => membership.orgId === orgId);
}

function holds(caller: Caller | null, userId: string | undefined, clientId: string | undefined): boolean {
  if (!caller) return false;
  return (caller.type === 'user' && caller.id === userId) || (clientId !== undefined && caller.clientId === clientId);
}

function bearerToken(authorization: string): string {
  const [scheme, token, ...rest] = authorization.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) throw fail('CREDENTIAL_INVALID');
  return token;
}

const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
