import { permissionDenied, type SystemRole, scopesOf } from '../../lib/contract/authorize.ts';
import type { Caller, Ctx } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { allows, covers, platformPermission, type SystemPermission } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { requireAnswer } from './decide.ts';
import type { OrgGraph } from './graph/org-graph.ts';
import { storeOf } from './store/access-store.ts';

/**
 * The access graph of an organization for an answer.
 *
 * @throws NOT_FOUND the organization is unknown or being deleted; UNAVAILABLE this node cannot know its present state.
 */
export function orgOf(ctx: { service: unknown }, orgId: string): OrgGraph {
  const store = storeOf(ctx);
  requireAnswer(store, orgId);
  const graph = store.org(orgId);
  if (!graph) throw apiError('NOT_FOUND');
  return graph;
}

/**
 * Throws PERMISSION_DENIED unless the caller still holds a permission. Gateways may cache a user's permissions for half
 * a second; the check in the graph that decides the change prevents changes after the permission has ended.
 */
export function requireCurrentPermission(graph: OrgGraph, caller: Caller, permission: SystemPermission): void {
  if (!allows(scopesIn(graph, caller), permission)) throw permissionDenied(caller, permission);
}

/**
 * Throws SCOPE_NOT_HELD, naming the first key that is not held, unless the caller holds all of them in the
 * organization: a caller can only grant or take permissions that they hold. A user's permissions are read from the
 * given graph, so that a decision made on it cannot be overtaken by the loss of their rights.
 */
export function requireGrantable(graph: OrgGraph, caller: Caller, keys: Iterable<string>): void {
  const holds = holdingOf(graph, caller);
  for (const key of keys) {
    if (holds(key)) continue;
    throw apiError('SCOPE_NOT_HELD', { message: `You cannot grant or take ${key}: you do not hold it.` });
  }
}

/**
 * The caller's present scopes in the organization by its graph; none for a user who is no longer a member, or is
 * suspended. An application has the scopes of its credential.
 */
export function scopesIn(graph: OrgGraph, caller: Caller): string[] {
  if (caller.type === 'application') return caller.scopes;
  const role = roleInForce(graph, caller.id);
  if (!role) return [];
  return scopesOf(role, caller.granted, graph.systemPermissionsOf(caller.id, now().getTime()));
}

function roleInForce(graph: OrgGraph, userId: string): SystemRole | null {
  const membership = graph.membership(userId);
  return membership && membership.suspendedAt === null ? membership.role : null;
}

/**
 * The platform's own permissions are held by scopes. A key of the organization is held by `svc:admin`, by a scope that
 * names it, by owners and admins, and by users whose role gives it; by a user's token only if its scopes allow it too.
 */
function holdingOf(graph: OrgGraph, caller: Caller): (key: string) => boolean {
  const scopes = scopesIn(graph, caller);
  if (caller.type === 'application') return (key) => covers(scopes, key);
  const { id, granted } = caller;
  const role = roleInForce(graph, id);
  const at = now().getTime();
  return (key) => {
    if (graph.permission(key)?.isSystem ?? platformPermission(key)) return covers(scopes, key);
    if (!role || (granted && !covers(granted, key))) return false;
    return role !== 'member' || graph.check(id, key, at);
  };
}

/**
 * Sets headers with the revision of the organization's access at which the answer is true, and with the ETag of a
 * single resource that If-Match can name.
 */
export function revisionHeaders(ctx: Ctx, revision: number, etag?: number): void {
  ctx.meta.$responseHeaders = {
    ...ctx.meta.$responseHeaders,
    'Access-Revision': `${revision}`,
    ...(etag !== undefined && { ETag: `"${etag}"` }),
  };
}
