import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Caller } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import type { SystemRole } from '../../../lib/roles.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import { type Decision, storeOf } from '../store/access-store.ts';
import { idInput, roleSchema } from './memberships.ts';
import { requireMembershipChange, requireOtherOwner } from './requirements.ts';

const changeInput = z.strictObject({
  orgId: idInput,
  userId: idInput,
  /** Null: they leave. */
  role: roleSchema.nullable(),
  /** Whether the caller's rights are checked. Not where the user leaves, or is deleted. */
  isByCaller: z.boolean(),
});
type MembershipRequest = z.output<typeof changeInput>;

/** `access.memberships.change`: gives a member another role, or removes them with all their assignments. */
export const changeMembership = defineAction({
  summary: "Change a member's role, or remove them",
  permission: 'internal',
  input: { body: changeInput },
  output: z.strictObject({ before: roleSchema, isChanged: z.boolean() }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'LAST_OWNER', 'OWNER_REQUIRED', 'SCOPE_NOT_HELD', 'CONFLICT'],
  async handler({ body, caller, ctx }) {
    if (body.isByCaller && !caller) throw apiError('CREDENTIAL_REQUIRED');
    const by = body.isByCaller ? caller : null;
    const { result, isChanged } = await storeOf(ctx).change(ctx, body.orgId, (graph) => decide(graph, body, by));
    return { before: result, isChanged };
  },
});

function decide(graph: OrgGraph, { userId, role }: MembershipRequest, by: Caller | null): Decision<SystemRole> {
  const membership = graph.membership(userId);
  if (!membership) throw apiError('NOT_FOUND', { message: 'The organization has no such member.' });
  const { role: before, assignment } = membership;
  if (role === before) return { change: null, result: before };
  const change = { subject: userId, before, after: role };
  if (by) requireMembershipChange(graph, by, change);
  else requireOtherOwner(graph, change);
  if (role === null) return { change: { kind: 'subjectRemoved', subject: userId }, result: before };
  const changed = { id: assignment.id, subject: userId, roleId: `role_${role}`, expiresAt: null };
  return { change: { kind: 'assignmentStored', assignment: changed }, result: before };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.change': typeof changeMembership;
  }
}
