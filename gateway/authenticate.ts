import type { Context, ServiceBroker } from 'moleculer';
import { hashApiKeyToken, isApiKeyToken } from '../lib/api-key.ts';
import type { Caller } from '../lib/caller.ts';
import { call } from '../lib/calls.ts';
import { fail } from '../lib/errors.ts';

/**
 * How long an answer about a key may be reused, counted from before it was asked for. Together with the way of a
 * request this keeps the promise that a revoked key is refused on every node within a second, even when the event
 * that drops it at once is lost.
 */
const reuseMilliseconds = 750;
const mostRemembered = 10_000;

type Remembered = { caller: Promise<Caller | null>; until: number };

/** Finds out who a credential belongs to; one a gateway, so that its memory of keys can be dropped. */
export type Authenticator = {
  authenticate: (ctx: Context, authorization: string | undefined) => Promise<Caller>;
  forget: (tokenHash: string) => void;
};

export function createAuthenticator(broker: ServiceBroker): Authenticator {
  const remembered = new Map<string, Remembered>();

  function find(ctx: Context, tokenHash: string): Promise<Caller | null> {
    const known = remembered.get(tokenHash);
    const instant = performance.now();
    if (known && instant < known.until) return known.caller;
    const caller = call(ctx, 'identity.api-keys.verify', { body: { tokenHash } }).then(({ caller }) => caller);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(tokenHash, { caller, until: instant + reuseMilliseconds });
    caller.catch((error) => {
      remembered.delete(tokenHash);
      broker.logger.debug('A credential could not be checked', { error });
    });
    return caller;
  }

  return {
    async authenticate(ctx, authorization) {
      const token = bearerToken(authorization);
      // A mistyped key fails its checksum here and costs no look-up.
      if (!isApiKeyToken(token)) throw fail('CREDENTIAL_INVALID');
      const caller = await find(ctx, hashApiKeyToken(token));
      if (!caller) throw fail('CREDENTIAL_INVALID');
      return caller;
    },
    forget: (tokenHash) => void remembered.delete(tokenHash),
  };
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw fail('CREDENTIAL_REQUIRED');
  const [scheme, token, ...rest] = authorization.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) throw fail('CREDENTIAL_INVALID');
  return token;
}
