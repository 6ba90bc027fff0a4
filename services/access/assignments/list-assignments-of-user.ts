import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId } from '../../../lib/examples.ts';
import { decodeCursor, pageOf, pageQuery } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import { orgOf } from '../granting.ts';
import { assignmentOutput, exampleAssignment, pageOfAssignments, requireMember } from './assignments.ts';

/** GET /identity/users/:userId/assignments: a member's roles, including the membership and expired ones. */
export const listAssignmentsOfUser = defineAction({
  rest: 'GET /identity/users/:userId/assignments',
  summary: "List a member's assignments",
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({ ...pageQuery, orgId: z.string().optional() }),
  },
  output: pageOf(assignmentOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { userId: exampleAssignment.userId },
    query: { limit: '20', orgId: exampleId('org') },
    output: {
      data: [
        {
          ...exampleAssignment,
          assignmentId: exampleId('asg', 'membership'),
          roleId: 'role_member',
          expiresAt: null,
          revision: 5,
          createdAt: '2026-03-03T08:15:00.000Z',
          updatedAt: '2026-03-03T08:15:00.000Z',
        },
        exampleAssignment,
      ],
      nextCursor: null,
    },
  },
  handler({ path: { userId }, query, caller: { orgId }, ctx }) {
    const after = decodeCursor(query.cursor, 1)?.[0];
    const graph = orgOf(ctx, orgId);
    requireMember(graph, userId);
    return pageOfAssignments(graph, userId, { limit: query.limit, after });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.assignments.list-of-user': typeof listAssignmentsOfUser;
  }
}
