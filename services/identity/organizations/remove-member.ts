import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Caller } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { allows } from '../../../lib/permissions.ts';
import { exampleMember, memberPath } from './members.ts';
import { changeMembership } from './memberships.ts';
import { orgIdOfSlug } from './organizations.ts';

/**
 * DELETE /organizations/:slug/members/:userId: removes a member from the organization. It needs `console.orgs.write`
 * and all permissions of the member; but every user who is logged in may leave.
 */
export const removeMember = defineAction({
  rest: 'DELETE /organizations/:slug/members/:userId',
  summary: 'Remove a member, or leave',
  permission: 'authenticated',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: memberPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'LAST_OWNER', 'CONFLICT'],
  example: { path: { slug: 'acme-bikes', userId: exampleMember.userId } },
  async handler({ path: { userId }, caller, ctx }) {
    const leaves = isSelf(caller, userId);
    if (!leaves) requireOrgsWrite(caller);
    const orgId = caller.orgId ?? '';
    const { before } = await changeMembership(ctx, { orgId, userId, role: null, isByCaller: !leaves });
    await recordAuditEvent(ctx, {
      action: leaves ? 'member.left' : 'member.removed',
      orgId,
      target: { type: 'user', id: userId },
      before: { role: before },
    });
  },
});

/** A client that acts for a user cannot leave for them: it needs the permission. */
function isSelf(caller: Caller, userId: string): boolean {
  return caller.type === 'user' && caller.id === userId && caller.sessionId !== undefined;
}

function requireOrgsWrite({ scopes }: Caller): void {
  if (allows(scopes, 'console.orgs.write')) return;
  throw apiError('PERMISSION_DENIED', { message: 'The credential lacks the permission console.orgs.write.' });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.members.remove': typeof removeMember;
  }
}
