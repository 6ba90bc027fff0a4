import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx, RequestMeta } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { day, hour, minute, now, second } from '../../../lib/data/clock.ts';
import { emailTyped } from '../../../lib/format/email-address.ts';
import { languages } from '../../../lib/format/language.ts';
import { sign } from '../../../lib/security/encryption.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { createSession, endSessions } from '../sessions.ts';
import {
  type Attempts,
  attemptsKey,
  type Bound,
  clearAttempts,
  clientNetworksIn,
  countAttempt,
  refundAllowance,
  takeAllowance,
} from './attempts.ts';
import { knownDeviceIn } from './known-devices.ts';
import {
  dummyPasswordHash,
  type HashClient,
  hashClientIn,
  hashPassword,
  needsRehash,
  passwordTyped,
  verifyPassword,
} from './password.ts';

const maxFailures = 10;
const window = 15 * minute;
const firstLock = minute;
const maxLockout = 60 * minute;
/** How long after its end a lockout makes the next one longer. */
const memory = day;

/** For one account, from one range of addresses. */
const failuresOfAccountInRange: Bound[] = [{ max: 20, milliseconds: window }];
/** For one account, from any address; fewer than the 100 in a row that NIST SP 800-63B allows. */
const failuresOfAccount: Bound[] = [
  { max: 50, milliseconds: hour },
  { max: 100, milliseconds: day },
];
/** For one network, across accounts: enough for the mistyped passwords of an office, too few to try many accounts. */
const failuresOfNetwork: Bound[] = [{ max: 100, milliseconds: hour }];
/** For a range of networks, which may be an attacker's or the customers of a provider. */
const failuresOfRange: Bound[] = [{ max: 400, milliseconds: hour }];

/** An attempt to log in. `retryAfterSeconds`: until the lockout ends. */
export type LoginAttempt = { isLocked: true; retryAfterSeconds: number } | OpenAttempt;

export type OpenAttempt = {
  isLocked: false;
  /** Whether it is the last attempt before a lockout; its failure leaves the lockout in force. */
  isLast: boolean;
  /** The client, for the queue of passwords to check. */
  client: HashClient;
  /** Checks the password. Reverts the count when the password is right, or could not be checked. */
  check: (verify: () => Promise<boolean>) => Promise<boolean>;
};

/**
 * Counts an attempt to log in with a password for an email address, before the password is checked. It does not look up
 * whether the address has an account, so that it cannot reveal it.
 *
 * Ten failures in 15 minutes, for an address and the network of the client, lock out that pair: for one minute, then
 * two, four and up to sixty. Further bounds count failures of an account in a range of addresses, of an account, of a
 * network and of a range. None of them applies to a known device of the account or its user's session: these have a
 * separate limit of ten failures in 15 minutes, so an attacker cannot lock out the user.
 */
export async function beginLoginAttempt(email: string, meta: RequestMeta): Promise<LoginAttempt> {
  const device = deviceOf(email, meta);
  const key = device === null ? keyOf(email, meta) : attemptsKey('login.device', email, device);
  const { isAllowed, attempts } = await countAttempt(key, nextLoginAttempt);
  const wait = attempts.lockedUntil.getTime() - now().getTime();
  // The lockout first: an attempt that it refuses does not count against the other bounds.
  if (!isAllowed) return { isLocked: true, retryAfterSeconds: Math.max(1, Math.ceil(wait / second)) };
  const taken = device === null ? await countFailures(boundsOf(email, meta)) : nothingTaken;
  if (!taken.isAllowed) return { isLocked: true, retryAfterSeconds: taken.retryAfterSeconds };
  return {
    isLocked: false,
    isLast: wait > 0,
    client: hashClientIn(meta, device !== null),
    async check(verify) {
      const isRight = await verifyOr(verify, taken.giveBack);
      if (isRight) await Promise.all([clearAttempts(key), taken.giveBack()]);
      return isRight;
    },
  };
}

async function verifyOr(verify: () => Promise<boolean>, giveBack: () => Promise<void>): Promise<boolean> {
  try {
    return await verify();
  } catch (error) {
    await giveBack();
    throw error;
  }
}

/** The id of a client that has proved before to be the user: a session, or a known device; null for others. */
function deviceOf(email: string, { caller, browser }: RequestMeta): string | null {
  const sessionId = caller?.type === 'user' ? caller.sessionId : undefined;
  return sessionId ?? knownDeviceIn(browser?.device, email);
}

type Counter = { key: string; bounds: Bound[] };
type Taken = { isAllowed: true; giveBack: () => Promise<void> } | { isAllowed: false; retryAfterSeconds: number };

const nothingTaken: Taken = { isAllowed: true, giveBack: async () => undefined };

function boundsOf(email: string, meta: RequestMeta): Counter[] {
  const { network, range } = clientNetworksIn(meta);
  const ofAccount = [
    { key: attemptsKey('login.account', email), bounds: failuresOfAccount },
    { key: attemptsKey('login.account-range', email, range), bounds: failuresOfAccountInRange },
  ];
  if (settings.RATE_LIMIT_RPS === 0) return ofAccount;
  return [
    ...ofAccount,
    { key: attemptsKey('login.network', network), bounds: failuresOfNetwork },
    { key: attemptsKey('login.range', range), bounds: failuresOfRange },
  ];
}

