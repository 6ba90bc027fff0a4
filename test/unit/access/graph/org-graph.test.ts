import { describe, expect, test } from '@jest/globals';
import { systemPermissions } from '../../../../lib/contract/permissions.ts';
import { OrgGraph } from '../../../../services/access/graph/org-graph.ts';
import {
  applyAll,
  assigned,
  closed,
  described,
  founded,
  graphOf,
  registered,
  role,
  roleRemoved,
  subjectRemoved,
  unassigned,
} from './building.ts';

const systemKeys = Object.keys(systemPermissions);
const now = 5_000_000;

/** Ada sells; Ben only reads; the app is a till. */
const shop = () =>
  graphOf(
    registered('shop.orders.read', 'shop.orders.refund', 'shop.items.read'),
    role('role_reader', ['shop.orders.read', 'shop.items.read']),
    role('role_seller', ['shop.orders.refund'], ['role_reader']),
    assigned('asg_1', 'usr_ada', 'role_seller'),
    assigned('asg_2', 'usr_ben', 'role_reader'),
    assigned('asg_3', 'app_till', 'role_reader'),
  );

describe('revisions', () => {
  test('begin at 0 and are those of the changes', () => {
    expect(new OrgGraph('org_shop').revision).toBe(0);
    expect(shop().revision).toBe(7);
  });

  test.each([0, 6, 7, 9])('of another than the next change are refused and change nothing: %d', (revision) => {
    const graph = shop();
    const before = [...graph.toSnapshot()];
    expect(() => graph.apply({ revision, at: now, change: roleRemoved('role_reader') })).toThrow('does not follow 7');
    expect([...graph.toSnapshot()]).toEqual(before);
    expect(graph.revision).toBe(7);
  });
});

describe('a check', () => {
  test('allows what an assigned role names', () => {
    expect(shop().check('usr_ben', 'shop.orders.read', now)).toBe(true);
    expect(shop().check('app_till', 'shop.items.read', now)).toBe(true);
  });

  test('allows what an included role names', () => {
    expect(shop().check('usr_ada', 'shop.items.read', now)).toBe(true);
  });

  test('denies what no role of the subject grants', () => {
    expect(shop().check('usr_ben', 'shop.orders.refund', now)).toBe(false);
  });

  test.each(['shop.orders.write', '', 'shop', '__proto__', 'constructor'])('denies unknown permissions: %j', (key) => {
    expect(shop().check('usr_ada', key, now)).toBe(false);
  });

  test.each(['usr_zoe', '', '__proto__', 'constructor'])('denies unknown subjects: %j', (subject) => {
    expect(shop().check(subject, 'shop.orders.read', now)).toBe(false);
  });

  test("does not give owners an organization's own keys", () => {
    expect(shop().check('usr_olga', 'shop.orders.read', now)).toBe(false);
  });

  test('tells permissions apart that share bits of a word', () => {
    const keys = Array.from({ length: 200 }, (_, place) => `shop.key-${place}`);
    const granted = keys.filter((_, place) => place % 3 === 0);
    const graph = graphOf(registered(...keys), role('role_a', granted), assigned('asg_1', 'usr_ada', 'role_a'));
    expect(keys.filter((key) => graph.check('usr_ada', key, now))).toEqual(granted);
    expect(graph.permissionsOf('usr_ada', now)).toEqual(granted.toSorted());
  });

  test('knows permissions that are registered after a role was stored only when it is stored again', () => {
    const graph = graphOf(role('role_a', ['shop.late']), assigned('asg_1', 'usr_ada', 'role_a'));
    applyAll(graph, [registered('shop.late')]);
    expect(graph.check('usr_ada', 'shop.late', now)).toBe(false);
    applyAll(graph, [role('role_a', ['shop.late'])]);
    expect(graph.check('usr_ada', 'shop.late', now)).toBe(true);
  });
});

