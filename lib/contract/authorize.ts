import type { Caller, Membership, RequestMeta, UserCaller } from './context.ts';
import { apiError, type ErrorCode } from './errors.ts';
import {
  allows,
  permissionsGeneration,
  platformPermission,
  platformPermissions,
  type SystemPermission,
} from './permissions.ts';

/** The roles of members of an organization. Each is a system role of access control: `role_owner` and so on. */
export const systemRoles = ['owner', 'admin', 'member'] as const;
export type SystemRole = (typeof systemRoles)[number];

const memberNamespaces = ['console.orgs.', 'console.apps.'];
const memberExtras = ['access.check', 'storage.upload', 'connect.write'];

/**
 * The scopes of each role. An owner has all. An admin has all but `billing.write`. A member has the read permissions of
 * `console.orgs`, `console.apps` and of the services, and a few others.
 */
function scopesOfRoles(): Record<SystemRole, string[]> {
  if (computed?.generation === permissionsGeneration()) return computed.scopes;
  const all = platformPermissions();
  const scopes = {
    owner: ['svc:admin'],
    admin: all.filter((permission) => permission !== 'billing.write'),
    member: all.filter(isForMembers),
  };
  computed = { generation: permissionsGeneration(), scopes };
  return scopes;
}

let computed: { generation: number; scopes: Record<SystemRole, string[]> } | undefined;

function isForMembers(permission: string): boolean {
  if (memberExtras.includes(permission)) return true;
  if (!platformPermission(permission)?.reads) return false;
  return !permission.startsWith('console.') || memberNamespaces.some((name) => permission.startsWith(name));
}

/**
 * The scopes of a role and the platform's permissions from the member's other roles (`extras`); with the granted scopes
 * of a token, the permissions that both allow.
 */
export function scopesOf(role: SystemRole, granted?: readonly string[], extras: readonly string[] = []): string[] {
  const ofRole = scopesOfRoles()[role];
  const held = extras.length === 0 ? ofRole : [...ofRole, ...extras];
  if (!granted) return held;
  return platformPermissions().filter((permission) => allows(held, permission) && allows(granted, permission));
}

/**
 * Throws unless these scopes include all permissions of a role: a caller can neither grant nor revoke a permission that
 * the caller does not hold.
 *
 * @throws OWNER_REQUIRED, for another role SCOPE_NOT_HELD.
 */
export function requireRole(scopes: readonly string[], role: SystemRole): void {
  const ofRole = scopesOfRoles()[role];
  if (platformPermissions().every((permission) => !allows(ofRole, permission) || allows(scopes, permission))) return;
  if (role === 'owner') throw apiError('OWNER_REQUIRED');
  throw apiError('SCOPE_NOT_HELD', {
    message: `You cannot grant or revoke the role ${role}: it has permissions that you do not hold.`,
  });
}

/**
 * `public`: anyone over HTTP, without a credential. `authenticated`: any valid credential. `user`: a user's session, or
 * a token with the scope `profile`; that scope is read-only, so an action that writes needs a further scope. `session`:
 * a user's session alone. `operator`: the session of an operator of the platform. `internal`: calls from other services,
 * never over HTTP. Any other value is a permission in an organization: an application has it by its scopes, a user by
 * their role in the organization and their token's scopes.
 */
export type Permission =
  | SystemPermission
  | DeclaredPermission
  | 'authenticated'
  | 'user'
  | 'session'
  | 'operator'
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
  if (permission === 'operator') {
    requireOperator(caller);
    return;
  }
  if (permission === 'user' || permission === 'session') {
    requireUser(permission, caller);
    return;
  }
  if (isNamed && caller.type === 'user') return;
  if (caller.orgId === null) throw apiError(refusalOfOnly(caller) ?? 'TENANT_REQUIRED');
  requirePermission(caller, permission);
}

/**
 * The caller in the organization that the input names. A caller from outside gets the same error as for an organization
 * that does not exist.
 *
 * @throws NOT_FOUND for an organization the caller does not belong to; PERMISSION_DENIED in their own;
 *   SESSION_TOO_OLD; ORGANIZATION_SUSPENDED unless the action is open to members `whileSuspended`.
 */
