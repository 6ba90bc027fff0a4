import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { MailedTokenOf } from '../../../models/identity/mailed-token.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { endLockOut } from './lock-out.ts';
import {
  claimMailedToken,
  consumeMailedToken,
  findMailedToken,
  releaseMailedToken,
  tokenTyped,
} from './mailed-tokens.ts';
import { hashClientIn, hashPassword } from './password.ts';
import { completePasswordChange } from './password-change.ts';
import { newPasswordTyped, requireGoodPassword } from './password-rules.ts';

const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('recovered'), email: z.string() }),
  z.strictObject({ outcome: z.literal('expired') }),
]);

/**
 * `identity.accounts.recover`, for the page behind the mailed link: sets a new password and ends every session of the
 * user. Of concurrent uses of the link one succeeds. The link works for the user whose login is the address now.
 */
export const recover = defineAction({
  summary: 'Choose a new password by a mailed link',
  permission: 'internal',
  input: { body: z.strictObject({ token: tokenTyped, password: newPasswordTyped }) },
  output: outcome,
  async handler({ body: { token, password }, ctx }): Promise<z.output<typeof outcome>> {
    const link = await findMailedToken('recovery', token);
    if (!link) return { outcome: 'expired' };
    await requireGoodPassword(password, link.email);
    const user = await UserModel.findOne({ email: link.email, status: 'active' }).lean<UserDocument>();
    if (!user || !(await claimMailedToken(link))) return { outcome: 'expired' };
    const passwordHash = await hashOrRelease(ctx.meta, password, link);
    if (!(await consumeMailedToken(link))) return { outcome: 'expired' };
    const { after } = await changeUser(user._id, () => ({ passwordHash }));
    await endLockOut(link.email, ctx.meta);
    await completePasswordChange(ctx, after, { action: 'password.recovered' });
    return { outcome: 'recovered', email: link.email };
  },
});

/** If this node is too busy to hash, the link stays usable. */
async function hashOrRelease(meta: RequestMeta, password: string, link: MailedTokenOf<'recovery'>): Promise<string> {
  try {
    return await hashPassword(password, hashClientIn(meta, true));
  } catch (error) {
    await releaseMailedToken(link);
    throw error;
  }
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.recover': typeof recover;
  }
}
