import { describe, expect, test } from '@jest/globals';
import { apiError } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { ChangeModel } from '../../../models/access/change.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { Decision } from '../../../services/access/store/access-store.ts';
import { insertChange, touchHead } from '../../../services/access/store/log.ts';
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
/** Nodes that hear nothing of one another, and look into the database only when they are told to. */
const openAll = (count: number): Promise<Node[]> =>
  Promise.all(Array.from({ length: count }, () => own.open({ blind: true })));
const nodeAt = (nodes: Node[], index: number): Node => nodes[index % nodes.length]!;

/** How often each outcome came: `done`, or the code of a refusal. */
async function tally(work: Promise<unknown>[]): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (const settled of await Promise.allSettled(work)) {
    const outcome = settled.status === 'fulfilled' ? 'done' : String(settled.reason.type ?? settled.reason);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

async function pollAll(nodes: Node[]): Promise<void> {
  for (const { store } of nodes) await store.poll();
}

describe('an organization', () => {
  test('is founded once by any number of nodes at once, for one owner', async () => {
    const nodes = await openAll(3);
    const [orgId, ownerId] = [newId('org'), newId('usr')];
    const foundings = upTo(12).map((index) => nodeAt(nodes, index).store.found(nodes[0]!.teller, orgId, ownerId));
    expect(await tally(foundings)).toEqual({ done: 12 });
    expect(await revisionsOf(orgId)).toEqual([1]);
    await pollAll(nodes);
    for (const node of nodes) {
      expect(node.store.membershipsOf(ownerId, 0)).toEqual([{ orgId, role: 'owner', extras: [] }]);
    }
  });

  test('belongs to one of those who found it at once', async () => {
    const nodes = await openAll(3);
    const orgId = newId('org');
    const foundings = upTo(9).map((index) => nodeAt(nodes, index).store.found(nodes[0]!.teller, orgId, newId('usr')));
    expect(await tally(foundings)).toEqual({ done: 1, CONFLICT: 8 });
    await pollAll(nodes);
    expect(nodes.map(({ store }) => store.org(orgId)?.owners())).toEqual([1, 1, 1]);
  });

  test('that is unknown cannot be changed', async () => {
    const [node] = (await openAll(1)) as [Node];
    await expect(make(node, newId('org'), assigned(newId('usr'), 'role_member'))).rejects.toThrow(
      apiError('NOT_FOUND'),
    );
  });

  test('that another node founded can be changed at once, although nobody was told', async () => {
    const [one, two] = (await openAll(2)) as [Node, Node];
    const { orgId } = await newOrganization(one);
    expect(two.store.org(orgId)).toBeUndefined();
    expect(await make(two, orgId, assigned(newId('usr'), 'role_member'))).toBe(2);
  });
});

describe('changes of several nodes at once, of which none is told', () => {
  test('all happen, one after the other, and every node has the same graph', async () => {
    const nodes = await openAll(4);
    const { orgId } = await newOrganization(nodes[0]!);
    const changes = upTo(80).map((index) => make(nodeAt(nodes, index), orgId, assigned(newId('usr'), 'role_member')));
    const revisions = await Promise.all(changes);
    expect(revisions.sort((a, b) => a - b)).toEqual(upTo(81).slice(1));
    expect(await revisionsOf(orgId)).toEqual(upTo(81));
    await pollAll(nodes);
    const contents = contentsOf(nodes[0]!, orgId);
    expect(contents?.assignments).toHaveLength(81);
    for (const node of nodes) expect(contentsOf(node, orgId)).toEqual(contents);
  });

  test('leave the last owner, of fifty that give it up', async () => {
    const nodes = await openAll(3);
    const { orgId, ownerId } = await newOrganization(nodes[0]!);
    const owners = [ownerId, ...upTo(49).map(() => newId('usr'))];
    for (const owner of owners.slice(1)) await make(nodes[0]!, orgId, assigned(owner, 'role_owner'));
    const demotions = owners.map((userId, index) => {
      const { store, teller } = nodeAt(nodes, index);
      return store.change(teller, orgId, (graph): Decision<null> => {
        if (graph.owners() === 1) throw apiError('LAST_OWNER');
        const id = graph.membership(userId)!.assignment.id;
        return { change: assigned(userId, 'role_member', { id }), result: null };
      });
    });
    expect(await tally(demotions)).toEqual({ done: 49, LAST_OWNER: 1 });
    await pollAll(nodes);
    expect(nodes.map(({ store }) => store.org(orgId)?.owners())).toEqual([1, 1, 1]);
  });

  test('close no circle of roles', async () => {
    const nodes = await openAll(3);
    const { orgId } = await newOrganization(nodes[0]!);
    const ids = upTo(6).map(() => newId('role'));
    for (const id of ids) await make(nodes[0]!, orgId, roleStored(id));
    // Each includes the next, the last the first: any five of them are fine.
    const inclusions = ids.map((id, index) => {
      const { store, teller } = nodeAt(nodes, index);
      const includes = [ids[(index + 1) % ids.length]!];
      return store.change(teller, orgId, (graph): Decision<null> => {
        if (graph.findCycle(id, includes)) throw apiError('INPUT_INVALID');
        return { change: roleStored(id, { includes }), result: null };
      });
    });
    expect(await tally(inclusions)).toEqual({ done: 5, INPUT_INVALID: 1 });
  });

  test('end with the one that closes the organization', async () => {
    const nodes = await openAll(3);
    const { orgId, ownerId } = await newOrganization(nodes[0]!);
    const changes = upTo(30).map((index) =>
      index === 15
        ? make(nodeAt(nodes, index), orgId, { kind: 'closed' })
        : make(nodeAt(nodes, index), orgId, assigned(newId('usr'), 'role_member')),
    );
    const { done = 0, NOT_FOUND = 0, ...others } = await tally(changes);
    expect([done + NOT_FOUND, others]).toEqual([30, {}]);
    const last = await ChangeModel.findOne({ orgId }).sort({ revision: -1 }).lean();
    expect(last).toMatchObject({ revision: done + 1, change: { kind: 'closed' } });
    await pollAll(nodes);
    for (const { store } of nodes) {
      expect(store.org(orgId)).toBeUndefined();
      expect(store.membershipsOf(ownerId, 0)).toEqual([]);
    }
  });
});

describe('a refusal', () => {
  test('is decided on what is in the database, although the node has not heard of it yet', async () => {
    const [one, two] = (await openAll(2)) as [Node, Node];
    const { orgId } = await newOrganization(one);
    await two.store.poll();
    await make(one, orgId, assigned(newId('usr'), 'role_owner'));
    expect(two.store.org(orgId)?.owners()).toBe(1);
    const { result } = await two.store.change(two.teller, orgId, (graph): Decision<number> => {
      if (graph.owners() === 1) throw apiError('LAST_OWNER');
      return { change: null, result: graph.owners() };
    });
    expect(result).toBe(2);
  });

  test('leaves nothing behind', async () => {
    const [node] = (await openAll(1)) as [Node];
    const { orgId } = await newOrganization(node);
    const refused = node.store.change(node.teller, orgId, () => {
      throw apiError('LIMIT_REACHED');
    });
    await expect(refused).rejects.toThrow(apiError('LIMIT_REACHED'));
    expect(await revisionsOf(orgId)).toEqual([1]);
    const { isChanged, revision } = await node.store.change(node.teller, orgId, () => ({ change: null, result: 0 }));
    expect([isChanged, revision]).toEqual([false, 1]);
  });
});

describe('a node that was killed', () => {
  test('before its change was inserted leaves a head that hinders nobody', async () => {
    const [one, two] = (await openAll(2)) as [Node, Node];
    const { orgId } = await newOrganization(one);
    await touchHead(orgId, 2);
    await pollAll([one, two]);
    expect(two.store.isCurrent()).toBe(true);
    expect(await make(two, orgId, assigned(newId('usr'), 'role_member'))).toBe(2);
    expect(contentsOf(await own.open(), orgId)).toEqual(contentsOf(two, orgId));
  });

  test('before it told anybody of its change has made it: the next look of every node finds it', async () => {
    const [one, two] = (await openAll(2)) as [Node, Node];
    const { orgId } = await newOrganization(one);
    const userId = newId('usr');
    await touchHead(orgId, 2);
    await insertChange(orgId, 2, assigned(userId, 'role_admin'));
    await pollAll([one, two]);
    for (const { store } of [one, two]) expect(store.org(orgId)?.membership(userId)?.role).toBe('admin');
    expect(two.told.at(-1)).toMatchObject({ orgId, previous: 1, revision: 2, subjects: [userId] });
  });

  test('has made a change that no head tells of as well: a load and a write find it', async () => {
    const [one] = (await openAll(1)) as [Node];
    const { orgId } = await newOrganization(one);
    await insertChange(orgId, 2, assigned(newId('usr'), 'role_member'));
    expect((await own.open()).store.org(orgId)?.revision).toBe(2);
    expect(await make(one, orgId, assigned(newId('usr'), 'role_member'))).toBe(3);
    expect(one.store.org(orgId)?.sizes().assignments).toBe(3);
  });

  test('before the organization was founded leaves no organization', async () => {
    const orgId = newId('org');
    await touchHead(orgId, 1);
    const node = await own.open();
    expect(node.store.org(orgId)).toBeUndefined();
    expect(await node.store.found(node.teller, orgId, newId('usr'))).toEqual({ revision: 1 });
  });
});

describe('a closed organization', () => {
  test('is erased to entries that say nothing, and cannot begin again on any node', async () => {
    const [one, two] = (await openAll(2)) as [Node, Node];
    const { orgId, ownerId } = await newOrganization(one);
    for (const _ of upTo(4)) await make(one, orgId, assigned(newId('usr'), 'role_member'));
    await two.store.poll();
    await make(one, orgId, { kind: 'closed' });
    await one.store.erase(orgId);
    await one.store.erase(orgId);
    const entries = await ChangeModel.find({ orgId }).lean();
    expect(entries.map(({ change }) => change)).toEqual(upTo(6).map(() => ({ kind: 'closed' })));
    expect(await SnapshotModel.countDocuments({ orgId })).toBe(0);
    // A writer that was held up since before the end.
    expect(await insertChange(orgId, 6, assigned(newId('usr'), 'role_owner'))).toBeNull();
    expect(two.store.org(orgId)?.revision).toBe(5);
    for (const { store, teller } of [one, two, await own.open()]) {
      await expect(store.found(teller, orgId, ownerId)).rejects.toThrow(apiError('CONFLICT'));
      await expect(store.change(teller, orgId, () => ({ change: null, result: 0 }))).rejects.toThrow(
        apiError('NOT_FOUND'),
      );
      expect(store.org(orgId)).toBeUndefined();
    }
  });

  test('is known as closed although its head does not say so', async () => {
    const [one] = (await openAll(1)) as [Node];
    const { orgId } = await newOrganization(one);
    await insertChange(orgId, 2, { kind: 'closed' });
    expect((await own.open()).store.org(orgId)).toBeUndefined();
    expect(await HeadModel.findOne({ _id: orgId }).lean()).toMatchObject({ closed: true, revision: 1 });
  });

  test('that is open is not erased', async () => {
    const [one] = (await openAll(1)) as [Node];
    const { orgId } = await newOrganization(one);
    await one.store.erase(orgId);
    expect((await own.open()).store.org(orgId)?.owners()).toBe(1);
  });
});

describe('a revision', () => {
  test('is reached when the database has it, and waited for until then', async () => {
    const [one, two] = (await openAll(2)) as [Node, Node];
    const { orgId } = await newOrganization(one);
    expect(await two.store.reach(orgId, 1, 10_000)).toBe(true);
    expect(await two.store.reach(orgId, 2, 60)).toBe(false);
    const reaching = two.store.reach(orgId, 2, 5000);
    await make(one, orgId, assigned(newId('usr'), 'role_member'));
    expect(await reaching).toBe(true);
  });

  test('of an organization that is closed is always reached', async () => {
    const [one] = (await openAll(1)) as [Node];
    const { orgId } = await newOrganization(one);
    await make(one, orgId, { kind: 'closed' });
    expect(await one.store.reach(orgId, 1000, 60)).toBe(true);
  });
});

test('memberships of a user are found in all organizations, with what other roles give there', async () => {
  const [node] = (await openAll(1)) as [Node];
  const userId = newId('usr');
  const orgIds: string[] = [];
  for (const role of ['member', 'admin', 'owner']) {
    const { orgId } = await newOrganization(node);
    await make(node, orgId, assigned(userId, `role_${role}`));
    orgIds.push(orgId);
  }
  const auditor = newId('role');
  await make(node, orgIds[0]!, roleStored(auditor, { permissions: ['console.audit.read'] }));
  await make(node, orgIds[0]!, assigned(userId, auditor));
  const expected = [
    { orgId: orgIds[0], role: 'member', extras: ['console.audit.read'] },
    { orgId: orgIds[1], role: 'admin', extras: [] },
    { orgId: orgIds[2], role: 'owner', extras: [] },
  ];
  expect(node.store.membershipsOf(userId, 0)).toEqual(expected);
  expect((await own.open()).store.membershipsOf(userId, 0)).toEqual(expected);
  await make(node, orgIds[1]!, { kind: 'subjectRemoved', subject: userId });
  await make(node, orgIds[2]!, { kind: 'closed' });
  expect(node.store.membershipsOf(userId, 0)).toEqual(expected.slice(0, 1));
});

test('the writer of a change is told of an error of the database, and not that nothing changed', async () => {
  const [node] = (await openAll(1)) as [Node];
  const { orgId } = await newOrganization(node);
  const broken = node.store.change(node.teller, orgId, () => ({
    // No document is that large.
    change: { kind: 'permissionsRegistered', permissions: [{ key: 'x.y', description: 'x'.repeat(17_000_000) }] },
    result: null,
  }));
  await expect(broken).rejects.toThrow();
  expect(await make(node, orgId, assigned(newId('usr'), 'role_member'))).toBe(2);
});
