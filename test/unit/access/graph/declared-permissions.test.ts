import { expect, test } from '@jest/globals';
import { declarePermissions } from '../../../../lib/contract/permissions.ts';
import type { Change } from '../../../../services/access/graph/changes.ts';
import { OrgGraph } from '../../../../services/access/graph/org-graph.ts';

const at = 1000;
const assigned = (id: string, subject: string, roleId: string) => ({ id, subject, roleId, expiresAt: null });

function graphOf(...changes: Change[]): OrgGraph {
  const graph = new OrgGraph('org_one');
  const founded: Change = { kind: 'founded', owner: assigned('asg_olga', 'usr_olga', 'role_owner') };
  const member: Change = { kind: 'assignmentStored', assignment: assigned('asg_ada', 'usr_ada', 'role_member') };
  for (const [place, change] of [founded, member, ...changes].entries()) {
    graph.apply({ revision: place + 1, at, change });
  }
  return graph;
}

/** A role that gives Ada a permission. */
function roleWith(key: string, declared?: string[]): Change[] {
  const role = {
    id: 'role_x',
    name: 'x',
    description: '',
    permissions: [key],
    includes: [],
    ...(declared && { declared }),
  };
  return [
    { kind: 'roleStored', role },
    { kind: 'assignmentStored', assignment: assigned('asg_x', 'usr_ada', 'role_x') },
  ];
}

test('a role keeps a permission of a service that this node does not know yet, also in a snapshot', () => {
  const built = graphOf(...roleWith('late.greet', ['late.greet']));
  const read = OrgGraph.fromSnapshot('org_one', built.revision, built.toSnapshot());
  for (const graph of [built, read]) expect(graph.role('role_x')?.permissions).toEqual(['late.greet']);
  expect(built.check('usr_olga', 'late.greet', at)).toBe(false);

  declarePermissions({ 'late.greet': { reads: false, description: 'Greet' } });
  for (const graph of [built, read]) {
    graph.withDeclared();
    expect(graph.check('usr_ada', 'late.greet', at)).toBe(true);
    expect(graph.systemPermissionsOf('usr_ada', at)).toEqual(['late.greet']);
    expect(graph.check('usr_olga', 'late.greet', at)).toBe(true);
    expect(graph.permission('late.greet')).toMatchObject({ isSystem: true });
  }
});

test('members get what reads with their role, and roles that include it get it too', () => {
  const role = { id: 'role_y', name: 'y', description: '', permissions: [], includes: ['role_member'] };
  const graph = graphOf(
    { kind: 'roleStored', role },
    { kind: 'assignmentStored', assignment: assigned('asg_y', 'app_y', 'role_y') },
  );
  declarePermissions({ 'news.read': { reads: true, description: 'Read' } });
  declarePermissions({ 'news.write': { reads: false, description: 'Write' } });
  graph.withDeclared();
  for (const subject of ['usr_ada', 'app_y']) {
    expect(graph.check(subject, 'news.read', at)).toBe(true);
    expect(graph.check(subject, 'news.write', at)).toBe(false);
  }
});

test("an organization's own key keeps its meaning when a service declares it, and grants nothing of the service", () => {
  const own: Change = { kind: 'permissionsRegistered', permissions: [{ key: 'shop.sell', description: 'Ours' }] };
  const graph = graphOf(own, ...roleWith('shop.sell'));
  declarePermissions({ 'shop.sell': { reads: false, description: "The service's" } });
  graph.withDeclared();
  expect(graph.permission('shop.sell')).toMatchObject({ isSystem: false, describedIn: 3 });
  expect(graph.check('usr_ada', 'shop.sell', at)).toBe(true);
  expect(graph.check('usr_olga', 'shop.sell', at)).toBe(false);
  expect(graph.systemPermissionsOf('usr_ada', at)).toEqual([]);
  expect(graph.permissions().filter(({ key }) => key === 'shop.sell')).toHaveLength(1);
});
