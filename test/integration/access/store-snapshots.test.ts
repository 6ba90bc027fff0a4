import { afterEach, describe, expect, test } from '@jest/globals';
import { day, hour, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { PermissionDescriptionModel } from '../../../models/access/permission-description.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import { readDescriptions, storeDescriptions } from '../../../services/access/store/descriptions.ts';
import { serialise, storeSnapshot } from '../../../services/access/store/snapshots.ts';
import { sweepAccess } from '../../../services/access/store/sweeps.ts';
import { sweepOf } from '../../support/quiet-logger.ts';
import {
  assigned,
  contentsOf,
  make,
  type Node,
  newOrganization,
  ownStores,
  revisionsOf,
  roleStored,
  upTo,
} from './own-stores.ts';

const own = ownStores();
let putBack = (): void => undefined;
afterEach(() => putBack());

/** Moves the clock on by so many milliseconds from the true time. */
function moveClock(milliseconds: number): void {
  putBack();
  putBack = setClock(() => new Date(Date.now() + milliseconds));
}

const sweep = ({ store, teller }: Node): Promise<void> => sweepAccess(store, teller, sweepOf('access.tidying'));
const snapshotIn = async (orgId: string) => (await HeadModel.findOne({ _id: orgId }).lean())?.snapshot;

/** An organization with so many changes: members, roles that include others, permissions, assignments that end. */
async function newOrganizationOf(node: Node, changes: number): Promise<string> {
  const { orgId } = await newOrganization(node);
  const roleIds = upTo(5).map(() => newId('role'));
  await make(node, orgId, {
    kind: 'permissionsRegistered',
    permissions: [
      { key: 'shop.orders.read', description: 'Read orders' },
      { key: 'shop.orders.write', description: '' },
    ],
  });
  for (const [index, id] of roleIds.entries()) {
    const permissions = index % 2 === 0 ? ['shop.orders.read', 'mail.send'] : ['shop.orders.write'];
    await make(node, orgId, roleStored(id, { permissions, includes: roleIds.slice(0, index).slice(-1) }));
  }
  for (const index of upTo(changes - 7)) {
    const expiresAt = index % 3 === 0 ? Date.now() + (index + 10) * day : null;
    await make(node, orgId, assigned(newId('usr'), roleIds[index % 5]!, { expiresAt }));
  }
  return orgId;
}

describe('a snapshot', () => {
  test('is written when fifty changes came after the last one', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 49);
    await node.store.settled();
    expect(await snapshotIn(orgId)).toBeUndefined();
    await make(node, orgId, assigned(newId('usr'), 'role_member'));
    await node.store.settled();
    expect(await snapshotIn(orgId)).toMatchObject({ revision: 50, parts: 1 });
    expect(contentsOf(await own.open(), orgId)).toEqual(contentsOf(node, orgId));
  });

  test('of many parts makes the same graph as the changes do', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 40);
    const graph = node.store.org(orgId)!;
    const parts = [...graph.toSnapshot(7)];
    expect(parts.length).toBeGreaterThan(4);
    await storeSnapshot(orgId, { revision: graph.revision, texts: parts.map((part) => JSON.stringify(part)) });
    await make(node, orgId, assigned(newId('usr'), 'role_member'));
    expect(contentsOf(await own.open(), orgId)).toEqual(contentsOf(node, orgId));
  });

  test('is of the moment it was begun in, whatever changes meanwhile', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 20);
    const before = contentsOf(node, orgId);
    const { roleId, subject, id } = before!.assignments.find((assignment) => assignment.roleId.length > 12)!;
    const serialising = serialise(node.store.org(orgId)!);
    await make(node, orgId, assigned(subject, roleId, { id, expiresAt: 1 }));
    await make(node, orgId, { kind: 'roleRemoved', roleId });
    const serialised = await serialising;
    await storeSnapshot(orgId, serialised);
    expect(serialised.revision).toBe(20);
    expect(contentsOf(await own.open(), orgId)).toEqual(contentsOf(node, orgId));
  });

  test('does not replace one of a later revision', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 10);
    const early = await serialise(node.store.org(orgId)!);
    await make(node, orgId, assigned(newId('usr'), 'role_member'));
    await storeSnapshot(orgId, await serialise(node.store.org(orgId)!));
    await storeSnapshot(orgId, early);
    expect(await snapshotIn(orgId)).toMatchObject({ revision: 11 });
  });

  test('of which parts were stored, but that no head names, hinders nobody', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 10);
    const lost = { orgId, snapshotId: 'lost', part: 0, revision: 10, createdAt: new Date(), data: '{}' };
    await SnapshotModel.create({ _id: `${orgId}:lost:0`, ...lost });
    expect(contentsOf(await own.open(), orgId)).toEqual(contentsOf(node, orgId));
    await storeSnapshot(orgId, await serialise(node.store.org(orgId)!));
    moveClock(2 * hour);
    await sweep(node);
    expect(await SnapshotModel.countDocuments({ orgId })).toBe(1);
  });
});

