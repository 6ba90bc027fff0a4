import type { Logger } from 'moleculer';
import type { SigningKeyReader, SigningKeys } from '../../http/access-tokens.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import type { Clients } from './clients.ts';
import type { Provided } from './provider.ts';

/** The current keys, and the provider that signs with the first of them. */
type Keys = SigningKeys & { provide: () => Promise<Provided> };

/** Returns the current keys; throws when they could never be read. */
export type KeyRing = (ctx: Ctx) => Promise<Keys>;

/**
 * Creates the key ring. A provider cannot change its keys, so a new provider replaces it when they have changed;
 * requests in flight continue with the previous one.
 */
export function createKeyRing(readKeys: SigningKeyReader, clients: Clients, logger: Logger): KeyRing {
  let current: Keys | undefined;
  return async (ctx) => {
    const keys = await readKeys(ctx);
    if (current?.name !== keys.name) current = { ...keys, provide: providerOf(keys, clients, logger) };
    return current;
  };
}

/** Loaded on first use: it takes 25 MiB, and a platform without logins to OAuth clients does not need it. */
function providerOf({ jwks }: SigningKeys, clients: Clients, logger: Logger): Keys['provide'] {
  let provided: Promise<Provided> | undefined;
  return () => {
    provided ??= import('./provider.ts')
      .then(({ assembleProvider }) => assembleProvider(jwks, clients, logger))
      .catch((error) => {
        // The next request retries.
        provided = undefined;
        throw error;
      });
    return provided;
  };
}
