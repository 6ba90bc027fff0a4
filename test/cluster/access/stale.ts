import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApplicationCaller } from '../../../lib/contract/context.ts';
import { newId } from '../../../lib/data/ids.ts';
import { until } from '../../support/until.ts';
import { type AccessNode, ownCluster } from './own-cluster.ts';

/** What a check is answered with: whether it is allowed, or the code of the refusal. */
export type Answer = boolean | string;

/** The tests of a node whose database is away, with one value of ACCESS_WHEN_STALE, or none, and what a check answers then. */
export async function describeStaleNode(policy: string | undefined, expected: Answer): Promise<void> {
  const cluster = await ownCluster(policy === undefined ? {} : { ACCESS_WHEN_STALE: policy });

  describe(`a node that cannot see the database, with ACCESS_WHEN_STALE=${policy ?? ''},`, () => {
    let node: AccessNode;
    let orgId: string;
    let ownerId: string;

    beforeAll(async () => {
      node = await cluster.start();
    });
    beforeEach(async () => {
      [orgId, ownerId] = [newId('org'), newId('usr')];
      await node.call('access.organizations.found', { body: { orgId, userId: ownerId } });
    });

    async function check(): Promise<Answer> {
      const caller: ApplicationCaller = { type: 'application', id: newId('app'), orgId, scopes: ['svc:read'] };
      const body = { userId: ownerId, permission: 'mail.send' };
      const options = { nodeID: node.broker.nodeID, meta: { caller } };
      return await node.broker.call<{ allowed: boolean }, object>('access.check', { body }, options).then(
        ({ allowed }) => allowed,
        (error) => error.type,
      );
    }
    const add = () => node.call('access.memberships.add', { body: { orgId, userId: newId('usr'), role: 'member' } });

    test.each(['cut', 'freeze'] as const)(
      'goes on for some seconds (%s), then is not ready and follows the policy until the database is back',
      async (how) => {
        expect([await check(), await node.lacks()]).toEqual([true, []]);
        await cluster.database[how]();
        const given = new Set<Answer>();
        await until(async () => {
          const answer = await check();
          if (node.store.isCurrent()) given.add(answer);
          return !node.store.isCurrent();
        });
        expect([...given]).toEqual([true]);
        expect(await check()).toBe(expected);
        expect([['database'], ['access']]).toContainEqual(await node.lacks());
        await expect(add()).rejects.toMatchObject({ type: 'UNAVAILABLE', code: 503 });
        await cluster.database.mend();
        await until(async () => (await node.lacks()).length === 0);
        expect(await check()).toBe(true);
        expect(await add()).toMatchObject({ isAdded: true });
      },
    );
  });
}
