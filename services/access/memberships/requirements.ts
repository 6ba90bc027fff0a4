import type { Caller } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { allows } from '../../../lib/permissions.ts';
import { requireRole, type SystemRole } from '../../../lib/roles.ts';
import { systemRoleOf } from '../assignments/assignments.ts';
import { requireGrantable, scopesIn } from '../granting.ts';
import type { Assignment, OrgGraph } from '../graph/org-graph.ts';

/** A member's role before and after; null: they leave. */
export type MembershipChange = { subject: string; before: SystemRole; after: SystemRole | null };

/**
 * Throws unless the caller may make this change of a membership, by their rights in this graph. It requires
 * `console.orgs.write` and all permissions of the previous and the new role: a caller can only grant, change or remove
 * permissions that they hold. A removed member loses their other roles too, so the caller must hold those permissions.
 *
 * @throws PERMISSION_DENIED, OWNER_REQUIRED, SCOPE_NOT_HELD, LAST_OWNER.
 */
export function requireMembershipChange(graph: OrgGraph, caller: Caller, change: MembershipChange): void {
  const scopes = scopesIn(graph, caller);
  if (!allows(scopes, 'console.orgs.write')) {
    throw apiError('PERMISSION_DENIED', {
      message: 'To change a membership you need the permission console.orgs.write.',
    });
  }
  if (change.after) requireRole(scopes, change.after);
  requireRole(scopes, change.before);
  if (change.after === null) requireHeldOf(graph, caller, graph.assignments(change.subject).filter(isOwnRole));
  requireOtherOwner(graph, change);
}

/** Throws LAST_OWNER when the organization would be left without an owner. */
export function requireOtherOwner(graph: OrgGraph, { before, after }: MembershipChange): void {
  if (before === 'owner' && after !== 'owner' && graph.owners() === 1) throw apiError('LAST_OWNER');
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
