import { allows, type SystemPermission, systemPermissions } from './permissions.ts';

/** What a member of an organization is. Each is a system role of access control: `role_owner` and so on. */
export const systemRoles = ['owner', 'admin', 'member'] as const;
export type SystemRole = (typeof systemRoles)[number];

const all = Object.keys(systemPermissions) as SystemPermission[];

const memberNamespaces = ['console.orgs.', 'console.apps.'];
const memberExtras: SystemPermission[] = ['access.check', 'storage.upload', 'connect.write'];

/**
 * What each role may do, as scopes. An owner may do everything. An admin may do all but `billing.write`, and has the
 * reads of what a member has: those of `console.orgs`, `console.apps` and of the services.
 */
const scopesOfRole: Record<SystemRole, string[]> = {
  owner: ['svc:admin'],
  admin: all.filter((permission) => permission !== 'billing.write'),
  member: all.filter(isForMembers),
};

function isForMembers(permission: SystemPermission): boolean {
  if (memberExtras.includes(permission)) return true;
  if (!systemPermissions[permission].reads) return false;
  return !permission.startsWith('console.') || memberNamespaces.some((name) => permission.startsWith(name));
}

/** The scopes of a role; with the scopes a token was granted, what both allow. */
export function scopesOf(role: SystemRole, granted?: readonly string[]): string[] {
  const held = scopesOfRole[role];
  if (!granted) return held;
  return all.filter((permission) => allows(held, permission) && allows(granted, permission));
}
