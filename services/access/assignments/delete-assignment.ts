import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Caller } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { pathId } from '../../../lib/path-text.ts';
import { requireCurrentPermission, revisionHeaders } from '../granting.ts';
import type { Assignment, OrgGraph } from '../graph/org-graph.ts';
import { requireHeldOf, requireMembershipChange } from '../memberships/requirements.ts';
import { type Decision, storeOf } from '../store/access-store.ts';
import { recordRemoved } from './acts.ts';
import { systemRoleOf } from './assignments.ts';

/**
 * DELETE /access/assignments/:assignmentId: removes a role whose permissions the caller holds. The assignment of a
 * system role is the membership itself: without it the member leaves, with all their assignments in the organization.
 */
export const deleteAssignment = defineAction({
  rest: 'DELETE /access/assignments/:assignmentId',
  summary: 'Remove a role assignment',
  permission: 'console.access.write',
  input: { path: z.strictObject({ assignmentId: pathId('asg') }) },
  output: z.void(),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'LAST_OWNER'],
  example: { path: { assignmentId: exampleId('asg') } },
  async handler({ path: { assignmentId }, caller, ctx }) {
    const { orgId } = caller;
    const { result, revision } = await storeOf(ctx).change(ctx, orgId, (graph) =>
      decideRemoval(graph, caller, assignmentId),
    );
    await recordRemoved(ctx, orgId, result);
    revisionHeaders(ctx, revision);
  },
});

function decideRemoval(graph: OrgGraph, caller: Caller, id: string): Decision<Assignment> {
  requireCurrentPermission(graph, caller, 'console.access.write');
  const assignment = graph.assignment(id);
  if (!assignment) throw apiError('NOT_FOUND', { message: 'The organization has no such assignment.' });
  const role = systemRoleOf(assignment.roleId);
  if (role) {
    const { subject } = assignment;
    requireMembershipChange(graph, caller, { subject, before: role, after: null });
    return { change: { kind: 'subjectRemoved', subject }, result: assignment };
  }
  requireHeldOf(graph, caller, [assignment]);
  return { change: { kind: 'assignmentRemoved', assignmentId: id }, result: assignment };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.assignments.delete': typeof deleteAssignment;
  }
}
