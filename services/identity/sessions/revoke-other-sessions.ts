import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { endSessions } from './sessions.ts';

/** DELETE /identity/me/sessions: ends all sessions of the user except the session of the request. */
export const revokeOtherSessions = defineAction({
  rest: 'DELETE /identity/me/sessions',
  summary: 'End all your other sessions',
  permission: 'session',
  input: {},
  output: z.void(),
  example: {},
  async handler({ caller: { id: userId, sessionId }, ctx }) {
    await endSessions(ctx, { userId, exceptSessionId: sessionId });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.sessions.revoke-others': typeof revokeOtherSessions;
  }
}
