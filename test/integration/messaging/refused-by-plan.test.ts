import { beforeAll, describe, expect, test } from '@jest/globals';
import { now } from '../../../lib/data/clock.ts';
import type { CounterDocument } from '../../../models/billing/counter.ts';
import type { SoldVersionDocument } from '../../../models/billing/sold-version.ts';
import { currentPlan, entitlementsOf } from '../../../services/billing/plans/plans.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';
import type { Client } from '../../support/client.ts';
import { connect, newTemplate } from '../../support/notifications.ts';
import { storeSubscription } from '../../support/plans.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
});

/** A way to send, with the month's limit of the plan `free`. `prepare` makes what it needs and returns the request's body. */
type Way = {
  service: 'mail' | 'notification';
  path: string;
  status: number;
  collection: string;
  limit: number;
  prepare: (client: Client) => Promise<object>;
};

const ways: Way[] = [
  {
    service: 'mail',
    path: '/v1/mail/send',
    status: 202,
    collection: 'mail_messages',
    limit: 500,
    async prepare({ call }) {
      const { id } = await call('mail.templates.create', {
        body: { name: 'Order', subject: 'Order', text: 'Shipped.' },
      });
      return { to: 'grace@example.com', templateId: id };
    },
  },
  {
    service: 'notification',
    path: '/v1/notifications/send',
    status: 200,
    collection: 'notification_messages',
    limit: 100,
    async prepare(client) {
      await connect(client);
      return {
        channel: 'chatapp',
        recipientId: 'ada',
        templateId: await newTemplate(client),
        variables: { name: 'Ada' },
      };
    },
  },
];

describe.each(ways)('POST $path', ({ service, path, status: success, collection, limit, prepare }) => {
  const meter = `${service}.sendsPerMonth` as const;

  const stored = ({ orgId }: Client) =>
    withDatabase(databaseUrl, (database) => database.collection(collection).countDocuments({ orgId }));
  const counterOf = ({ orgId }: Client) =>
    withDatabase(databaseUrl, (database) =>
      database.collection<CounterDocument>('billing_counters').findOne({ orgId, meter }),
    );
  const refusal = ({ orgId }: Client, error: string) => ({
    error,
    message: expect.any(String),
    requestId: expect.any(String),
    upgradeUrl: expect.stringMatching(new RegExp(`^http://[^/]+/console/billing\\?orgId=${orgId}$`)),
  });

  test('is refused with 402 beyond the month’s quota, and changes nothing', async () => {
    const own = await newTenantClient();
    const body = await prepare(own);
    expect((await own.send('POST', path, body)).status).toBe(success);
    // Nothing is held any more, so that the counter can be set.
    await until(async () => (await counterOf(own))?.held === 0);
    await withDatabase(databaseUrl, (database) =>
      database
        .collection<CounterDocument>('billing_counters')
        .updateOne({ orgId: own.orgId, meter }, { $set: { used: limit }, $inc: { revision: 1 } }),
    );
    const refused = await own.send('POST', path, body);
    const use = `${limit} of ${limit} ${service === 'mail' ? 'mails' : 'notifications'} used this month`;
    expect([refused.status, refused.body]).toEqual([
      402,
      {
        ...refusal(own, 'PLAN_LIMIT_EXCEEDED'),
        message: expect.stringMatching(new RegExp(`^${use}\\. Resets on 1 [A-Z][a-z]+ at 00:00 UTC, or upgrade: http`)),
        quota: { meter, limit, used: limit, resetsAt: expect.stringMatching(/-01T00:00:00\.000Z$/) },
      },
    ]);
    expect(await stored(own)).toBe(1);
    expect(await counterOf(own)).toMatchObject({ used: limit, held: 0 });
  });

  test('is refused with 403 where the plan does not include the service, and changes nothing', async () => {
    const own = await newTenantClient();
    const version = service === 'mail' ? 1_000_001 : 1_000_002;
    const _id = `free@${version}`;
    const entitlements = { ...entitlementsOf(currentPlan('free')), [service]: { enabled: false as const } };
    const { prices } = currentPlan('free');
    // As a newer node would have sold it: one that this platform's plans do not have.
    await withDatabase(databaseUrl, (database) =>
      database
        .collection<SoldVersionDocument>('billing_sold_versions')
        .insertOne({ _id, entitlements, prices, soldAt: now() }),
    );
    await storeSubscription(databaseUrl, own.orgId, { ...complimentarySubscription('free', now()), version });
    const body = await prepare(own);
    const refused = await own.send('POST', path, body);
    expect([refused.status, refused.body]).toEqual([403, refusal(own, 'SERVICE_NOT_INCLUDED')]);
    expect(await stored(own)).toBe(0);
    expect((await counterOf(own))?.used ?? 0).toBe(0);
    await withDatabase(databaseUrl, (database) =>
      database.collection<SoldVersionDocument>('billing_sold_versions').deleteOne({ _id }),
    );
  });
});
