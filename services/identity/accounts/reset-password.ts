import { z } from 'zod';
import { defineCommand } from '../../../lib/contract/define-command.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { changeUser } from '../users.ts';
import { completePasswordChange } from './change-password.ts';
import { hashPassword, newPassword } from './password.ts';

/**
 * `identity.console.new-password`, for the console: gives a user a generated password, shown once. It ends all their
 * sessions, grants and consents, and they are notified by mail.
 */
export const resetPassword = defineCommand({
  commands: [
    {
      usage: 'identity:new-password <email>',
      description:
        'Give a user a new password, shown once, and end their sessions and the access of their applications',
      changes: true,
      fields: { email: 'email' },
    },
  ],
  body: z.strictObject({ email: z.string().max(320) }),
  async handler({ body: { email: typed }, ctx }) {
    const email = normalizeEmail(typed);
    const user = await UserModel.findOne({ email, status: 'active' }).lean<UserDocument>();
    if (!user) return { lines: [`No user logs in with ${JSON.stringify(typed)}.`] };
    const password = newPassword();
    const passwordHash = await hashPassword(password, { network: '', range: '', isProven: true });
    const { after } = await changeUser(user._id, () => ({ passwordHash }));
    await completePasswordChange(ctx, after, { action: 'password.reset' });
    return { lines: [`The new password of ${email} is ${password}`, 'It is not shown again.'] };
  },
});
