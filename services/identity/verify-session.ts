import type { Logger } from 'moleculer';
import { z } from 'zod';
import type { UserCaller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { tokenHashInput } from '../../lib/security/token-hash.ts';
import { type SessionDocument, SessionModel } from '../../models/identity/session.ts';
import { membershipOutput, membershipsOfCaller } from './members.ts';
import { extendExpiry } from './sessions.ts';
import { readStanding } from './users.ts';

const callerOutput = z.strictObject({
  type: z.literal('user'),
  id: z.string(),
  memberships: z.array(membershipOutput),
  orgId: z.null(),
  scopes: z.array(z.string()),
  sessionId: z.string(),
  isOperator: z.literal(true).optional(),
}) satisfies z.ZodType<UserCaller>;

const findByHash = createFindBatcher<SessionDocument>(SessionModel, 'tokenHash');

/** The precision of `lastUsedAt`: a session in constant use is written once in this interval. */
const useResolution = minute;

/**
 * `identity.sessions.verify`, for the gateway: the caller with the session of this hash, and when they last
 * authenticated; null when it is unknown, ended or expired. Records the time of use without delaying or failing the
 * answer.
 */
export const verifySession = defineAction({
  summary: 'Verify a session',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ tokenHash: tokenHashInput }) },
  output: z.strictObject({ caller: callerOutput.nullable(), authenticatedAt: timestamp.nullable() }),
  async handler({ body: { tokenHash }, ctx }) {
    const session = await findByHash(null, tokenHash);
    if (!session || session.expiresAt <= now()) return { caller: null, authenticatedAt: null };
    const { _id: sessionId, userId } = session;
    const [{ isActive, isOperator }, memberships] = await Promise.all([
      readStanding(userId),
      membershipsOfCaller(ctx, userId, session.authenticatedAt),
    ]);
    if (!isActive) return { caller: null, authenticatedAt: null };
    void noteUse(session, ctx.broker.logger);
    const role = isOperator ? { isOperator } : {};
    const caller = { type: 'user' as const, id: userId, memberships, orgId: null, scopes: [], sessionId, ...role };
    return { caller, authenticatedAt: session.authenticatedAt.toISOString() };
  },
});

/** The condition is part of the update: of concurrent requests, on any number of nodes, one writes. */
async function noteUse(session: SessionDocument, logger: Logger): Promise<void> {
  const { _id, lastUsedAt } = session;
  const stale = fromNow(-useResolution);
  if (lastUsedAt > stale) return;
  try {
    const used = { lastUsedAt: now(), expiresAt: extendExpiry(session) };
    await SessionModel.updateOne({ _id, lastUsedAt: { $lte: stale } }, { $set: used });
  } catch (error) {
    logger.warn('Use of a session could not be recorded', { sessionId: _id, error });
  }
}
