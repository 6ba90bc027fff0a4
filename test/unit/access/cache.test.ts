import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { fromNow, minute, now, setClock } from '../../../lib/data/clock.ts';
import type { Change } from '../../../services/access/graph/changes.ts';

process.env.ACCESS_CACHE = 'memory';
const { cacheKeyOf, decideAtRevision, decideByCache } = await import('../../../services/access/checks-cached.ts');
const { OrgGraph } = await import('../../../services/access/graph/org-graph.ts');
const { createCacher } = await import('../../../mixins/cacher.ts');
const { settings } = await import('../../../lib/settings/settings.ts');
type Graph = InstanceType<typeof OrgGraph>;

const orgId = 'org_1';
const question = { orgId, subject: 'usr_1', permission: 'shop.orders.read' };
const role = { id: 'role_1', name: 'Reader', description: '', permissions: ['shop.orders.read'], includes: [] };

let graph: Graph;
/** How often the graph was asked. */
let asked = 0;
const state = { isCurrent: true };
const apply = (change: Change): void => graph.apply({ revision: graph.revision + 1, at: now().getTime(), change });
const assign = (expiresAt: number | null): void =>
  apply({ kind: 'assignmentStored', assignment: { id: 'asg_1', subject: 'usr_1', roleId: role.id, expiresAt } });

const broker = new ServiceBroker({ logger: false, cacher: createCacher(settings) });
const store = {
  org: (id: string) => (id === orgId ? graph : undefined),
  isCurrent: () => state.isCurrent,
  isReadable: () => true,
};
const service = broker.createService({
  name: 'access',
  actions: {
    decide: decideAtRevision,
    ask: (ctx) => decideByCache(ctx, store as never, ctx.params as typeof question),
  },
} as ServiceSchema);
Object.assign(service, { store });
await broker.start();
afterAll(() => broker.stop());

const ask = (other: Partial<typeof question> = {}): Promise<boolean> =>
  broker.call('access.ask', { ...question, ...other });

beforeEach(async () => {
  await broker.cacher?.clean();
  state.isCurrent = true;
  graph = new OrgGraph(orgId);
  const check = graph.check.bind(graph);
  graph.check = (...parts) => {
    asked += 1;
    return check(...parts);
  };
  const owner = { id: 'asg_0', subject: 'usr_0', roleId: 'role_owner', expiresAt: null };
  apply({ kind: 'founded', owner });
  apply({ kind: 'permissionsRegistered', permissions: [{ key: 'shop.orders.read', description: '' }] });
  apply({ kind: 'roleStored', role });
  assign(null);
  asked = 0;
});

describe('a check behind the cache', () => {
  test('asks the graph once for a question at a revision', async () => {
    expect(await ask()).toBe(true);
    expect(await ask()).toBe(true);
    expect(await ask({ subject: 'usr_2' })).toBe(false);
    expect(await ask({ subject: 'usr_2' })).toBe(false);
    expect(asked).toBe(2);
  });

  test('sees a change at once', async () => {
    expect(await ask()).toBe(true);
    apply({ kind: 'assignmentRemoved', assignmentId: 'asg_1' });
    expect(await ask()).toBe(false);
    assign(null);
    expect(await ask()).toBe(true);
    expect(asked).toBe(3);
  });

  test('keeps nothing of whose rights end by time', async () => {
    assign(fromNow(minute).getTime());
    expect(await ask()).toBe(true);
    expect(await ask()).toBe(true);
    expect(asked).toBe(2);
    const at = fromNow(2 * minute);
    const putBack = setClock(() => at);
    expect(await ask()).toBe(false);
    putBack();
  });

  test('is not asked by a node that does not know the newest state, and keeps nothing of what such a one says', async () => {
    state.isCurrent = false;
    await expect(ask()).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    state.isCurrent = true;
    expect(await ask()).toBe(true);
    state.isCurrent = false;
    await expect(ask()).rejects.toMatchObject({ type: 'UNAVAILABLE' });
  });

  test('answers by the graph when the organization moves on meanwhile', async () => {
    const asking = ask();
    apply({ kind: 'assignmentRemoved', assignmentId: 'asg_1' });
    expect(await asking).toBe(false);
  });

  test.each([[null], ['yes'], [{ allowed: 'yes' }], [[]], [1]])(
    'answers by the graph when the cache holds %j',
    async (content) => {
      await ask();
      const body = { orgId, revision: graph.revision, subject: 'usr_1', permission: 'shop.orders.read' };
      await broker.cacher?.set(cacheKeyOf({ body }), content);
      expect(await ask()).toBe(true);
    },
  );

  test('knows nothing of an organization that is unknown', async () => {
    expect(await ask({ orgId: 'org_2' })).toBe(false);
  });
});

test('two questions have the same key only when they are the same', () => {
  const odd = fc.oneof(fc.constantFrom('', '"', '|', '","', '"|"', 'usr_1', '\\', '\\"'), fc.string());
  const body = fc.record({ orgId: odd, revision: fc.nat(3), subject: odd, permission: odd });
  fc.assert(
    fc.property(body, body, (one, other) => {
      const isSame = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
      expect(cacheKeyOf({ body: one }) === cacheKeyOf({ body: other })).toBe(isSame);
    }),
    { numRuns: 2000 },
  );
});
