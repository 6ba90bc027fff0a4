import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { fail, failInput, isError } from '../../../lib/errors.ts';
import { instantInput } from '../../../lib/instant.ts';
import { revisionHeaders } from '../granting.ts';
import type { Assignment } from '../graph/org-graph.ts';
import { storeOf } from '../store/access-store.ts';
import { recordStored } from './acts.ts';
import { assignmentOutput, requireApplication, showAssignment } from './assignments.ts';
import { decideAssignment } from './decide-assignment.ts';
import { isApplication, nameInput, subjectInput, subjectOf } from './subjects.ts';

/**
 * POST /access/assignments: gives a member or an application a role. What is assigned already is answered as it is; only
 * another `expiresAt` replaces the former. A system role changes what the member is.
 */
export const createAssignment = defineAction({
  rest: 'POST /access/assignments',
  summary: 'Assign a role to a member or an application',
  permission: 'console.access.write',
  organization: ({ body }) => body.context?.orgId,
  input: { body: z.strictObject({ ...subjectInput, roleId: nameInput, expiresAt: instantInput.nullish() }) },
  output: assignmentOutput,
  status: 201,
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'LAST_OWNER', 'CONFLICT'],
  idempotent: true,
  async handler({ body, caller, ctx }) {
    const { orgId } = caller;
    const wanted = { subject: subjectOf(body), roleId: body.roleId, expiresAt: body.expiresAt?.getTime() ?? null };
    refusePast(wanted.expiresAt);
    const { applicationId } = body;
    // Of members the graph knows it.
    if (applicationId !== undefined) await requireApplication(ctx, { orgId, applicationId });
    const store = storeOf(ctx);
    const { result, revision, isChanged } = await store.change(ctx, orgId, (graph) =>
      decideAssignment(graph, caller, wanted),
    );
    const made = store.org(orgId)?.assignment(result.id);
    if (isChanged) {
      if (isApplication(wanted.subject)) await removeIfOrphan(ctx, orgId, wanted.subject);
      await recordStored(ctx, orgId, result.before, { id: result.id, ...wanted });
    }
    revisionHeaders(ctx, revision);
    return showAssignment(orgId, requireKept(made));
  },
});

/** Not part of the input's shape: a repetition with an Idempotency-Key may arrive after the assignment has expired. */
function refusePast(expiresAt: number | null): void {
  if (expiresAt === null || expiresAt > now().getTime()) return;
  throw failInput([{ path: 'body.expiresAt', message: 'Send an instant in the future.' }]);
}

/** A deletion of the application that began before the assignment was made has not seen it. */
async function removeIfOrphan(ctx: Context<unknown, RequestMeta>, orgId: string, subject: string): Promise<void> {
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

/** The assignment, unless somebody removed it at the same moment. */
function requireKept(assignment: Assignment | undefined): Assignment {
  if (!assignment) throw fail('CONFLICT');
  return assignment;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.assignments.create': typeof createAssignment;
  }
}
