import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Context, ServiceBroker } from 'moleculer';
import mongoose from 'mongoose';
import type { Caller } from '../../../lib/contract/context.ts';
import { day, hour, minute, now, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { SoldVersionModel, type Terms } from '../../../models/billing/sold-version.ts';
import { type Effect, type SubscriptionDocument, SubscriptionModel } from '../../../models/billing/subscription.ts';
import billing from '../../../services/billing/billing.service.ts';
import { currentPlan } from '../../../services/billing/plans/plans.ts';
import { startQuota } from '../../../services/billing/quota/quota.ts';
import { handleEffects } from '../../../services/billing/subscriptions/effects.ts';
import {
  entitlementsNow,
  invalidateEntitlements,
  subscriptionEvents,
} from '../../../services/billing/subscriptions/entitlements.ts';
import {
  changeSubscription,
  findHolder,
  readSubscription,
} from '../../../services/billing/subscriptions/subscriptions.ts';
import { sweepSubscriptions } from '../../../services/billing/subscriptions/sweep.ts';
import type { CheckoutCompleted } from '../../../services/billing/subscriptions/transition.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { until } from '../../support/until.ts';

/** The service's actions over a database of their own and a clock that the tests turn. */
const start = Date.parse('2030-01-31T12:00:00.000Z');
const broker = new ServiceBroker({ logger: false, validator: false });
let database: OwnDatabase;
let instant = start;
let restoreClock = (): void => undefined;

const firstOrgId = newId('org');
const missingOrgId = newId('org');
const acts: { action: string; orgId: string }[] = [];
const announced: { orgId: string; revision: number }[] = [];
let reads = 0;

/** What was carried out, and which kinds fail at present. */
const done: { orgId: string; id: string; kind: Effect['kind'] }[] = [];
const failing = new Set<Effect['kind']>();
const note = (_ctx: Context, orgId: string, { id, kind }: { id: string; kind: Effect['kind'] }) => {
  if (failing.has(kind)) return Promise.reject(new Error('Not today.'));
  done.push({ orgId, id, kind });
  return Promise.resolve();
};

beforeAll(async () => {
  // As the platform has it.
  database = await connectOwnDatabase(SubscriptionModel);
  mongoose.connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find' && command.find === 'billing_subscriptions') reads += 1;
  });
  broker.createService({
    name: 'identity',
    actions: {
      'organizations.describe': (ctx: Context<{ body: { orgId: string } }>) => {
        const { orgId } = ctx.params.body;
        if (orgId === missingOrgId) return { organization: null };
        return { organization: { name: 'Shop', slug: 'shop', isFirst: orgId === firstOrgId } };
      },
      'audit.append': (ctx: Context<{ body: { action: string; orgId: string } }>) => void acts.push(ctx.params.body),
    },
  });
  broker.createService({
    name: 'billing',
    actions: {
      ...actionsOf(billing, 'entitlements.', 'subscription', 'usage.read'),
      ...actionsOf(billing, 'organizations.'),
    },
    events: { ...subscriptionEvents },
  });
  broker.createService({
    name: 'listener',
    events: {
      'billing.subscription.changed': (ctx: Context<{ orgId: string; revision: number }>) =>
        void announced.push(ctx.params),
    },
  });
  await broker.start();
  startQuota(broker);
  restoreClock = setClock(() => new Date(instant));
});

afterAll(async () => {
  restoreClock();
  await broker.stop();
  await database.close();
});

beforeEach(async () => {
  instant = start;
  failing.clear();
  done.length = 0;
  acts.length = 0;
  announced.length = 0;
  handleEffects({
    issueInvoice: note,
    settleInvoice: note,
    giveUpInvoices: note,
    charge: note,
    readProvider: note,
    cancelAtProvider: note,
    resumeAtProvider: note,
    changePlanAtProvider: note,
    endAtProvider: note,
    mail: note,
  });
  await SubscriptionModel.deleteMany({}, { acrossTenants: true });
});

const contextOf = (): Context => broker.ContextFactory.create(broker);
const pro: Terms = { plan: 'pro', version: 1, billingCycle: 'monthly' };

const checkout = (terms: Terms, orgId: string): CheckoutCompleted => ({
  kind: 'checkoutCompleted',
  checkoutId: newId('chk'),
  terms,
  provider: 'test',
  gatewaySubscriptionId: `sub_${orgId}`,
  collection: 'platform',
  currency: 'eur',
  amount: 4900,
  period: null,
});

