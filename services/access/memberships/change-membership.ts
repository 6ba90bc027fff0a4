import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { fail } from '../../../lib/errors.ts';
import type { SystemRole } from '../../../lib/roles.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import { type Decision, storeOf } from '../store/access-store.ts';
import { idInput, roleSchema } from './memberships.ts';
import { requireChange } from './requirements.ts';

const wanted = z.strictObject({
  orgId: idInput,
  userId: idInput,
  /** Null: they leave. */
  role: roleSchema.nullable(),
  /** Of whoever changes it; null where it is nobody: the user leaves, or is deleted. */
  scopes: z.array(z.string()).nullable(),
});
type Wanted = z.output<typeof wanted>;

/** `access.memberships.change`: gives a member another role, or removes them with all their assignments. */
export const changeMembership = defineAction({
  summary: "Change a member's role, or remove them",
  permission: 'internal',
  input: { body: wanted },
  output: z.strictObject({ before: roleSchema, isChanged: z.boolean() }),
  errors: ['NOT_FOUND', 'LAST_OWNER', 'OWNER_REQUIRED', 'SCOPE_NOT_HELD', 'CONFLICT'],
  async handler({ body, ctx }) {
    const { result, isChanged } = await storeOf(ctx).change(ctx, body.orgId, (graph) => decide(graph, body));
    return { before: result, isChanged };
  },
});

function decide(graph: OrgGraph, { userId, role, scopes }: Wanted): Decision<SystemRole> {
  const membership = graph.membership(userId);
  if (!membership) throw fail('NOT_FOUND', { message: 'The organization has no such member.' });
  const { role: before, assignment } = membership;
  if (role === before) return { change: null, result: before };
  requireChange(graph, scopes, { before, after: role });
  if (role === null) return { change: { kind: 'subjectRemoved', subject: userId }, result: before };
  const changed = { id: assignment.id, subject: userId, roleId: `role_${role}`, expiresAt: null };
  return { change: { kind: 'assignmentStored', assignment: changed }, result: before };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.change': typeof changeMembership;
  }
}
