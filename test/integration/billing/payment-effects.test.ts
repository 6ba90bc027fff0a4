import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, minute, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type CheckoutDocument, CheckoutModel } from '../../../models/billing/checkout.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../models/billing/invoice.ts';
import type { Terms } from '../../../models/billing/sold-version.ts';
import { type Period, type SubscriptionDocument, SubscriptionModel } from '../../../models/billing/subscription.ts';
import { sweepCheckouts } from '../../../services/billing/checkouts/sweep-checkouts.ts';
import { applyPaymentEvent } from '../../../services/billing/payment/apply-payment-event.ts';
import type { PaymentEvent, PaymentProvider } from '../../../services/billing/payment/provider.ts';
import { replaceProvider } from '../../../services/billing/payment/providers.ts';
import { testProvider } from '../../../services/billing/payment/sandbox.ts';
import { sweepSubscriptions } from '../../../services/billing/subscriptions/sweep.ts';
import { linkTo } from '../../support/checkout-links.ts';
import { type BillingBroker, startBillingBroker } from './billing-broker.ts';

/** A provider that renews by itself, as Stripe does, and notes what it is asked for. */
let asked: [string, object][];
let failing: Set<string>;
let told: PaymentEvent | null;
let upgraded: () => Promise<{ url: string | null }>;

const note = (name: string) => (change: object) => {
  if (failing.has(name)) return Promise.reject(new Error('Not now.'));
  asked.push([name, change]);
  return Promise.resolve();
};
const provider: PaymentProvider = {
  ...testProvider,
  name: 'stripe',
  collection: 'provider',
  closeCheckout: note('close'),
  cancelAtPeriodEnd: note('cancel'),
  resume: note('resume'),
  changePlan: note('changePlan'),
  end: note('end'),
  read: async (id) => {
    await note('read')({ id });
    return told;
  },
  upgrade: () => upgraded(),
};

let billing: BillingBroker;
let instant: number;
let restore: (() => void)[] = [];

beforeAll(async () => {
  billing = await startBillingBroker();
});
afterAll(() => billing.stop());
beforeEach(async () => {
  await SubscriptionModel.deleteMany({}, { acrossTenants: true });
  instant = Date.parse('2030-01-31T12:00:00.000Z');
  [asked, failing, told] = [[], new Set(), null];
  upgraded = async () => ({ url: null });
  restore = [setClock(() => new Date(instant)), replaceProvider(provider)];
});
afterEach(() => {
  for (const one of restore) one();
});

const { signal } = new AbortController();
const urls = { successUrl: `${settings.PUBLIC_URL}/done`, cancelUrl: `${settings.PUBLIC_URL}/back` };
const pro: Terms = { plan: 'pro', version: 1, billingCycle: 'monthly' };
const scale: Terms = { ...pro, plan: 'scale' };
const path = (orgId: string) => ({ path: { orgId } });
const cancel = (orgId: string) =>
  billing.callAs(orgId, 'billing.subscription.cancel', { ...path(orgId), body: { reason: 'Enough' } });
const resume = (orgId: string) => billing.callAs(orgId, 'billing.subscription.resume', path(orgId));
const sweep = async () => {
  instant += 2 * minute;
  await sweepSubscriptions(billing.context(), signal);
};
const subscription = async (orgId: string) =>
  (await SubscriptionModel.findOne({ orgId }).lean<SubscriptionDocument>())!.subscription;
const invoices = (orgId: string) => InvoiceModel.find({ orgId }).sort({ sequence: 1 }).lean<InvoiceDocument[]>();
const names = () => asked.map(([name]) => name);

/** An organization with a plan that it pays at this provider. */
async function subscriber(terms: Terms = pro) {
  const [orgId, id] = [newId('org'), newId('sub')];
  await billing.callAs(orgId, 'billing.subscription.read', path(orgId));
  const checkoutId = newId('chk');
  const period: Period = { start: new Date(instant), end: new Date(instant + 28 * day) };
  const checkout = { _id: checkoutId, orgId, slot: orgId, provider: 'stripe', status: 'open' };
  await CheckoutModel.collection.insertOne(checkout as never);
  await applyPaymentEvent(billing.context(), 'stripe', {
    checkoutId,
    gatewaySubscriptionId: id,
    events: [
      {
        kind: 'checkoutCompleted',
        checkoutId,
        terms,
        provider: 'stripe',
        gatewaySubscriptionId: id,
        collection: 'provider',
        currency: 'eur',
        amount: 4900,
        period,
      },
    ],
  });
  return { orgId, id, period };
}

