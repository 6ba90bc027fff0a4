import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import { endSessions } from './sessions.ts';

/** `identity.sessions.end`, for the gateway's logout: ends the session of this hash. Idempotent. */
export const endSession = defineAction({
  summary: 'End a session',
  permission: 'internal',
  input: { body: z.strictObject({ tokenHash: tokenHashInput }) },
  output: z.void(),
  async handler({ body: { tokenHash }, ctx }) {
    await endSessions(ctx, { tokenHash });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.sessions.end': typeof endSession;
  }
}
