import type { RequestMeta } from '../../../lib/caller.ts';
import { day, hour, minute, now, second } from '../../../lib/clock.ts';
import { networkOf } from '../../../lib/network.ts';
import { settings } from '../../../lib/settings.ts';
import {
  type Attempts,
  attemptsKey,
  type Bound,
  countAttempt,
  forgetAttempts,
  giveBackAllowance,
  takeAllowance,
} from './attempts.ts';

const maxFailures = 10;
const window = 15 * minute;
const firstLock = minute;
const maxLockout = 60 * minute;
/** How long after its end a lockout makes the next one longer. */
const memory = day;

/** For one network, across accounts: enough for the mistyped passwords of an office, too few to try many accounts. */
const failuresOfNetwork: Bound[] = [{ max: 100, milliseconds: hour }];

export type LoginAttempt = {
  isLocked: boolean;
  /** While locked: seconds until the end. */
  retryAfterSeconds: number;
  /** Whether it is the last attempt before a lockout; its failure leaves the lockout in force. */
  isLast: boolean;
  /** Checks the password. The count is taken back when the password is right, or could not be checked. */
  check: (verify: () => Promise<boolean>) => Promise<boolean>;
};

/**
 * Counts an attempt to log in with a password for an email address, before the password is checked. Ten failures in 15
 * minutes, for an address and the network of the client, lock out that pair: for one minute, then two, four and up to
 * sixty. 100 failures in an hour for a network, on any accounts, lock out the network until fewer remain. It does not
 * look up whether the address has an account, so that it cannot reveal it.
 */
export async function beginLoginAttempt(email: string, meta: RequestMeta): Promise<LoginAttempt> {
  const key = keyOf(email, meta);
  const { isAllowed, attempts } = await countAttempt(key, nextLoginAttempt);
  const wait = attempts.lockedUntil.getTime() - now().getTime();
  // The pair first: an attempt that the pair's lockout refuses does not count for the network.
  if (!isAllowed) return locked(Math.max(1, Math.ceil(wait / second)));
  const network = await takeFailureOfNetwork(meta);
  if (!network.isAllowed) return locked(network.retryAfterSeconds);
  return {
    isLocked: false,
    retryAfterSeconds: 0,
    isLast: wait > 0,
    async check(verify) {
      const isRight = await verifyOr(verify, network.giveBack);
      if (isRight) await Promise.all([forgetAttempts(key), network.giveBack()]);
      return isRight;
    },
  };
}

function locked(retryAfterSeconds: number): LoginAttempt {
  const check = () => Promise.reject(new Error('A password was checked although the attempt is locked.'));
  return { isLocked: true, retryAfterSeconds, isLast: false, check };
}

async function verifyOr(verify: () => Promise<boolean>, giveBack: () => Promise<void>): Promise<boolean> {
  try {
    return await verify();
  } catch (error) {
    await giveBack();
    throw error;
  }
}

type Taken = { isAllowed: true; giveBack: () => Promise<void> } | { isAllowed: false; retryAfterSeconds: number };

async function takeFailureOfNetwork({ client }: RequestMeta): Promise<Taken> {
  if (settings.RATE_LIMIT_RPS === 0) return { isAllowed: true, giveBack: async () => undefined };
  const key = attemptsKey('login.network', networkOf(client?.address ?? ''));
  const taken = await takeAllowance(key, failuresOfNetwork);
  if (!taken.isAllowed) return taken;
  return { isAllowed: true, giveBack: () => giveBackAllowance(key, taken.takenAt) };
}

/** Ends a lockout after the client proved in another way that they own the address. */
export async function endLockOut(email: string, meta: RequestMeta): Promise<void> {
  await forgetAttempts(keyOf(email, meta));
}

/** The attempts with one more; null while locked. The last allowed attempt starts the lockout. */
export function nextLoginAttempt(known: Attempts, at: Date): Attempts | null {
  if (known.lockedUntil > at) return null;
  const instant = at.getTime();
  const triedAt = [...known.triedAt.filter((tried) => tried.getTime() > instant - window), at];
  if (triedAt.length < maxFailures) return { ...known, triedAt, expiresAt: new Date(instant + window + memory) };
  const lockedUntil = new Date(instant + Math.min(firstLock * 2 ** known.lockouts, maxLockout));
  const expiresAt = new Date(lockedUntil.getTime() + memory);
  return { triedAt: [], lockouts: known.lockouts + 1, lockedUntil, expiresAt };
}

function keyOf(email: string, { client }: RequestMeta): string {
  return attemptsKey('login', email, networkOf(client?.address ?? ''));
}
