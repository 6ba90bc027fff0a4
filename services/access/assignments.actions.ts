import { z } from 'zod';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, toPage } from '../../lib/contract/input.ts';
import {
  assignmentOutput,
  exampleAssignment,
  pageOfAssignments,
  requireApplication,
  requireMember,
  systemRoleOf,
  toAssignmentResponse,
} from './assignments.ts';
import { requireHeldOf, requireMembershipChange } from './change-membership.ts';
import { recordRemoved } from './create-assignment.ts';
import { orgOf, requireCurrentPermission, revisionHeaders } from './granting.ts';
import type { Assignment, OrgGraph } from './graph/org-graph.ts';
import { findRole, rolePath } from './roles.ts';
import { type Decision, storeOf } from './store/access-store.ts';

/**
 * DELETE /access/assignments/:assignmentId: removes a role whose permissions the caller holds. The assignment of a
 * system role is the membership itself: without it the member leaves, with all their assignments in the organization.
 */
export const deleteAssignment = defineAction({
  rest: 'DELETE /access/assignments/:assignmentId',
  summary: 'Remove a role assignment',
  description:
    'Removes a role from a member or an application; your credential must hold the permissions of the role. The ' +
    'assignment of a built-in role is the membership itself: without it the member leaves the organization and ' +
    'loses all other assignments. The last owner cannot be removed (`LAST_OWNER`).',
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

/** GET /access/applications/:applicationId/assignments: the roles of an application, including expired ones. */
export const listAssignmentsOfApplication = defineAction({
  rest: 'GET /access/applications/:applicationId/assignments',
  summary: "List an application's assignments",
  description:
    'Returns the roles of an application in the order in which they were assigned, including expired ones, which ' +
    'are kept for a day.',
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ applicationId: pathId('app') }),
    query: z.strictObject({
      ...pageQuery,
      orgId: z.string().optional().describe('The id of the organization; by default the one of the credential.'),
    }),
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

/** GET /identity/users/:userId/assignments: a member's roles, including the membership and expired ones. */
export const listAssignmentsOfUser = defineAction({
  rest: 'GET /identity/users/:userId/assignments',
  summary: "List a member's assignments",
  description:
    'Returns the roles of a member in the order in which they were assigned: the built-in role that is their ' +
    'membership, and all others, including expired ones, which are kept for a day. A user who is not a member is ' +
    '`NOT_FOUND`.',
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({
      ...pageQuery,
      orgId: z.string().optional().describe('The id of the organization; by default the one of the credential.'),
    }),
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