async function buy(orgId: string, terms = pro): Promise<void> {
  await changeSubscription(contextOf(), orgId, () => checkout(terms, orgId));
}

async function newCustomer(): Promise<string> {
  const orgId = newId('org');
  await buy(orgId);
  return orgId;
}

const stored = (orgId: string): Promise<SubscriptionDocument | null> =>
  SubscriptionModel.findOne({ _id: orgId, orgId }).lean<SubscriptionDocument>().exec();

/** Over HTTP the gateway says who calls; here the test does. */
function ask<T = Record<string, unknown>>(
  action: string,
  orgId: string,
  {
    body,
    scopes = ['svc:admin'],
    callerOrgId = orgId,
  }: { body?: object; scopes?: string[]; callerOrgId?: string } = {},
): Promise<T> {
  const caller: Caller = { type: 'application', id: newId('app'), orgId: callerOrgId, scopes };
  return broker.call<T, object>(`billing.${action}`, { path: { orgId }, ...(body && { body }) }, { meta: { caller } });
}

const reading = ['entitlements.read', 'subscription.read', 'usage.read'];
const writing = ['subscription.cancel', 'subscription.resume'];

describe('who may do what', () => {
  test.each([...reading, ...writing])('%s is nobody’s without a credential', async (action) => {
    const calling = broker.call(`billing.${action}`, { path: { orgId: newId('org') }, body: {} });
    await expect(calling).rejects.toMatchObject({ type: 'CREDENTIAL_REQUIRED' });
  });

  test.each([...reading, ...writing])('%s of another organization is not there', async (action) => {
    const orgId = await newCustomer();
    const before = await stored(orgId);
    const calling = ask(action, orgId, { callerOrgId: newId('org'), body: {} });
    await expect(calling).rejects.toMatchObject({ type: 'NOT_FOUND' });
    expect(await stored(orgId)).toEqual(before);
  });

  test.each(writing)('%s needs billing.write', async (action) => {
    const orgId = await newCustomer();
    const before = await stored(orgId);
    const calling = ask(action, orgId, { scopes: ['billing.read', 'svc:read'], body: {} });
    await expect(calling).rejects.toMatchObject({ type: 'PERMISSION_DENIED' });
    expect(await stored(orgId)).toEqual(before);
  });

  test.each(reading)('%s needs billing.read', async (action) => {
    const calling = ask(action, newId('org'), { scopes: ['billing.write'] });
    await expect(calling).rejects.toMatchObject({ type: 'PERMISSION_DENIED' });
  });
});

