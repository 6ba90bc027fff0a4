import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { inputError } from '../../../lib/errors.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { requireCurrentPassword, requireSamePassword } from './current-password.ts';
import { hashClientIn, hashPassword } from './password.ts';
import { completePasswordChange } from './password-change.ts';
import { newPasswordTyped, passwordTyped, requireGoodPassword } from './password-rules.ts';

/** PUT /identity/me/password: sets a new password, keeps this session and ends the user's others. */
export const changePassword = defineAction({
  rest: 'PUT /identity/me/password',
  summary: 'Change your password',
  permission: 'session',
  input: { body: z.strictObject({ currentPassword: passwordTyped, newPassword: newPasswordTyped }) },
  output: z.void(),
  errors: ['CONFLICT'],
  example: {
    body: { currentPassword: 'correct horse battery staple', newPassword: 'seven bicycles in the rain' },
  },
  async handler({ body: { currentPassword, newPassword }, caller, ctx }) {
    const user = await readCurrentUser(caller.id);
    await requireGoodPassword(newPassword, user.email, 'body.newPassword');
    await requireCurrentPassword(ctx, user, currentPassword);
    refuseSame(currentPassword, newPassword);
    const changed = await replacePassword(ctx, user, newPassword);
    await completePasswordChange(ctx, changed, { action: 'password.changed', exceptSessionId: caller.sessionId });
  },
});

function refuseSame(current: string, newPassword: string): void {
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.change-password': typeof changePassword;
  }
}