describe('an assignment that expires', () => {
  const graph = shop();
  applyAll(graph, [assigned('asg_4', 'usr_ben', 'role_seller', 9000)]);

  test('counts until the instant before', () => {
    expect(graph.check('usr_ben', 'shop.orders.refund', 8999)).toBe(true);
    expect(graph.check('usr_ben', 'shop.orders.refund', 9000)).toBe(false);
  });

  test('counts for no answer afterwards', () => {
    expect(graph.permissionsOf('usr_ben', 9000)).not.toContain('shop.orders.refund');
    expect(graph.subjectsWith('shop.orders.refund', 9000, 'user')).toEqual(['usr_ada']);
    expect(graph.subjectsWith('shop.orders.refund', 8999, 'user')).toEqual(['usr_ada', 'usr_ben']);
  });

  test('stays listed until it is removed', () => {
    expect(graph.assignments('usr_ben').map(({ id }) => id)).toEqual(['asg_2', 'asg_4']);
    expect(graph.assignment('asg_4')?.expiresAt).toBe(9000);
  });

  test('is found by what tidies up, once it expired', () => {
    const many = Array.from({ length: 5000 }, (_, place) =>
      assigned(`asg_m${place}`, `usr_m${place}`, 'role_reader', 1),
    );
    const crowd = applyAll(shop(), [...many, assigned('asg_4', 'usr_ben', 'role_seller', 9000)]);
    expect(graph.expired(8999, 10)).toEqual([]);
    expect(graph.expired(9000, 10)).toEqual(['asg_4']);
    expect(crowd.expired(8999, 9999)).toHaveLength(5000);
    expect(new Set(crowd.expired(9000, 9999)).size).toBe(5001);
    expect(crowd.expired(9000, 9999).at(-1)).toBe('asg_4');
    expect(crowd.expired(9000, 10)).toHaveLength(10);
    expect(crowd.expired(0, 10)).toEqual([]);
  });

  test('tells when answers change by time alone', () => {
    expect(graph.nextExpiryOf('usr_ben', 8999)).toBe(9000);
    expect(graph.nextExpiryOf('usr_ben', 9000)).toBeNull();
    expect(graph.nextExpiryOf('usr_ada', 0)).toBeNull();
    expect(graph.nextExpiryOf('usr_zoe', 0)).toBeNull();
    const sooner = applyAll(shop(), [
      assigned('asg_5', 'usr_ada', 'role_seller', 50),
      assigned('asg_6', 'usr_ada', 'role_reader', 40),
      assigned('asg_7', 'usr_ada', 'role_reader', 60),
    ]);
    expect(sooner.nextExpiryOf('usr_ada', 0)).toBe(40);
    expect(sooner.nextExpiryOf('usr_ada', 45)).toBe(50);
  });
});

