import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { newId } from '../../../lib/ids.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput, roleSchema } from './memberships.ts';

/** `access.memberships.add`: makes a user a member. Who is one already stays what they are. */
export const addMembership = defineAction({
  summary: 'Make a user a member of an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput, role: roleSchema }) },
  output: z.strictObject({ isAdded: z.boolean(), role: roleSchema }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ body: { orgId, userId, role }, ctx }) {
    const { result, isChanged } = await storeOf(ctx).change(ctx, orgId, (graph) => {
      const membership = graph.membership(userId);
      if (membership) return { change: null, result: membership.role };
      const assignment = { id: newId('asg'), subject: userId, roleId: `role_${role}`, expiresAt: null };
      return { change: { kind: 'assignmentStored', assignment }, result: role };
    });
    return { isAdded: isChanged, role: result };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.add': typeof addMembership;
  }
}
