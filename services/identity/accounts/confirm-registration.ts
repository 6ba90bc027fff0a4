import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { timestamp } from '../../../lib/instant.ts';
import { MailedTokenModel, type MailedTokenOf, type Registration } from '../../../models/identity/mailed-token.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { createSession } from '../sessions/sessions.ts';
import { validateReturnUrl } from './check-return-to.ts';
import { dropMailedTokens, findMailedToken, findRegistration, tokenTyped } from './mailed-tokens.ts';
import { newUser } from './new-user.ts';
import { hashClientIn, verifyPassword } from './password.ts';
import { passwordTyped } from './password-rules.ts';
import { browserHashInput } from './register.ts';

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
  z.strictObject({ outcome: z.enum(['passwordNeeded', 'refused', 'expired']) }),
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
    const user = toUser(pending);
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

function toUser({ email, registration }: MailedTokenOf<'registration'>): UserDocument {
  const { userId, passwordHash, firstName, lastName } = registration;
  return newUser({ userId, email, passwordHash, profile: { firstName, lastName } });
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.confirm-registration': typeof confirmRegistration;
  }
}
