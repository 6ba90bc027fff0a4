import type { ServiceBroker } from 'moleculer';
import { isApiKeyToken } from '../lib/api-key.ts';
import type { AccessChange, Caller, CredentialsChange, Ctx } from '../lib/caller.ts';
import { call } from '../lib/calls.ts';
import { apiError } from '../lib/errors.ts';
import { hashToken } from '../lib/token-hash.ts';
import { createCredentialMemory, sessionKey } from './credential-memory.ts';

/** The credential of a request: the Authorization header, otherwise the session cookie. */
export type Credentials = { authorization: string | undefined; session: string | undefined };

/** Authenticates credentials. A gateway has one, with its cache. */
export type Authenticator = {
  authenticate: (ctx: Ctx, credentials: Credentials) => Promise<Caller>;
  /** Drops the cached answers for a credential, or for all credentials of a user or a client. */
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
