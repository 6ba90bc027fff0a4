import { afterEach, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { ChangeModel } from '../../../models/access/change.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import { OrgGraph } from '../../../services/access/graph/org-graph.ts';
import { insertChange, touchHead } from '../../../services/access/store/log.ts';
import { serialise, storeSnapshot } from '../../../services/access/store/snapshots.ts';
import { sweepAccess } from '../../../services/access/store/sweeps.ts';
import { sweepOf } from '../../support/quiet-logger.ts';
import { assigned, make, type Node, newOrganization, ownStores, revisionsOf } from './own-stores.ts';

const own = ownStores();
afterEach(async () => {
  for (const model of [ChangeModel, HeadModel, SnapshotModel]) await model.collection.deleteMany({});
});

/** What a newer version might write, and what no version should. */
const unreadable: [string, object][] = [
  ['a change of an unknown kind', { kind: 'userSuspended', userId: newId('usr') }],
  ['a change without what its kind needs', { kind: 'assignmentStored' }],
];

async function write(orgId: string, revision: number, change: object): Promise<void> {
  await touchHead(orgId, revision);
  await insertChange(orgId, revision, change as Change);
}

const unreadableOn = ({ store }: Node) => [...store.unreadableOrgIds()];
async function everything(): Promise<string> {
  const models = [ChangeModel, HeadModel, SnapshotModel];
  return JSON.stringify(await Promise.all(models.map((model) => model.collection.find({}).toArray())));
}

test.each(unreadable)('%s stops its organization, on every node that meets it in any way', async (_what, change) => {
  const [polling, hearing] = [await own.open({ blind: true }), await own.open({ blind: true })];
  const { orgId, ownerId } = await newOrganization(polling);
  const healthy = await newOrganization(polling);
  await hearing.store.poll();
  await write(orgId, 2, change);
  hearing.store.receive({ orgId, previous: 1, revision: 2, at: 0, change: change as Change, subjects: null });
  expect(unreadableOn(hearing)).toEqual([orgId]);
  await polling.store.poll();
  const starting = await own.open({ blind: true });
  for (const node of [polling, hearing, starting]) {
    const { store } = node;
    expect([unreadableOn(node), store.isReadable(orgId), store.isReadable(healthy.orgId)]).toEqual([
      [orgId],
      false,
      true,
    ]);
    expect([store.knowsMembershipsOf(ownerId), store.knowsMembershipsOf(healthy.ownerId)]).toEqual([false, true]);
    const before = await everything();
    await expect(make(node, orgId, assigned(newId('usr'), 'role_member'))).rejects.toMatchObject({
      type: 'UNAVAILABLE',
    });
    await expect(store.found(node.teller, orgId, ownerId)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    await store.compact(orgId);
    await sweepAccess(store, node.teller, sweepOf('access.tidying'));
    expect(await everything()).toBe(before);
    expect(await store.reach(orgId, 2, 60_000)).toBe(false);
    expect(await make(node, healthy.orgId, assigned(newId('usr'), 'role_member'))).toBeGreaterThan(1);
    for (const each of [polling, hearing]) await each.store.poll();
  }
});

test('whom later changes name may be a member, and is not told otherwise', async () => {
  const node = await own.open({ blind: true });
  const { orgId } = await newOrganization(node);
  const [before, after] = [newId('usr'), newId('usr')];
  await write(orgId, 2, { kind: 'usersAdmitted', list: [{ who: before }] });
  await node.store.poll();
  expect([before, after].map((userId) => node.store.knowsMembershipsOf(userId))).toEqual([false, true]);
  await write(orgId, 3, assigned(after, 'role_member'));
  await node.store.poll();
  expect([before, after].map((userId) => node.store.knowsMembershipsOf(userId))).toEqual([false, false]);
});

test('a snapshot of a newer version stops its organization alone; one that can be read has it go on', async () => {
  const node = await own.open({ blind: true });
  const { orgId, ownerId } = await newOrganization(node);
  const healthy = await newOrganization(node);
  await write(orgId, 2, { kind: 'userSuspended', userId: ownerId });
  const part = { first: { version: 3 }, members: { [ownerId]: 'owner' } };
  await storeSnapshot(orgId, { revision: 2, texts: [JSON.stringify(part)] });
  await ChangeModel.deleteMany({ orgId, revision: 1 });
  const restarted = await own.open({ blind: true });
  expect(unreadableOn(restarted)).toEqual([orgId]);
  expect([ownerId, healthy.ownerId].map(restarted.store.knowsMembershipsOf)).toEqual([false, true]);
  await node.store.poll();
  expect(unreadableOn(node)).toEqual([orgId]);

  // What the older version can read covers what it cannot, such as after the newer one was taken back.
  const graph = new OrgGraph(orgId);
  const owner = { id: newId('asg'), subject: newId('usr'), roleId: 'role_owner', expiresAt: null };
  graph.apply({ revision: 1, at: 0, change: { kind: 'founded', owner } });
  graph.revision = 3;
  await storeSnapshot(orgId, await serialise(graph));
  await touchHead(orgId, 3);
  for (const each of [node, restarted]) {
    await each.store.poll();
    expect(unreadableOn(each)).toEqual([]);
    expect(each.store.membershipsOf(owner.subject, 0)).toEqual([{ orgId, role: 'owner', extras: [] }]);
    expect([each.store.knowsMembershipsOf(ownerId), each.store.membershipsOf(ownerId, 0)]).toEqual([true, []]);
  }
  expect(await make(restarted, orgId, assigned(newId('usr'), 'role_member'))).toBe(4);
});

test('an organization that was closed after such a change is gone', async () => {
  const node = await own.open({ blind: true });
  const { orgId, ownerId } = await newOrganization(node);
  await write(orgId, 2, { kind: 'userSuspended', userId: ownerId });
  await node.store.poll();
  expect(unreadableOn(node)).toEqual([orgId]);
  await write(orgId, 3, { kind: 'closed' });
  await HeadModel.updateOne({ _id: orgId }, { $set: { closed: true } });
  await node.store.poll();
  expect([unreadableOn(node), node.store.org(orgId), node.store.knowsMembershipsOf(ownerId)]).toEqual([
    [],
    undefined,
    true,
  ]);
  expect(await revisionsOf(orgId)).toEqual([1, 2, 3]);
});