export function resolveOrganization(
  permission: Permission,
  meta: RequestMeta,
  orgId: string | null,
  whileSuspended = false,
): Caller {
  const caller = requireCaller(meta);
  const resolved = orgId === null ? null : callerIn(caller, orgId, whileSuspended);
  if (!resolved) throw apiError('NOT_FOUND');
  if (permission.includes('.')) requirePermission(resolved, permission);
  return resolved;
}

/** The reason why a member cannot act in an organization; null if there is none. */
function refusalIn({ isSuspended, isSessionOld }: Membership, mayBeSuspended = false): ErrorCode | null {
  if (isSuspended && !mayBeSuspended) return 'ORGANIZATION_SUSPENDED';
  return isSessionOld ? 'SESSION_TOO_OLD' : null;
}

/** The refusal in the only organization of a user; null for a user with several. */
function refusalOfOnly(caller: Caller): ErrorCode | null {
  const [only, ...others] = caller.type === 'user' ? caller.memberships : [];
  return only && others.length === 0 ? refusalIn(only) : null;
}

/** Whether a user is a member of an organization and can act in it. */
export function mayActIn({ memberships }: UserCaller, orgId: string): boolean {
  return memberships.some((one) => one.orgId === orgId && refusalIn(one) === null);
}

/**
 * The caller with their permissions in an organization; null when they do not belong to it.
 *
 * @throws SESSION_TOO_OLD; ORGANIZATION_SUSPENDED, except for a session where it is open to members `whileSuspended`.
 */
export function callerIn(caller: Caller, orgId: string, whileSuspended = false): Caller | null {
  if (caller.type === 'application') return caller.orgId === orgId ? caller : null;
  // An OAuth client acts for a user in the client's own organization only, not in the user's other ones.
  if (caller.clientId !== undefined && caller.orgId !== orgId) return null;
  const membership = caller.memberships.find((one) => one.orgId === orgId);
  if (!membership) return null;
  const refusal = refusalIn(membership, whileSuspended && caller.sessionId !== undefined);
  if (refusal) throw apiError(refusal);
  return { ...caller, orgId, scopes: scopesOf(membership.role, caller.granted, membership.extras) };
}

function requireCaller({ caller, refusal }: RequestMeta): Caller {
  if (refusal) throw apiError(refusal.code as ErrorCode, { message: refusal.message });
  if (!caller) throw apiError('CREDENTIAL_REQUIRED');
  return caller;
}

/**
 * Throws PERMISSION_DENIED unless the caller is an operator with a session. No key or token has the role, and the error
 * does not name it.
 */
function requireOperator(caller: Caller): void {
  if (caller.type === 'user' && caller.isOperator && caller.sessionId !== undefined) return;
  throw apiError('PERMISSION_DENIED');
}

/** The way for a user, by the permission. */
const ways = {
  user: 'Send a user’s access token, or do it in a browser at /account.',
  session: 'Do it in a browser at /account.',
};

function requireUser(permission: 'user' | 'session', caller: Caller): void {
  if (caller.type !== 'user') throw userRequired(permission);
  if (caller.sessionId !== undefined) return;
  if (permission === 'session') throw apiError('SESSION_REQUIRED');
  if (!caller.granted?.includes('profile')) {
    throw apiError('PERMISSION_DENIED', { message: 'The token lacks the scope profile.' });
  }
}

function userRequired(permission: keyof typeof ways): Error {
  const message = `Only a user can do this, and the credential is an application’s. ${ways[permission]}`;
  return apiError('USER_REQUIRED', { message });
}

/** Throws PERMISSION_DENIED unless the caller holds a permission in their organization. */
export function requirePermission(caller: Caller, permission: string): void {
  if (!allows(caller.scopes, permission)) throw permissionDenied(caller, permission);
}

/** The error of a caller without a permission, which says where it is missing: in the token, the role or the key. */
export function permissionDenied(caller: Caller, permission: string): Error {
  return apiError('PERMISSION_DENIED', { message: `${holderOf(caller, permission)} ${permission}.` });
}

function holderOf(caller: Caller, permission: string): string {
  if (caller.type === 'application') return 'The credential lacks the permission';
  if (caller.granted && !allows(caller.granted, permission)) return 'The access token lacks the scope';
  return 'Your role in this organization lacks the permission';
}
