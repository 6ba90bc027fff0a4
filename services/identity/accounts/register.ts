import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { requireMail } from '../../../lib/clients/mail.ts';
import type { Ctx, RequestMeta } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { emailInput } from '../../../lib/format/email-address.ts';
import { personName } from '../../../lib/format/public-names.ts';
import { MailedTokenModel, type MailedTokenOf, type Registration } from '../../../models/identity/mailed-token.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { createSession } from '../sessions.ts';
import { mailLink } from './account-mails.ts';
import { consumeMailQuota, consumeMailQuotaOfNetwork } from './attempts.ts';
import {
  dropMailedTokens,
  findMailedToken,
  findRegistration,
  storeUnmailedToken,
  tokenTyped,
} from './mailed-tokens.ts';
import { newUser } from './new-user.ts';
import {
  hashClientIn,
  hashPassword,
  newPasswordTyped,
  passwordTyped,
  requireGoodPassword,
  verifyPassword,
} from './password.ts';
import { mayRegister, requireAdmitted } from './registration-policy.ts';
import { validateReturnUrl } from './return-to.ts';

const maxNameLength = 100;

/** The name of a browser, hashed by the gateway. */
export const browserHashInput = z.string().regex(/^[\w-]{22,128}$/);

const registrationOutcome = z.strictObject({ outcome: z.literal('mailed') });

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
  output: registrationOutcome,
  errors: ['MAIL_DISABLED', 'REGISTRATION_CLOSED'],
  async handler({
    body: { email, password, firstName = null, lastName = null, ...body },
    ctx,
  }): Promise<z.output<typeof registrationOutcome>> {
    await requireAdmitted(email);
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

/** `identity.accounts.check-registration`, for the page behind the mailed link: whether the link can make an account. */
export const checkRegistration = defineAction({
  summary: 'Check whether a link that confirms a registration still works',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ token: tokenTyped }) },
  output: z.strictObject({ outcome: z.enum(['valid', 'closed', 'expired']) }),
  async handler({ body: { token } }) {
    const link = await findMailedToken('registration', token);
    if (!link) return { outcome: 'expired' as const };
    return { outcome: (await mayRegister(link.email)) ? ('valid' as const) : ('closed' as const) };
  },
});

/** Prevents that a holder of the mail without the password guesses it. */
const maxGuesses = 10;

const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('confirmed'),
    sessionToken: z.string(),
    expiresAt: timestamp,
    email: z.string(),
    returnTo: z.string().nullable(),
  }),
  z.strictObject({ outcome: z.enum(['passwordNeeded', 'refused', 'closed', 'expired']) }),
]);

/**
 * `identity.accounts.confirm-registration`, for the page behind the mailed link: creates the user and logs them in. In
 * a browser other than the one that registered, it requires the password: otherwise an attacker could register an
 * address with a known password and have its owner confirm the account.
 */
export const confirmRegistration = defineAction({
  summary: 'Confirm a registration by its mailed link',
  permission: 'internal',
  input: {
    body: z.strictObject({
      token: tokenTyped,
      browserHash: browserHashInput,
      password: passwordTyped.nullable(),
    }),
  },
  output: outcome,
  async handler({ body: { token, browserHash, password }, ctx }): Promise<z.output<typeof outcome>> {
    const link = await findMailedToken('registration', token);
    if (!link) return { outcome: 'expired' };
    // The link proves the address. The browser's own registration takes precedence over the link's, which may be a
    // stranger's.
    const pending = (await findRegistration(link.email, browserHash)) ?? link;
    // The link is compared too, because a concurrent confirmation may have removed the browser's own registration.
    const refusal = isSame(browserHash, pending.registration.browserHash)
      ? null
      : await requestPassword(ctx, pending, password);
    if (refusal) return { outcome: refusal };
    // Registration may have been closed since. The link is kept, and works when it is opened again.
    if (!(await mayRegister(link.email))) return { outcome: 'closed' };
    const user = toUser(pending, ctx.meta);
    // The unique index of emails admits one of concurrent confirmations.
    const isMade = await insertIfAbsent<UserDocument>(UserModel, user);
    await dropMailedTokens('registration', user.email);
    if (!isMade) return { outcome: 'expired' };
    return { outcome: 'confirmed', ...(await welcome(ctx, user)), returnTo: await wayBack(pending.registration) };
  },
});

async function requestPassword(
  ctx: Ctx,
  { _id, registration }: MailedTokenOf<'registration'>,
  password: string | null,
): Promise<'passwordNeeded' | 'refused' | 'expired' | null> {
  if (password === null) return 'passwordNeeded';
  // Counted before the check, so that concurrent guesses are counted too.
  const mayGuess = { _id, guesses: { $lt: maxGuesses } };
  const { modifiedCount } = await MailedTokenModel.updateOne(mayGuess, { $inc: { guesses: 1 } });
  if (modifiedCount === 0) return 'expired';
  return (await verifyPassword(password, registration.passwordHash, hashClientIn(ctx.meta, true))) ? null : 'refused';
}

function toUser({ email, registration }: MailedTokenOf<'registration'>, { language }: RequestMeta): UserDocument {
  const { userId, passwordHash, firstName, lastName } = registration;
  return newUser({ userId, email, passwordHash, profile: { firstName, lastName, language: language ?? null } });
}

async function welcome(
  ctx: Ctx,
  { _id: userId, email }: UserDocument,
): Promise<{ sessionToken: string; expiresAt: string; email: string }> {
  const user = { type: 'user' as const, id: userId };
  await recordAuditEvent(ctx, { action: 'user.created', userId, actor: user, target: user });
  const { token, session } = await createSession(ctx, userId);
  return { sessionToken: token, expiresAt: session.expiresAt.toISOString(), email };
}

/** The client may have changed since the registration. */
async function wayBack({ returnTo }: Registration): Promise<string | null> {
  return returnTo !== null && (await validateReturnUrl(returnTo)) !== 'refused' ? returnTo : null;
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
