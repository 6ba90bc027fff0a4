import { fail } from '../../../lib/errors.ts';
import { allows, type SystemPermission, systemPermissions } from '../../../lib/permissions.ts';
import { type SystemRole, scopesOf } from '../../../lib/roles.ts';

const everyPermission = Object.keys(systemPermissions) as SystemPermission[];

/**
 * Throws unless whoever holds these scopes may do all that a role may: nobody grants what they do not hold, and nobody
 * takes a role that is above their own from somebody else.
 */
export function requireRole(scopes: readonly string[], role: SystemRole): void {
  const ofRole = scopesOf(role);
  if (everyPermission.every((permission) => !allows(ofRole, permission) || allows(scopes, permission))) return;
  if (role === 'owner') throw fail('OWNER_REQUIRED');
  throw fail('SCOPE_NOT_HELD', { message: `You cannot make somebody ${role}: that role may do more than you may.` });
}