describe('roles', () => {
  test('have their own permissions, sorted and once', () => {
    const graph = graphOf(registered('shop.b', 'shop.a'), role('role_a', ['shop.b', 'shop.a', 'shop.b'], [], 'Anyone'));
    expect(graph.role('role_a')).toEqual({
      id: 'role_a',
      name: 'Anyone',
      description: '',
      isSystem: false,
      permissions: ['shop.a', 'shop.b'],
      includes: [],
      revision: 3,
      createdAt: 3000,
      updatedAt: 3000,
    });
  });

  test('keep when they were made, and tell which revision changed them last', () => {
    const graph = applyAll(shop(), [role('role_reader', [])]);
    expect(graph.role('role_reader')).toMatchObject({ revision: 8, createdAt: 3000, updatedAt: 8000, permissions: [] });
    expect(graph.role('role_seller')).toMatchObject({ revision: 4 });
  });

  test('change what those who include them grant, however far', () => {
    const graph = applyAll(shop(), [
      role('role_lead', [], ['role_seller']),
      role('role_boss', [], ['role_lead']),
      assigned('asg_9', 'usr_bob', 'role_boss'),
    ]);
    expect(graph.permissionsOf('usr_bob', now)).toEqual(['shop.items.read', 'shop.orders.read', 'shop.orders.refund']);
    applyAll(graph, [role('role_reader', ['shop.items.read'])]);
    expect(graph.permissionsOf('usr_bob', now)).toEqual(['shop.items.read', 'shop.orders.refund']);
    applyAll(graph, [role('role_seller', ['shop.orders.refund'])]);
    expect(graph.permissionsOf('usr_bob', now)).toEqual(['shop.orders.refund']);
    expect(graph.permissionsOfRole('role_boss')).toEqual(['shop.orders.refund']);
  });

  test('are settled in the order of inclusion when ways of different length lead to them', () => {
    const graph = graphOf(
      registered('shop.a', 'shop.b'),
      role('role_base', ['shop.a']),
      role('role_1', [], ['role_base']),
      role('role_2', [], ['role_1']),
      role('role_top', [], ['role_base', 'role_2', 'role_1']),
    );
    applyAll(graph, [role('role_base', ['shop.b'])]);
    expect(graph.permissionsOfRole('role_top')).toEqual(['shop.b']);
  });

  test('leave with their assignments, and leave the roles that included them', () => {
    const graph = applyAll(shop(), [roleRemoved('role_reader')]);
    expect(graph.role('role_reader')).toBeUndefined();
    expect(graph.role('role_seller')).toMatchObject({ includes: [], revision: 8, updatedAt: 8000 });
    expect(graph.permissionsOf('usr_ada', now)).toEqual(['shop.orders.refund']);
    expect(graph.assignments('usr_ben')).toEqual([]);
    expect(graph.assignment('asg_3')).toBeUndefined();
    expect(graph.sizes()).toEqual({ roles: 1, permissions: 3, assignments: 2, members: 1, subjects: 2 });
  });

  test('come again without what they had', () => {
    const graph = applyAll(shop(), [roleRemoved('role_reader'), role('role_reader', ['shop.items.read'])]);
    expect(graph.role('role_reader')).toMatchObject({ revision: 9, createdAt: 9000 });
    expect(graph.check('usr_ben', 'shop.items.read', now)).toBe(false);
    expect(graph.role('role_seller')?.includes).toEqual([]);
  });

  test('that are gone connect no others: what they included may include what included them', () => {
    const graph = applyAll(shop(), [role('role_lead', [], ['role_seller']), roleRemoved('role_seller')]);
    expect(graph.findCycle('role_reader', ['role_lead'])).toBeNull();
    applyAll(graph, [role('role_reader', [], ['role_lead'])]);
    expect(graph.role('role_reader')?.includes).toEqual(['role_lead']);
  });

  test('are stored without permissions and roles that do not exist', () => {
    const graph = graphOf(role('role_a', ['shop.nothing', 'mail.read'], ['role_nobody']));
    expect(graph.role('role_a')).toMatchObject({ permissions: ['mail.read'], includes: [] });
  });

  test('are stored without what leads back to them', () => {
    const graph = applyAll(shop(), [role('role_reader', ['shop.items.read'], ['role_seller', 'role_reader'])]);
    expect(graph.role('role_reader')?.includes).toEqual([]);
    expect(graph.permissionsOf('usr_ben', now)).toEqual(['shop.items.read']);
  });

  test('of the system come first, then those of the organization by id', () => {
    const graph = graphOf(role('role_b', []), role('role_a', []), role('role_z', []));
    const ids = ['role_owner', 'role_admin', 'role_member', 'role_a', 'role_b', 'role_z'];
    expect(graph.roles().map(({ id }) => id)).toEqual(ids);
    expect(graph.role('role_nobody')).toBeUndefined();
    expect(graph.permissionsOfRole('role_nobody')).toEqual([]);
  });

  test('of the system grant what their scopes allow', () => {
    const graph = new OrgGraph('org_empty');
    expect(graph.permissionsOfRole('role_owner')).toEqual(systemKeys.toSorted());
    expect(graph.permissionsOfRole('role_admin')).toEqual(
      systemKeys.filter((key) => key !== 'billing.write').toSorted(),
    );
    expect(graph.permissionsOfRole('role_member')).toContain('storage.upload');
    expect(graph.permissionsOfRole('role_member')).not.toContain('console.orgs.write');
    expect(graph.role('role_member')).toMatchObject({ isSystem: true, includes: [], revision: 0, createdAt: 0 });
  });

  test('of the system can be neither changed nor removed', () => {
    const graph = shop();
    const before = graph.roles();
    applyAll(graph, [role('role_member', []), roleRemoved('role_owner'), roleRemoved('role_nobody')]);
    expect(graph.roles()).toEqual(before);
    expect(graph.owners()).toBe(1);
  });

  test('of the system can be included', () => {
    const graph = graphOf(role('role_a', [], ['role_member']), assigned('asg_1', 'app_till', 'role_a'));
    expect(graph.permissionsOf('app_till', now)).toEqual(graph.permissionsOfRole('role_member'));
    expect(graph.membership('app_till')).toBeUndefined();
  });
});

