import { beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { runJob } from '../../support/operator.ts';
import { type SharedPlatform, sharedOperatedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser } from '../../support/user-client.ts';

type Document = { _id: string; orgId: string };

describe('the recount of seats', () => {
  let platform: SharedPlatform;
  beforeAll(async () => {
    platform = await sharedOperatedPlatform();
  });
  /** Two agents, each with a seat that is charged. */
  async function newTeam(): Promise<string> {
    const databaseUrl = await databaseUrlOf(platform);
    const { orgId, apiKey } = await createTenant(databaseUrl, { plan: 'pro' });
    const client = clientOf({ url: platform.url, orgId, apiKey });
    for (let count = 0; count < 2; count += 1) {
      const { userId } = await createUser(databaseUrl, { orgId });
      await client.call('connect.agents.add', { body: { userId } });
    }
    await expectSeats(orgId, 2);
    return orgId;
  }

  const inDatabase = async <T>(work: Parameters<typeof withDatabase<T>>[1]): Promise<T> =>
    await withDatabase(await databaseUrlOf(platform), work);

  async function expectSeats(orgId: string, used: number): Promise<void> {
    const _id = `${orgId}:connect.agentSeats:gauge`;
    await eventually(async () => {
      const counter = await inDatabase((database) =>
        database.collection<Document & { used: number }>('billing_counters').findOne({ _id }),
      );
      expect(counter?.used).toBe(used);
    });
  }

  const setGauge = (orgId: string, used: number) =>
    inDatabase((database) =>
      database
        .collection<Document>('billing_counters')
        .updateOne({ _id: `${orgId}:connect.agentSeats:gauge` }, { $set: { used }, $inc: { revision: 1 } }),
    );

  const recount = () => runJob(platform.url, 'connect.seats');

  test('corrects a gauge, and leaves one that is right', async () => {
    const [wrong, right] = [await newTeam(), await newTeam()];
    await setGauge(wrong, 5);
    await recount();
    await expectSeats(wrong, 2);
    await expectSeats(right, 2);
  });

  test('completes a removal before it counts', async () => {
    const orgId = await newTeam();
    await inDatabase(async (database) => {
      const agents = database.collection<Document>('connect_agents');
      const agent = await agents.findOne({ orgId });
      await agents.updateOne({ _id: agent!._id }, { $set: { state: 'leaving' } });
    });
    await setGauge(orgId, 4);
    await recount();
    await expectSeats(orgId, 1);
  });
});
