import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { newId } from '../../../lib/ids.ts';
import { limitsOf, requireRoom } from '../../../lib/plan-limits.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput, roleSchema } from './memberships.ts';

/** `access.memberships.add`: makes a user a member. A present member keeps their role. */
export const addMembership = defineAction({
  summary: 'Make a user a member of an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput, role: roleSchema }) },
  output: z.strictObject({ isAdded: z.boolean(), role: roleSchema }),
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'CONFLICT'],
  async handler({ body: { orgId, userId, role }, ctx }) {
    // A present member needs no room.
    const isMember = storeOf(ctx).org(orgId)?.membership(userId) !== undefined;
    const limits = isMember ? 'unknown' : await limitsOf(ctx, orgId);
    const { result, isChanged } = await storeOf(ctx).change(ctx, orgId, (graph) => {
      const membership = graph.membership(userId);
      if (membership) return { change: null, result: membership.role };
      requireRoom(limits, { orgId, name: 'members', present: graph.sizes().members });
      const assignment = { id: newId('asg'), subject: userId, roleId: `role_${role}`, expiresAt: null };
      return { change: { kind: 'assignmentStored', assignment }, result: role };
    });
    return { isAdded: isChanged, role: result };
  },
});

/** `access.memberships.require-room`: refuses while an organization has as many members as its plan allows. */
export const requireMemberRoom = defineAction({
  summary: 'Refuse unless an organization can have another member',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({}),
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED'],
  async handler({ body: { orgId }, ctx }) {
    const limits = await limitsOf(ctx, orgId);
    // A node that does not know the organization yet leaves the check to the node that adds the member.
    requireRoom(limits, { orgId, name: 'members', present: storeOf(ctx).org(orgId)?.sizes().members ?? 0 });
    return {};
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.add': typeof addMembership;
    'access.memberships.require-room': typeof requireMemberRoom;
  }
}
