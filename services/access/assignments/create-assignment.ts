import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { apiError, inputError, isError } from '../../../lib/errors.ts';
import { instantInput } from '../../../lib/instant.ts';
import type { Operation } from '../../../lib/operation.ts';
import { limitsOf } from '../../../lib/plan-limits.ts';
import { orgOf, revisionHeaders } from '../granting.ts';
import type { Assignment, OrgGraph } from '../graph/org-graph.ts';
import { storeOf } from '../store/access-store.ts';
import { removeAssignment } from '../store/sweeps.ts';
import { recordStored } from './acts.ts';
import { assignmentOutput, exampleAssignment, requireApplication, toAssignmentResponse } from './assignments.ts';
import { decideAssignment } from './decide-assignment.ts';
import { isApplication, nameInput, oneSubject, subjectInput, subjectOf } from './subjects.ts';

/**
 * POST /access/assignments: assigns a role to a member or an application. An existing assignment is returned unchanged,
 * except that a different `expiresAt` replaces the previous one. A system role changes the member's role.
 */
export const createAssignment = defineAction({
  rest: 'POST /access/assignments',
  summary: 'Assign a role to a member or an application',
  permission: 'console.access.write',
  organization: ({ body }) => body.context?.orgId,
  input: {
    body: z.strictObject({ ...subjectInput, roleId: nameInput, expiresAt: instantInput.nullish() }).meta(oneSubject),
  },
  output: assignmentOutput,
  status: 201,
  errors: [
    'NOT_FOUND',
    'PERMISSION_DENIED',
    'SCOPE_NOT_HELD',
    'OWNER_REQUIRED',
    'LAST_OWNER',
    'PLAN_LIMIT_EXCEEDED',
    'CONFLICT',
  ],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const stored = await storeOf(ctx).changeOf(orgId, operation);
      if (stored?.change.kind !== 'assignmentStored') return null;
      const { assignment: after } = stored.change;
      await complete(ctx, operation, { orgId, after });
      const { revision, at } = stored;
      revisionHeaders(ctx, revision);
      const present = storeOf(ctx).org(orgId)?.assignment(after.id);
      return toAssignmentResponse(orgId, present ?? { ...after, revision, createdAt: at, updatedAt: at });
    },
  },
  example: {
    body: {
      userId: exampleAssignment.userId,
      roleId: exampleAssignment.roleId,
      expiresAt: exampleAssignment.expiresAt,
      context: exampleAssignment.context,
    },
    output: exampleAssignment,
  },
  async handler({ body, caller, operation, ctx }) {
    const { orgId } = caller;
    const id = operation.newId('asg');
    const request = { id, subject: subjectOf(body), roleId: body.roleId, expiresAt: body.expiresAt?.getTime() ?? null };
    refusePast(request.expiresAt);
    const { applicationId } = body;
    // The graph itself knows the members.
    if (applicationId !== undefined) await requireApplication(ctx, { orgId, applicationId });
    const store = storeOf(ctx);
    const limits = await limitsOf(ctx, orgId);
    const decide = (graph: OrgGraph) => decideAssignment(graph, { caller, wanted: request, limits });
    const { result, revision, isChanged } = await withExpiredRemoved(ctx, orgId, () =>
      store.change(ctx, orgId, decide, operation),
    );
    const made = store.org(orgId)?.assignment(result.id);
    const after = { ...request, id: result.id };
    if (isChanged) await complete(ctx, operation, { orgId, before: result.before, after });
    revisionHeaders(ctx, revision);
    return toAssignmentResponse(orgId, requireKept(made));
  },
});

/** Completes the operation after the change. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, stored: Parameters<typeof recordStored>[2]): Promise<void> {
  const { orgId, after } = stored;
  if (isApplication(after.subject)) await removeIfOrphan(ctx, orgId, after.subject);
  await recordStored(ctx, operation, stored);
}

/** More than one, so that a full organization with expiring assignments does not need a removal for each addition. */
const removalBatchSize = 10;

/**
 * Retries after the limit of assignments was exceeded, once expired assignments are removed. They take memory until
 * then, so they count. The sweep keeps them for a day, to explain why they are no longer in force.
 */
async function withExpiredRemoved<T>(ctx: Context, orgId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const instant = now().getTime();
    const expired = isError(error, 'PLAN_LIMIT_EXCEEDED') ? orgOf(ctx, orgId).expired(instant, removalBatchSize) : [];
    if (expired.length === 0) throw error;
    for (const id of expired) await removeAssignment(storeOf(ctx), ctx, { orgId, id, instant });
    return await work();
  }
}

/** Not part of the input's shape: a repetition with an Idempotency-Key may arrive after the assignment has expired. */
function refusePast(expiresAt: number | null): void {
  if (expiresAt === null || expiresAt > now().getTime()) return;
  throw inputError([{ path: 'body.expiresAt', message: 'Must be in the future.' }]);
}

/** A deletion of the application that began before the assignment was made has not seen it. */
async function removeIfOrphan(ctx: Ctx, orgId: string, subject: string): Promise<void> {
  try {
    await requireApplication(ctx, { orgId, applicationId: subject });
  } catch (error) {
    // Another error says nothing of the application, which may have other roles.
    if (isError(error, 'NOT_FOUND')) {
      await storeOf(ctx).change(ctx, orgId, () => ({ change: { kind: 'subjectRemoved', subject }, result: null }));
    }
    throw error;
  }
}

/** Returns the assignment; throws CONFLICT when it was removed concurrently. */
function requireKept(assignment: Assignment | undefined): Assignment {
  if (!assignment) throw apiError('CONFLICT');
  return assignment;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.assignments.create': typeof createAssignment;
  }
}
