import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, ServiceSchema } from 'moleculer';
import { apiError } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { maxWait } from '../../../services/access/organizations.ts';
import type { AccessChanged } from '../../../services/access/store/synchroniser.ts';
import { eventually, until } from '../../support/until.ts';
import { type AccessNode, everything, isComplete, noEvents, nothing, onlyPresence, ownCluster } from './own-cluster.ts';

const cluster = await ownCluster();

let nodes: AccessNode[];
let one: AccessNode;
let two: AccessNode;
let three: AccessNode;
const heard: AccessChanged[] = [];
let orgId: string;
let ownerId: string;

/** Hears what a gateway on its node would hear. */
const gateway: ServiceSchema = {
  name: 'listener',
  events: { 'access.changed': (ctx: Context<AccessChanged>) => void heard.push(ctx.params) },
};

beforeAll(async () => {
  one = await cluster.start();
  two = await cluster.start();
  three = await cluster.start(gateway);
  nodes = [one, two, three];
});

beforeEach(async () => {
  await until(() => isComplete(nodes));
  [orgId, ownerId] = [newId('org'), newId('usr')];
  await one.call('access.organizations.found', { body: { orgId, userId: ownerId } });
});

const roleOn = ({ store }: AccessNode, userId: string) => store.org(orgId)?.membership(userId)?.role;
const rolesOf = (userId: string) => nodes.map((node) => roleOn(node, userId));
const add = (node: AccessNode, userId: string, role: 'owner' | 'admin' | 'member' = 'member') =>
  node.call('access.memberships.add', { body: { orgId, userId, role } });
const change = (node: AccessNode, userId: string, role: 'owner' | 'admin' | 'member' | null) =>
  node.call('access.memberships.change', { body: { orgId, userId, role, isByCaller: false } });
const revisions = () => nodes.map(({ store }) => store.org(orgId)?.revision);

describe('a change that was answered', () => {
  test('is in force on every node', async () => {
    const userId = newId('usr');
    for (const [index, role] of (['member', 'admin', 'owner', 'member', 'admin'] as const).entries()) {
      if (index === 0) await add(one, userId, role);
      else await change(nodes[index % 3]!, userId, role);
      expect(rolesOf(userId)).toEqual([role, role, role]);
    }
    await change(two, userId, null);
    expect(rolesOf(userId)).toEqual([undefined, undefined, undefined]);
  });

  test('of a suspension is in force on every node too', async () => {
    const userId = newId('usr');
    await add(one, userId, 'admin');
    const caller = { type: 'application', id: newId('app'), orgId, scopes: ['svc:admin'], keyId: newId('key') };
    const suspend = (node: AccessNode, isSuspended: boolean) =>
      node.broker.call(
        'access.memberships.suspend',
        { body: { orgId, userId, isSuspended } },
        { nodeID: node.broker.nodeID, meta: { caller } },
      );
    const inForce = () => nodes.map(({ store }) => store.membershipsOf(userId, Date.now()).length);
    await suspend(two, true);
    expect([inForce(), rolesOf(userId)]).toEqual([
      [0, 0, 0],
      ['admin', 'admin', 'admin'],
    ]);
    await suspend(three, false);
    expect(inForce()).toEqual([1, 1, 1]);
  });

  test('is in force on every node that can be asked, although its event was lost', async () => {
    two.network = noEvents;
    three.network = noEvents;
    // Once more where it gave up waiting for them, because this process had much to do.
    const userId = await eventually(async () => {
      const another = newId('usr');
      const began = performance.now();
      await add(one, another, 'admin');
      expect(performance.now() - began < maxWait).toBe(true);
      return another;
    });
    expect(rolesOf(userId)).toEqual(['admin', 'admin', 'admin']);
    // The gateway beside that node has to forget what it remembers as well.
    await until(() => heard.some(({ subjects }) => subjects?.includes(userId)));
  });

  test('does not wait for ever for a node that does not answer, which finds it by itself', async () => {
    three.network = onlyPresence;
    const userId = newId('usr');
    await add(one, userId, 'admin');
    expect(rolesOf(userId).slice(0, 2)).toEqual(['admin', 'admin']);
    await until(() => roleOn(three, userId) === 'admin');
    await until(() => heard.some(({ subjects }) => subjects?.includes(userId)));
  });
});