describe('descriptions of permissions', () => {
  const described = (description: string) => {
    const permissions = [{ key: 'shop.orders.read', description }];
    return { kind: 'permissionsRegistered' as const, permissions };
  };
  const readAll = async ({ store }: Node, orgId: string): Promise<Record<string, string>> => {
    const found = await readDescriptions(orgId, store.org(orgId)!.permissions());
    return Object.fromEntries([...found].map(([key, { description }]) => [key, description]));
  };
  const expected = { 'shop.orders.read': 'Read orders', 'shop.orders.write': '' };

  test('are found in the log where a process died before it stored them', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 10);
    expect(await PermissionDescriptionModel.countDocuments({ orgId })).toBe(0);
    expect(await readAll(node, orgId)).toEqual(expected);
    expect(await PermissionDescriptionModel.countDocuments({ orgId })).toBe(2);
    const revision = await make(node, orgId, described('See orders'));
    expect(await readAll(node, orgId)).toEqual({ ...expected, 'shop.orders.read': 'See orders' });
    await storeDescriptions(orgId, revision - 1, described('Too late').permissions);
    expect(await readAll(node, orgId)).toEqual({ ...expected, 'shop.orders.read': 'See orders' });
  });

  test('are kept when the log is trimmed behind a snapshot', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 55);
    expect(JSON.stringify(await SnapshotModel.find({ orgId }).lean())).not.toContain('Read orders');
    moveClock(day + hour);
    await sweep(node);
    expect((await revisionsOf(orgId))[0]).toBe(50);
    for (const each of [node, await own.open()]) expect(await readAll(each, orgId)).toEqual(expected);
  });

  test('that an earlier release wrote into a snapshot are moved where they belong, and not over newer ones', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 20);
    const { revision } = node.store.org(orgId)!;
    const texts = [...node.store.org(orgId)!.toSnapshot()].map((part) => {
      const rows = part.permissions.map(([key, , createdAt, updatedAt]) => [
        key,
        `Former ${key}`,
        createdAt,
        updatedAt,
      ]);
      return JSON.stringify({ ...part, permissions: rows });
    });
    await storeDescriptions(orgId, 2, described('Read orders').permissions);
    await storeSnapshot(orgId, { revision, texts });
    const moved = { 'shop.orders.read': 'Read orders', 'shop.orders.write': 'Former shop.orders.write' };
    for (const each of [await own.open(), await own.open()]) expect(await readAll(each, orgId)).toEqual(moved);
    expect(JSON.stringify(await SnapshotModel.find({ orgId }).lean())).not.toContain('Former');
  });

  test('are erased with their organization', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 10);
    expect(await readAll(node, orgId)).toEqual(expected);
    await make(node, orgId, { kind: 'closed' });
    await node.store.erase(orgId);
    expect(await PermissionDescriptionModel.countDocuments({ orgId })).toBe(0);
    moveClock(day + hour);
    await sweep(node);
    expect(await PermissionDescriptionModel.countDocuments({ orgId })).toBe(0);
  });
});

