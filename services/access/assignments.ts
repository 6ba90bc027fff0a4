import { z } from 'zod';
import { type SystemRole, systemRoles } from '../../lib/contract/authorize.ts';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { type ApiError, apiError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { type Page, timestamp, toPage } from '../../lib/contract/input.ts';
import type { Assignment, OrgGraph } from './graph/org-graph.ts';
import { isApplication } from './subjects.ts';

/**
 * An assignment in API responses. Times are ISO 8601 UTC with milliseconds; it has a `userId` or an `applicationId`.
 */
export const assignmentOutput = z
  .strictObject({
    assignmentId: z.string(),
    userId: z.string().optional(),
    applicationId: z.string().optional(),
    roleId: z.string(),
    context: z.strictObject({ orgId: z.string() }).describe('The organization in which the role is held.'),
    expiresAt: timestamp.nullable().describe('When the role ends; null: never.'),
    revision: z.number(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Assignment' });

export const exampleAssignment = {
  assignmentId: exampleId('asg'),
  userId: exampleId('usr', 'grace'),
  roleId: exampleId('role'),
  context: { orgId: exampleId('org') },
  expiresAt: '2036-04-02T09:30:00.000Z',
  revision: 6,
  createdAt: '2026-03-03T08:20:00.000Z',
  updatedAt: '2026-03-03T08:20:00.000Z',
} satisfies z.input<typeof assignmentOutput>;

export function toAssignmentResponse(orgId: string, assignment: Assignment): z.output<typeof assignmentOutput> {
  const { id, subject, roleId, expiresAt, revision, createdAt, updatedAt } = assignment;
  return {
    assignmentId: id,
    ...(isApplication(subject) ? { applicationId: subject } : { userId: subject }),
    roleId,
    context: { orgId },
    expiresAt: toInstant(expiresAt),
    revision,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** The assignments of a subject after an id, ordered by id, which is the order of creation. */
export function pageOfAssignments(
  graph: OrgGraph,
  subject: string,
  { limit, after = '' }: { limit: number; after?: string | undefined },
): Page<z.output<typeof assignmentOutput>> {
  const rest = graph.assignments(subject).filter(({ id }) => id > after);
  return toPage(
    rest.slice(0, limit + 1),
    limit,
    ({ id }) => [id],
    (assignment) => toAssignmentResponse(graph.orgId, assignment),
  );
}

/** Throws NOT_FOUND unless the user is a member, whether or not the user exists elsewhere. */
export function requireMember(graph: OrgGraph, userId: string): void {
  if (!graph.membership(userId)) throw failMissing('path.userId', 'The organization has no such member.');
}

export function toInstant(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/** The system role with this id; undefined for an organization's own role. */
export function systemRoleOf(roleId: string): SystemRole | undefined {
  return systemRoles.find((role) => roleId === `role_${role}`);
}

/** The refusal of an input that names, at a path, something that the organization does not have. */
export function failMissing(path: string, message: string): ApiError {
  return apiError('NOT_FOUND', { message, details: [{ path, message }] });
}

/** Throws NOT_FOUND unless the organization has this application, whether or not another organization has it. */
export async function requireApplication(
  ctx: CallContext,
  body: { orgId: string; applicationId: string },
  path = 'body.applicationId',
): Promise<void> {
  const { exists } = await call(ctx, 'identity.applications.exists', { body });
  if (!exists) throw failMissing(path, 'The organization has no such application.');
}
