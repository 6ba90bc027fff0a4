import { randomBytes } from 'node:crypto';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { day, fromNow, now } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { type SessionDocument, SessionModel } from '../../../models/identity/session.ts';
import { publishCredentialChange } from '../announce.ts';
import { revokeGrants } from '../oauth/revoke-grants.ts';

const slidingLifetime = 30 * day;
const absoluteLifetime = 90 * day;
const tokenBytes = 16;

/** The new expiry of a session that is used now: in 30 days, but not after its 90 days. */
export function extendExpiry({ absoluteExpiresAt }: Pick<SessionDocument, 'absoluteExpiresAt'>): Date {
  const expiresAt = fromNow(slidingLifetime);
  return expiresAt < absoluteExpiresAt ? expiresAt : absoluteExpiresAt;
}

/**
 * Logs a user in: creates a session with a token of 128 random bits, which is in this answer and stored nowhere. Always
 * a new session, also if the browser has a cookie, to prevent session fixation (OWASP ASVS 5.0, 7.2.4).
 */
export async function createSession(ctx: Ctx, userId: string): Promise<{ token: string; session: SessionDocument }> {
  const token = randomBytes(tokenBytes).toString('base64url');
  const at = now();
  const absoluteExpiresAt = fromNow(absoluteLifetime);
  const session: SessionDocument = {
    _id: newId('ses'),
    userId,
    tokenHash: hashToken(token),
    authenticatedAt: at,
    lastUsedAt: at,
    expiresAt: extendExpiry({ absoluteExpiresAt }),
    absoluteExpiresAt,
    address: ctx.meta.client?.address ?? '',
    userAgent: ctx.meta.client?.userAgent ?? '',
    createdAt: at,
  };
  await nativeCollection<SessionDocument>(SessionModel).insertOne(session);
  await recordAuditEvent(ctx, {
    action: 'session.created',
    userId,
    actor: { type: 'user', id: userId },
    target: { type: 'session', id: session._id },
  });
  return { token, session };
}

export type SessionFilter =
  | { tokenHash: string }
  | { userId: string; sessionId: string }
  | { userId: string; exceptSessionId?: string | undefined };

/** Ends the sessions that match, with the grants of clients through them; returns how many. */
export async function endSessions(ctx: Ctx, filter: SessionFilter): Promise<number> {
  const sessions = await SessionModel.find(conditionOf(filter)).lean<SessionDocument[]>();
  let ended = 0;
  for (const { _id, userId, tokenHash } of sessions) {
    const { deletedCount } = await SessionModel.deleteOne({ _id });
    ended += deletedCount;
    await revokeGrants(ctx, { sessionId: _id });
    await publishCredentialChange(ctx, { tokenHash });
    if (deletedCount === 0) continue;
    const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
    await recordAuditEvent(ctx, { action: 'session.revoked', userId, ...actor, target: { type: 'session', id: _id } });
  }
  return ended;
}

function conditionOf(filter: SessionFilter): object {
  if ('tokenHash' in filter) return { tokenHash: filter.tokenHash };
  if ('sessionId' in filter) return { userId: filter.userId, _id: filter.sessionId };
  return { userId: filter.userId, ...(filter.exceptSessionId && { _id: { $ne: filter.exceptSessionId } }) };
}
