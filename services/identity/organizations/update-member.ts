import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { apiError } from '../../../lib/errors.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { exampleMember, memberOutput, memberPath, readUsers, toMemberResponse } from './members.ts';
import { changeMembership, findMembership } from './memberships.ts';
import { orgIdOfSlug } from './organizations.ts';

/**
 * PATCH /organizations/:slug/members/:userId: gives a member another role. The caller must hold all permissions of
 * both.
 */
export const updateMember = defineAction({
  rest: 'PATCH /organizations/:slug/members/:userId',
  summary: "Change a member's role",
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: memberPath, body: z.strictObject({ role: z.enum(systemRoles) }) },
  output: memberOutput,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'LAST_OWNER', 'CONFLICT'],
  example: {
    path: { slug: 'acme-bikes', userId: exampleMember.userId },
    body: { role: 'admin' },
    output: { ...exampleMember, role: 'admin', updatedAt: '2026-03-05T14:00:00.000Z' },
  },
  async handler({ path: { userId }, body: { role }, caller: { orgId }, ctx }) {
    const { before, isChanged } = await changeMembership(ctx, { orgId, userId, role, isByCaller: true });
    if (isChanged) {
      await recordAuditEvent(ctx, {
        action: 'member.updated',
        orgId,
        target: { type: 'user', id: userId },
        before: { role: before },
        after: { role },
      });
    }
    const member = await findMembership(ctx, orgId, userId);
    if (!member) throw apiError('NOT_FOUND');
    return toMemberResponse(member, (await readUsers([userId])).get(userId));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.members.update': typeof updateMember;
  }
}