describe('without a network between them', () => {
  test('nodes keep one another current by looking into the database', async () => {
    for (const node of nodes) node.network = nothing;
    const [first, second] = [newId('usr'), newId('usr')];
    await add(one, first, 'admin');
    await add(two, second, 'admin');
    await until(() => nodes.every((node) => roleOn(node, first) && roleOn(node, second)));
    expect(nodes.every(({ store }) => store.isCurrent())).toBe(true);
  });

  test('they keep the last owner, of many that give it up on all of them at once', async () => {
    const owners = Array.from({ length: 12 }, () => newId('usr'));
    for (const userId of owners) await add(one, userId, 'owner');
    for (const node of nodes) node.network = nothing;
    const demotions = [ownerId, ...owners].map((userId, index) => change(nodes[index % 3]!, userId, 'member'));
    const settled = await Promise.allSettled(demotions);
    const refused = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.map(({ reason }) => reason.type)).toEqual(['LAST_OWNER']);
    await until(() => nodes.every(({ store }) => store.org(orgId)?.owners() === 1));
  });
});

describe('events', () => {
  test('that come twice or in another order leave every node with the same graph', async () => {
    const held: (() => void)[] = [];
    two.network = (kind, deliver) => {
      deliver();
      if (kind === 'EVENT') deliver();
    };
    three.network = (kind, deliver) => {
      if (kind === 'EVENT') held.push(deliver);
      else if (!['REQ'].includes(kind)) deliver();
    };
    const users = Array.from({ length: 8 }, () => newId('usr'));
    await Promise.all(users.map((userId, index) => add(nodes[index % 2]!, userId)));
    three.network = everything;
    for (const deliver of held.reverse()) deliver();
    await until(() => revisions().every((revision) => revision === users.length + 1));
    for (const userId of users) expect(rolesOf(userId)).toEqual(['member', 'member', 'member']);
  });
});

describe('a node that starts', () => {
  test('is announced only when it knows all there is', async () => {
    const userId = newId('usr');
    await add(one, userId, 'admin');
    const known: unknown[] = [];
    const early = setInterval(() => {
      const services = one.broker.registry.getServiceList({ onlyAvailable: true }) as {
        name: string;
        nodeID: string;
      }[];
      const fourth = services.find(
        ({ name, nodeID }) => name === 'access' && !nodes.some((n) => n.broker.nodeID === nodeID),
      );
      if (fourth && known.length === 0) {
        known.push(one.broker.call('access.memberships.read', { body: { orgId, userId } }, { nodeID: fourth.nodeID }));
      }
    }, 1);
    const four = await cluster.start();
    await until(() => known.length > 0);
    clearInterval(early);
    expect(await known[0]).toMatchObject({ membership: { role: 'admin' } });
    expect(await four.lacks()).toEqual([]);
  });

  test('again knows what changed while it was away', async () => {
    const userId = newId('usr');
    await add(one, userId, 'admin');
    const former = await cluster.start();
    expect(roleOn(former, userId)).toBe('admin');
    await former.stop();
    await change(one, userId, null);
    const again = await cluster.start();
    expect(again.store.org(orgId)?.membership(userId)).toBeUndefined();
    expect(again.store.org(orgId)?.revision).toBe(3);
  });
});

describe('an organization that is closed', () => {
  test('is gone on every node at once, and its members are named', async () => {
    const userId = newId('usr');
    await add(one, userId);
    const { userIds } = await two.call('access.organizations.close', { body: { orgId } });
    expect(userIds.sort()).toEqual([ownerId, userId].sort());
    expect(nodes.map(({ store }) => store.org(orgId))).toEqual([undefined, undefined, undefined]);
    expect(await one.call('access.memberships.of-user', { body: { userId } })).toEqual({ memberships: [] });
    expect(await three.call('access.organizations.close', { body: { orgId } })).toEqual({ userIds: [] });
    await three.call('access.organizations.erase', { body: { orgId } });
    await expect(add(three, userId)).rejects.toThrow(apiError('NOT_FOUND'));
    await expect(one.call('access.organizations.found', { body: { orgId, userId } })).rejects.toThrow(
      apiError('CONFLICT'),
    );
  });
});
