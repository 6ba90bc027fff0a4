import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, minute, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { CheckoutModel } from '../../../models/billing/checkout.ts';
import { InvoiceModel } from '../../../models/billing/invoice.ts';
import { TestOutcomeModel } from '../../../models/billing/test-payment.ts';
import { type WebhookDocument, WebhookModel } from '../../../models/billing/webhook.ts';
import { applyPaymentEvent } from '../../../services/billing/payment/apply-payment-event.ts';
import type { PaymentProvider } from '../../../services/billing/payment/provider.ts';
import { replaceProvider } from '../../../services/billing/payment/providers.ts';
import {
  deliverWebhooks,
  payCheckout,
  paymentOf,
  signWebhook,
  testProvider,
} from '../../../services/billing/payment/sandbox.ts';
import { sweepWebhooks } from '../../../services/billing/payment/webhooks.ts';
import { type BillingBroker, startBillingBroker } from './billing-broker.ts';

let billing: BillingBroker;
let instant: number;
let restore: (() => void)[] = [];

beforeAll(async () => {
  billing = await startBillingBroker();
});
afterAll(() => billing.stop());
beforeEach(async () => {
  instant = Date.parse('2030-01-31T12:00:00.000Z');
  restore = [setClock(() => new Date(instant))];
  await WebhookModel.deleteMany({});
});
afterEach(() => {
  for (const one of restore) one();
});

const { signal } = new AbortController();
const urls = { successUrl: `${settings.PUBLIC_URL}/done`, cancelUrl: `${settings.PUBLIC_URL}/back` };
const subscription = (orgId: string) => billing.callAs(orgId, 'billing.subscription.read', { path: { orgId } });
const webhooks = () => WebhookModel.find({}).lean<WebhookDocument[]>();
const sweep = () => sweepWebhooks(billing.context(), signal);
const typeOf = (work: Promise<unknown>) => work.then(JSON.stringify, (error: { type: string }) => error.type);

const receive = (body: string, header: string | undefined = signWebhook(body), provider = 'test') =>
  billing.call('billing.webhooks.receive', {
    path: { provider },
    body,
    headers: header === undefined ? {} : { 'platform-signature': header },
  });

async function opened(orgId = newId('org')) {
  const body = { plan: 'pro', billingCycle: 'monthly', ...urls } as const;
  const { sessionId } = await billing.callAs(orgId, 'billing.checkouts.open', { path: { orgId }, body });
  const data = paymentOf({
    checkoutId: sessionId,
    terms: { plan: 'pro', version: 1, billingCycle: 'monthly' },
    currency: 'eur',
    amount: 4900,
    gatewaySubscriptionId: null,
  });
  return { orgId, sessionId, data };
}

const completed = (data: object, id = newId('evt')) =>
  JSON.stringify({ id, type: 'checkout.completed', createdAt: new Date(instant).toISOString(), data });

