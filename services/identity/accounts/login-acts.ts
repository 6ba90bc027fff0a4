import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { sign } from '../../../lib/signature.ts';
import type { OpenAttempt } from './lock-out.ts';

/**
 * Records a wrong password, and the lockout that it caused: for a user in the logs of their organizations. An address
 * without an account is recorded as a keyed hash, because the typed text may be anything, even a password.
 */
export async function recordLoginFailure(
  ctx: Ctx,
  email: string,
  knownUserId: string | null,
  { isLast }: Pick<OpenAttempt, 'isLast'>,
): Promise<void> {
  // An unknown address looks up organizations too, so that the timing is the same.
  const userId = knownUserId ?? sign('identity.unknown-email', email);
  const actor = ctx.meta.caller ? {} : { actor: { type: 'anonymous' as const, id: null } };
  const target = { type: knownUserId === null ? 'unknown-email' : 'user', id: userId };
  await recordAuditEvent(ctx, { action: 'login.failed', userId, ...actor, target });
  if (isLast) await recordAuditEvent(ctx, { action: 'login.locked', userId, ...actor, target });
}
