import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { day, fromNow, now } from '../../../lib/data/clock.ts';
import type { SoldVersionDocument } from '../../../models/billing/sold-version.ts';
import type { EventDocument } from '../../../models/context/event.ts';
import { currentPlan, entitlementsOf } from '../../../services/billing/plans/plans.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import type { ErrorBody } from '../../support/http.ts';
import { storeSubscription } from '../../support/plans.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

type Refused = ErrorBody & { upgradeUrl?: string };

let own: Client;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
});

beforeEach(async () => {
  own = await newTenantClient();
});

const send = () => own.send<Refused>('POST', '/events', eventOf(own.orgId));
const stored = () =>
  withDatabase(databaseUrl, (database) =>
    database.collection<EventDocument>('context_events').countDocuments({ orgId: own.orgId }),
  );
const upgradeUrl = () => expect.stringMatching(new RegExp(`^http://[^/]+/console/billing\\?orgId=${own.orgId}$`));

/** A subscription whose grace is over: nobody paid it. */
const expired = () => ({
  ...complimentarySubscription('pro', now()),
  status: 'expired' as const,
  provider: 'manual',
  gatewaySubscriptionId: `sub_${own.orgId}`,
  collection: 'platform' as const,
  currency: 'eur' as const,
  deadline: fromNow(day),
});

describe('an organization whose subscription has expired', () => {
  test('is refused with 402 and the place to pay, and nothing is stored', async () => {
    await storeSubscription(databaseUrl, own.orgId, expired(), fromNow(day));
    const { status, body } = await send();
    expect(status).toBe(402);
    expect(body).toEqual({
      error: 'PAYMENT_REQUIRED',
      message: expect.any(String),
      requestId: expect.any(String),
      upgradeUrl: upgradeUrl(),
    });
    const { results } = await own.call('context.events.create-batch', { body: { events: [eventOf(own.orgId)] } });
    expect(results).toMatchObject([{ status: 'rejected', error: 'PAYMENT_REQUIRED', upgradeUrl: upgradeUrl() }]);
    expect(await stored()).toBe(0);
  });

  test('still reads what it has, and can pay or cancel', async () => {
    await storeSubscription(databaseUrl, own.orgId, expired(), fromNow(day));
    const path = { orgId: own.orgId };
    expect(await own.call('billing.entitlements.read', { path })).toMatchObject({ plan: 'pro', status: 'expired' });
    expect((await own.attempt('billing.usage.read', { path })).status).toBe(200);
    const checkout = { plan: 'pro', billingCycle: 'monthly', successUrl: '/account', cancelUrl: '/account' };
    expect((await own.send('POST', `/v1/orgs/${own.orgId}/checkout`, checkout)).status).toBe(201);
    expect(await own.call('billing.subscription.cancel', { path, body: {} })).toMatchObject({ plan: 'free' });
    expect((await send()).status).toBe(201);
  });
});

describe('an organization whose plan does not include a service', () => {
  test('is refused with 403 and the place to upgrade, and nothing is stored', async () => {
    const version = 1_000_000;
    const entitlements = { ...entitlementsOf(currentPlan('free')), context: { enabled: false as const } };
    // As a newer node would have sold it: one that this platform's plans do not have.
    await withDatabase(databaseUrl, (database) =>
      database
        .collection<SoldVersionDocument>('billing_sold_versions')
        .insertOne({ _id: `free@${version}`, entitlements, prices: currentPlan('free').prices, soldAt: now() }),
    );
    await storeSubscription(databaseUrl, own.orgId, { ...complimentarySubscription('free', now()), version });
    const { status, body } = await send();
    expect(status).toBe(403);
    expect(body).toEqual({
      error: 'SERVICE_NOT_INCLUDED',
      message: expect.any(String),
      requestId: expect.any(String),
      upgradeUrl: upgradeUrl(),
    });
    expect(await stored()).toBe(0);
    await withDatabase(databaseUrl, (database) =>
      database.collection<SoldVersionDocument>('billing_sold_versions').deleteOne({ _id: `free@${version}` }),
    );
  });
});