describe('a new organization', () => {
  test('is on `free` by calendar months, from the first question on', async () => {
    const orgId = newId('org');
    expect(await ask('subscription.read', orgId)).toEqual({
      orgId,
      plan: 'free',
      status: 'active',
      gatewaySubscriptionId: null,
      currentPeriodStart: '2030-01-01T00:00:00.000Z',
      currentPeriodEnd: '2030-02-01T00:00:00.000Z',
      cancelAtPeriodEnd: false,
      billingCycle: 'monthly',
    });
    expect(await ask('entitlements.read', orgId)).toEqual({
      orgId,
      plan: 'free',
      status: 'active',
      currentPeriodEnd: '2030-02-01T00:00:00.000Z',
      entitlements: currentPlan('free').entitlements,
    });
    instant = Date.parse('2031-12-31T23:59:59.999Z');
    expect(await ask('entitlements.read', orgId)).toMatchObject({ currentPeriodEnd: '2032-01-01T00:00:00.000Z' });
    expect(await stored(orgId)).toMatchObject({ revision: 1, dueAt: null });
  });

  test('is made once, however many ask at once', async () => {
    const orgId = newId('org');
    const answers = await Promise.all(Array.from({ length: 20 }, () => readSubscription(contextOf(), orgId)));
    expect(new Set(answers.map(({ revision }) => revision))).toEqual(new Set([1]));
  });

  test('of the first run is on `scale`', async () => {
    expect(await ask('entitlements.read', firstOrgId)).toMatchObject({ plan: 'scale', status: 'active' });
    expect(await ask('subscription.read', firstOrgId)).toMatchObject({ plan: 'scale', gatewaySubscriptionId: null });
  });

  test('that nobody made is not there', async () => {
    await expect(entitlementsNow(contextOf(), missingOrgId)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    expect(await stored(missingOrgId)).toBeNull();
  });
});

describe('a subscription', () => {
  test('that was bought shows at once, and its version is recorded as sold', async () => {
    await SoldVersionModel.deleteMany({});
    const orgId = newId('org');
    expect(await ask('entitlements.read', orgId)).toMatchObject({ plan: 'free' });
    await buy(orgId);
    expect(await ask('entitlements.read', orgId)).toMatchObject({
      plan: 'pro',
      currentPeriodEnd: '2030-02-28T12:00:00.000Z',
      entitlements: currentPlan('pro').entitlements,
    });
    expect(await ask('subscription.read', orgId)).toMatchObject({
      gatewaySubscriptionId: `sub_${orgId}`,
      currentPeriodStart: '2030-01-31T12:00:00.000Z',
    });
    const sold = await SoldVersionModel.find({}).sort({ _id: 1 }).lean();
    expect(sold.map(({ _id }) => _id)).toEqual(['free@1', 'pro@1']);
  });

  test('is found by its provider’s name, also when it has ended', async () => {
    const orgId = await newCustomer();
    expect(await findHolder('test', `sub_${orgId}`)).toMatchObject({ orgId });
    expect(await findHolder('stripe', `sub_${orgId}`)).toBeNull();
    await changeSubscription(contextOf(), orgId, () => ({ kind: 'organizationClosed' }));
    expect(await findHolder('test', `sub_${orgId}`)).toMatchObject({ orgId });
  });

  test('shows what time made of it, whether or not a tick came', async () => {
    const orgId = await newCustomer();
    await ask('subscription.cancel', orgId, { body: {} });
    instant = Date.parse('2030-02-28T11:59:59.999Z');
    expect(await ask('entitlements.read', orgId)).toMatchObject({ plan: 'pro' });
    instant += 1;
    expect(await ask('entitlements.read', orgId)).toMatchObject({ plan: 'free' });
    expect(await ask('subscription.read', orgId)).toMatchObject({ plan: 'free', gatewaySubscriptionId: null });
    expect((await stored(orgId))?.subscription.plan).toBe('pro');
  });

  test('of a version that only a newer node knows includes what was recorded', async () => {
    const orgId = await newCustomer();
    const entitlements = { ...currentPlan('pro').entitlements, mail: { enabled: true as const, sendsPerMonth: 7 } };
    await SoldVersionModel.create({ _id: 'pro@9', entitlements, prices: currentPlan('pro').prices, soldAt: now() });
    await SubscriptionModel.updateOne({ _id: orgId, orgId }, { $set: { 'subscription.version': 9 } });
    invalidateEntitlements({ orgId, revision: 9 });
    expect(await ask('entitlements.read', orgId)).toMatchObject({ entitlements: { mail: { sendsPerMonth: 7 } } });
  });
});

describe('an upgrade from a year to a month', () => {
  const proYearly: Terms = { ...pro, billingCycle: 'yearly' };
  const scale: Terms = { ...pro, plan: 'scale' };

  test('shows until when what was paid for the year lasts, and renews then', async () => {
    const orgId = newId('org');
    await changeSubscription(contextOf(), orgId, () => ({ ...checkout(proYearly, orgId), amount: 49_000 }));
    await changeSubscription(contextOf(), orgId, () => ({ ...checkout(scale, orgId), amount: 0 }));
    const end = new Date(start + Math.ceil((28 * day * 49_000) / 29_900)).toISOString();
    const shown = { plan: 'scale', billingCycle: 'monthly', currentPeriodStart: new Date(start).toISOString() };
    expect(await ask('subscription.read', orgId)).toMatchObject({ ...shown, currentPeriodEnd: end });
    expect(await ask('entitlements.read', orgId)).toMatchObject({ plan: 'scale', currentPeriodEnd: end });
    expect(await stored(orgId)).toMatchObject({ dueAt: new Date(end) });
    instant = Date.parse(end);
    expect(await ask('subscription.read', orgId)).toMatchObject({
      currentPeriodStart: end,
      currentPeriodEnd: end.replace('-03-', '-04-'),
    });
  });
});

describe('billing.subscription.describe', () => {
  const describeOf = (orgId: string): Promise<{ credit: string | null }> =>
    broker.call('billing.subscription.describe', { body: { orgId } });

  test.each([
    ['of who pays nothing', null, null],
    ['that the platform reckons', { provider: 'test', collection: 'platform' }, 'time'],
    ['of a provider that collects no more', { provider: 'manual', collection: 'platform' }, 'none'],
    ['of another provider that renews by itself', { provider: 'stripe', collection: 'provider' }, 'none'],
  ] as const)('says what becomes of the rest of a period %s', async (_name, bought, credit) => {
    const orgId = newId('org');
    if (bought) await changeSubscription(contextOf(), orgId, () => ({ ...checkout(pro, orgId), ...bought }));
    expect(await describeOf(orgId)).toMatchObject({ credit });
  });
});

describe('an organization that is deleted', () => {
  const close = (orgId: string): Promise<object> => broker.call('billing.organizations.close', { body: { orgId } });

  test('has no subscription any more, here and at the provider, and can buy none', async () => {
    const orgId = await newCustomer();
    done.length = 0;
    await close(orgId);
    expect((await stored(orgId))?.subscription).toMatchObject({ plan: 'free', status: 'canceled' });
    expect(done.map(({ kind }) => kind)).toEqual(['giveUpInvoices', 'endAtProvider']);
    const before = await stored(orgId);
    await close(orgId);
    expect(await stored(orgId)).toEqual(before);
    await buy(orgId);
    expect((await stored(orgId))?.subscription).toMatchObject({ plan: 'free', status: 'canceled' });
  });

  test('and never had one gets none', async () => {
    await close(missingOrgId);
    expect(await stored(missingOrgId)).toBeNull();
  });
});

describe('billing.subscriptions.give', () => {
  const give = (orgId: string, plan = 'scale') =>
    broker.call<object, object>('billing.subscriptions.give', { body: { orgId, plan } });

  test('puts an organization on a plan at once, which is recorded and told', async () => {
    const orgId = newId('org');
    expect(await give(orgId)).toEqual({
      orgId,
      plan: 'scale',
      status: 'active',
      gatewaySubscriptionId: null,
      currentPeriodStart: '2030-01-01T00:00:00.000Z',
      currentPeriodEnd: '2030-02-01T00:00:00.000Z',
      cancelAtPeriodEnd: false,
      billingCycle: 'monthly',
    });
    expect(await ask('entitlements.read', orgId)).toMatchObject({
      plan: 'scale',
      entitlements: { pulse: { enabled: true } },
    });
    expect(acts).toMatchObject([{ action: 'subscription.given', orgId, after: { plan: 'scale' } }]);
    expect(announced).toMatchObject([{ orgId }]);
    expect(await SoldVersionModel.findById('scale@1').lean()).not.toBeNull();
  });

  test('again changes nothing and records nothing more', async () => {
    const orgId = newId('org');
    const first = await give(orgId);
    const before = await stored(orgId);
    expect(await give(orgId)).toEqual(first);
    expect(await stored(orgId)).toEqual(before);
    expect(acts).toHaveLength(1);
  });

  test('ends what the organization paid for', async () => {
    const orgId = await newCustomer();
    done.length = 0;
    await give(orgId);
    expect(done.map(({ kind }) => kind)).toEqual(['giveUpInvoices', 'endAtProvider']);
    expect(await findHolder('test', `sub_${orgId}`)).toMatchObject({ orgId });
    expect(await ask('subscription.read', orgId)).toMatchObject({ plan: 'scale', gatewaySubscriptionId: null });
  });

  test('refuses a plan that there is not and an organization that nobody made', async () => {
    const orgId = newId('org');
    await expect(give(orgId, 'gold')).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: 'body.plan' }] },
    });
    await expect(give('first')).rejects.toMatchObject({ type: 'INPUT_INVALID' });
    await expect(give(missingOrgId)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    expect(await stored(orgId)).toBeNull();
    expect(acts).toEqual([]);
  });
});