describe('a webhook', () => {
  test('that is signed counts once, however often and at whatever time it is delivered', async () => {
    const { orgId, sessionId, data } = await opened();
    const body = completed(data);
    const answers = await Promise.all(Array.from({ length: 10 }, () => receive(body)));
    expect(answers).toEqual(answers.map(() => ({ received: true })));
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro', status: 'active' });
    const [{ _id }] = (await webhooks()) as [WebhookDocument];
    expect(_id).toBe(`test:${JSON.parse(body).id}`);

    instant += day;
    await billing.call('billing.subscriptions.give', { body: { orgId, plan: 'free' } });
    await receive(body);
    // The same payment, told under another id.
    await receive(completed(data));
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    expect(await InvoiceModel.countDocuments({ orgId })).toBe(1);
    expect(await CheckoutModel.countDocuments({ orgId, _id: sessionId, status: 'completed' })).toBe(1);
  });

  test.each([
    ['without a signature', (body: string) => receive(body, '')],
    ['with that of another body', (body: string) => receive(body, signWebhook(`${body} `))],
    ['with an old signature', (body: string) => receive(body, signWebhook(body, new Date(instant - 6 * minute)))],
    ['from the future', (body: string) => receive(body, signWebhook(body, new Date(instant + 6 * minute)))],
    ['that is no JSON', () => receive('{')],
    ['that says nothing', () => receive('{}')],
    ['that is empty', () => receive('')],
  ])('%s is refused and not stored', async (_what, send) => {
    const { orgId, data } = await opened();
    expect(await typeOf(send(completed(data)))).toBe('WEBHOOK_INVALID');
    expect(await webhooks()).toEqual([]);
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
  });

  test.each(['manual', 'stripe', 'paypal', '__proto__'])(
    'of %s, which sends none here, is refused',
    async (provider) => {
      const body = completed({});
      expect(await typeOf(receive(body, signWebhook(body), provider))).toBe('NOT_FOUND');
    },
  );

  test('of a kind that does not matter is taken and forgotten after 30 days', async () => {
    const body = JSON.stringify({ id: 'evt_9', type: 'else', createdAt: new Date(instant).toISOString(), data: {} });
    await receive(body);
    expect(await webhooks()).toMatchObject([{ isDone: true }]);
    instant += 30 * day - minute;
    await sweep();
    expect(await webhooks()).toHaveLength(1);
    instant += minute;
    await sweep();
    expect(await webhooks()).toEqual([]);
  });

  test('about nobody who is known is kept, and counts when they are', async () => {
    const { orgId, sessionId, data } = await opened();
    const checkout = (await CheckoutModel.findOne({ _id: sessionId, orgId }).lean())!;
    await CheckoutModel.deleteOne({ _id: sessionId, orgId });
    await receive(completed(data));
    expect(await webhooks()).toMatchObject([{ isDone: false, attempts: 1, lastError: expect.any(String) }]);
    instant += 2 * minute;
    await sweep();
    expect(await webhooks()).toMatchObject([{ isDone: false, attempts: 2 }]);
    await CheckoutModel.create(checkout);
    await sweep();
    // It is not due before its pause is over.
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    instant += 3 * minute;
    await sweep();
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro' });
    expect(await webhooks()).toMatchObject([{ isDone: true, attempts: 3, lastError: null }]);
  });

  test('that nobody is ever found for is given up after 30 days', async () => {
    await receive(completed({ ...(await opened()).data, checkoutId: newId('chk') }));
    for (let days = 0; days < 30; days += 1) {
      expect(await webhooks()).toHaveLength(1);
      instant += day;
      await sweep();
    }
    expect(await webhooks()).toEqual([]);
  });

  test('that cannot be followed now is taken all the same, and followed later', async () => {
    const { orgId, data } = await opened();
    let isAway = true;
    const away: PaymentProvider = {
      ...testProvider,
      interpret: (notice) => (isAway ? Promise.reject(apiError('UNAVAILABLE')) : testProvider.interpret(notice)),
    };
    restore.push(replaceProvider(away));
    expect(await receive(completed(data))).toEqual({ received: true });
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    isAway = false;
    instant += 2 * minute;
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro' });
    expect(await webhooks()).toMatchObject([{ isDone: true, attempts: 2 }]);
  });

  test('of one subject waits for the one before', async () => {
    let running = 0;
    let most = 0;
    const slow: PaymentProvider = {
      ...testProvider,
      verifyWebhook: async (delivery) => ({ ...(await testProvider.verifyWebhook(delivery)), subject: 'sub_1' }),
      async interpret(notice) {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return testProvider.interpret(notice);
      },
    };
    restore.push(replaceProvider(slow));
    const { data } = await opened();
    await Promise.all(Array.from({ length: 5 }, () => receive(completed(data))));
    expect({ most, running }).toEqual({ most: 1, running: 0 });
  });
});

describe('a payment on the page', () => {
  test('that was not told of before a crash is told of by the sweep', async () => {
    const { orgId, data } = await opened();
    await payCheckout({ orgId, payment: data, declinesRenewals: false });
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    await Promise.all([deliverWebhooks(billing.context(), signal), deliverWebhooks(billing.context(), signal)]);
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro' });
    expect(await webhooks()).toHaveLength(1);
    expect(await TestOutcomeModel.countDocuments({ orgId, isTold: true })).toBe(1);
  });

  test('of a checkout that was replaced before it was told of counts', async () => {
    const { orgId, sessionId, data } = await opened();
    await payCheckout({ orgId, payment: data, declinesRenewals: false });
    const body = { plan: 'scale', billingCycle: 'monthly', ...urls } as const;
    await billing.callAs(orgId, 'billing.checkouts.open', { path: { orgId }, body });
    await deliverWebhooks(billing.context(), signal);
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro' });
    expect(await CheckoutModel.countDocuments({ orgId, _id: sessionId, status: 'completed' })).toBe(1);
  });

  test('for an organization that was deleted meanwhile is given back', async () => {
    const { orgId, sessionId, data } = await opened();
    await payCheckout({ orgId, payment: data, declinesRenewals: false });
    await billing.call('billing.organizations.close', { body: { orgId } });
    await deliverWebhooks(billing.context(), signal);
    expect(await subscription(orgId)).toMatchObject({ plan: 'free', status: 'canceled' });
    expect(await TestOutcomeModel.countDocuments({ orgId, _id: sessionId, isRefunded: true })).toBe(1);
    expect(await InvoiceModel.countDocuments({ orgId })).toBe(0);
  });

  test('that nobody but an operator can give back is said to them, with all that they need', async () => {
    const error = jest.spyOn(billing.context().broker.logger, 'error');
    const { orgId, sessionId: checkoutId, data } = await opened();
    await CheckoutModel.updateOne({ _id: checkoutId, orgId }, { $set: { provider: 'manual' } });
    await billing.call('billing.organizations.close', { body: { orgId } });
    const { gatewaySubscriptionId, amount, currency } = data;
    const completed = { ...data, kind: 'checkoutCompleted', provider: 'manual', collection: 'platform' } as const;
    const paymentEvent = { checkoutId, gatewaySubscriptionId, events: [{ ...completed, period: null }] };
    await applyPaymentEvent(billing.context(), 'manual', paymentEvent);
    await applyPaymentEvent(billing.context(), 'manual', paymentEvent);
    const what = { orgId, provider: 'manual', gatewaySubscriptionId, checkoutId, amount, currency };
    expect(error.mock.calls).toEqual([['A payment for a deleted organization must be refunded manually', what]]);
    error.mockRestore();
  });
});
