import { apiError } from './errors.ts';
import { allows, permissionsGeneration, platformPermission, platformPermissions } from './permissions.ts';

/** What a member of an organization is. Each is a system role of access control: `role_owner` and so on. */
export const systemRoles = ['owner', 'admin', 'member'] as const;
export type SystemRole = (typeof systemRoles)[number];

const memberNamespaces = ['console.orgs.', 'console.apps.'];
const memberExtras = ['access.check', 'storage.upload', 'connect.write'];

/**
 * What each role may do, as scopes. An owner may do everything. An admin may do all but `billing.write`, and has the
 * reads of what a member has: those of `console.orgs`, `console.apps` and of the services.
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
 * The scopes of a role, with the platform's permissions that other roles give the member beside it (`extras`); with the scopes
 * a token was granted, what both allow.
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
    message: `You cannot give or take the role ${role}: it may do more than you may.`,
  });
}