describe('the sweep', () => {
  test('leaves of the log what no snapshot covers, or what is younger than a day', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 55);
    await node.store.settled();
    await sweep(node);
    expect(await revisionsOf(orgId)).toEqual(upTo(55));
    moveClock(day + hour);
    const before = contentsOf(node, orgId);
    await sweep(node);
    expect(await revisionsOf(orgId)).toEqual([50, 51, 52, 53, 54, 55]);
    expect(contentsOf(await own.open(), orgId)).toEqual(before);
  });

  test('lets a node that is behind all that is left find the whole again', async () => {
    const [one, two] = [await own.open(), await own.open({ blind: true })];
    const orgId = await newOrganizationOf(one, 20);
    await two.store.poll();
    for (const _ of upTo(40)) await make(one, orgId, assigned(newId('usr'), 'role_admin'));
    await one.store.settled();
    moveClock(day + hour);
    await sweep(one);
    expect((await revisionsOf(orgId))[0]).toBe(50);
    await two.store.poll();
    expect(contentsOf(two, orgId)).toEqual(contentsOf(one, orgId));
    expect(two.told.at(-1)).toMatchObject({ orgId, previous: 20, revision: 60, change: null, subjects: null });
    expect(await make(two, orgId, assigned(newId('usr'), 'role_member'))).toBe(61);
  });

  test('writes a snapshot that a writer left undone', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 60);
    await node.store.settled();
    await HeadModel.updateOne({ _id: orgId }, { $unset: { snapshot: 1 } });
    await sweep(node);
    expect(await snapshotIn(orgId)).toMatchObject({ revision: 60 });
  });

  test('removes snapshots an hour after their successor', async () => {
    const node = await own.open();
    const orgId = await newOrganizationOf(node, 50);
    for (const _ of upTo(50)) await make(node, orgId, assigned(newId('usr'), 'role_member'));
    await node.store.settled();
    await sweep(node);
    expect(await SnapshotModel.countDocuments({ orgId })).toBe(2);
    moveClock(hour + 1000);
    await sweep(node);
    expect(await SnapshotModel.countDocuments({ orgId })).toBe(1);
    expect(contentsOf(await own.open(), orgId)).toEqual(contentsOf(node, orgId));
  });

  test('leaves only the last entry of an organization that was closed a day ago', async () => {
    const node = await own.open();
    const { orgId, ownerId } = await newOrganization(node);
    for (const _ of upTo(4)) await make(node, orgId, assigned(newId('usr'), 'role_member'));
    await make(node, orgId, { kind: 'closed' });
    await node.store.erase(orgId);
    moveClock(day + hour);
    await sweep(node);
    expect(await revisionsOf(orgId)).toEqual([6]);
    for (const { store, teller } of [node, await own.open()]) {
      await expect(store.found(teller, orgId, ownerId)).rejects.toMatchObject({ type: 'CONFLICT' });
    }
  });

  test('removes assignments a day after they expired, by changes like others', async () => {
    const node = await own.open();
    const { orgId } = await newOrganization(node);
    const roleId = newId('role');
    await make(node, orgId, roleStored(roleId));
    const [expired, recent, lasting] = [newId('usr'), newId('usr'), newId('usr')];
    await make(node, orgId, assigned(expired, roleId, { expiresAt: Date.now() + 1000 }));
    await make(node, orgId, assigned(recent, roleId, { expiresAt: Date.now() + 2 * hour }));
    await make(node, orgId, assigned(lasting, roleId));
    moveClock(day + hour);
    await sweep(node);
    const subjects = contentsOf(node, orgId)?.assignments.map(({ subject }) => subject);
    expect(subjects).not.toContain(expired);
    expect(subjects).toEqual(expect.arrayContaining([recent, lasting]));
    expect(await revisionsOf(orgId)).toEqual(upTo(6));
    await sweep(node);
    expect(await revisionsOf(orgId)).toEqual(upTo(6));
  });
});
