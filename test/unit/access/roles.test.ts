import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../../lib/contract/context.ts';
import { requireCurrentPermission, requireGrantable, scopesIn } from '../../../services/access/granting.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import { OrgGraph } from '../../../services/access/graph/org-graph.ts';
import { describeRole, describeRoleChange } from '../../../services/access/requirements.ts';
import { ifMatchHeaders, requireMatch } from '../../../services/access/roles.ts';

const at = Date.UTC(2026, 0, 1);

function graphOf(...changes: Change[]): OrgGraph {
  const graph = new OrgGraph('org_1');
  const owner = { id: 'asg_0', subject: 'usr_owner', roleId: 'role_owner', expiresAt: null };
  for (const [place, change] of [{ kind: 'founded', owner } as const, ...changes].entries()) {
    graph.apply({ revision: place + 1, at, change });
  }
  return graph;
}

function stored(id: string, permissions: string[] = [], includes: string[] = []): Change {
  return { kind: 'roleStored', role: { id, name: id, description: '', permissions, includes } };
}

function assigned(subject: string, roleId: string, expiresAt: number | null = null): Change {
  return {
    kind: 'assignmentStored',
    assignment: { id: `asg_${subject}_${roleId}`, subject, roleId, expiresAt },
  };
}

const registered: Change = {
  kind: 'permissionsRegistered',
  permissions: ['shop.read', 'shop.write'].map((key) => ({ key, description: '' })),
};

/** The code of what a check throws; null when it passes. */
function refusalOf(check: () => void): unknown {
  try {
    check();
    return null;
  } catch (error) {
    return (error as { type: unknown }).type;
  }
}

describe('what a caller holds', () => {
  const user = (id: string, granted?: string[]): Caller => ({
    type: 'user',
    id,
    memberships: [{ orgId: 'org_1', role: 'owner' }],
    orgId: 'org_1',
    // As the gateway knew it: the graph knows better.
    scopes: ['svc:admin'],
    ...(granted && { granted }),
  });
  const application = (scopes: string[]): Caller => ({ type: 'application', id: 'app_1', orgId: 'org_1', scopes });
  const graph = graphOf(
    registered,
    stored('role_shop', ['shop.read', 'billing.write']),
    assigned('usr_admin', 'role_admin'),
    assigned('usr_member', 'role_member'),
    assigned('usr_late', 'role_member'),
    assigned('usr_member', 'role_shop'),
    assigned('usr_late', 'role_shop', at + 1),
  );
  const keys = ['shop.read', 'shop.write', 'console.orgs.read', 'console.orgs.write', 'billing.write'];
  const heldBy = (caller: Caller): string[] =>
    keys.filter((key) => refusalOf(() => requireGrantable(graph, caller, [key])) === null);

  test.each<[string, Caller, string[]]>([
    ['an owner', user('usr_owner'), keys],
    ['an admin', user('usr_admin'), keys.slice(0, 4)],
    ['a member with a role', user('usr_member'), ['shop.read', 'console.orgs.read', 'billing.write']],
    ['a member whose role has expired', user('usr_late'), ['console.orgs.read']],
    ['who has left since', user('usr_gone'), []],
    ['an owner by a token for one key', user('usr_owner', ['shop.write']), ['shop.write']],
    ['an owner by a token for nothing', user('usr_owner', []), []],
    ['an owner by a token for services', user('usr_owner', ['svc:write']), ['billing.write']],
    ['a member by a token for more', user('usr_member', ['svc:admin']), ['shop.read', keys[2]!, keys[4]!]],
    ['an application for everything', application(['svc:admin']), keys],
    ['an application for services', application(['svc:write']), ['billing.write']],
    ['an application for a key', application(['shop.read']), ['shop.read']],
    ['an application for nothing of these', application(['access.check']), []],
  ])('%s', (_who, caller, held) => {
    expect(heldBy(caller)).toEqual(held);
  });

  test('is named where it is not enough', () => {
    expect(() => requireGrantable(graph, application(['shop.read']), ['shop.read', 'shop.write'])).toThrow(
      'shop.write',
    );
  });

  test('may have ended since the request was let in', () => {
    const mayWrite = (caller: Caller) =>
      refusalOf(() => requireCurrentPermission(graph, caller, 'console.access.write'));
    expect([mayWrite(user('usr_owner')), mayWrite(user('usr_admin'))]).toEqual([null, null]);
    expect([mayWrite(user('usr_member')), mayWrite(user('usr_gone'))]).toEqual(Array(2).fill('PERMISSION_DENIED'));
    expect(mayWrite(user('usr_owner', ['console.access.read']))).toBe('PERMISSION_DENIED');
    expect(mayWrite(application(['console.access.write']))).toBeNull();
  });

  test('are no scopes for who has left', () => {
    expect(scopesIn(graph, user('usr_gone'))).toEqual([]);
    expect(scopesIn(graph, user('usr_member'))).toContain('billing.write');
  });
});

describe('If-Match', () => {
  const isMet = (text: string, revision: number) =>
    refusalOf(() => requireMatch(ifMatchHeaders.parse({ 'if-match': text }), revision)) === null;

  test.each<[string, boolean]>([
    ['*', true],
    ['"7"', true],
    [' "7" ', true],
    ['"6","7"', true],
    ['"6" , "7"', true],
    ['"6"', false],
    ['"77"', false],
    ['W/"7"', false],
    ['"a,b"', false],
    ['"6,","8"', false],
  ])('%s at the revision 7: %s', (text, expected) => {
    expect(isMet(text, 7)).toBe(expected);
  });

  test.each(['7', '"7', '7"', '', '*,*', '"6" "7"', '"6",', 'w/"7"', '"\u00e4"', `"${'7'.repeat(1000)}"`])(
    'refuses %s',
    (text) => {
      expect(ifMatchHeaders.safeParse({ 'if-match': text }).success).toBe(false);
    },
  );

  test('left out lets everything pass', () => {
    expect(refusalOf(() => requireMatch(ifMatchHeaders.parse(undefined), 7))).toBeNull();
  });
});

describe('the audit log of roles', () => {
  const role = { name: 'Support', description: 'x'.repeat(1000), permissions: ['shop.read'], includes: ['role_a'] };

  test('keeps of long texts and lists as much as fits, and how many there were', () => {
    const permissions = Array.from({ length: 1000 }, (_one, place) => `shop.k${place}`);
    expect(describeRole({ ...role, permissions })).toEqual({
      name: 'Support',
      description: 'x'.repeat(100),
      permissions: permissions.slice(0, 20),
      permissionsTotal: 1000,
      includes: ['role_a'],
    });
  });

  test('tells of a change what went and what came', () => {
    const before = { ...role, id: 'role_1', isSystem: false, revision: 1, createdAt: at, updatedAt: at };
    const after = { ...role, id: 'role_1', name: 'Help', permissions: ['shop.write'], includes: ['role_a', 'role_b'] };
    expect(describeRoleChange(before, after)).toEqual({
      before: { name: 'Support', permissions: ['shop.read'] },
      after: { name: 'Help', permissions: ['shop.write'], includes: ['role_b'] },
    });
  });
});
