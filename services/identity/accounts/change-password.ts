import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { forgetFirstPassword } from '../first-run-records.ts';
import { revokeGrants } from '../oauth/grants.ts';
import { endSessions } from '../sessions.ts';
import { changeUser, readCurrentUser } from '../users.ts';
import { mailNotice } from './account-mails.ts';
import { beginLoginAttempt, recordLoginFailure } from './login.ts';
import { dropMailedTokens, recoveryLink } from './mailed-tokens.ts';
import {
  hashClientIn,
  hashPassword,
  newPasswordTyped,
  passwordTyped,
  requireGoodPassword,
  verifyPassword,
} from './password.ts';

/**
 * Throws unless `body.currentPassword` is the user's password. Wrong ones count as failed logins, so that a session
 * left open cannot be used to guess.
 *
 * @throws INPUT_INVALID, RATE_LIMITED.
 */
export async function requireCurrentPassword(ctx: Ctx, user: UserDocument, password: string): Promise<void> {
  const attempt = await beginLoginAttempt(user.email, ctx.meta);
  if (attempt.isLocked) throw rejectLocked(attempt.retryAfterSeconds);
  if (await attempt.check(() => verifyPassword(password, user.passwordHash, attempt.client))) return;
  await recordLoginFailure(ctx, user.email, user._id, attempt);
  throw inputError([{ path: 'body.currentPassword', message: 'This is not your current password.' }]);
}

/** Throws CONFLICT when the password was changed after {@link requireCurrentPassword} had read the user. */
export function requireSamePassword(user: UserDocument, checked: UserDocument): void {
  if (user.passwordHash !== checked.passwordHash) throw apiError('CONFLICT');
}

function rejectLocked(seconds: number): Error {
  const message = 'There were too many attempts with a wrong password; try again after the time in Retry-After.';
  return apiError('RATE_LIMITED', { message, headers: { 'Retry-After': String(seconds) } });
}

type Change = {
  /** `reset`: by the operator of the platform. */
  action: 'password.changed' | 'password.recovered' | 'password.reset';
  exceptSessionId?: string | undefined;
};

/**
 * Completes a password change; the previous password may have been compromised. All other sessions end, and so do the
 * grants that outlive their session (`offline_access`), with their refresh and access tokens. After a recovery or reset
 * the consents are removed too, because an attacker may have given them. Mailed links for choosing a password stop working.
 * The change is recorded, and mailed to the login email.
 */
export async function completePasswordChange(
  ctx: Ctx,
  { _id: userId, email, revision }: UserDocument,
  { action, exceptSessionId }: Change,
): Promise<void> {
  // Sessions first: no grant can be made in a session that has ended.
  await endSessions(ctx, { userId, exceptSessionId });
  await revokeGrants(ctx, action === 'password.changed' ? { userId, sessionId: null } : { userId });
  await dropMailedTokens('recovery', email);
  await forgetFirstPassword(email);
  const user = { type: 'user' as const, id: userId };
  const isTheirOwn = action !== 'password.reset' && !ctx.meta.caller;
  await recordAuditEvent(ctx, { action, userId, ...(isTheirOwn && { actor: user }), target: user });
  await mailNotice(ctx, {
    key: `password-changed:${userId}:${revision}`,
    to: email,
    template: 'password-changed',
    variables: { recoveryLink: recoveryLink() },
  });
}

/** PUT /identity/me/password: sets a new password, keeps this session and ends the user's others. */
export const changePassword = defineAction({
  rest: 'PUT /identity/me/password',
  summary: 'Change your password',
  description:
    "Replaces the user's password after checking the current one; wrong passwords count as failed logins and are " +
    'limited. This session stays, all others end, and applications with offline access have to ask again. The ' +
    'login address gets a notice by mail.',
  permission: 'session',
  input: {
    body: z
      .strictObject({ currentPassword: passwordTyped, newPassword: newPasswordTyped })
      .meta({ id: 'PasswordInput' }),
  },
  output: z.void(),
  errors: ['CONFLICT'],
  example: {
    body: { currentPassword: 'correct horse battery staple', newPassword: 'seven bicycles in the rain' },
  },
  async handler({ body: { currentPassword, newPassword }, caller, ctx }) {
    const user = await readCurrentUser(caller.id);
    await requireGoodPassword(newPassword, user.email, 'body.newPassword');
    await requireCurrentPassword(ctx, user, currentPassword);
    rejectSame(currentPassword, newPassword);
    const changed = await replacePassword(ctx, user, newPassword);
    await completePasswordChange(ctx, changed, { action: 'password.changed', exceptSessionId: caller.sessionId });
  },
});

function rejectSame(current: string, newPassword: string): void {
  if (current.normalize('NFC') !== newPassword.normalize('NFC')) return;
  throw inputError([{ path: 'body.newPassword', message: 'Choose another password than the current one.' }]);
}

/** Fails when the password was changed since the current one was checked. */
async function replacePassword(ctx: Ctx, checked: UserDocument, password: string): Promise<UserDocument> {
  const passwordHash = await hashPassword(password, hashClientIn(ctx.meta, true));
  const { after } = await changeUser(checked._id, (user) => {
    requireSamePassword(user, checked);
    return { passwordHash };
  });
  return after;
}
