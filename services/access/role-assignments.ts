import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../lib/contract/input.ts';
import { assignmentOutput, exampleAssignment, toAssignmentResponse } from './assignments.ts';
import { orgOf } from './granting.ts';
import { findRole, rolePath } from './roles.ts';

/**
 * GET /access/roles/:id/assignments: who has a role, including expired ones: applications, then members, each by id. The
 * assignments of a platform role are the memberships.
 */
export const listAssignmentsOfRole = defineAction({
  rest: 'GET /access/roles/:id/assignments',
  summary: "List a role's assignments",
  description:
    'Lists the applications and members of your organization that have the role, expired assignments included. The ' +
    'assignments of a system role such as `role_owner` are the memberships.',
  permission: 'console.access.read',
  input: { path: rolePath, query: z.strictObject(pageQuery) },
  output: pageOf(assignmentOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { id: exampleId('role') },
    query: { limit: '20' },
    output: { data: [exampleAssignment], nextCursor: null },
  },
  async handler({ path: { id }, query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? null;
    const graph = orgOf(ctx, orgId);
    findRole(graph, id);
    const assignments = await graph.assignmentsOfRoleSliced(id, { after, limit: limit + 1 });
    return toPage(
      assignments,
      limit,
      ({ subject }) => [subject],
      (assignment) => toAssignmentResponse(orgId, assignment),
    );
  },
});