describe('permissions', () => {
  test("are the platform's and the organization's, sorted", () => {
    const keys = shop()
      .permissions()
      .map(({ key }) => key);
    expect(keys).toEqual([...systemKeys, 'shop.items.read', 'shop.orders.read', 'shop.orders.refund'].sort());
    expect(shop().permission('mail.read')).toMatchObject({ isSystem: true, createdAt: 0, updatedAt: 0 });
    expect(shop().permission('shop.nothing')).toBeUndefined();
  });

  test('that are described anew tell by which revision, and nothing else of theirs changes', () => {
    const graph = applyAll(shop(), [
      described('shop.orders.write', 'Another key'),
      described('shop.orders.read', 'See orders'),
      described('mail.read', 'Nothing'),
    ]);
    const permission = { isSystem: false, createdAt: 2000 };
    expect(graph.permission('shop.items.read')).toMatchObject({ ...permission, updatedAt: 2000 });
    expect(graph.permission('shop.orders.read')).toEqual({
      ...permission,
      key: 'shop.orders.read',
      describedIn: 9,
      updatedAt: 9000,
    });
    expect(graph.permission('mail.read')).toMatchObject({ isSystem: true, describedIn: 0 });
    expect(graph.check('usr_ben', 'shop.orders.read', now)).toBe(true);
    expect(graph.sizes().permissions).toBe(4);
  });

  test('are held without their descriptions', () => {
    const graph = applyAll(shop(), [described('shop.orders.read', 'See every order')]);
    expect(JSON.stringify([...graph.toSnapshot(), graph.permissions()])).not.toContain('See every order');
  });

  test('listed are no way into the graph', () => {
    const graph = shop();
    graph.permissions().length = 0;
    graph.roles().length = 0;
    graph.assignments('usr_ada').length = 0;
    expect(graph.permissions()).toHaveLength(systemKeys.length + 3);
    expect(graph.roles()).toHaveLength(5);
    expect(graph.assignments('usr_ada')).toHaveLength(1);
  });
});

describe('assignments', () => {
  test('tell what they are', () => {
    expect(shop().assignment('asg_1')).toEqual({
      id: 'asg_1',
      subject: 'usr_ada',
      roleId: 'role_seller',
      expiresAt: null,
      revision: 5,
      createdAt: 5000,
      updatedAt: 5000,
    });
    expect(shop().assignment('asg_nothing')).toBeUndefined();
    expect(shop().assignments('usr_zoe')).toEqual([]);
  });

  test('of one id are one, which takes the new values', () => {
    const graph = applyAll(shop(), [assigned('asg_1', 'usr_ada', 'role_reader', 99_000)]);
    const changed = { roleId: 'role_reader', expiresAt: 99_000, revision: 8, createdAt: 5000, updatedAt: 8000 };
    expect(graph.assignments('usr_ada')).toEqual([{ id: 'asg_1', subject: 'usr_ada', ...changed }]);
    expect(graph.check('usr_ada', 'shop.orders.refund', 0)).toBe(false);
    applyAll(graph, [assigned('asg_1', 'usr_ben', 'role_seller')]);
    expect(graph.assignments('usr_ada')).toEqual([]);
    expect(graph.check('usr_ben', 'shop.orders.refund', now)).toBe(true);
  });

  test('end one by one', () => {
    const graph = applyAll(shop(), [
      assigned('asg_4', 'usr_ada', 'role_reader'),
      assigned('asg_5', 'usr_ada', 'role_reader'),
      unassigned('asg_4'),
      unassigned('asg_nothing'),
    ]);
    expect(graph.assignments('usr_ada').map(({ id }) => id)).toEqual(['asg_1', 'asg_5']);
    applyAll(graph, [unassigned('asg_1'), unassigned('asg_5')]);
    expect(graph.assignments('usr_ada')).toEqual([]);
    expect(graph.sizes()).toMatchObject({ assignments: 3, subjects: 3 });
  });

  test('end with their subject', () => {
    const graph = applyAll(shop(), [
      assigned('asg_4', 'usr_ada', 'role_reader'),
      subjectRemoved('usr_ada'),
      subjectRemoved('usr_zoe'),
    ]);
    expect(graph.assignments('usr_ada')).toEqual([]);
    expect(graph.assignment('asg_4')).toBeUndefined();
    expect(graph.check('usr_ada', 'shop.orders.refund', now)).toBe(false);
  });

  test('of a role that does not exist are none, and leave none under their id', () => {
    const graph = applyAll(shop(), [
      assigned('asg_9', 'usr_ada', 'role_nobody'),
      assigned('asg_2', 'usr_ben', 'role_nobody'),
    ]);
    expect(graph.assignment('asg_9')).toBeUndefined();
    expect(graph.assignment('asg_2')).toBeUndefined();
    expect(graph.check('usr_ben', 'shop.items.read', now)).toBe(false);
  });
});

