import { createLocalJWKSet, type JWK } from 'jose';
import type { Logger } from 'moleculer';
import { Provider } from 'oidc-provider';
import { type CallOutput, call } from '../../lib/calls.ts';
import { now } from '../../lib/clock.ts';
import { decrypt } from '../../lib/encryption.ts';
import type { Clients } from './clients.ts';
import { configurationOf } from './configuration.ts';
import { type Ctx, issuer } from './exchange.ts';
import { adaptModels } from './models.ts';
import { watch } from './watch.ts';

type SigningKey = CallOutput<'identity.oauth.signing-keys'>['keys'][number];

/** The keys of this moment: the provider that signs with one of them, and what checks signatures by any. */
export type Keys = {
  provider: Provider;
  callback: ReturnType<Provider['callback']>;
  keySet: ReturnType<typeof createLocalJWKSet>;
};

/** Gives the keys as they are now; throws when they never could be had. */
export type KeyRing = (ctx: Ctx) => Promise<Keys>;

const sealPurpose = 'oauth.signing-key';
const reuseMilliseconds = 1000;

/**
 * Keeps up with the signing keys, asking for them again after a second. A provider cannot change its keys, so another
 * takes its place when they have changed; requests in flight end with the former.
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

/** The key that signs now before the others: the newest whose time has come. */
function signingFirst(keys: SigningKey[]): SigningKey[] {
  const signing = keys.findLast(({ signsFrom }) => new Date(signsFrom) <= now()) ?? keys[0];
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}

function assemble(keys: SigningKey[], clients: Clients, logger: Logger): Keys {
  const jwks = keys.map(({ sealed }) => JSON.parse(decrypt(sealPurpose, sealed)) as JWK);
  const provider = new Provider(issuer, configurationOf({ keys: jwks as never }, clients));
  provider.proxy = issuer.startsWith('https:');
  adaptModels(provider, clients);
  watch(provider, logger);
  return { provider, callback: provider.callback(), keySet: createLocalJWKSet({ keys: jwks.map(publicPart) }) };
}

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}
