import type { Caller } from '../../../lib/caller.ts';
import { inputError } from '../../../lib/errors.ts';
import { type LimitsNow, requireRoom } from '../../../lib/plan-limits.ts';
import type { SystemRole } from '../../../lib/roles.ts';
import { requireCurrentPermission, requireGrantable } from '../granting.ts';
import type { AssignmentValue } from '../graph/changes.ts';
import type { Assignment, OrgGraph } from '../graph/org-graph.ts';
import { requireMembershipChange } from '../memberships/requirements.ts';
import type { Decision } from '../store/access-store.ts';
import { failMissing, systemRoleOf } from './assignments.ts';
import { isApplication } from './subjects.ts';

/** `id` is for a new assignment; an existing one keeps its own. */
type AssignmentRequest = AssignmentValue;

/** The id of the resulting assignment, and the assignment before the change. */
type Stored = { id: string; before: Assignment | undefined };

/**
 * Decides the change that assigns a role, on the organization's present state.
 *
 * @throws NOT_FOUND no such role, or no such member; SCOPE_NOT_HELD; PLAN_LIMIT_EXCEEDED; for a system role what {@link
 *   requireMembershipChange} throws, and INPUT_INVALID for an application or an end.
 */
export function decideAssignment(
  graph: OrgGraph,
  { caller, wanted, limits }: { caller: Caller; wanted: AssignmentRequest; limits: LimitsNow },
): Decision<Stored> {
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
): Decision<Stored> {
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

function replace(before: Assignment | undefined, request: AssignmentRequest): Decision<Stored> {
  if (before && before.roleId === request.roleId && before.expiresAt === request.expiresAt) {
    return { change: null, result: { id: before.id, before } };
  }
  const id = before?.id ?? request.id;
  return { change: { kind: 'assignmentStored', assignment: { ...request, id } }, result: { id, before } };
}