/** What the provider says a subscription is. */
const stateOf = (id: string, terms: Terms, period: Period): PaymentEvent => ({
  checkoutId: null,
  gatewaySubscriptionId: id,
  events: [
    {
      kind: 'providerStateRead',
      provider: 'stripe',
      gatewaySubscriptionId: id,
      collection: 'provider',
      readAt: new Date(instant),
      state: { status: 'active', terms, currency: 'eur', period, cancelAtPeriodEnd: false },
    },
  ],
});

describe('what the provider is told', () => {
  test('that it was cancelled, with the reason, and that it goes on after all', async () => {
    const { orgId, id } = await subscriber();
    await cancel(orgId);
    await resume(orgId);
    expect(asked).toEqual([
      ['cancel', { key: expect.stringContaining(orgId), gatewaySubscriptionId: id, reason: 'Enough' }],
      ['resume', { key: expect.stringContaining(orgId), gatewaySubscriptionId: id }],
    ]);
  });

  test('later, when it could not be told; what is no longer wanted then is not told at all', async () => {
    const { orgId } = await subscriber();
    failing.add('cancel');
    await cancel(orgId);
    await resume(orgId);
    failing.clear();
    await sweep();
    expect(new Set(names())).toEqual(new Set(['resume']));
    await cancel(orgId);
    expect(names().filter((name) => name !== 'resume')).toEqual(['cancel']);
    expect(names().at(-1)).toBe('cancel');
  });

  test('that it ends, when it has ended here before it could be told that it was cancelled', async () => {
    const { orgId, id, period } = await subscriber();
    failing.add('cancel');
    await cancel(orgId);
    instant = period.end.getTime();
    await sweep();
    expect((await subscription(orgId)).plan).toBe('free');
    expect(asked).toEqual([['end', expect.objectContaining({ gatewaySubscriptionId: id })]]);
  });

  test('that it ends when nobody pays for it any more', async () => {
    const { orgId, id } = await subscriber();
    await billing.call('billing.subscriptions.give', { body: { orgId, plan: 'scale' } });
    expect(asked).toEqual([['end', expect.objectContaining({ gatewaySubscriptionId: id })]]);
  });

  test('what it becomes with the next period', async () => {
    const { orgId, id } = await subscriber(scale);
    const { sessionId } = await billing.callAs(orgId, 'billing.checkouts.open', {
      ...path(orgId),
      body: { plan: 'pro', billingCycle: 'monthly', ...urls },
    });
    await billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: 'confirm' } });
    expect(asked).toEqual([
      ['changePlan', expect.objectContaining({ gatewaySubscriptionId: id, to: pro, currency: 'eur' })],
    ]);
  });
});

describe('a provider that renews by itself', () => {
  test('is asked at the end of the period what became of it, and what it says counts', async () => {
    const { orgId, id, period } = await subscriber();
    instant = period.end.getTime();
    const next = { start: period.end, end: new Date(period.end.getTime() + 31 * day) };
    const renewed = { kind: 'renewed', gatewaySubscriptionId: id, period: next, amount: 4900 } as const;
    told = { ...stateOf(id, pro, next), events: [renewed, ...stateOf(id, pro, next).events] };
    await sweep();
    expect(names()).toEqual(['read']);
    expect(await subscription(orgId)).toMatchObject({
      status: 'active',
      paidUntil: next.end,
      currentPeriodEnd: next.end,
    });
    expect((await invoices(orgId)).map(({ status }) => status)).toEqual(['paid', 'paid']);
  });

  test('that is not known to have been paid for a week is overdue', async () => {
    const { orgId, period } = await subscriber();
    instant = period.end.getTime();
    await sweep();
    instant += 7 * day;
    await sweep();
    expect((await subscription(orgId)).status).toBe('past_due');
  });
});

