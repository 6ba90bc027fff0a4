import type { Context } from 'moleculer';
import { recordAct } from '../../../lib/audit.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { endSessions } from '../sessions/sessions.ts';
import { mailNotice } from './account-mails.ts';
import { recoveryLink } from './links.ts';
import { dropMailedTokens } from './mailed-tokens.ts';

type Change = { action: 'password.changed' | 'password.recovered'; exceptSessionId?: string | undefined };

/**
 * What follows when a user has a new password: whoever is logged in by the former one is no longer, but for the session
 * at hand; links for choosing another are worthless; it is recorded, and the owner of the address is told.
 */
export async function completePasswordChange(
  ctx: Context<unknown, RequestMeta>,
  { _id: userId, email, revision }: UserDocument,
  { action, exceptSessionId }: Change,
): Promise<void> {
  await endSessions(ctx, { userId, exceptSessionId });
  await dropMailedTokens('recovery', email);
  const user = { type: 'user' as const, id: userId };
  await recordAct(ctx, { action, userId, ...(!ctx.meta.caller && { actor: user }), target: user });
  await mailNotice(ctx, {
    key: `password-changed:${userId}:${revision}`,
    to: email,
    template: 'password-changed',
    variables: { recoveryLink: recoveryLink() },
  });
}
