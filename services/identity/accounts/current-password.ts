import type { Ctx } from '../../../lib/caller.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { beginLoginAttempt } from './lock-out.ts';
import { recordLoginFailure } from './login-acts.ts';
import { verifyPassword } from './password.ts';

/**
 * Throws unless `body.currentPassword` is the user's password. Wrong ones count as failed logins, so that a session
 * left open cannot be used to guess.
 *
 * @throws INPUT_INVALID, RATE_LIMITED.
 */
export async function requireCurrentPassword(ctx: Ctx, user: UserDocument, password: string): Promise<void> {
  const attempt = await beginLoginAttempt(user.email, ctx.meta);
  if (attempt.isLocked) throw refuseLocked(attempt.retryAfterSeconds);
  if (await attempt.check(() => verifyPassword(password, user.passwordHash, attempt.client))) return;
  await recordLoginFailure(ctx, user.email, user._id, attempt);
  throw inputError([{ path: 'body.currentPassword', message: 'This is not your current password.' }]);
}

/** Throws CONFLICT when the password was changed after {@link requireCurrentPassword} had read the user. */
export function requireSamePassword(user: UserDocument, checked: UserDocument): void {
  if (user.passwordHash !== checked.passwordHash) throw apiError('CONFLICT');
}

function refuseLocked(seconds: number): Error {
  const message = 'There were too many attempts with a wrong password; try again after the time in Retry-After.';
  return apiError('RATE_LIMITED', { message, headers: { 'Retry-After': String(seconds) } });
}
