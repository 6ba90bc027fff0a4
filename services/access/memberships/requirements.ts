import { fail } from '../../../lib/errors.ts';
import { requireRole, type SystemRole } from '../../../lib/roles.ts';
import type { OrgGraph } from '../graph/org-graph.ts';

/** From what a member is to what they become; null: they leave. */
export type MembershipChange = { before: SystemRole; after: SystemRole | null };

/**
 * Throws unless a membership may change so: nobody gives more than they hold, only owners change owners, and the last
 * one stays. `scopes` are those of whoever changes it, null where it is nobody.
 *
 * @throws OWNER_REQUIRED, SCOPE_NOT_HELD, LAST_OWNER.
 */
export function requireChange(
  graph: OrgGraph,
  scopes: readonly string[] | null,
  { before, after }: MembershipChange,
): void {
  if (after === before) return;
  if (scopes && after) requireRole(scopes, after);
  if (before !== 'owner') return;
  if (scopes) requireRole(scopes, 'owner');
  if (graph.owners() === 1) throw fail('LAST_OWNER');
}
