import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { emailInput } from '../../../lib/email-address.ts';
import { newId } from '../../../lib/ids.ts';
import { personName } from '../../../lib/public-names.ts';
import { requireMail } from '../../../lib/require-mail.ts';
import { mailLink } from './account-mails.ts';
import { consumeMailQuota, consumeMailQuotaOfNetwork } from './mail-allowance.ts';
import { storeUnmailedToken } from './mailed-tokens.ts';
import { hashClientIn, hashPassword } from './password.ts';
import { newPasswordTyped, requireGoodPassword } from './password-rules.ts';

const maxNameLength = 100;

/** The name of a browser, hashed by the gateway. */
export const browserHashInput = z.string().regex(/^[\w-]{22,128}$/);

const outcome = z.strictObject({ outcome: z.literal('mailed') });

/**
 * `identity.accounts.register`, for the registration page: stores the registration for 24 hours and mails a link that
 * completes it. An address with an account gets another mail, and nothing else reveals the difference.
 */
export const register = defineAction({
  summary: 'Register with email and password',
  permission: 'internal',
  input: {
    body: z.strictObject({
      email: emailInput,
      password: newPasswordTyped,
      firstName: personName(maxNameLength).optional(),
      lastName: personName(maxNameLength).optional(),
      browserHash: browserHashInput,
      returnTo: z.string().nullable(),
    }),
  },
  output: outcome,
  errors: ['MAIL_DISABLED'],
  async handler({
    body: { email, password, firstName = null, lastName = null, ...body },
    ctx,
  }): Promise<z.output<typeof outcome>> {
    await requireMail(ctx);
    await requireGoodPassword(password, email);
    await consumeMailQuotaOfNetwork(ctx.meta);
    const mayMail = await consumeMailQuota('registration', email);
    const passwordHash = await hashPassword(password, hashClientIn(ctx.meta, false));
    const registration = { userId: newId('usr'), passwordHash, firstName, lastName, ...body };
    const link = { kind: 'registration' as const, email, registration };
    // Strangers may have used up the mails to this address. Each mailed link confirms this registration too, in the
    // browser that registered.
    if (mayMail) await mailLink(ctx, link);
    else await storeUnmailedToken(ctx, link);
    return { outcome: 'mailed' };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.register': typeof register;
  }
}
