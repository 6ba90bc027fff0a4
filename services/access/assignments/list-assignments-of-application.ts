import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { decodeCursor, pageOf, pageQuery } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import { orgOf } from '../granting.ts';
import { assignmentOutput, pageOfAssignments, requireApplication } from './assignments.ts';

/** GET /access/applications/:applicationId/assignments: the roles of an application, including expired ones. */
export const listAssignmentsOfApplication = defineAction({
  rest: 'GET /access/applications/:applicationId/assignments',
  summary: "List an application's assignments",
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ applicationId: pathId('app') }),
    query: z.strictObject({ ...pageQuery, orgId: z.string().optional() }),
  },
  output: pageOf(assignmentOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { applicationId: exampleId('app') },
    query: { limit: '20', orgId: exampleId('org') },
    output: {
      data: [
        {
          assignmentId: exampleId('asg', 'application'),
          applicationId: exampleId('app'),
          roleId: exampleId('role'),
          context: { orgId: exampleId('org') },
          expiresAt: null,
          revision: 4,
          createdAt: exampleInstant,
          updatedAt: exampleInstant,
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ path: { applicationId }, query, caller: { orgId }, ctx }) {
    const after = decodeCursor(query.cursor, 1)?.[0];
    await requireApplication(ctx, { orgId, applicationId }, 'path.applicationId');
    return pageOfAssignments(orgOf(ctx, orgId), applicationId, { limit: query.limit, after });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.assignments.list-of-application': typeof listAssignmentsOfApplication;
  }
}
