import { z } from 'zod';
import { limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import { requireRole, type SystemRole } from '../../lib/contract/authorize.ts';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, isError } from '../../lib/contract/errors.ts';
import { allows } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import { systemRoleOf } from './assignments.ts';
import { requireGrantable, scopesIn } from './granting.ts';
import type { Assignment, Membership, OrgGraph } from './graph/org-graph.ts';
import { idInput, roleSchema } from './memberships.ts';
import { type Decision, storeOf } from './store/access-store.ts';

/** A member's role before and after; null: they leave. */
type MembershipChange = { subject: string; before: SystemRole; after: SystemRole | null };

/**
 * Throws unless the caller may make this change of a membership, by their rights in this graph. It requires
 * `console.orgs.write` and all permissions of the previous and the new role: a caller can only grant, change or remove
 * permissions that they hold. A removed member loses their other roles too, so the caller must hold those permissions.
 *
 * @throws PERMISSION_DENIED, OWNER_REQUIRED, SCOPE_NOT_HELD, LAST_OWNER.
 */
export function requireMembershipChange(graph: OrgGraph, caller: Caller, change: MembershipChange): void {
  requireOrgsWrite(graph, caller);
  if (change.after) requireRole(scopesIn(graph, caller), change.after);
  requireRole(scopesIn(graph, caller), change.before);
  if (change.after === null) requireHeldOf(graph, caller, graph.assignments(change.subject).filter(isOwnRole));
  requireOtherOwner(graph, change);
}

/** Throws PERMISSION_DENIED unless the caller may change memberships. */
export function requireOrgsWrite(graph: OrgGraph, caller: Caller): void {
  if (allows(scopesIn(graph, caller), 'console.orgs.write')) return;
  throw apiError('PERMISSION_DENIED', {
    message: 'To change a membership you need the permission console.orgs.write.',
  });
}

/**
 * Throws unless the caller holds all permissions of a member, by their system role and their other roles.
 *
 * @throws OWNER_REQUIRED, SCOPE_NOT_HELD.
 */
export function requireAuthorityOver(graph: OrgGraph, caller: Caller, { assignment, role }: Membership): void {
  requireRole(scopesIn(graph, caller), role);
  requireHeldOf(graph, caller, graph.assignments(assignment.subject).filter(isOwnRole));
}

/** Throws LAST_OWNER when the organization would be left without an owner who is not suspended. */
export function requireOtherOwner(graph: OrgGraph, { subject, before, after }: MembershipChange): void {
  if (before !== 'owner' || after === 'owner' || graph.membership(subject)?.suspendedAt !== null) return;
  if (graph.owners() === 1) throw apiError('LAST_OWNER');
}

/** Throws SCOPE_NOT_HELD unless the caller holds all permissions of those assignments that are in force. */
export function requireHeldOf(graph: OrgGraph, caller: Caller, assignments: readonly Assignment[]): void {
  const at = now().getTime();
  const inForce = assignments.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
  requireGrantable(graph, caller, new Set(inForce.flatMap(({ roleId }) => graph.permissionsOfRole(roleId))));
}

function isOwnRole({ roleId }: Assignment): boolean {
  return systemRoleOf(roleId) === undefined;
}

/** `access.memberships.add`: makes a user a member. A present member keeps their role. */
export const addMembership = defineAction({
  summary: 'Make a user a member of an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput, role: roleSchema }) },
  output: z.strictObject({ isAdded: z.boolean(), role: roleSchema }),
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'CONFLICT'],
  async handler({ body: { orgId, userId, role }, ctx }) {
    // A present member needs no room.
    const isMember = storeOf(ctx).org(orgId)?.membership(userId) !== undefined;
    const limits = isMember ? 'unknown' : await limitsOf(ctx, orgId);
    const { result, isChanged } = await storeOf(ctx).change(ctx, orgId, (graph) => {
      const membership = graph.membership(userId);
      if (membership) return { change: null, result: membership.role };
      requireRoom(limits, { orgId, name: 'members', present: graph.sizes().members });
      const assignment = { id: newId('asg'), subject: userId, roleId: `role_${role}`, expiresAt: null };
      return { change: { kind: 'assignmentStored', assignment }, result: role };
    });
    return { isAdded: isChanged, role: result };
  },
});

/** `access.memberships.require-room`: refuses while an organization has as many members as its plan allows. */
export const requireMemberRoom = defineAction({
  summary: 'Refuse unless an organization can have another member',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({}),
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED'],
  async handler({ body: { orgId }, ctx }) {
    const limits = await limitsOf(ctx, orgId);
    // A node that does not know the organization yet leaves the check to the node that adds the member.
    requireRoom(limits, { orgId, name: 'members', present: storeOf(ctx).org(orgId)?.sizes().members ?? 0 });
    return {};
  },
});

const changeInput = z.strictObject({
  orgId: idInput,
  userId: idInput,
  /** Null: they leave. */
  role: roleSchema.nullable(),
  /** Whether the caller's rights are checked. Not where the user leaves, or is deleted. */
  isByCaller: z.boolean(),
});
type MembershipRequest = z.output<typeof changeInput>;

/** `access.memberships.change`: gives a member another role, or removes them with all their assignments. */
export const changeMembership = defineAction({
  summary: "Change a member's role, or remove them",
  permission: 'internal',
  input: { body: changeInput },
  output: z.strictObject({ before: roleSchema, isChanged: z.boolean() }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'LAST_OWNER', 'OWNER_REQUIRED', 'SCOPE_NOT_HELD', 'CONFLICT'],
  async handler({ body, caller, ctx }) {
    if (body.isByCaller && !caller) throw apiError('CREDENTIAL_REQUIRED');
    const by = body.isByCaller ? caller : null;
    const { result, isChanged } = await storeOf(ctx).change(ctx, body.orgId, (graph) => decide(graph, body, by));
    return { before: result, isChanged };
  },
});

function decide(graph: OrgGraph, { userId, role }: MembershipRequest, by: Caller | null): Decision<SystemRole> {
  const membership = graph.membership(userId);
  if (!membership) throw apiError('NOT_FOUND', { message: 'The organization has no such member.' });
  const { role: before, assignment } = membership;
  if (role === before) return { change: null, result: before };
  const change = { subject: userId, before, after: role };
  if (by) requireMembershipChange(graph, by, change);
  else requireOtherOwner(graph, change);
  if (role === null) return { change: { kind: 'subjectRemoved', subject: userId }, result: before };
  const changed = { id: assignment.id, subject: userId, roleId: `role_${role}`, expiresAt: null };
  return { change: { kind: 'assignmentStored', assignment: changed }, result: before };
}

/** `access.subjects.remove`: removes all assignments of a deleted subject, such as an application. */
export const removeSubject = defineAction({
  summary: 'Remove a subject from an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, subject: idInput }) },
  output: z.strictObject({}),
  async handler({ body: { orgId, subject }, ctx }) {
    const removing = storeOf(ctx).change(ctx, orgId, (graph) => {
      const isThere = graph.assignments(subject).length > 0;
      return { change: isThere ? { kind: 'subjectRemoved', subject } : null, result: null };
    });
    await removing.catch((error) => {
      // A deleted organization has no assignments left.
      if (!isError(error, 'NOT_FOUND')) throw error;
    });
    return {};
  },
});