describe('memberships', () => {
  const members = (graph: OrgGraph, after?: string) => [...graph.members(after)].map((m) => `${m.userId} ${m.role}`);

  test('are assignments of system roles', () => {
    const graph = applyAll(shop(), [assigned('asg_m', 'usr_ada', 'role_member')]);
    const assignment = graph.assignment('asg_m');
    expect(graph.membership('usr_ada')).toEqual({ assignment, role: 'member', suspendedAt: null });
    expect(graph.membership('usr_ben')).toBeUndefined();
    expect(graph.membership('usr_zoe')).toBeUndefined();
    expect(graph.check('usr_ada', 'storage.upload', now)).toBe(true);
    expect(graph.check('usr_ada', 'shop.orders.refund', now)).toBe(true);
  });

  test('keep their id when the role changes', () => {
    const graph = applyAll(shop(), [assigned('asg_m', 'usr_ada', 'role_member')]);
    applyAll(graph, [assigned('asg_m', 'usr_ada', 'role_owner')]);
    expect(graph.membership('usr_ada')).toMatchObject({ role: 'owner', assignment: { id: 'asg_m', createdAt: 8000 } });
    expect(graph.owners()).toBe(2);
    applyAll(graph, [assigned('asg_usr_olga', 'usr_olga', 'role_admin')]);
    expect(graph.owners()).toBe(1);
    applyAll(graph, [subjectRemoved('usr_ada')]);
    expect(graph.owners()).toBe(0);
  });

  test('are listed by user, after one of them', () => {
    const graph = applyAll(shop(), [
      assigned('asg_n', 'usr_zoe', 'role_admin'),
      assigned('asg_m', 'usr_ada', 'role_member'),
    ]);
    expect(members(graph)).toEqual(['usr_ada member', 'usr_olga owner', 'usr_zoe admin']);
    expect(members(graph, 'usr_ada')).toEqual(['usr_olga owner', 'usr_zoe admin']);
    expect(members(graph, 'usr_b')).toEqual(['usr_olga owner', 'usr_zoe admin']);
    expect(members(graph, 'usr_zoe')).toEqual([]);
  });

  test('are listed also while they change', () => {
    const users = Array.from({ length: 5000 }, (_, place) => `usr_${10_000 + place}`);
    const graph = graphOf(...users.map((user) => assigned(`asg_${user}`, user, 'role_member')));
    const listed: string[] = [];
    for (const { userId } of graph.members()) {
      listed.push(userId);
      if (userId === 'usr_10000') applyAll(graph, [subjectRemoved('usr_14000'), subjectRemoved('usr_10001')]);
    }
    expect(listed).toEqual([...users.filter((user) => user !== 'usr_14000' && user !== 'usr_10001'), 'usr_olga']);
  });

  test('are one a user, and never expire', () => {
    const graph = applyAll(shop(), [
      assigned('asg_m', 'usr_ada', 'role_member'),
      assigned('asg_n', 'usr_ada', 'role_admin', 1),
    ]);
    expect(graph.assignment('asg_m')).toBeUndefined();
    expect(graph.membership('usr_ada')).toMatchObject({ role: 'admin', assignment: { id: 'asg_n', expiresAt: null } });
    expect(graph.check('usr_ada', 'console.orgs.write', now)).toBe(true);
  });

  test('are not for applications', () => {
    const graph = applyAll(shop(), [assigned('asg_a', 'app_till', 'role_owner')]);
    expect(graph.owners()).toBe(1);
    expect(graph.membership('app_till')).toBeUndefined();
    expect(graph.assignment('asg_a')).toBeUndefined();
  });

  test('leave out what other roles add, which is told apart', () => {
    const graph = applyAll(shop(), [
      assigned('asg_m', 'usr_ada', 'role_member'),
      role('role_seller', ['mail.send', 'mail.read', 'console.users.read', 'shop.orders.refund']),
      role('role_soon', ['billing.write']),
      assigned('asg_s', 'usr_ada', 'role_soon', 9000),
    ]);
    expect(graph.systemPermissionsOf('usr_ada', now)).toEqual(['console.users.read', 'mail.send']);
    expect(graph.systemPermissionsOf('usr_ada', 8999)).toEqual(['console.users.read', 'billing.write', 'mail.send']);
    expect(graph.systemPermissionsOf('usr_olga', now)).toEqual([]);
    expect(graph.systemPermissionsOf('usr_zoe', now)).toEqual([]);
  });
});

