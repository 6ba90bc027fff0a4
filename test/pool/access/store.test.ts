import { afterEach, expect, test } from '@jest/globals';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, hour, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Decision } from '../../../services/access/store/access-store.ts';
import { insertChange, touchHead } from '../../../services/access/store/log.ts';
import { sweepAccess } from '../../../services/access/store/sweeps.ts';
import {
  assigned,
  contentsOf,
  make,
  type Node,
  newOrganization,
  ownStores,
  revisionsOf,
  upTo,
} from '../../integration/access/own-stores.ts';
import { serverVariable } from '../../support/platform.ts';
import { sweepOf } from '../../support/quiet-logger.ts';

/** What the store asks of a database, of the one that a pool has. */
const own = ownStores(serverVariable('TEST_MONGO_URL'));
const openAll = (count: number): Promise<Node[]> => Promise.all(Array.from({ length: count }, () => own.open()));
let putBack = (): void => undefined;
afterEach(() => putBack());

test('changes of several nodes at once happen one after the other, and the last owner stays', async () => {
  const nodes = await openAll(3);
  const { orgId, ownerId } = await newOrganization(nodes[0]!);
  const owners = upTo(11).map(() => newId('usr'));
  await Promise.all(owners.map((userId, index) => make(nodes[index % 3]!, orgId, assigned(userId, 'role_owner'))));
  expect(await revisionsOf(orgId)).toEqual(upTo(12));
  const demotions = [ownerId, ...owners].map((userId, index) => {
    const { store, teller } = nodes[index % 3]!;
    return store.change(teller, orgId, (graph): Decision<null> => {
      if (graph.owners() === 1) throw apiError('LAST_OWNER');
      const id = graph.membership(userId)!.assignment.id;
      return { change: assigned(userId, 'role_member', { id }), result: null };
    });
  });
  const refused = (await Promise.allSettled(demotions)).filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { type: 'LAST_OWNER' } }]);
  for (const { store } of nodes) await store.poll();
  for (const node of nodes) expect(contentsOf(node, orgId)).toEqual(contentsOf(nodes[0]!, orgId));
});

test('a change of which nobody was told is found by the next look', async () => {
  const [one, two] = (await openAll(2)) as [Node, Node];
  const { orgId } = await newOrganization(one);
  await two.store.poll();
  await touchHead(orgId, 2);
  await two.store.poll();
  expect(two.store.org(orgId)?.revision).toBe(1);
  await insertChange(orgId, 2, assigned(newId('usr'), 'role_member'));
  await two.store.poll();
  expect(two.store.org(orgId)?.revision).toBe(2);
});

test('snapshots, the sweep and a node that is behind make the same graph as the changes do', async () => {
  const [one, two] = (await openAll(2)) as [Node, Node];
  const { orgId } = await newOrganization(one);
  await two.store.poll();
  for (const _ of upTo(104)) await make(one, orgId, assigned(newId('usr'), 'role_member'));
  await one.store.settled();
  putBack = setClock(() => new Date(Date.now() + day + hour));
  await sweepAccess(one.store, one.teller, sweepOf('access.tidying'));
  expect((await revisionsOf(orgId))[0]).toBe(100);
  await two.store.poll();
  expect(two.store.org(orgId)?.revision).toBe(105);
  for (const node of [two, await own.open()]) expect(contentsOf(node, orgId)).toEqual(contentsOf(one, orgId));
});

test('a closed organization is closed for every node, and cannot begin again when it was erased', async () => {
  const [one, two] = (await openAll(2)) as [Node, Node];
  const { orgId, ownerId } = await newOrganization(one);
  for (const _ of upTo(3)) await make(one, orgId, assigned(newId('usr'), 'role_member'));
  await make(one, orgId, { kind: 'closed' });
  await one.store.erase(orgId);
  await two.store.poll();
  for (const { store, teller } of [two, await own.open()]) {
    expect(store.org(orgId)).toBeUndefined();
    await expect(store.found(teller, orgId, ownerId)).rejects.toThrow(apiError('CONFLICT'));
  }
});
