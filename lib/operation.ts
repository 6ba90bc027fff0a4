import { hkdfSync, randomBytes } from 'node:crypto';
import { now } from './clock.ts';
import { idFrom, idRandomBytes, randomId } from './ids.ts';

/**
 * The identity of a request's work across its retries. A retry with the same Idempotency-Key is the same operation: it
 * gets the same ids and secrets, so its inserts conflict with the inserts of an earlier run, and it can return the same
 * answer.
 */
export type Operation = {
  /**
   * Stored with work that has another id than the operation, to find it again. It reveals no secret of the operation.
   */
  key: string;
  /** Whether a retry continues the operation; false for a request without an Idempotency-Key. */
  isKeyed: boolean;
  /** The operation's id with this prefix. A further id needs a label. */
  newId: (prefix: string, label?: string) => string;
  /** `count` unpredictable bytes for one purpose, such as a token. */
  secretBytes: (purpose: string, count: number) => Buffer;
};

export const operationSeedBytes = 32;
const keyBytes = 16;

/** The operation of a seed, from which its ids and secrets are derived (HKDF-SHA-256), and of its start. */
export function operationOf(seed: Buffer, startedAt: Date): Operation {
  return derive(() => seed, startedAt, true);
}

/** The operation of a request without retries: its ids are random, because they are never looked up again. */
export function newOperation(): Operation {
  const startedAt = now();
  const ids = new Map<string, string>();
  let seed: Buffer | undefined;
  // Lazy, because most requests need no seed.
  const lazySeed = () => {
    seed ??= randomBytes(operationSeedBytes);
    return seed;
  };
  return Object.assign(derive(lazySeed, startedAt, false), {
    newId(prefix: string, label = ''): string {
      const name = `${prefix} ${label}`;
      const id = ids.get(name) ?? randomId(prefix, startedAt);
      ids.set(name, id);
      return id;
    },
  });
}

function derive(seed: () => Buffer, startedAt: Date, isKeyed: boolean): Operation {
  const bytes = (info: string, count: number) => Buffer.from(hkdfSync('sha256', seed(), 'operation', info, count));
  return {
    get key() {
      return bytes('key', keyBytes).toString('base64url');
    },
    isKeyed,
    newId: (prefix, label = '') => idFrom(prefix, startedAt, bytes(`id ${prefix} ${label}`, idRandomBytes)),
    secretBytes: (purpose, count) => bytes(`secret ${purpose}`, count),
  };
}
