import { describe, expect, test } from '@jest/globals';
import { OrgGraph, type SnapshotPart } from '../../../../services/access/graph/org-graph.ts';
import { SnapshotReader } from '../../../../services/access/graph/snapshot.ts';
import {
  applyAll,
  assigned,
  closed,
  graphOf,
  registered,
  reloaded,
  restored,
  role,
  roleRemoved,
  suspended,
} from './building.ts';

const now = 5_000_000;

const shop = () =>
  graphOf(
    registered('shop.read', 'shop.write'),
    role('role_writer', ['shop.write', 'mail.send']),
    role('role_reader', ['shop.read']),
    // Stored again, so that it includes a role that comes after it.
    role('role_writer', ['shop.write', 'mail.send'], ['role_reader', 'role_member']),
    assigned('asg_1', 'usr_ada', 'role_writer'),
    assigned('asg_2', 'app_till', 'role_reader', 9000),
    assigned('asg_1', 'usr_ada', 'role_writer', 8000),
  );
const partsOf = (graph: OrgGraph, maxEntities?: number): SnapshotPart[] => [...graph.toSnapshot(maxEntities)];
const sizeOf = (part: SnapshotPart): number =>
  part.permissions.length +
  part.assignments.length +
  part.roles.reduce((size, [, , , permissions, includes]) => size + 1 + permissions.length + includes.length, 0);

describe('a snapshot', () => {
  test('of JSON gives an equal graph, which changes on', () => {
    const graph = shop();
    const other = reloaded(graph, 2);
    expect(partsOf(other)).toEqual(partsOf(graph));
    for (const each of [graph, other]) applyAll(each, [roleRemoved('role_reader'), registered('shop.late')]);
    expect(partsOf(other)).toEqual(partsOf(graph));
    expect(other.roles()).toEqual(graph.roles());
    expect(other.permissionsOf('usr_ada', 0)).toContain('shop.write');
    expect(other.permissionsOf('usr_ada', 0)).not.toContain('shop.read');
  });

  test('is packed: places instead of names, and nothing that follows from nothing', () => {
    const [part] = partsOf(shop());
    expect(part).toEqual({
      first: { version: 1, isClosed: false, totals: { permissions: 2, roles: 2, assignments: 3 } },
      permissions: [
        ['shop.read', '', 2000, 2000, 2],
        ['shop.write', '', 2000, 2000, 2],
      ],
      roles: [
        ['role_writer', 'role_writer', '', ['mail.send', 1], [1, 'role_member'], 5, 3000, 5000],
        ['role_reader', 'role_reader', '', [0], [], 4, 4000, 4000],
      ],
      assignments: [
        ['asg_usr_olga', 'usr_olga', 'role_owner', 1, 1000],
        ['asg_1', 'usr_ada', 0, 8, 6000, 8000, 8000],
        ['asg_2', 'app_till', 1, 7, 7000, null, 9000],
      ],
    });
  });

  test('has another version with suspensions, which an earlier release cannot read', () => {
    const graph = applyAll(shop(), [assigned('asg_3', 'usr_ada', 'role_admin'), suspended('usr_ada')]);
    const [part] = partsOf(graph);
    expect(part?.first).toMatchObject({ version: 2, totals: { suspensions: 1 } });
    expect(part?.suspensions).toEqual([['usr_ada', 10_000]]);
    expect(reloaded(graph, 1).membership('usr_ada')).toMatchObject({ role: 'admin', suspendedAt: 10_000 });
    expect(partsOf(applyAll(reloaded(graph), [restored('usr_ada')]))[0]?.first?.version).toBe(1);
  });

  test('has parts of no more than was asked, but for one role with many names', () => {
    const graph = applyAll(shop(), [role('role_many', ['mail.send', 'mail.read', 'storage.read', 'connect.read'])]);
    const sizes = partsOf(graph, 3).map(sizeOf);
    expect(sizes.filter((size) => size > 3)).toEqual([5, 5]);
    expect(sizes).not.toContain(0);
    expect(sizeOf(partsOf(graph, 100)[0]!)).toBe(17);
    expect(partsOf(graph, 100)).toHaveLength(1);
  });

  test('of nothing is one part', () => {
    const empty = new OrgGraph('org_empty');
    expect(partsOf(empty)).toHaveLength(1);
    expect(partsOf(reloaded(empty))).toEqual(partsOf(empty));
  });

  test('of a closed organization is closed', () => {
    const graph = reloaded(applyAll(shop(), [closed]));
    expect(graph.isClosed).toBe(true);
    expect(graph.sizes().assignments).toBe(0);
    expect(graph.owners()).toBe(0);
  });

  test('is of the moment it was asked for, whatever changes while its parts are read', () => {
    const graph = shop();
    const before = partsOf(graph, 1);
    const parts: SnapshotPart[] = [];
    for (const part of graph.toSnapshot(1)) {
      parts.push(part);
      if (parts.length > 1) continue;
      applyAll(graph, [
        role('role_reader', ['shop.write'], ['role_member']),
        assigned('asg_1', 'usr_eve', 'role_reader'),
        roleRemoved('role_writer'),
        registered('shop.late'),
        assigned('asg_9', 'usr_ada', 'role_reader'),
      ]);
    }
    expect(parts).toEqual(before);
    expect(OrgGraph.fromSnapshot('org_shop', 8, parts).check('usr_ada', 'shop.read', 0)).toBe(true);
  });

  test('is read part by part', () => {
    const reader = new SnapshotReader();
    for (const part of partsOf(shop(), 1)) reader.add(part);
    const graph = OrgGraph.fromReader('org_shop', 8, reader);
    expect(graph.revision).toBe(8);
    expect(partsOf(graph)).toEqual(partsOf(shop()));
    expect(graph.check('usr_ada', 'shop.read', 7999)).toBe(true);
    expect(graph.check('usr_ada', 'shop.read', now)).toBe(false);
  });
});

describe('a snapshot that is not whole is refused', () => {
  const read = (parts: SnapshotPart[]) => OrgGraph.fromSnapshot('org_shop', 8, parts);
  const parts = partsOf(shop(), 1);

  test.each(parts.map((_, place) => place))('without part %d', (place) => {
    expect(() => read(parts.toSpliced(place, 1))).toThrow('The snapshot');
  });

  test('without parts', () => {
    expect(() => read([])).toThrow('no parts');
  });

  test('with a part twice', () => {
    expect(() => read([...parts, { permissions: [['shop.more', '', 1, 1]], roles: [], assignments: [] }])).toThrow(
      'The snapshot has 3 permissions instead of 2.',
    );
  });

  test('of another version', () => {
    const first = { ...parts[0]!.first!, version: 3 as 1 };
    expect(() => read([{ ...parts[0]!, first }, ...parts.slice(1)])).toThrow('known version');
  });

  test('with parts out of order', () => {
    expect(() => read([parts[0]!, ...parts.slice(1).reverse()])).toThrow('The snapshot');
  });
});
