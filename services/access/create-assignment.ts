import type { Context } from 'moleculer';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { SystemRole } from '../../lib/contract/authorize.ts';
import type { Caller, Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError, isError } from '../../lib/contract/errors.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { instantInput } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import {
  assignmentOutput,
  exampleAssignment,
  failMissing,
  requireApplication,
  systemRoleOf,
  toAssignmentResponse,
  toInstant,
} from './assignments.ts';
import { requireMembershipChange } from './change-membership.ts';
import { orgOf, requireCurrentPermission, requireGrantable, revisionHeaders } from './granting.ts';
import type { AssignmentValue } from './graph/changes.ts';
import type { Assignment, OrgGraph } from './graph/org-graph.ts';
import { type Decision, storeOf } from './store/access-store.ts';
import { removeAssignment } from './store/sweeps.ts';
import { isApplication, nameInput, oneSubject, subjectInput, subjectOf } from './subjects.ts';

/** The result of an operation on an assignment. `before` is unknown to a retry. */
type Stored = { orgId: string; before?: Assignment | undefined; after: AssignmentValue };

/** Records that an assignment was created or changed; for a system role also the member's new role. */
async function recordStored(ctx: Ctx, operation: Operation, { orgId, before, after }: Stored): Promise<void> {
  const isNew = after.id === operation.newId('asg');
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: isNew ? 'assignment.created' : 'assignment.updated',
    orgId,
    target: { type: 'assignment', id: after.id },
    ...(before && { before: describe(before) }),
    after: describe(after),
  });
  const role = systemRoleOf(after.roleId);
  if (!role || isNew) return;
  await recordAuditEvent(ctx, {
    id: operation.newId('aud', 'member'),
    action: 'member.updated',
    orgId,
    target: { type: 'user', id: after.subject },
    ...(before && { before: { role: systemRoleOf(before.roleId) } }),
    after: { role },
  });
}

/** Records that an assignment was removed; for a system role also that the membership ended. */
export async function recordRemoved(ctx: Ctx, orgId: string, before: Assignment): Promise<void> {
  await recordAuditEvent(ctx, {
    action: 'assignment.deleted',
    orgId,
    target: { type: 'assignment', id: before.id },
    before: describe(before),
  });
  const role = systemRoleOf(before.roleId);
  if (!role) return;
  await recordAuditEvent(ctx, {
    action: 'member.removed',
    orgId,
    target: { type: 'user', id: before.subject },
    before: { role },
  });
}

function describe({ subject, roleId, expiresAt }: AssignmentValue): Record<string, unknown> {
  return { subject, roleId, expiresAt: toInstant(expiresAt) };
}

/** `id` is for a new assignment; an existing one keeps its own. */
type AssignmentRequest = AssignmentValue;

/** The id of the resulting assignment, and the assignment before the change. */
type StoredGrants = { id: string; before: Assignment | undefined };

/**
 * Decides the change that assigns a role, on the organization's present state.
 *
 * @throws NOT_FOUND no such role, or no such member; SCOPE_NOT_HELD; PLAN_LIMIT_EXCEEDED; for a system role what {@link
 *   requireMembershipChange} throws, and INPUT_INVALID for an application or an end.
 */
function decideAssignment(
  graph: OrgGraph,
  { caller, wanted, limits }: { caller: Caller; wanted: AssignmentRequest; limits: LimitsNow },
): Decision<StoredGrants> {
  requireCurrentPermission(graph, caller, 'console.access.write');
  const role = graph.role(wanted.roleId);
  if (!role) throw failMissing('body.roleId', 'The organization has no such role.');
  if (!isApplication(wanted.subject) && !graph.membership(wanted.subject)) {
    throw failMissing('body.userId', 'The organization has no such member.');
  }
  const systemRole = systemRoleOf(role.id);
  if (systemRole) return decideMembership(graph, caller, wanted, systemRole);
  requireGrantable(graph, caller, graph.permissionsOfRole(role.id));
  const previous = graph.assignments(wanted.subject).find(({ roleId }) => roleId === role.id);
  if (!previous) {
    const { assignments, members } = graph.sizes();
    requireRoom(limits, { orgId: graph.orgId, name: 'assignments', present: assignments - members });
  }
  return replace(previous, wanted);
}

function decideMembership(
  graph: OrgGraph,
  caller: Caller,
  request: AssignmentRequest,
  after: SystemRole,
): Decision<StoredGrants> {
  const membership = graph.membership(request.subject);
  if (!membership) {
    throw inputError([
      { path: 'body.roleId', message: 'A system role is a membership, which applications do not have.' },
    ]);
  }
  if (request.expiresAt !== null) {
    throw inputError([{ path: 'body.expiresAt', message: 'A membership does not expire; leave this out.' }]);
  }
  requireMembershipChange(graph, caller, { subject: request.subject, before: membership.role, after });
  return replace(membership.assignment, request);
}

function replace(before: Assignment | undefined, request: AssignmentRequest): Decision<StoredGrants> {
  if (before && before.roleId === request.roleId && before.expiresAt === request.expiresAt) {
    return { change: null, result: { id: before.id, before } };
  }
  const id = before?.id ?? request.id;
  return { change: { kind: 'assignmentStored', assignment: { ...request, id } }, result: { id, before } };
}

/**
 * POST /access/assignments: assigns a role to a member or an application. An existing assignment is returned unchanged,
 * except that a different `expiresAt` replaces the previous one. A system role changes the member's role.
 */
export const createAssignment = defineAction({
  rest: 'POST /access/assignments',
  summary: 'Assign a role to a member or an application',
  description:
    'Gives a role to a member (`userId`) or an application (`applicationId`), optionally until `expiresAt`. Your ' +
    'credential must hold every permission of the role (`SCOPE_NOT_HELD`). A role that is already assigned is not ' +
    'assigned twice: the answer is the existing assignment, with the new `expiresAt`. A built-in role such as ' +
    "`role_admin` replaces the member's present built-in role; this also needs `console.orgs.write`.",
  permission: 'console.access.write',
  organization: ({ body }) => body.context?.orgId,
  input: {
    body: z
      .strictObject({
        ...subjectInput,
        roleId: nameInput,
        expiresAt: instantInput
          .nullish()
          .describe('When the role ends; null or omitted: never. Not for a built-in role.'),
      })
      .meta(oneSubject)
      .meta({ id: 'AssignmentInput' }),
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
    rejectPast(request.expiresAt);
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
function rejectPast(expiresAt: number | null): void {
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
