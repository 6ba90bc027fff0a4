import type { RequestMeta } from '../../../lib/caller.ts';
import { day, minute, now, second } from '../../../lib/clock.ts';
import { networkOf } from '../../../lib/network.ts';
import { type Attempts, attemptsKey, countAttempt, forgetAttempts } from './attempts.ts';

const failuresMax = 10;
const window = 15 * minute;
const firstLock = minute;
const longestLock = 60 * minute;
/** How long after its end a lock-out makes the next one longer. */
const memory = day;

/** Whether a password may be checked now; then it is to be told how that ended. */
export type LoginAttempt = {
  isLocked: boolean;
  /** While locked: how long still. */
  retryAfterSeconds: number;
  /** Whether it is the last one before a lock-out, which a failure leaves in force. */
  isLast: boolean;
  /** The password was right: what was counted is forgotten. */
  succeeded: () => Promise<void>;
};

/**
 * Counts an attempt to prove by password to be the owner of an email address, before the password is looked at. Ten in
 * 15 minutes that fail, for an address and the network of the client, lock that pair out: for one minute, then two,
 * four and up to sixty. It asks nobody whether the address has an account, so it cannot tell.
 */
export async function beginLoginAttempt(email: string, meta: RequestMeta): Promise<LoginAttempt> {
  const key = keyOf(email, meta);
  const { isAllowed, attempts } = await countAttempt(key, nextLoginAttempt);
  const wait = attempts.lockedUntil.getTime() - now().getTime();
  return {
    isLocked: !isAllowed,
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil(wait / second)),
    isLast: isAllowed && wait > 0,
    succeeded: () => forgetAttempts(key),
  };
}

/** Ends a lock-out, for the client proved in another way to be the owner of the address. */
export async function endLockOut(email: string, meta: RequestMeta): Promise<void> {
  await forgetAttempts(keyOf(email, meta));
}

/** The attempts with one more; null while they are locked. The last that may be made locks those after it. */
export function nextLoginAttempt(known: Attempts, at: Date): Attempts | null {
  if (known.lockedUntil > at) return null;
  const instant = at.getTime();
  const triedAt = [...known.triedAt.filter((tried) => tried.getTime() > instant - window), at];
  if (triedAt.length < failuresMax) return { ...known, triedAt, expiresAt: new Date(instant + window + memory) };
  const lockedUntil = new Date(instant + Math.min(firstLock * 2 ** known.lockouts, longestLock));
  const expiresAt = new Date(lockedUntil.getTime() + memory);
  return { triedAt: [], lockouts: known.lockouts + 1, lockedUntil, expiresAt };
}

function keyOf(email: string, { client }: RequestMeta): string {
  return attemptsKey('login', email, networkOf(client?.address ?? ''));
}
