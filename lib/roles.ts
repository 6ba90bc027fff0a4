import { apiError } from './errors.ts';
import { allows, permissionsGeneration, platformPermission, platformPermissions } from './permissions.ts';

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
