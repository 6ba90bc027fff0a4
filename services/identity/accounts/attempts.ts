import { now, second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { createKeyedMutex } from '../../../lib/one-at-a-time.ts';
import { removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { sign } from '../../../lib/signature.ts';
import { type AttemptsDocument, AttemptsModel } from '../../../models/identity/attempts.ts';

/** The recent attempts, and whether the key is locked. */
export type Attempts = Pick<AttemptsDocument, 'triedAt' | 'lockouts' | 'lockedUntil' | 'expiresAt'>;

/** The attempts with one more; null when no attempt is allowed now. Must be pure: it may be called again. */
export type NextAttempt = (recent: Attempts, at: Date) => Attempts | null;

type Counted = { isAllowed: boolean; attempts: Attempts };

/**
 * How often other nodes may win the update. Each lost update means that another attempt was counted, and few are
 * counted before all are refused.
 */
const maxRounds = 200;

/**
 * The key under which attempts are counted. It is a keyed hash, so that it reveals no address, not even to guessing.
 */
export function attemptsKey(what: string, ...whom: string[]): string {
  return sign(`identity.attempts.${what}`, JSON.stringify(whom));
}

/**
 * Counts one attempt before it is made, so that concurrent attempts on any number of nodes stay within the limit.
 * Returns the attempts with this one when it is allowed; otherwise those that forbid it.
 */
export function countAttempt(key: string, next: NextAttempt): Promise<Counted> {
  return inTurn(key, () => count(key, next));
}

async function count(key: string, next: NextAttempt): Promise<Counted> {
  for (let round = 0; round < maxRounds; round += 1) {
    const stored = await AttemptsModel.findOne({ _id: key }).lean<AttemptsDocument>();
    const at = now();
    const attempts = stored && stored.expiresAt > at ? stored : none;
    const counted = next(attempts, at);
    if (counted === null) return { isAllowed: false, attempts };
    if (await replace(key, stored, counted)) return { isAllowed: true, attempts: counted };
  }
  throw apiError('UNAVAILABLE');
}

/** At most `max` within `milliseconds`. */
export type Bound = { max: number; milliseconds: number };

/** When refused: seconds until one more is allowed. */
export type Allowance = { isAllowed: true; takenAt: Date } | { isAllowed: false; retryAfterSeconds: number };

/** Counts one more under a key, unless it would exceed one of the bounds. */
export async function takeAllowance(key: string, bounds: Bound[]): Promise<Allowance> {
  const longest = Math.max(...bounds.map(({ milliseconds }) => milliseconds));
  const next: NextAttempt = (recent, at) => {
    const instant = at.getTime();
    if (waitFor(recent, bounds, instant) > 0) return null;
    const triedAt = [...recent.triedAt.filter((tried) => tried.getTime() > instant - longest), at];
    return { ...recent, triedAt, expiresAt: new Date(instant + longest) };
  };
  const { isAllowed, attempts } = await countAttempt(key, next);
  const takenAt = attempts.triedAt.at(-1);
  if (isAllowed && takenAt) return { isAllowed, takenAt };
  const wait = waitFor(attempts, bounds, now().getTime());
  return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil(wait / second)) };
}

/** Milliseconds until one more is within all bounds. */
function waitFor({ triedAt }: Attempts, bounds: Bound[], instant: number): number {
  const waits = bounds.map(({ max, milliseconds }) => {
    const lately = triedAt.map((tried) => tried.getTime()).filter((tried) => tried > instant - milliseconds);
    const freeing = lately.sort((one, other) => one - other).at(-max);
    return lately.length < max || freeing === undefined ? 0 : freeing + milliseconds - instant;
  });
  return Math.max(...waits);
}

/** Removes what {@link takeAllowance} counted at an instant. */
export async function refundAllowance(key: string, takenAt: Date): Promise<void> {
  await countAttempt(key, (recent) => {
    const index = recent.triedAt.findIndex((tried) => tried.getTime() === takenAt.getTime());
    return index < 0 ? null : { ...recent, triedAt: recent.triedAt.toSpliced(index, 1) };
  });
}

/** Resets the count after a success. */
export async function clearAttempts(key: string): Promise<void> {
  // Not removed, so that concurrent counts see that its revision changed.
  await AttemptsModel.updateOne({ _id: key }, { $set: none, $inc: { revision: 1 } });
}

/** Removes expired records; for the scheduled sweep. */
export async function sweepAttempts(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(AttemptsModel, { expiresAt: { $lte: now() } }, signal);
}

const never = new Date(0);
const none: Attempts = { triedAt: [], lockouts: 0, lockedUntil: never, expiresAt: never };

/** Serialises the counts of a key in this process, so that they do not conflict. */
const inTurn = createKeyedMutex();

/** Writes the record unless it was changed concurrently; returns whether it wrote. */
async function replace(_id: string, stored: AttemptsDocument | null, counted: Attempts): Promise<boolean> {
  const { triedAt, lockouts, lockedUntil, expiresAt } = counted;
  const values = { triedAt, lockouts, lockedUntil, expiresAt };
  if (!stored) return insertIfAbsent<AttemptsDocument>(AttemptsModel, { _id, ...values, revision: 1 });
  const { revision } = stored;
  const { modifiedCount } = await AttemptsModel.updateOne(
    { _id, revision },
    { $set: { ...values, revision: revision + 1 } },
  );
  return modifiedCount === 1;
}
