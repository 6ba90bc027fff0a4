import { now } from '../../../lib/clock.ts';
import { removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { SessionModel } from '../../../models/identity/session.ts';
import { endSession } from './end-session.ts';
import { listSessions } from './list-sessions.ts';
import { revokeOtherSessions } from './revoke-other-sessions.ts';
import { revokeSession } from './revoke-session.ts';
import { verifySession } from './verify-session.ts';

export const sessionActions = {
  'sessions.verify': verifySession,
  'sessions.end': endSession,
  'sessions.list': listSessions,
  'sessions.revoke': revokeSession,
  'sessions.revoke-others': revokeOtherSessions,
};

/** Removes the sessions that have expired; for the scheduled sweep. */
export async function sweepSessions(signal: AbortSignal): Promise<void> {
  await removeAcrossTenants(SessionModel, { expiresAt: { $lte: now() } }, signal);
}
