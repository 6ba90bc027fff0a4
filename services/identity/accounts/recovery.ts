import { z } from 'zod';
import { requireMail } from '../../../lib/clients/mail.ts';
import type { RequestMeta } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { emailInput } from '../../../lib/format/email-address.ts';
import type { MailedTokenOf } from '../../../models/identity/mailed-token.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { changeUser } from '../users.ts';
import { mailLink } from './account-mails.ts';
import { consumeMailQuota, consumeMailQuotaOfNetwork } from './attempts.ts';
import { completePasswordChange } from './change-password.ts';
import { endLockOut } from './login.ts';
import {
  claimMailedToken,
  consumeMailedToken,
  findMailedToken,
  releaseMailedToken,
  tokenTyped,
} from './mailed-tokens.ts';
import { hashClientIn, hashPassword, newPasswordTyped, requireGoodPassword } from './password.ts';
import { validateReturnUrl } from './return-to.ts';

const outcome = z.strictObject({ outcome: z.literal('mailed') });

/**
 * `identity.accounts.begin-recovery`, for the page for a forgotten password: has a link mailed that works for an hour.
 * An address without an account gets no mail, and the answer does not reveal that.
 */
export const beginRecovery = defineAction({
  summary: 'Have a link mailed for choosing a new password',
  permission: 'internal',
  input: { body: z.strictObject({ email: emailInput, returnTo: z.string().nullable() }) },
  output: outcome,
  errors: ['MAIL_DISABLED'],
  async handler({ body: { email, returnTo }, ctx }): Promise<z.output<typeof outcome>> {
    await requireMail(ctx);
    await consumeMailQuotaOfNetwork(ctx.meta);
    if (!(await consumeMailQuota('recovery', email))) return { outcome: 'mailed' };
    const wayBack = returnTo !== null && (await validateReturnUrl(returnTo)) !== 'refused' ? returnTo : null;
    await mailLink(ctx, { kind: 'recovery', email, returnTo: wayBack });
    return { outcome: 'mailed' };
  },
});

/** `identity.accounts.check-recovery`, for the page behind the mailed link: whether the link can set a password. */
export const checkRecovery = defineAction({
  summary: 'Check whether a link for choosing a new password still works',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ token: tokenTyped }) },
  output: z.strictObject({ valid: z.boolean() }),
  handler: async ({ body: { token } }) => ({ valid: (await findMailedToken('recovery', token)) !== null }),
});

const recoveryOutcome = z.discriminatedUnion('outcome', [
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
  output: recoveryOutcome,
  async handler({ body: { token, password }, ctx }): Promise<z.output<typeof recoveryOutcome>> {
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
