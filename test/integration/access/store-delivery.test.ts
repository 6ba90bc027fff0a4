import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../../lib/data/ids.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import type { AccessChanged } from '../../../services/access/store/synchroniser.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';
import { assigned, contentsOf, make, type Node, newOrganization, ownStores, roleStored, upTo } from './own-stores.ts';

const own = ownStores();

const users = upTo(4).map(() => newId('usr'));
const roles = upTo(3).map(() => newId('role'));
const assignments = upTo(6).map(() => newId('asg'));

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...users), fc.constantFrom(...roles), fc.constantFrom(...assignments), fc.option(fc.nat()))
      .map(([user, role, id, expiresAt]) => assigned(user, role, { id, expiresAt })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...roles), fc.subarray(['mail.send', 'mail.read', 'shop.open']))
      .map(([id, permissions]) => roleStored(id, { permissions })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...assignments)
      .map((assignmentId) => ({ kind: 'assignmentRemoved' as const, assignmentId })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...users).map((subject) => ({ kind: 'subjectRemoved' as const, subject })) },
  { weight: 1, arbitrary: fc.constantFrom(...roles).map((roleId) => ({ kind: 'roleRemoved' as const, roleId })) },
);

/** Who makes a change, and how its event reaches each node: not, once, twice, or after those that follow. */
const step = fc.record({
  change,
  writer: fc.nat({ max: 2 }),
  deliveries: fc.array(fc.constantFrom('lost', 'once', 'twice', 'late'), { minLength: 3, maxLength: 3 }),
});

test('events that are lost, doubled or late leave every node with the same graph, and one that starts too', async () => {
  const nodes = [await own.open(), await own.open(), await own.open()];
  const law = async (steps: (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
    const { orgId } = await newOrganization(nodes[0]!);
    await make(nodes[0]!, orgId, {
      kind: 'permissionsRegistered',
      permissions: [{ key: 'shop.open', description: '' }],
    });
    for (const id of roles) await make(nodes[0]!, orgId, roleStored(id));
    const late: (() => void)[] = [];
    for (const { change: made, writer, deliveries } of steps) {
      own.deliver = (event: AccessChanged, to: Node) => {
        const how = deliveries[nodes.indexOf(to)];
        if (how === 'late') late.push(() => to.store.receive(event));
        if (how === 'once' || how === 'twice') to.store.receive(event);
        if (how === 'twice') to.store.receive(event);
      };
      await make(nodes[writer]!, orgId, made);
    }
    for (const deliver of late.reverse()) deliver();
    for (const { store } of nodes) await store.poll();
    const fresh = await own.open();
    const contents = contentsOf(fresh, orgId);
    await fresh.store.stop();
    expect(contents?.revision).toBe(steps.length + 5);
    for (const node of nodes) expect(contentsOf(node, orgId)).toEqual(contents);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), law), {
    numRuns: propertyCases(5, 250),
    endOnFailure: true,
  });
});

test('an event is applied at once when it is the next, and never twice', async () => {
  const [one, two] = [await own.open(), await own.open({ blind: true })];
  const events: AccessChanged[] = [];
  own.deliver = (event) => void events.push(event);
  const { orgId } = await newOrganization(one);
  const userId = newId('usr');
  await make(one, orgId, assigned(userId, 'role_admin'));
  const [founded, added] = events as [AccessChanged, AccessChanged];
  two.store.receive(founded);
  two.store.receive(founded);
  expect(two.store.org(orgId)?.revision).toBe(1);
  two.store.receive(added);
  expect(two.store.org(orgId)?.membership(userId)?.role).toBe('admin');
  expect(added).toMatchObject({ orgId, previous: 1, revision: 2, subjects: [userId] });
  expect(two.told).toEqual([]);
});

test('an event after a gap makes a node read what it missed, and tell its own listeners', async () => {
  const [one, two] = [await own.open(), await own.open({ blind: true })];
  const { orgId } = await newOrganization(one);
  await two.store.poll();
  const missed = newId('usr');
  await make(one, orgId, assigned(missed, 'role_admin'));
  own.deliver = (event, to) => to.store.receive(event);
  await make(one, orgId, assigned(newId('usr'), 'role_member'));
  await until(() => two.store.org(orgId)?.revision === 3);
  expect(two.told.map(({ revision, subjects }) => [revision, subjects?.[0]])).toContainEqual([2, missed]);
});

test('without any event a node finds a change by itself', async () => {
  const [one, two] = [await own.open(), await own.open()];
  const { orgId } = await newOrganization(one);
  await until(() => two.store.org(orgId) !== undefined);
  await make(one, orgId, assigned(newId('usr'), 'role_member'));
  await until(() => two.store.org(orgId)?.revision === 2);
});
