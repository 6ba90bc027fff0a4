import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApplicationCaller } from '../../../lib/contract/context.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import type { AccessChanged } from '../../../services/access/store/synchroniser.ts';
import { until } from '../../support/until.ts';
import { type AccessNode, isComplete, ownCluster } from './own-cluster.ts';

const cluster = await ownCluster();
const { insertChange, readChanges, touchHead } = await import('../../../services/access/store/log.ts');

describe('a change of a kind that no node of a cluster knows', () => {
  const change = { kind: 'roleSuspended', roleId: 'role_owner' } as unknown as Change;
  let nodes: AccessNode[];
  let orgId: string;
  let ownerId: string;

  beforeAll(async () => {
    nodes = [await cluster.start(), await cluster.start(), await cluster.start()];
    await until(() => isComplete(nodes));
  });
  beforeEach(async () => {
    [orgId, ownerId] = [newId('org'), newId('usr')];
    await nodes[0]!.call('access.organizations.found', { body: { orgId, userId: ownerId } });
  });

  async function check({ broker }: AccessNode): Promise<boolean | string> {
    const caller: ApplicationCaller = { type: 'application', id: newId('app'), orgId, scopes: ['svc:read'] };
    const body = { userId: ownerId, permission: 'mail.send' };
    const answer = broker.call<{ allowed: boolean }, object>(
      'access.check',
      { body },
      { nodeID: broker.nodeID, meta: { caller } },
    );
    return await answer.then(
      ({ allowed }) => allowed,
      ({ type }) => type,
    );
  }
  const refused = { type: 'UNAVAILABLE', code: 503 };

  test.each(['found in the database', 'told by an event'])('is refused by all nodes when it is %s', async (way) => {
    expect(await Promise.all(nodes.map(check))).toEqual([true, true, true]);
    await touchHead(orgId, 2);
    await insertChange(orgId, 2, change);
    const event: AccessChanged = { orgId, previous: 1, revision: 2, at: 0, change, subjects: null };
    if (way === 'told by an event') await nodes[0]!.broker.broadcast('access.changed', event);
    await until(() => nodes.every(({ store }) => !store.isReadable(orgId)));
    expect(await Promise.all(nodes.map(check))).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
    for (const node of nodes) {
      const body = { orgId, userId: newId('usr'), role: 'member' } as const;
      await expect(node.call('access.memberships.add', { body })).rejects.toMatchObject(refused);
      await expect(node.call('access.memberships.of-user', { body: { userId: ownerId } })).rejects.toMatchObject(
        refused,
      );
      await expect(node.call('access.organizations.close', { body: { orgId } })).rejects.toMatchObject(refused);
      const { lines } = await node.call('access.console.graph', { body: { orgId } });
      expect(lines[0]).toContain('cannot read');
    }
    expect((await readChanges(orgId, 0)).map(({ revision }) => revision)).toEqual([1, 2]);
    const started = await cluster.start();
    expect(await check(started)).toBe('UNAVAILABLE');
    await started.stop();
  });
});
