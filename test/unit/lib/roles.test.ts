import { describe, expect, test } from '@jest/globals';
import { allows, type SystemPermission, systemPermissions } from '../../../lib/permissions.ts';
import { scopesOf, systemRoles } from '../../../lib/roles.ts';

const all = Object.keys(systemPermissions) as SystemPermission[];
const held = (scopes: string[]) => all.filter((permission) => allows(scopes, permission));

describe('a role', () => {
  test('owner may do everything', () => {
    expect(held(scopesOf('owner'))).toEqual(all);
  });

  test('admin may do everything but pay', () => {
    expect(all.filter((permission) => !held(scopesOf('admin')).includes(permission))).toEqual(['billing.write']);
  });

  test('member may read the organization, applications and services, check, upload and chat', () => {
    expect(held(scopesOf('member')).sort()).toEqual([
      'access.check',
      'billing.read',
      'connect.read',
      'connect.write',
      'console.apps.read',
      'console.orgs.read',
      'context.story.read',
      'mail.read',
      'notification.read',
      'storage.read',
      'storage.upload',
    ]);
  });

  test.each(systemRoles)('%s with a token may do what both allow, never more', (role) => {
    for (const granted of [['openid'], ['context.story.read'], ['svc:read'], ['svc:admin'], ['console.apps.write']]) {
      const both = all.filter((permission) => allows(scopesOf(role), permission) && allows(granted, permission));
      expect(held(scopesOf(role, granted))).toEqual(both);
    }
  });
});