describe('who holds a permission', () => {
  test('is told by kind, sorted', () => {
    const graph = applyAll(shop(), [assigned('asg_9', 'usr_aaa', 'role_reader')]);
    expect(graph.subjectsWith('shop.items.read', now, 'user')).toEqual(['usr_aaa', 'usr_ada', 'usr_ben']);
    expect(graph.subjectsWith('shop.items.read', now, 'application')).toEqual(['app_till']);
    expect(graph.subjectsWith('shop.nothing', now, 'user')).toEqual([]);
    expect(graph.subjectsWith('billing.write', now, 'user')).toEqual(['usr_olga']);
  });

  test('is told in pages that together are all', async () => {
    const graph = shop();
    const subjects = Array.from({ length: 9000 }, (_, place) => `usr_${(place * 7919) % 9000}`);
    applyAll(
      graph,
      subjects.map((subject) => assigned(`asg_${subject}`, subject, 'role_reader')),
    );
    const all = ['usr_ada', 'usr_ben', ...subjects].sort();
    const paged: string[] = [];
    for (let page = await next(null); page.length > 0; page = await next(paged.at(-1) ?? null)) paged.push(...page);
    expect(paged).toEqual(all);
    expect(graph.subjectsWith('shop.items.read', now, 'user')).toEqual(all);
    expect(graph.subjectsWith('shop.items.read', now, 'user', { limit: 0 })).toEqual([]);
    expect(await graph.subjectsWithSliced('shop.items.read', now, 'user')).toEqual(all);

    async function next(after: string | null): Promise<string[]> {
      const range = { after, limit: 1000 };
      const page = await graph.subjectsWithSliced('shop.items.read', now, 'user', range);
      expect(page).toEqual(graph.subjectsWith('shop.items.read', now, 'user', range));
      return page;
    }
  });

  test('is told while it changes: all who held it throughout, nobody who never did', async () => {
    const graph = shop();
    const subjects = Array.from({ length: 20_000 }, (_, place) => `usr_${100_000 + place}`);
    applyAll(
      graph,
      subjects.map((subject) => assigned(`asg_${subject}`, subject, 'role_reader')),
    );
    const telling = graph.subjectsWithSliced('shop.items.read', now, 'user');
    let changes = 0;
    let changing = setImmediate(function change() {
      changing = setImmediate(change);
      changes += 1;
      const subject = `usr_${120_000 - changes * 2}`;
      applyAll(graph, [
        subjectRemoved(subject),
        assigned(`asg_${changes}`, `usr_1${changes}`, 'role_seller'),
        assigned('asg_never', `usr_2${changes}`, 'role_member'),
      ]);
    });
    const told = await telling;
    clearImmediate(changing);
    const held = new Set(graph.subjectsWith('shop.items.read', now, 'user'));
    const heldThroughout = subjects.filter((subject) => held.has(subject));
    const isTold = new Set(told);
    expect(changes).toBeGreaterThan(0);
    expect(heldThroughout.filter((subject) => !isTold.has(subject))).toEqual([]);
    expect(told.filter((subject) => subject.startsWith('usr_2'))).toEqual([]);
    expect(told).toEqual(told.toSorted());
  });
});

describe('an organization that is closed', () => {
  const graph = applyAll(shop(), [closed]);

  test('has nothing left', () => {
    expect(graph.isClosed).toBe(true);
    expect(graph.sizes()).toEqual({ roles: 0, permissions: 0, assignments: 0, members: 0, subjects: 0 });
    expect(graph.check('usr_olga', 'billing.write', now)).toBe(false);
    expect(graph.owners()).toBe(0);
    expect([...graph.members()]).toEqual([]);
    expect(graph.roles()).toHaveLength(3);
  });

  test('stays so', () => {
    const reopened = applyAll(applyAll(shop(), [closed]), [founded('usr_eve'), registered('shop.a')]);
    expect(reopened.isClosed).toBe(true);
    expect(reopened.revision).toBe(10);
    expect(reopened.sizes()).toEqual(graph.sizes());
    expect(reopened.check('usr_eve', 'billing.write', now)).toBe(false);
  });
});