describe('GET /v1/orgs/:orgId/usage', () => {
  test('shows what is used beside what the plan includes, in the shape of the specification', async () => {
    const orgId = await newCustomer();
    expect(await ask('usage.read', orgId)).toEqual({
      orgId,
      period: '2030-01-31T12:00:00.000Z / 2030-02-28T12:00:00.000Z',
      usage: {
        context: { eventsToday: 0, limitPerDay: 50_000 },
        notification: { sentThisMonth: 0, limitPerMonth: 10_000 },
        mail: { sentThisMonth: 0, limitPerMonth: 50_000 },
        storage: { usedGb: 0, limitGb: 50 },
      },
    });
  });
});

describe('changing a subscription', () => {
  test('by many at once loses nothing and does nothing twice', async () => {
    const orgId = await newCustomer();
    const { revision } = await readSubscription(contextOf(), orgId);
    const event = checkout({ ...pro, plan: 'scale' }, orgId);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_each, place) =>
        changeSubscription(contextOf(), orgId, () =>
          place % 3 === 0 ? event : { kind: 'cancelRequested', reason: `${place}` },
        ),
      ),
    );
    const last = await stored(orgId);
    expect(last?.subscription).toMatchObject({ plan: 'scale', checkouts: [expect.anything(), event.checkoutId] });
    expect(outcomes.filter(({ isChanged }) => isChanged)).toHaveLength((last?.revision ?? 0) - revision);
    await until(async () => (await stored(orgId))?.effects.length === 0);
    const ids = done.filter((one) => one.orgId === orgId).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(done.filter(({ kind }) => kind === 'issueInvoice')).toHaveLength(2);
  });

  test('tells every change by an event, and nothing where nothing changes', async () => {
    const orgId = await newCustomer();
    announced.length = 0;
    const { isChanged } = await changeSubscription(contextOf(), orgId, () => ({ kind: 'resumed' }));
    expect([isChanged, announced]).toEqual([false, []]);
    const { revision } = await changeSubscription(contextOf(), orgId, () => ({
      kind: 'cancelRequested',
      reason: null,
    }));
    expect(announced).toEqual([{ orgId, revision }]);
  });

  test('does not take over what a provider said before it was told what is wanted', async () => {
    const orgId = await newCustomer();
    failing.add('cancelAtProvider');
    await ask('subscription.cancel', orgId, { body: {} });
    instant += minute;
    await changeSubscription(contextOf(), orgId, ({ currentPeriodStart: start, currentPeriodEnd: end }) => ({
      kind: 'providerStateRead',
      provider: 'test',
      gatewaySubscriptionId: `sub_${orgId}`,
      collection: 'platform',
      readAt: now(),
      state: { status: 'active', terms: pro, currency: 'eur', period: { start, end }, cancelAtPeriodEnd: false },
    }));
    expect(await ask('subscription.read', orgId)).toMatchObject({ cancelAtPeriodEnd: true });
  });
});

