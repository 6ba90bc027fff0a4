import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import { fail, failInput } from '../../../lib/errors.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { beginLoginAttempt } from './lock-out.ts';
import { recordLoginFailure } from './login-acts.ts';
import { clientNetworkIn, hashPassword, verifyPassword } from './password.ts';
import { completePasswordChange } from './password-change.ts';
import { newPasswordTyped, passwordTyped, requireGoodPassword } from './password-rules.ts';

type Ctx = Context<unknown, RequestMeta>;

/**
 * PUT /identity/me/password: sets a new password, keeps the session at hand and ends the user's others. Wrong current
 * passwords count as failed logins do, so a session that was left open is no way to guess on.
 */
export const changePassword = defineAction({
  rest: 'PUT /identity/me/password',
  summary: 'Change your password',
  permission: 'session',
  input: { body: z.strictObject({ currentPassword: passwordTyped, newPassword: newPasswordTyped }) },
  output: z.void(),
  errors: ['CONFLICT'],
  async handler({ body: { currentPassword, newPassword }, caller, ctx }) {
    const user = await readCurrentUser(caller.id);
    await requireGoodPassword(newPassword, user.email, 'body.newPassword');
    await requireCurrentPassword(ctx, user, currentPassword);
    refuseSame(currentPassword, newPassword);
    const changed = await replacePassword(ctx, user, newPassword);
    await completePasswordChange(ctx, changed, { action: 'password.changed', exceptSessionId: caller.sessionId });
  },
});

async function requireCurrentPassword(ctx: Ctx, user: UserDocument, password: string): Promise<void> {
  const attempt = await beginLoginAttempt(user.email, ctx.meta);
  if (attempt.isLocked) throw refuseLocked(attempt.retryAfterSeconds);
  const network = clientNetworkIn(ctx.meta);
  if (await attempt.check(() => verifyPassword(password, user.passwordHash, network))) return;
  await recordLoginFailure(ctx, user.email, user._id, attempt);
  throw failInput([{ path: 'body.currentPassword', message: 'This is not your current password.' }]);
}

function refuseLocked(seconds: number): Error {
  const message = 'There were too many attempts with a wrong password; try again after the time in Retry-After.';
  return fail('RATE_LIMITED', { message, headers: { 'Retry-After': String(seconds) } });
}

function refuseSame(current: string, chosen: string): void {
  if (current.normalize('NFC') !== chosen.normalize('NFC')) return;
  throw failInput([{ path: 'body.newPassword', message: 'Choose another password than the current one.' }]);
}

/** Not over a password that was set since the current one was checked. */
async function replacePassword(
  ctx: Ctx,
  { _id, passwordHash: checked }: UserDocument,
  password: string,
): Promise<UserDocument> {
  const passwordHash = await hashPassword(password, clientNetworkIn(ctx.meta));
  const { after } = await changeUser(_id, (user) => {
    if (user.passwordHash !== checked) throw fail('CONFLICT');
    return { passwordHash };
  });
  return after;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.change-password': typeof changePassword;
  }
}
