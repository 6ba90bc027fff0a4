import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { deleteUser } from '../users/delete-user.ts';

/**
 * DELETE /identity/me: deletes the current user with their sessions, consents and memberships. Refused while the user
 * is the only owner of an organization. Their acts stay in the audit logs.
 */
export const deleteMe = defineAction({
  rest: 'DELETE /identity/me',
  summary: 'Delete your account',
  permission: 'session',
  input: {},
  output: z.void(),
  errors: ['LAST_OWNER', 'CONFLICT'],
  example: {},
  handler: ({ caller, ctx }) => deleteUser(ctx, caller.id),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.me.delete': typeof deleteMe;
  }
}
