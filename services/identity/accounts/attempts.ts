import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import type { RequestMeta } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, hour, now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent, removeAcrossTenants } from '../../../lib/data/collection.ts';
import { type Networks, networksOf } from '../../../lib/net/address.ts';
import { sign } from '../../../lib/security/encryption.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type AttemptsDocument, AttemptsModel } from '../../../models/identity/attempts.ts';
import type { MailedTokenKind } from '../../../models/identity/mailed-token.ts';

/** The network of a request's client and its range, by which attempts and mails are counted. Empty without a client. */
export function clientNetworksIn({ client }: RequestMeta): Networks {
  return networksOf(client?.address ?? '');
}

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

const toAddress: Bound[] = [{ max: 5, milliseconds: hour }];
const ofUser: Bound[] = [
  { max: 20, milliseconds: hour },
  { max: 50, milliseconds: day },
];
const fromNetwork: Bound[] = [
  { max: 30, milliseconds: hour },
  { max: 100, milliseconds: day },
];
const fromRange: Bound[] = [
  { max: 120, milliseconds: hour },
  { max: 400, milliseconds: day },
];

/**
 * Counts a mail of this kind to an address, and returns whether it may be sent: five an hour, from any requester. An
 * excess request gets the normal answer, because a refusal would reveal the requests of others.
 */
export async function consumeMailQuota(kind: MailedTokenKind, email: string): Promise<boolean> {
  const { isAllowed } = await takeAllowance(attemptsKey(`mail.${kind}`, email), toAddress);
  return isAllowed;
}

/**
 * Counts a mail as {@link consumeMailQuota}, for a requester who may learn of the requests of others.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function requireMailQuota(kind: MailedTokenKind, email: string, message: string): Promise<void> {
  await requireMail(attemptsKey(`mail.${kind}`, email), toAddress, message);
}

/**
 * Counts a mail to an address that its recipient may not have requested, by the network of the client: 30 an hour and
 * 100 a day, of all kinds, and four times as many from the range of that network. It counts whether or not the address
 * has an account, so that a refusal does not reveal it.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function consumeMailQuotaOfNetwork(meta: RequestMeta): Promise<void> {
  if (settings.RATE_LIMIT_RPS === 0) return;
  const { network, range } = clientNetworksIn(meta);
  await requireMail(attemptsKey('mail.network', network), fromNetwork);
  await requireMail(attemptsKey('mail.range', range), fromRange);
}

/**
 * Counts a mail that a user has sent to an address of theirs that is not confirmed: 20 an hour and 50 a day.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function consumeMailQuotaOfUser(userId: string): Promise<void> {
  await requireMail(attemptsKey('mail.user', userId), ofUser);
}

/** @throws RATE_LIMITED with the seconds until one more mail is within these bounds. */
export async function requireMail(
  key: string,
  bounds: Bound[],
  message = 'Too many mails were requested; try again after the time in Retry-After.',
): Promise<void> {
  const taken = await takeAllowance(key, bounds);
  if (taken.isAllowed) return;
  throw apiError('RATE_LIMITED', { message, headers: { 'Retry-After': String(taken.retryAfterSeconds) } });
}
