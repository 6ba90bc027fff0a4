import { afterEach, expect, test } from '@jest/globals';
import { day, hour, now, setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { newSweep } from '../../../lib/data/sweep.ts';
import { type ChangeDocument, ChangeModel } from '../../../models/access/change.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { PermissionDescriptionModel } from '../../../models/access/permission-description.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import { insertChange, markClosed } from '../../../services/access/store/log.ts';
import { eraseChanges, sweepAccess } from '../../../services/access/store/sweeps.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { assigned, newOrganization, ownStores, revisionsOf } from './own-stores.ts';

/* Organizations with very many changes. */

const own = ownStores();
let putBack = (): void => undefined;
afterEach(() => putBack());

/** Closes an organization that has had so many changes. */
async function closeAfter(orgId: string, changes: number): Promise<void> {
  const documents = Array.from({ length: changes - 2 }, (_none, index): ChangeDocument => {
    const revision = index + 2;
    return { _id: `${orgId}:${revision}`, orgId, revision, at: now(), change: assigned(newId('usr'), 'role_member') };
  });
  if (documents.length > 0) await nativeCollection<ChangeDocument>(ChangeModel).insertMany(documents);
  await insertChange(orgId, changes, { kind: 'closed' });
  await markClosed(orgId, changes);
}

const untold = (orgId: string) => ChangeModel.countDocuments({ orgId, 'change.kind': { $ne: 'closed' } });

test('an organization with very many changes is erased in parts, of which none is done twice', async () => {
  const node = await own.open();
  const { orgId } = await newOrganization(node);
  const snapshot = { orgId, snapshotId: 's', revision: 1, createdAt: now(), data: '{}' };
  await SnapshotModel.insertMany([0, 1, 2].map((part) => ({ ...snapshot, _id: `${orgId}:s:${part}`, part })));
  await HeadModel.updateOne({ _id: orgId }, { $set: { snapshot: { id: 's', revision: 1, parts: 3, at: now() } } });
  const described = Array.from({ length: 1200 }, (_none, index) => {
    return { _id: `${orgId}:a.b${index}`, orgId, key: `a.b${index}`, description: 'a', revision: 1 };
  });
  await PermissionDescriptionModel.insertMany(described);
  await closeAfter(orgId, 2500);
  const lefts: number[] = [];
  for (let isComplete = false; !isComplete; lefts.push(await untold(orgId)))
    isComplete = await eraseChanges(orgId, 1000);
  expect(lefts).toEqual([1499, 499, 0, 0]);
  expect((await revisionsOf(orgId)).length).toBe(2500);
  expect(await SnapshotModel.countDocuments({ orgId })).toBe(0);
  expect(await PermissionDescriptionModel.countDocuments({ orgId })).toBe(0);
  expect((await HeadModel.findOne({ _id: orgId }).lean())?.snapshot).toBeUndefined();
  expect(await eraseChanges(orgId, 1000)).toBe(true);
});

test('the sweep removes few changes beside very many, and goes on with these in the next turn or run', async () => {
  const node = await own.open();
  const [large, small] = [(await newOrganization(node)).orgId, (await newOrganization(node)).orgId].sort() as [
    string,
    string,
  ];
  await closeAfter(large, 6001);
  await closeAfter(small, 4);
  putBack = setClock(() => new Date(Date.now() + day + hour));
  const turns: string[] = [];
  const controller = new AbortController();
  const store = {
    ...node.store,
    isReadable: (orgId: string) => {
      if (orgId === large || orgId === small) turns.push(orgId);
      if (turns.length === 3) controller.abort();
      return node.store.isReadable(orgId);
    },
  };
  // The graphs of both are still in memory, and their assignments have no end.
  const graphs = { ...store, orgs: () => [] };
  await sweepAccess(graphs, node.teller, newSweep('access.tidying', quietLogger, controller.signal));
  expect(turns).toEqual([large, small, large]);
  expect(await revisionsOf(small)).toEqual([4]);
  expect(await revisionsOf(large)).toHaveLength(2001);
  await sweepAccess(graphs, node.teller, newSweep('access.tidying', quietLogger, new AbortController().signal));
  expect(await revisionsOf(large)).toEqual([6001]);
});
