import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { emailTyped } from '../../../lib/email-address.ts';
import { timestamp } from '../../../lib/instant.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { createSession, endSessions } from '../sessions/sessions.ts';
import { beginLoginAttempt, type OpenAttempt } from './lock-out.ts';
import { recordLoginFailure } from './login-acts.ts';
import { dummyPasswordHash, type HashClient, hashPassword, needsRehash, verifyPassword } from './password.ts';
import { passwordTyped } from './password-rules.ts';

const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('loggedIn'), sessionToken: z.string(), expiresAt: timestamp, email: z.string() }),
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
    return { outcome: 'loggedIn', sessionToken: token, expiresAt: session.expiresAt.toISOString(), email };
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.login': typeof login;
  }
}
