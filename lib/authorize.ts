import type { Caller, RequestMeta } from './caller.ts';
import { apiError, type ErrorCode } from './errors.ts';
import { allows, type SystemPermission } from './permissions.ts';
import { scopesOf } from './roles.ts';

/**
 * `public`: anyone over HTTP, without a credential. `authenticated`: any valid credential. `user`: a user's session, or
 * a token with the scope `profile`; that scope is read-only, so an action that writes needs a further scope. `session`:
 * a user's session alone. `internal`: calls from other services, never over HTTP. Any other value is a permission in an
 * organization: an application has it by its scopes, a user by their role in the organization and their token's scopes.
 */
export type Permission =
  | SystemPermission
  | DeclaredPermission
  | 'authenticated'
  | 'user'
  | 'session'
  | 'public'
  | 'internal';

/** A permission that the action's service declares. It is checked when the service is loaded. */
export type DeclaredPermission = `${string}.${string}` & {};

/**
 * Throws unless the caller holds the permission. When the input names the organization, this runs only the checks that
 * do not need the parsed input; {@link resolveOrganization} runs the others.
 */
export function authorize(permission: Permission, meta: RequestMeta, isNamed: boolean): void {
  if (permission === 'public' || permission === 'internal') return;
  const caller = requireCaller(meta);
  if (permission === 'authenticated') return;
  if (permission === 'user' || permission === 'session') {
    requireUser(permission, caller);
    return;
  }
  if (isNamed && caller.type === 'user') return;
  if (caller.orgId === null) throw apiError('TENANT_REQUIRED');
  requirePermission(permission, caller.scopes);
}

/**
 * The caller in the organization that the input names. A caller from outside gets the same error as for an organization
 * that does not exist.
 *
 * @throws NOT_FOUND for an organization the caller does not belong to; PERMISSION_DENIED in their own.
 */
export function resolveOrganization(permission: Permission, meta: RequestMeta, orgId: string | null): Caller {
  const caller = requireCaller(meta);
  const resolved = orgId === null ? null : callerIn(caller, orgId);
  if (!resolved) throw apiError('NOT_FOUND');
  if (permission.includes('.')) requirePermission(permission, resolved.scopes);
  return resolved;
}

/** The caller with their permissions in an organization; null when they do not belong to it. */
export function callerIn(caller: Caller, orgId: string): Caller | null {
  if (caller.type === 'application') return caller.orgId === orgId ? caller : null;
  // An OAuth client acts for a user in the client's own organization only, not in the user's other ones.
  if (caller.clientId !== undefined && caller.orgId !== orgId) return null;
  const membership = caller.memberships.find((one) => one.orgId === orgId);
  if (!membership) return null;
  return { ...caller, orgId, scopes: scopesOf(membership.role, caller.granted, membership.extras) };
}

function requireCaller({ caller, refusal }: RequestMeta): Caller {
  if (refusal) throw apiError(refusal.code as ErrorCode, { message: refusal.message });
  if (!caller) throw apiError('CREDENTIAL_REQUIRED');
  return caller;
}

function requireUser(permission: 'user' | 'session', caller: Caller): void {
  if (caller.type !== 'user') throw apiError('USER_REQUIRED');
  if (caller.sessionId !== undefined) return;
  if (permission === 'session') throw apiError('SESSION_REQUIRED');
  if (!caller.granted?.includes('profile')) {
    throw apiError('PERMISSION_DENIED', { message: 'The token lacks the scope profile.' });
  }
}

function requirePermission(permission: string, scopes: string[]): void {
  if (allows(scopes, permission)) return;
  throw apiError('PERMISSION_DENIED', { message: `The credential lacks the permission ${permission}.` });
}
