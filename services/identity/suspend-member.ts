import type { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type Ctx, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { exampleMember, isUserId, memberOutput, memberPath, noSuchMember, readMember } from './members.ts';
import { orgIdOfSlug } from './organizations.ts';

/**
 * POST /organizations/:slug/members/:userId/suspend: puts a membership out of force with all roles in the organization:
 * from now on the user has no access to anything of it. The user's other organizations, and their sessions, are not
 * affected. The caller must hold all permissions of the member, and cannot be the member. One owner stays.
 */
export const suspendMember = defineAction({
  rest: 'POST /organizations/:slug/members/:userId/suspend',
  summary: 'Suspend a member',
  description:
    'Puts a membership out of force with all its roles: from now on the user has no access to the organization. ' +
    'Their sessions and their other organizations are not affected. Your credential must hold all permissions of ' +
    'the member; you cannot suspend yourself (`OWN_MEMBERSHIP`) or the last owner (`LAST_OWNER`). A repeated call ' +
    'changes nothing.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: memberPath },
  output: memberOutput,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'OWN_MEMBERSHIP', 'LAST_OWNER', 'CONFLICT'],
  example: {
    path: { slug: 'acme-bikes', userId: exampleMember.userId },
    output: { ...exampleMember, suspendedAt: '2026-03-05T14:00:00.000Z' },
  },
  handler: ({ path: { userId }, caller: { orgId }, ctx }) => change(ctx, { orgId, userId, isSuspended: true }),
});

/** POST /organizations/:slug/members/:userId/restore: ends a suspension; the member has the roles of before. */
export const restoreMember = defineAction({
  rest: 'POST /organizations/:slug/members/:userId/restore',
  summary: 'End the suspension of a member',
  description:
    'Ends the suspension of a member, who then has the same roles as before. Your credential must hold all ' +
    'permissions of the member. A repeated call changes nothing.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: memberPath },
  output: memberOutput,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'OWN_MEMBERSHIP', 'CONFLICT'],
  example: { path: { slug: 'acme-bikes', userId: exampleMember.userId }, output: exampleMember },
  handler: ({ path: { userId }, caller: { orgId }, ctx }) => change(ctx, { orgId, userId, isSuspended: false }),
});

type Suspension = { orgId: string; userId: string; isSuspended: boolean };

/** Changes nothing, and records nothing, where the member is in that state. */
async function change(ctx: Ctx, body: Suspension): Promise<z.output<typeof memberOutput>> {
  const { orgId, userId, isSuspended } = body;
  if (!isUserId(userId)) throw noSuchMember();
  const { isChanged } = await call(ctx, 'access.memberships.suspend', { body });
  const member = await readMember(ctx, orgId, userId);
  if (isChanged) {
    const target = { type: 'user', id: userId };
    const after = { role: member.role };
    await recordAuditEvent(ctx, {
      action: isSuspended ? 'member.suspended' : 'member.restored',
      orgId,
      target,
      after,
    });
  }
  return member;
}