/** Counts a failure against each of the bounds, or against none of them when one is exhausted. */
async function countFailures([counter, ...others]: Counter[]): Promise<Taken> {
  if (!counter) return nothingTaken;
  const { key, bounds } = counter;
  const taken = await takeAllowance(key, bounds);
  if (!taken.isAllowed) return taken;
  const giveBack = () => refundAllowance(key, taken.takenAt);
  const rest = await countFailures(others);
  if (!rest.isAllowed) {
    await giveBack();
    return rest;
  }
  return { isAllowed: true, giveBack: async () => void (await Promise.all([giveBack(), rest.giveBack()])) };
}

/** Ends a lockout after the client proved in another way that they own the address. */
export async function endLockOut(email: string, meta: RequestMeta): Promise<void> {
  await clearAttempts(keyOf(email, meta));
}

/** The attempts with one more; null while locked. The last allowed attempt starts the lockout. */
export function nextLoginAttempt(recent: Attempts, at: Date): Attempts | null {
  if (recent.lockedUntil > at) return null;
  const instant = at.getTime();
  const triedAt = [...recent.triedAt.filter((tried) => tried.getTime() > instant - window), at];
  if (triedAt.length < maxFailures) return { ...recent, triedAt, expiresAt: new Date(instant + window + memory) };
  const lockedUntil = new Date(instant + Math.min(firstLock * 2 ** recent.lockouts, maxLockout));
  const expiresAt = new Date(lockedUntil.getTime() + memory);
  return { triedAt: [], lockouts: recent.lockouts + 1, lockedUntil, expiresAt };
}

function keyOf(email: string, meta: RequestMeta): string {
  return attemptsKey('login', email, clientNetworksIn(meta).network);
}

/**
 * Records a wrong password, and the lockout that it caused: for a user in the logs of their organizations. An address
 * without an account is recorded as a keyed hash, because the typed text may be anything, even a password.
 */
export async function recordLoginFailure(
  ctx: Ctx,
  email: string,
  knownUserId: string | null,
  { isLast }: Pick<OpenAttempt, 'isLast'>,
): Promise<void> {
  // An unknown address looks up organizations too, so that the timing is the same.
  const userId = knownUserId ?? sign('identity.unknown-email', email);
  const actor = ctx.meta.caller ? {} : { actor: { type: 'anonymous' as const, id: null } };
  const target = { type: knownUserId === null ? 'unknown-email' : 'user', id: userId };
  await recordAuditEvent(ctx, { action: 'login.failed', userId, ...actor, target });
  if (isLast) await recordAuditEvent(ctx, { action: 'login.locked', userId, ...actor, target });
}

const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('loggedIn'),
    sessionToken: z.string(),
    expiresAt: timestamp,
    email: z.string(),
    language: z.enum(languages).nullable(),
  }),
  z.strictObject({ outcome: z.literal('refused') }),
  z.strictObject({ outcome: z.literal('locked'), retryAfterSeconds: z.int() }),
]);

/**
 * `identity.accounts.login`, for the login page: a new session for the right password, and the end of the browser's
 * previous session. The answer and its timing are the same for a wrong password and for an address without an account.
 */
export const login = defineAction({
  summary: 'Log in with email and password',
  permission: 'internal',
  input: {
    body: z.strictObject({
      email: emailTyped,
      password: passwordTyped,
      formerTokenHash: z.string().nullable(),
    }),
  },
  output: outcome,
  async handler({ body: { email, password, formerTokenHash }, ctx }): Promise<z.output<typeof outcome>> {
    const attempt = await beginLoginAttempt(email, ctx.meta);
    if (attempt.isLocked) return { outcome: 'locked', retryAfterSeconds: attempt.retryAfterSeconds };
    const user = await userWithPassword(ctx, email, password, attempt);
    if (!user) return { outcome: 'refused' };
    if (formerTokenHash !== null) await endSessions(ctx, { tokenHash: formerTokenHash });
    const { token, session } = await createSession(ctx, user._id);
    if (!(await isStillPassword(user, password, attempt.client))) {
      await endSessions(ctx, { tokenHash: session.tokenHash });
      return { outcome: 'refused' };
    }
    await strengthenHash(user, password, attempt.client);
    return {
      outcome: 'loggedIn',
      sessionToken: token,
      expiresAt: session.expiresAt.toISOString(),
      email,
      language: user.language ?? null,
    };
  },
});

/** The user with this email and password; null and a record when there is none. Every path checks one hash. */
async function userWithPassword(
  ctx: Ctx,
  email: string,
  password: string,
  attempt: OpenAttempt,
): Promise<UserDocument | null> {
  const user = await UserModel.findOne({ email, status: 'active' }).lean<UserDocument>();
  const phc = user?.passwordHash ?? dummyPasswordHash;
  const isRight = await attempt.check(() => verifyPassword(password, phc, attempt.client));
  if (user && isRight) return user;
  await recordLoginFailure(ctx, email, user?._id ?? null, attempt);
  return null;
}

/** Only if the password is unchanged: a changed one has a current hash already. */
async function strengthenHash(
  { _id, passwordHash }: UserDocument,
  password: string,
  client: HashClient,
): Promise<void> {
  if (!needsRehash(passwordHash)) return;
  const stronger = await hashPassword(password, client);
  await UserModel.updateOne({ _id, passwordHash }, { $set: { passwordHash: stronger } });
}

/**
 * A password change ends all present sessions. This check refuses a session for the previous password after the change.
 */
async function isStillPassword(
  { _id, passwordHash }: UserDocument,
  password: string,
  client: HashClient,
): Promise<boolean> {
  const user = await UserModel.findOne({ _id, status: 'active' }, { passwordHash: 1 }).lean();
  if (!user) return false;
  return user.passwordHash === passwordHash || (await verifyPassword(password, user.passwordHash, client));
}