describe('the effects of a change', () => {
  test('are carried out with it, in order', async () => {
    const orgId = await newCustomer();
    instant = Date.parse('2030-02-28T12:00:00.000Z');
    done.length = 0;
    await changeSubscription(contextOf(), orgId, () => null);
    expect(done.map(({ kind }) => kind)).toEqual(['issueInvoice', 'charge']);
    expect((await stored(orgId))?.effects).toEqual([]);
  });

  test('may change the subscription again, and what follows is carried out too', async () => {
    const orgId = await newCustomer();
    handleEffects({
      charge: (ctx, id, { gatewaySubscriptionId, period }) =>
        changeSubscription(ctx, id, () => ({ kind: 'paymentFailed', gatewaySubscriptionId, period })),
    });
    instant = Date.parse('2030-02-28T12:00:00.000Z');
    done.length = 0;
    await changeSubscription(contextOf(), orgId, () => null);
    expect(done.map(({ kind }) => kind)).toEqual(['issueInvoice', 'mail']);
    expect(await ask('entitlements.read', orgId)).toMatchObject({ plan: 'pro', status: 'past_due' });
    expect(await stored(orgId)).toMatchObject({ effects: [], dueAt: new Date(instant + 7 * day) });
  });

  test('that fail keep the others waiting for nothing, and are tried again by the sweep', async () => {
    const orgId = await newCustomer();
    failing.add('cancelAtProvider');
    done.length = 0;
    await ask('subscription.cancel', orgId, { body: { reason: 'Too dear' } });
    expect(done.map(({ kind }) => kind)).toEqual(['mail']);
    expect((await stored(orgId))?.effects).toMatchObject([{ kind: 'cancelAtProvider', reason: 'Too dear' }]);
    failing.clear();
    await sweepSubscriptions(contextOf(), new AbortController().signal);
    expect(done).toHaveLength(1);
    instant += minute;
    await sweepSubscriptions(contextOf(), new AbortController().signal);
    expect(done.map(({ kind }) => kind)).toEqual(['mail', 'cancelAtProvider']);
    expect((await stored(orgId))?.effects).toEqual([]);
  });

  test('have one id each, by which they can be done once', async () => {
    const [one, other] = [await newCustomer(), await newCustomer()];
    for (const orgId of [one, other]) await ask('subscription.cancel', orgId, { body: {} });
    const ids = done.map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
  });
});

