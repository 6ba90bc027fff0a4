import { describe, expect, test } from '@jest/globals';
import { authorize, callerIn, requireRole, scopesOf, systemRoles } from '../../../lib/contract/authorize.ts';
import type { UserCaller } from '../../../lib/contract/context.ts';
import { allows, type SystemPermission, systemPermissions } from '../../../lib/contract/permissions.ts';

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

  test('with what other roles give beside it may do both, as far as a token allows', () => {
    const extras: SystemPermission[] = ['mail.send', 'console.audit.read'];
    expect(held(scopesOf('member', undefined, extras)).sort()).toEqual([...held(scopesOf('member')), ...extras].sort());
    expect(scopesOf('member', ['svc:read', 'mail.send'], extras)).toEqual(
      expect.arrayContaining(['mail.send', 'mail.read']),
    );
    expect(scopesOf('member', ['svc:read', 'mail.send'], extras)).not.toContain('console.audit.read');
  });

  test.each([
    ['owner', 'OWNER_REQUIRED'],
    ['admin', 'SCOPE_NOT_HELD'],
    ['member', 'SCOPE_NOT_HELD'],
  ] as const)('%s is given only by whoever may do as much', (role, type) => {
    expect(() => requireRole(['svc:admin'], role)).not.toThrow();
    expect(() => requireRole(scopesOf(role), role)).not.toThrow();
    expect(() => requireRole(['svc:write'], role)).toThrow(expect.objectContaining({ type }));
  });
});

describe('a user in an organization', () => {
  const user: UserCaller = {
    type: 'user',
    id: 'usr_1',
    memberships: [{ orgId: 'org_1', role: 'member', extras: ['mail.send'] }],
    orgId: null,
    scopes: [],
  };

  test('holds what the membership there gives, with its extras', () => {
    const resolved = callerIn({ ...user, sessionId: 'ses_1' }, 'org_1');
    expect(held(resolved?.scopes ?? []).sort()).toEqual([...held(scopesOf('member')), 'mail.send'].sort());
    expect(callerIn(user, 'org_2')).toBeNull();
  });

  test('cannot act in a suspended one, named or implied, and reads the account', () => {
    const suspended = { orgId: 'org_1', role: 'owner', isSuspended: true } as const;
    const refused = expect.objectContaining({ type: 'ORGANIZATION_SUSPENDED' });
    const alone: UserCaller = { ...user, memberships: [suspended], sessionId: 'ses_1' };
    expect(() => callerIn(alone, 'org_1')).toThrow(refused);
    expect(() => authorize('billing.read', { caller: alone }, false)).toThrow(refused);
    expect(() => authorize('session', { caller: alone }, false)).not.toThrow();
    const two = { ...alone, memberships: [suspended, { orgId: 'org_2', role: 'owner' } as const] };
    expect(callerIn(two, 'org_2')?.scopes).toEqual(scopesOf('owner'));
    expect(() => authorize('billing.read', { caller: two }, false)).toThrow(
      expect.objectContaining({ type: 'TENANT_REQUIRED' }),
    );
  });

  test('holds by a token no more than it was granted', () => {
    const byToken = { ...user, clientId: 'cli_1', orgId: 'org_1' };
    expect(callerIn({ ...byToken, granted: ['mail.send', 'billing.write'] }, 'org_1')?.scopes).toEqual(['mail.send']);
  });
});
