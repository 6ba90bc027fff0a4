import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { emailInput } from '../../../lib/email-address.ts';
import { requireMail } from '../../../lib/require-mail.ts';
import { mailLink } from './account-mails.ts';
import { validateReturnUrl } from './check-return-to.ts';
import { consumeMailQuota, consumeMailQuotaOfNetwork } from './mail-allowance.ts';

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.begin-recovery': typeof beginRecovery;
  }
}