describe('the sweep', () => {
  test('brings what is due to the present, and nothing else', async () => {
    const [due, early] = [await newCustomer(), newId('org')];
    instant += hour;
    await buy(early);
    const before = await stored(early);
    instant = Date.parse('2030-02-28T12:00:00.000Z');
    await sweepSubscriptions(contextOf(), new AbortController().signal);
    expect((await stored(due))?.subscription.currentPeriodEnd).toEqual(new Date('2030-03-31T12:00:00.000Z'));
    expect(await stored(early)).toEqual(before);
  });

  test('by several nodes at once renews once, after downtime period by period', async () => {
    const orgs = [await newCustomer(), await newCustomer(), await newCustomer()];
    done.length = 0;
    instant = Date.parse('2030-05-01T00:00:00.000Z');
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 4 }, () => sweepSubscriptions(contextOf(), signal)));
    await until(async () => (await Promise.all(orgs.map(stored))).every((one) => one?.effects.length === 0));
    for (const orgId of orgs) {
      const charges = done.filter((one) => one.orgId === orgId && one.kind === 'charge');
      expect(charges).toHaveLength(3);
      expect((await stored(orgId))?.subscription.currentPeriodEnd).toEqual(new Date('2030-05-31T12:00:00.000Z'));
    }
  });

  test('goes from a failed payment over the grace to `expired` and to `free`', async () => {
    const orgId = await newCustomer();
    const gatewaySubscriptionId = `sub_${orgId}`;
    handleEffects({
      charge: (ctx, id, { period }) =>
        changeSubscription(ctx, id, () => ({ kind: 'paymentFailed', gatewaySubscriptionId, period })),
    });
    const { signal } = new AbortController();
    const statuses: string[] = [];
    for (const date of ['2030-02-28', '2030-03-07', '2030-04-05', '2030-04-06']) {
      instant = Date.parse(`${date}T12:00:00.000Z`);
      await sweepSubscriptions(contextOf(), signal);
      const { plan, status } = await ask<{ plan: string; status: string }>('entitlements.read', orgId);
      statuses.push(`${plan} ${status}`);
    }
    expect(statuses).toEqual(['pro past_due', 'pro expired', 'pro expired', 'free active']);
  });

  test('stops when it is told to, and is not stopped by one that fails', async () => {
    const orgs = [await newCustomer(), await newCustomer()].sort();
    await SubscriptionModel.updateOne(
      { _id: orgs[0]!, orgId: orgs[0]! },
      { $set: { 'subscription.currency': 'xxx', 'subscription.version': 44 } },
    );
    instant = Date.parse('2030-02-28T12:00:00.000Z');
    await sweepSubscriptions(contextOf(), AbortSignal.abort());
    expect((await stored(orgs[1]!))?.revision).toBe(2);
    await sweepSubscriptions(contextOf(), new AbortController().signal);
    expect((await stored(orgs[1]!))?.revision).toBe(3);
    expect((await stored(orgs[0]!))?.revision).toBe(2);
  });
});

describe('what an organization may use now', () => {
  test('is read once for many who ask, and again after half a second', async () => {
    const orgId = await newCustomer();
    await entitlementsNow(contextOf(), orgId);
    reads = 0;
    await Promise.all(Array.from({ length: 50 }, () => entitlementsNow(contextOf(), orgId)));
    expect(reads).toBeLessThanOrEqual(1);
    await until(async () => {
      await entitlementsNow(contextOf(), orgId);
      return reads >= 2;
    });
  });

  test('is new at once after a change on this node, and on another by the event', async () => {
    const orgId = await newCustomer();
    expect((await entitlementsNow(contextOf(), orgId)).plan).toBe('pro');
    await buy(orgId, { ...pro, plan: 'scale' });
    expect((await entitlementsNow(contextOf(), orgId)).plan).toBe('scale');
    // As another node would have written it.
    await SubscriptionModel.updateOne({ _id: orgId, orgId }, { $set: { 'subscription.plan': 'pro' } });
    await broker.broadcast('billing.subscription.changed', { orgId, revision: 4 });
    expect((await entitlementsNow(contextOf(), orgId)).plan).toBe('pro');
  });

  test('is found out without the event', async () => {
    const orgId = await newCustomer();
    await entitlementsNow(contextOf(), orgId);
    await SubscriptionModel.updateOne({ _id: orgId, orgId }, { $set: { 'subscription.plan': 'scale' } });
    await until(async () => (await entitlementsNow(contextOf(), orgId)).plan === 'scale');
  });
});

