import { createLocalJWKSet, type JWK } from 'jose';
import type { Logger } from 'moleculer';
import { type CallOutput, call } from '../../lib/calls.ts';
import { now } from '../../lib/clock.ts';
import { decrypt } from '../../lib/encryption.ts';
import type { Clients } from './clients.ts';
import type { Ctx } from './exchange.ts';
import type { Provided } from './provider.ts';

type SigningKey = CallOutput<'identity.oauth.signing-keys'>['keys'][number];

/** The current keys: the key set that verifies signatures, and the provider that signs with one of them. */
export type Keys = {
  keySet: ReturnType<typeof createLocalJWKSet>;
  provide: () => Promise<Provided>;
};

/** Returns the current keys; throws when they could never be read. */
export type KeyRing = (ctx: Ctx) => Promise<Keys>;

const sealPurpose = 'oauth.signing-key';
const reuseMilliseconds = 1000;

/**
 * Caches the signing keys for a second. A provider cannot change its keys, so a new provider replaces it when they have
 * changed; requests in flight continue with the former one.
 */
export function createKeyRing(clients: Clients, logger: Logger): KeyRing {
  let keys: SigningKey[] = [];
  let current: (Keys & { name: string }) | undefined;
  let askAgainAt = 0;
  let asking: Promise<void> | undefined;

  async function ask(ctx: Ctx): Promise<void> {
    try {
      keys = (await call(ctx, 'identity.oauth.signing-keys', {})).keys;
    } catch (error) {
      if (keys.length === 0) throw error;
      logger.warn('The signing keys could not be read; the known ones are used on.', { error });
    } finally {
      askAgainAt = performance.now() + reuseMilliseconds;
      asking = undefined;
    }
  }

  return async (ctx) => {
    if (keys.length === 0 || performance.now() >= askAgainAt) {
      asking ??= ask(ctx);
      await asking;
    }
    const ordered = signingFirst(keys);
    const name = ordered.map(({ kid }) => kid).join(' ');
    if (current?.name !== name) current = { name, ...assemble(ordered, clients, logger) };
    return current;
  };
}

/** Sorts the key that signs now first: the newest whose `signsFrom` has passed. */
function signingFirst(keys: SigningKey[]): SigningKey[] {
  const signing = keys.findLast(({ signsFrom }) => new Date(signsFrom) <= now()) ?? keys[0];
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}

function assemble(keys: SigningKey[], clients: Clients, logger: Logger): Keys {
  const jwks = keys.map(({ sealed }) => JSON.parse(decrypt(sealPurpose, sealed)) as JWK);
  let provided: Promise<Provided> | undefined;
  return {
    keySet: createLocalJWKSet({ keys: jwks.map(publicPart) }),
    provide() {
      // Loaded on first use: it takes 25 MiB, and a platform without logins to OAuth clients does not need it.
      provided ??= import('./provider.ts').then(({ assembleProvider }) => assembleProvider(jwks, clients, logger));
      return provided;
    },
  };
}

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}
