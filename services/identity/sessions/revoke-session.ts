import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { pathId } from '../../../lib/path-text.ts';
import { endSessions } from './sessions.ts';

/** DELETE /identity/me/sessions/:id: ends a session, possibly the session of the request. */
export const revokeSession = defineAction({
  rest: 'DELETE /identity/me/sessions/:id',
  summary: 'End one of your sessions',
  permission: 'session',
  input: { path: z.strictObject({ id: pathId('ses') }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { id: exampleId('ses', 'phone') } },
  async handler({ path: { id: sessionId }, caller, ctx }) {
    const ended = await endSessions(ctx, { userId: caller.id, sessionId });
    if (ended === 0) throw apiError('NOT_FOUND', { message: 'You have no such session, or it has ended already.' });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.sessions.revoke': typeof revokeSession;
  }
}