describe('POST /v1/orgs/:orgId/cancel', () => {
  test('keeps the plan until the period ends, and is recorded', async () => {
    const orgId = await newCustomer();
    const answer = await ask('subscription.cancel', orgId, { body: { reason: 'Too many stories' } });
    expect(answer).toEqual({
      orgId,
      plan: 'pro',
      status: 'active',
      gatewaySubscriptionId: `sub_${orgId}`,
      currentPeriodStart: '2030-01-31T12:00:00.000Z',
      currentPeriodEnd: '2030-02-28T12:00:00.000Z',
      cancelAtPeriodEnd: true,
      billingCycle: 'monthly',
    });
    expect((await stored(orgId))?.subscription.cancelReason).toBe('Too many stories');
    expect(acts).toMatchObject([{ action: 'subscription.canceled', orgId }]);
  });

  test('answers the same again, keeps the first reason and records nothing more', async () => {
    const orgId = await newCustomer();
    const first = await ask('subscription.cancel', orgId, { body: { reason: 'One' } });
    const before = await stored(orgId);
    expect(await ask('subscription.cancel', orgId, { body: { reason: 'Two' } })).toEqual(first);
    expect(await stored(orgId)).toEqual(before);
    expect(acts).toHaveLength(1);
  });

  test('needs no reason, and no body', async () => {
    const orgId = await newCustomer();
    expect(await ask('subscription.cancel', orgId)).toMatchObject({ cancelAtPeriodEnd: true });
  });

  test('is a conflict for who is on `free`', async () => {
    const orgId = newId('org');
    await expect(ask('subscription.cancel', orgId, { body: {} })).rejects.toMatchObject({
      type: 'PLAN_IS_FREE',
      code: 409,
    });
    expect(acts).toEqual([]);
  });

  test.each([
    [{ reason: 1 }, 'body.reason'],
    [{ reason: 'x'.repeat(1001) }, 'body.reason'],
    [{ reason: 'a\u0000b' }, 'body.reason'],
    [{ because: 'x' }, 'body.because'],
  ])('refuses %j', async (body, path) => {
    const orgId = await newCustomer();
    const before = await stored(orgId);
    await expect(ask('subscription.cancel', orgId, { body })).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path }] },
    });
    expect(await stored(orgId)).toEqual(before);
  });
});

describe('POST /v1/orgs/:orgId/resume', () => {
  test('takes the cancellation back, is recorded, and answers the same again', async () => {
    const orgId = await newCustomer();
    const before = await ask('subscription.read', orgId);
    await ask('subscription.cancel', orgId, { body: { reason: 'No' } });
    expect(await ask('subscription.resume', orgId)).toEqual(before);
    expect(await ask('subscription.resume', orgId)).toEqual(before);
    expect(acts.map(({ action }) => action)).toEqual(['subscription.canceled', 'subscription.resumed']);
    // What a provider has to do keeps nothing else waiting.
    expect(done.map(({ kind }) => kind)).toEqual(['issueInvoice', 'mail', 'cancelAtProvider', 'resumeAtProvider']);
  });

  test('is a conflict once the period has ended, and for who is on `free`', async () => {
    const orgId = await newCustomer();
    await ask('subscription.cancel', orgId, { body: {} });
    instant = Date.parse('2030-03-01T00:00:00.000Z');
    await expect(ask('subscription.resume', orgId)).rejects.toMatchObject({ type: 'PLAN_IS_FREE', code: 409 });
    await expect(ask('subscription.resume', newId('org'))).rejects.toMatchObject({ type: 'PLAN_IS_FREE', code: 409 });
  });
});
