import { createLocalJWKSet, type JWK } from 'jose';
import type { Logger } from 'moleculer';
import type { Ctx } from '../lib/caller.ts';
import { type CallOutput, call } from '../lib/calls.ts';
import { now } from '../lib/clock.ts';
import { decrypt } from '../lib/encryption.ts';

type SigningKey = CallOutput<'identity.oauth.signing-keys'>['keys'][number];

/** The keys of access tokens: all verification keys, and the private keys, the current signing key first. */
export type SigningKeys = {
  /** Changes exactly when the keys change. */
  name: string;
  keySet: ReturnType<typeof createLocalJWKSet>;
  jwks: JWK[];
};

/** Returns the current keys; throws when they could never be read. */
export type SigningKeyReader = (ctx: Ctx) => Promise<SigningKeys>;

const sealPurpose = 'oauth.signing-key';
const reuseMilliseconds = 1000;

/** Reads the keys, and caches them for a second. While they cannot be read, the last known ones are used. */
export function createSigningKeyReader(logger: Logger): SigningKeyReader {
  let keys: SigningKey[] = [];
  let current: SigningKeys | undefined;
  let askAgainAt = 0;
  let asking: Promise<void> | undefined;

  async function ask(ctx: Ctx): Promise<void> {
    try {
      keys = (await call(ctx, 'identity.oauth.signing-keys', {})).keys;
    } catch (error) {
      if (keys.length === 0) throw error;
      logger.warn('The signing keys could not be read; using the last known ones.', { error });
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
    if (current?.name !== name) current = { name, ...open(ordered) };
    return current;
  };
}

/** Sorts the current signing key first: the newest whose `signsFrom` has passed. */
function signingFirst(keys: SigningKey[]): SigningKey[] {
  const signing = keys.findLast(({ signsFrom }) => new Date(signsFrom) <= now()) ?? keys[0];
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}

function open(keys: SigningKey[]): Omit<SigningKeys, 'name'> {
  const jwks = keys.map(({ sealed }) => JSON.parse(decrypt(sealPurpose, sealed)) as JWK);
  return { jwks, keySet: createLocalJWKSet({ keys: jwks.map(publicPart) }) };
}

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}
