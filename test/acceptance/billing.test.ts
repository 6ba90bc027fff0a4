import { expect } from '@jest/globals';
import { newId } from '../../lib/data/ids.ts';
import type { Client } from '../support/client.ts';
import { eventOf } from '../support/events.ts';
import { send } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { covers, coversWithinOneDay } from './covers.ts';
import { buy, checkOut, readSubscription, withCustomer, withScopes } from './customers.ts';

const limited = [
  'permissions',
  'roles',
  'assignments',
  'members',
  'applications',
  'apiKeys',
  'oauthClients',
  'buckets',
  'objects',
  'bucketNames',
  'imageVariantMegabytes',
  'mailTemplates',
  'suppressions',
  'notificationTemplates',
  'channels',
  'sites',
  'blocks',
  'auditDays',
];
const limits = Object.fromEntries(limited.map((name) => [name, expect.any(Number)]));
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const timestamps = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \/ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The shape of what a plan includes: numbers are limits, and a group that is not included has none. */
const group = (limits: object) => expect.objectContaining({ enabled: true, ...limits });
const everything = {
  context: group({ eventsPerDay: expect.any(Number), contextRetentionDays: expect.any(Number) }),
  intelligence: group({ recommendationsPerDay: expect.any(Number) }),
  connect: group({ channels: expect.arrayContaining(['web']), agentSeats: expect.any(Number) }),
  notification: group({ sendsPerMonth: expect.any(Number) }),
  mail: group({ sendsPerMonth: expect.any(Number) }),
  storage: group({ storageGb: expect.any(Number), bandwidthGbPerMonth: expect.any(Number) }),
  content: { enabled: true },
  pulse: { enabled: true },
};

covers('plans.list', async ({ own: { url } }) => {
  const { status, body } = await send<{
    data: { plan: string; prices: object[]; entitlements: object; limits: object }[];
  }>(url, {
    path: '/v1/plans',
  });
  expect(status).toBe(200);
  expect(body.data.map(({ plan }) => plan)).toEqual(['free', 'pro', 'scale']);
  for (const plan of body.data) {
    expect(plan).toMatchObject({
      version: expect.any(Number),
      name: expect.any(String),
      description: expect.any(String),
      taxBehavior: 'inclusive',
    });
    const cycles = ['monthly', 'yearly'].flatMap((billingCycle) => [
      { billingCycle, currency: 'eur', amount: expect.any(Number) },
      { billingCycle, currency: 'usd', amount: expect.any(Number) },
    ]);
    expect(plan.prices).toEqual(cycles);
    expect(Object.keys(plan.entitlements)).toEqual(Object.keys(everything));
    expect(plan.limits).toEqual(limits);
  }
  expect(body.data[2]!.entitlements).toEqual(everything);
  const page = await send<{ data: { plan: string }[] }>(url, { path: '/v1/plans?limit=1' });
  expect(page.body.data.map(({ plan }) => plan)).toEqual(['free']);
});

covers('entitlements.read', async ({ own }) => {
  const path = { orgId: own.orgId };
  const { status, body } = await own.attempt('billing.entitlements.read', { path });
  expect(status).toBe(200);
  expect(body).toEqual({
    orgId: own.orgId,
    plan: 'scale',
    status: 'active',
    currentPeriodEnd: expect.stringMatching(timestamp),
    entitlements: everything,
  });
});

covers('entitlements.disabled', (platform) =>
  withCustomer(platform, async (customer) => {
    const { plan, entitlements } = await customer.call('billing.entitlements.read', {
      path: { orgId: customer.orgId },
    });
    expect(plan).toBe('free');
    expect(entitlements).toMatchObject({ intelligence: { enabled: false }, pulse: { enabled: false } });
    for (const one of Object.values(entitlements).filter(({ enabled }) => !enabled)) {
      expect(one).toEqual({ enabled: false });
    }
  }),
);

covers('subscription.read', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    const { status, body } = await customer.attempt('billing.subscription.read', { path: { orgId: customer.orgId } });
    expect(status).toBe(200);
    expect(body).toEqual({
      orgId: customer.orgId,
      plan: 'pro',
      status: 'active',
      gatewaySubscriptionId: expect.any(String),
      currentPeriodStart: expect.stringMatching(timestamp),
      currentPeriodEnd: expect.stringMatching(timestamp),
      cancelAtPeriodEnd: false,
      billingCycle: 'monthly',
    });
    const days = (Date.parse(body.currentPeriodEnd) - Date.parse(body.currentPeriodStart)) / 86_400_000;
    expect([28, 29, 30, 31]).toContain(days);
  }),
);

