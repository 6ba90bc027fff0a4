import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { revokeGrants } from '../oauth/revoke-grants.ts';
import { endSessions } from '../sessions/sessions.ts';
import { mailNotice } from './account-mails.ts';
import { recoveryLink } from './links.ts';
import { dropMailedTokens } from './mailed-tokens.ts';

type Change = { action: 'password.changed' | 'password.recovered'; exceptSessionId?: string | undefined };

/**
 * Completes a password change; the previous password may have been compromised. All other sessions end, and so do the
 * grants that outlive their session (`offline_access`), with their refresh and access tokens. After a recovery the
 * consents are removed too, because an attacker may have given them. Mailed links for choosing a password stop working.
 * The change is recorded, and mailed to the login email.
 */
export async function completePasswordChange(
  ctx: Ctx,
  { _id: userId, email, revision }: UserDocument,
  { action, exceptSessionId }: Change,
): Promise<void> {
  // Sessions first: no grant can be made in a session that has ended.
  await endSessions(ctx, { userId, exceptSessionId });
  await revokeGrants(ctx, action === 'password.recovered' ? { userId } : { userId, sessionId: null });
  await dropMailedTokens('recovery', email);
  const user = { type: 'user' as const, id: userId };
  await recordAuditEvent(ctx, { action, userId, ...(!ctx.meta.caller && { actor: user }), target: user });
  await mailNotice(ctx, {
    key: `password-changed:${userId}:${revision}`,
    to: email,
    template: 'password-changed',
    variables: { recoveryLink: recoveryLink() },
  });
}