describe('an upgrade of what a provider renews', () => {
  async function upgrade() {
    const subscribed = await subscriber();
    const { orgId, id } = subscribed;
    const body = { plan: 'scale', billingCycle: 'monthly', ...urls } as const;
    const { sessionId } = await billing.callAs(orgId, 'billing.checkouts.open', { ...path(orgId), body });
    // As when the platform collects by this provider; the tests leave it at `test`.
    const changes = { provider: 'stripe', kind: 'upgrade', gatewaySubscriptionId: id };
    await CheckoutModel.updateOne({ _id: sessionId, orgId }, { $set: changes });
    const act = (what: 'confirm' | 'approve') =>
      billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: what } });
    const show = () => billing.call('billing.checkouts.show', { body: linkTo(sessionId) });
    const statusOf = async () =>
      (await CheckoutModel.findOne({ _id: sessionId, orgId }).lean<CheckoutDocument>())?.status;
    return { ...subscribed, act, show, statusOf };
  }

  test('is confirmed, and counts when the provider says that it was paid', async () => {
    const { orgId, id, period, act, show, statusOf } = await upgrade();
    expect(await show()).toMatchObject({ page: 'upgrade', status: 'open' });
    expect(await act('approve')).toEqual({ outcome: 'over' });
    expect(await act('confirm')).toEqual({ outcome: 'done', url: urls.successUrl });
    expect(await show()).toMatchObject({ page: 'waiting' });
    expect((await subscription(orgId)).plan).toBe('pro');
    expect(await act('confirm')).toEqual({ outcome: 'over' });
    instant += minute;
    const checkoutId = (await CheckoutModel.findOne({ orgId, slot: orgId }).lean<CheckoutDocument>())!._id;
    await applyPaymentEvent(billing.context(), 'stripe', { ...stateOf(id, scale, period), checkoutId });
    expect(await statusOf()).toBe('completed');
    expect((await subscription(orgId)).plan).toBe('scale');
  });

  test('leads to the provider where the payer has to do something there', async () => {
    upgraded = async () => ({ url: 'https://pay.example/1' });
    const { act, show } = await upgrade();
    expect(await act('confirm')).toEqual({ outcome: 'done', url: 'https://pay.example/1' });
    expect(await show()).toMatchObject({ page: 'elsewhere', url: 'https://pay.example/1' });
  });

  test('of what has ended there comes to nothing', async () => {
    upgraded = () => Promise.reject(apiError('CONFLICT'));
    const { act, statusOf } = await upgrade();
    expect(await act('confirm')).toEqual({ outcome: 'over' });
    expect(await statusOf()).toBe('closed');
  });

  test('is refused for now while the provider cannot be reached, and can be confirmed again', async () => {
    upgraded = () => Promise.reject(new Error('No route.'));
    const { act } = await upgrade();
    await expect(act('confirm')).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    upgraded = async () => ({ url: null });
    expect(await act('confirm')).toMatchObject({ outcome: 'done' });
  });
});

describe('what is bought anew at a provider that goes on to collect', () => {
  async function overdue() {
    const { orgId, id } = await subscriber();
    const events = (kind: 'paymentFailed' | 'paymentRecovered'): PaymentEvent => ({
      checkoutId: null,
      gatewaySubscriptionId: id,
      events: [{ kind, gatewaySubscriptionId: id, period: null }],
    });
    const tell = (paymentEvent: PaymentEvent) => applyPaymentEvent(billing.context(), 'stripe', paymentEvent);
    instant += 28 * day;
    await tell(events('paymentFailed'));
    expect((await subscription(orgId)).status).toBe('past_due');
    const body = { plan: 'pro', billingCycle: 'monthly', ...urls } as const;
    const { sessionId } = await billing.callAs(orgId, 'billing.checkouts.open', { ...path(orgId), body });
    // As when the platform collects by this provider; the tests leave it at `test`.
    await CheckoutModel.updateOne(
      { _id: sessionId, orgId },
      { $set: { provider: 'stripe', gatewayCheckoutId: 'cs_1' } },
    );
    const statusOf = async () =>
      (await CheckoutModel.findOne({ _id: sessionId, orgId }).lean<CheckoutDocument>())?.status;
    const recover = () => tell(events('paymentRecovered'));
    return { orgId, sessionId, recover, tell, statusOf };
  }

  test('is closed there as soon as the sweep sees that the payment came', async () => {
    const { orgId, sessionId, recover, statusOf } = await overdue();
    await sweepCheckouts(billing.context(), signal);
    expect(await statusOf()).toBe('open');
    await recover();
    failing.add('close');
    await sweepCheckouts(billing.context(), signal);
    expect(await statusOf()).toBe('open');
    failing.clear();
    await sweepCheckouts(billing.context(), signal);
    expect(asked).toContainEqual(['close', { key: `${sessionId}:close`, orgId, gatewayCheckoutId: 'cs_1' }]);
    expect(await statusOf()).toBe('closed');
  });

  test('counts when it was paid there all the same', async () => {
    const { orgId, sessionId, recover, tell, statusOf } = await overdue();
    await recover();
    await sweepCheckouts(billing.context(), signal);
    const bought = newId('sub');
    const period = { start: new Date(instant), end: new Date(instant + 28 * day) };
    const paid = {
      kind: 'checkoutCompleted',
      checkoutId: sessionId,
      gatewaySubscriptionId: bought,
      amount: 4900,
    } as const;
    const terms = { terms: pro, currency: 'eur', period, provider: 'stripe', collection: 'provider' } as const;
    await tell({ checkoutId: sessionId, gatewaySubscriptionId: bought, events: [{ ...paid, ...terms }] });
    expect(await statusOf()).toBe('completed');
    expect(await subscription(orgId)).toMatchObject({ status: 'active', gatewaySubscriptionId: bought });
    await sweepCheckouts(billing.context(), signal);
    expect(await statusOf()).toBe('completed');
  });
});