covers('subscription.free', (platform) =>
  withCustomer(platform, async (customer) => {
    const subscription = await readSubscription(customer);
    expect(subscription).toMatchObject({ plan: 'free', status: 'active', gatewaySubscriptionId: null });
    expect(subscription.currentPeriodStart).toMatch(/-01T00:00:00\.000Z$/);
    expect(subscription.currentPeriodEnd).toMatch(/-01T00:00:00\.000Z$/);
    for (const wish of ['cancel', 'resume']) {
      const refused = await customer.send('POST', `/v1/orgs/${customer.orgId}/${wish}`, undefined);
      expect(refused).toMatchObject({ status: 409, body: { error: 'PLAN_IS_FREE' } });
    }
    expect(await readSubscription(customer)).toEqual(subscription);
  }),
);

const readUsage = (client: Client) => client.call('billing.usage.read', { path: { orgId: client.orgId } });

covers('usage.read', async ({ own }) => {
  const { status, body } = await own.attempt('billing.usage.read', { path: { orgId: own.orgId } });
  expect(status).toBe(200);
  const number = expect.any(Number);
  expect(body).toEqual({
    orgId: own.orgId,
    period: expect.stringMatching(timestamps),
    usage: {
      context: { eventsToday: number, limitPerDay: number },
      notification: { sentThisMonth: number, limitPerMonth: number },
      mail: { sentThisMonth: number, limitPerMonth: number },
      storage: { usedGb: number, limitGb: number },
    },
  });
});

coversWithinOneDay('usage.counted', (platform) =>
  withCustomer(platform, async (customer) => {
    const event = eventOf(customer.orgId);
    const create = (body: object) => customer.attempt('context.events.create', { body });
    expect((await create(event)).status).toBe(201);
    expect((await create(eventOf(customer.orgId))).status).toBe(201);
    expect((await create(event)).status).toBe(409);
    expect((await create({ ...eventOf(customer.orgId), eventName: 'x' })).status).toBe(400);
    await eventually(async () => {
      const { usage } = await readUsage(customer);
      expect(usage.context).toEqual({ eventsToday: 2, limitPerDay: 1000 });
    });
  }),
);

covers('usage-history.list', (platform) =>
  withCustomer(platform, async (customer) => {
    const list = (query = '') => customer.send('GET', `/v1/orgs/${customer.orgId}/usage/history${query}`);
    expect(await list('?meter=context.eventsPerDay&limit=1')).toMatchObject({
      status: 200,
      body: { data: [], nextCursor: null },
    });
    const wrong: [query: string, path: string][] = [
      ['?meter=context', 'query.meter'],
      ['?limit=101', 'query.limit'],
    ];
    for (const [query, path] of wrong) {
      const { status, body } = await list(query);
      expect({ query, status, error: body.error }).toEqual({ query, status: 400, error: 'INPUT_INVALID' });
      expect(body.details!.map((detail) => detail.path)).toEqual([path]);
    }
    expect((await list('?cursor=x')).body.error).toBe('CURSOR_INVALID');
  }),
);

const reads = (orgId: string) =>
  ['entitlements', 'subscription', 'usage', 'usage/history', 'invoices'].map((name) => `/v1/orgs/${orgId}/${name}`);
const writes = (orgId: string): [path: string, body?: object][] => [
  [`/v1/orgs/${orgId}/cancel`, { reason: 'No need' }],
  [`/v1/orgs/${orgId}/resume`],
];

covers('billing.permission', (platform) =>
  withCustomer(platform, async (customer) => {
    const { orgId } = customer;
    const [reader, other] = [
      await withScopes(customer, ['billing.read']),
      await withScopes(customer, ['context.events.write', 'billing.write']),
    ];
    for (const path of reads(orgId)) {
      expect((await reader.send('GET', path)).status).toBe(200);
      expect(await other.send('GET', path)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
      expect((await reader.send('GET', path, undefined, { authorization: null })).status).toBe(401);
    }
    for (const [path, body] of writes(orgId)) {
      expect(await reader.send('POST', path, body)).toMatchObject({
        status: 403,
        body: { error: 'PERMISSION_DENIED' },
      });
      expect((await other.send('POST', path, body)).body.error).toBe('PLAN_IS_FREE');
    }
    expect(await checkOut(reader)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    expect((await platform.owner.send('GET', `/v1/orgs/${orgId}/invoices`)).status).toBe(200);
    expect((await checkOut({ ...platform.owner, orgId })).status).toBe(201);
  }),
);

covers('billing.foreign', async ({ own, other, otherOwner }) => {
  for (const client of [other, otherOwner]) {
    for (const orgId of [own.orgId, newId('org'), 'nobody']) {
      for (const path of reads(orgId)) {
        expect(await client.send('GET', path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
      }
      for (const [path, body] of writes(orgId)) {
        expect(await client.send('POST', path, body)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
      }
      expect(await checkOut({ ...client, orgId })).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    }
  }
});

covers('billing.tenant', async ({ own, other }) => {
  for (const path of reads(own.orgId)) {
    expect((await own.send('GET', path, undefined, { 'x-tenant-id': null })).status).toBe(200);
    expect((await own.send('GET', path, undefined, { 'x-tenant-id': other.orgId })).status).toBe(403);
  }
});
