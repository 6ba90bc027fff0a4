import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyCases } from '../../support/property-cases.ts';
import type { BillingBroker } from './billing-broker.ts';
import {
  endPeriod,
  giveUpCollecting,
  must,
  payCheckout,
  payInvoice,
  refundsOf,
  type StripeEvent,
  type Subscription,
  settle,
} from './stripe-account.ts';
import { type StripeServer, secretKey, startStripeServer } from './stripe-server.ts';

/**
 * All of billing before a stand-in of Stripe, by the settings that an operator gives: from the wish for a plan to the
 * invoice. The settings are read when the first module of the platform is loaded, so that comes after them.
 */
const start = new Date('2030-01-31T12:00:00.000Z');
const server: StripeServer = await startStripeServer(start.getTime() / 1000);
process.env.STRIPE_SECRET_KEY = secretKey;
process.env.STRIPE_WEBHOOK_SECRET = 'whsec_of_tomorrow, whsec_of_a_stand_in';
process.env.STRIPE_API_BASE = server.url;
const { setClock } = await import('../../../lib/data/clock.ts');
const { newId } = await import('../../../lib/data/ids.ts');
const { settings } = await import('../../../lib/settings/settings.ts');
const { StripeCustomerModel } = await import('../../../models/billing/stripe-customer.ts');
const { SubscriptionModel } = await import('../../../models/billing/subscription.ts');
const { InvoiceModel } = await import('../../../models/billing/invoice.ts');
const { WebhookModel } = await import('../../../models/billing/webhook.ts');
const { applyPaymentEvent } = await import('../../../services/billing/payment/apply-payment-event.ts');
const { effectHandlers } = await import('../../../services/billing/payment/effects.ts');
const { providerNamed, replaceProvider } = await import('../../../services/billing/payment/providers.ts');
const { sweepWebhooks } = await import('../../../services/billing/payment/webhooks.ts');
const { find } = await import('../../../services/billing/subscriptions/documents.ts');
const { dispatchEffects } = await import('../../../services/billing/subscriptions/effects.ts');
const { changeSubscription } = await import('../../../services/billing/subscriptions/subscriptions.ts');
const { startBillingBroker } = await import('./billing-broker.ts');
const { linkTo } = await import('../../support/checkout-links.ts');
const { signatureOf } = await import('./stripe-bench.ts');

const { account } = server;
const urls = { successUrl: `${settings.PUBLIC_URL}/done`, cancelUrl: `${settings.PUBLIC_URL}/back` };
let billing: BillingBroker;
let restoreClock = (): void => undefined;

beforeAll(async () => {
  restoreClock = setClock(() => new Date(account.clock.seconds * 1000));
  billing = await startBillingBroker();
});
afterAll(async () => {
  await billing.stop();
  restoreClock();
  await server.close();
});
afterEach(() => {
  account.cards.clear();
  jest.restoreAllMocks();
});

const read = (orgId: string) => billing.callAs(orgId, 'billing.subscription.read', { path: { orgId } });
const invoicesOf = async (orgId: string) =>
  (await InvoiceModel.find({ orgId }).sort({ issuedAt: 1, _id: 1 }).lean<{ status: string; amount: number }[]>()).map(
    ({ status, amount }) => `${status} ${amount}`,
  );
const at = (subscription: Subscription) => must(account.subscriptions.get(subscription.id), subscription.id);

async function receive(event: StripeEvent, secret?: string): Promise<void> {
  const body = JSON.stringify(event, null, 2);
  const signature = await signatureOf(body, account.clock.seconds, secret);
  await billing.call('billing.webhooks.receive', {
    path: { provider: 'stripe' },
    headers: { 'stripe-signature': signature },
    body,
  });
}

let heard = 0;
function untold(): StripeEvent[] {
  const events = account.events.slice(heard);
  heard = account.events.length;
  return events;
}
async function hearAll(): Promise<void> {
  for (const event of untold()) await receive(event);
}

type Wanted = { plan: 'pro' | 'scale'; billingCycle: 'monthly' | 'yearly' };
const pro: Wanted = { plan: 'pro', billingCycle: 'monthly' };
const scale: Wanted = { plan: 'scale', billingCycle: 'monthly' };

const want = (orgId: string, wanted: Wanted) =>
  billing.callAs(orgId, 'billing.checkouts.open', { path: { orgId }, body: { ...wanted, ...urls } });
const confirm = (sessionId: string) =>
  billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: 'confirm' } });

/** What Stripe knows of a page. */
const sessionAt = (page: string) =>
  must(
    [...account.sessions.values()].find(({ url }) => url === page),
    page,
  );

/** An organization that bought a plan, and has it. */
async function subscribed(wanted: Wanted = pro): Promise<{ orgId: string; subscription: Subscription }> {
  const orgId = newId('org');
  const { checkoutUrl } = await want(orgId, wanted);
  const subscription = payCheckout(account, sessionAt(checkoutUrl).id);
  await hearAll();
  return { orgId, subscription };
}

describe('A plan that is bought at Stripe', () => {
  test('is paid on its page, and counts when its webhooks say so', async () => {
    const orgId = newId('org');
    const { checkoutUrl, sessionId } = await want(orgId, pro);
    const session = sessionAt(checkoutUrl);
    expect(session).toMatchObject({ client_reference_id: sessionId, metadata: { orgId } });
    expect(await read(orgId)).toMatchObject({ plan: 'free' });
    const subscription = payCheckout(account, session.id);
    const events = untold();
    for (const event of [...events, ...events]) await receive(event);
    expect(await read(orgId)).toMatchObject({
      plan: 'pro',
      status: 'active',
      gatewaySubscriptionId: subscription.id,
      currentPeriodStart: '2030-01-31T12:00:00.000Z',
      currentPeriodEnd: '2030-02-28T12:00:00.000Z',
    });
    expect(await invoicesOf(orgId)).toEqual(['paid 4900']);
    expect(await billing.call('billing.checkouts.show', { body: linkTo(sessionId) })).toMatchObject({
      status: 'completed',
    });
  });

  test('counts once when its webhooks come all at once', async () => {
    const orgId = newId('org');
    const { checkoutUrl } = await want(orgId, scale);
    payCheckout(account, sessionAt(checkoutUrl).id);
    const events = untold();
    await Promise.all([...events, ...events, ...events].map((event) => receive(event)));
    expect(await read(orgId)).toMatchObject({ plan: 'scale', status: 'active' });
    expect(await invoicesOf(orgId)).toEqual(['paid 29900']);
  });

  test('that somebody else tells of is not had', async () => {
    const orgId = newId('org');
    const { checkoutUrl } = await want(orgId, pro);
    payCheckout(account, sessionAt(checkoutUrl).id);
    const before = await WebhookModel.countDocuments({});
    for (const event of untold()) {
      await expect(receive(event, 'whsec_of_somebody_else')).rejects.toMatchObject({ type: 'WEBHOOK_INVALID' });
    }
    expect(await WebhookModel.countDocuments({})).toBe(before);
    expect(await read(orgId)).toMatchObject({ plan: 'free' });
  });

  test('is replaced by another one that is wanted, which closes the page of the first', async () => {
    const orgId = newId('org');
    const first = await want(orgId, pro);
    const second = await want(orgId, scale);
    const statusOf = (checkoutId: string) =>
      [...account.sessions.values()].find(({ client_reference_id }) => client_reference_id === checkoutId)?.status;
    expect([statusOf(first.sessionId), statusOf(second.sessionId)]).toEqual(['expired', 'open']);
    expect(await want(orgId, scale)).toEqual(second);
  });
});

describe('A subscription at Stripe', () => {
  test('is upgraded from the platform’s page, for the rest of its period', async () => {
    const { orgId, subscription } = await subscribed();
    account.clock.seconds += 7 * 86_400;
    const { checkoutUrl, sessionId } = await want(orgId, scale);
    expect(checkoutUrl).toMatch(`${settings.PUBLIC_URL}/billing/checkout/${sessionId}?signature=`);
    expect(await confirm(sessionId)).toEqual({ outcome: 'done', url: urls.successUrl });
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'scale', gatewaySubscriptionId: subscription.id });
    // Three of four weeks of the difference.
    expect(await invoicesOf(orgId)).toEqual(['paid 4900', 'paid 18750']);
  });

  test('is upgraded when the payer has done what the bank wants', async () => {
    const { orgId, subscription } = await subscribed();
    account.clock.seconds += 86_400;
    account.cards.set(subscription.customer, 'declines');
    const { sessionId } = await want(orgId, scale);
    const invoice = async () => must(account.invoices.get(at(subscription).latest_invoice ?? ''), 'invoice');
    const outcome = await confirm(sessionId);
    expect(outcome).toEqual({ outcome: 'done', url: (await invoice()).hosted_invoice_url });
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'pro' });
    payInvoice(account, (await invoice()).id);
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'scale', status: 'active' });
    expect(await invoicesOf(orgId)).toHaveLength(2);
  });

  test('becomes less at the end of its period', async () => {
    const { orgId, subscription } = await subscribed(scale);
    const { sessionId } = await want(orgId, pro);
    expect(await confirm(sessionId)).toMatchObject({ outcome: 'done' });
    expect(await read(orgId)).toMatchObject({ plan: 'scale' });
    expect(at(subscription).schedule).not.toBeNull();
    endPeriod(account, subscription.id);
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await invoicesOf(orgId)).toEqual(['paid 29900', 'paid 4900']);
  });

  test('is cancelled with its reason, resumed, cancelled again, and ends', async () => {
    const { orgId, subscription } = await subscribed();
    const path = { orgId };
    await billing.callAs(orgId, 'billing.subscription.cancel', { path, body: { reason: 'We moved.' } });
    expect(at(subscription)).toMatchObject({
      cancel_at_period_end: true,
      cancellation_details: { comment: 'We moved.' },
    });
    await billing.callAs(orgId, 'billing.subscription.resume', { path });
    expect(at(subscription).cancel_at_period_end).toBe(false);
    await billing.callAs(orgId, 'billing.subscription.cancel', { path, body: {} });
    expect(at(subscription).cancel_at_period_end).toBe(true);
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'pro', cancelAtPeriodEnd: true });
    endPeriod(account, subscription.id);
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'free', cancelAtPeriodEnd: false });
    expect(await invoicesOf(orgId)).toEqual(['paid 4900']);
  });

  test('that Stripe cannot be told of is told of later', async () => {
    const { orgId, subscription } = await subscribed();
    server.failNext(/POST \/v1\/subscriptions/, 'refused');
    await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: {} });
    expect(at(subscription).cancel_at_period_end).toBe(false);
    // What Stripe says meanwhile does not undo what is wanted here.
    account.tell('customer.subscription.updated', at(subscription));
    await hearAll();
    expect(await read(orgId)).toMatchObject({ cancelAtPeriodEnd: true });
    await dispatchEffects(billing.context(), orgId);
    expect(at(subscription).cancel_at_period_end).toBe(true);
  });

  test('that is not paid for works on for a while, and goes on when it is', async () => {
    const { orgId, subscription } = await subscribed();
    account.cards.set(subscription.customer, 'declines');
    endPeriod(account, subscription.id);
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'past_due' });
    const mails = [...billing.mails.values()].filter((mail) => mail.orgId === orgId);
    expect(mails.map(({ template }) => template)).toEqual(['payment-failed']);
    payInvoice(account, at(subscription).latest_invoice ?? '');
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await invoicesOf(orgId)).toEqual(['paid 4900', 'paid 4900']);
  });

  test('is as Stripe says last, also when two nodes hear of it at once and the first to ask is the last to hear', async () => {
    const { orgId, subscription } = await subscribed();
    account.cards.set(subscription.customer, 'declines');
    endPeriod(account, subscription.id);
    const [failure] = untold().filter(({ type }) => type === 'invoice.payment_failed');
    const stripe = await providerNamed('stripe');
    const asked = Promise.withResolvers<void>();
    const heardByOther = Promise.withResolvers<void>();
    let times = 0;
    const restore = replaceProvider({
      ...stripe,
      async interpret(notice) {
        const paymentEvent = await stripe.interpret(notice);
        times += 1;
        if (times === 1) asked.resolve();
        if (times === 1) await heardByOther.promise;
        return paymentEvent;
      },
    });
    const received = receive(must(failure, 'failure'));
    await asked.promise;
    payInvoice(account, at(subscription).latest_invoice ?? '');
    const state = await stripe.interpret({
      eventId: 'evt_of_another_node',
      type: 'customer.subscription.updated',
      sentAt: new Date(),
      payload: { id: subscription.id, checkoutId: null },
    });
    await applyPaymentEvent(billing.context(), 'stripe', state);
    heardByOther.resolve();
    await received;
    restore();
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active' });
    expect(times).toBeGreaterThan(1);
    expect(await invoicesOf(orgId)).toEqual(['paid 4900', 'paid 4900']);
  });

  test('whose webhooks of a renewal are all lost is asked for, when the period is over', async () => {
    const { orgId, subscription } = await subscribed();
    endPeriod(account, subscription.id);
    untold();
    account.clock.seconds += 60;
    // Whoever looks changes nothing; whatever changes it asks the provider.
    await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: {} });
    await billing.callAs(orgId, 'billing.subscription.resume', { path: { orgId } });
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await invoicesOf(orgId)).toEqual(['paid 4900', 'paid 4900']);
  });

  test('ends when its organization does, and another one’s does not', async () => {
    const { orgId, subscription } = await subscribed();
    const other = await subscribed();
    await changeSubscription(billing.context(), orgId, () => ({ kind: 'organizationClosed' }));
    expect(at(subscription).status).toBe('canceled');
    expect(at(other.subscription).status).toBe('active');
  });

  test('ends when another one is bought in its place', async () => {
    const { orgId, subscription } = await subscribed();
    account.cards.set(subscription.customer, 'declines');
    endPeriod(account, subscription.id);
    giveUpCollecting(account, subscription.id);
    await hearAll();
    const { checkoutUrl } = await want(orgId, pro);
    account.cards.clear();
    const page = must(
      [...account.sessions.values()].find(({ url }) => url === checkoutUrl),
      'page',
    );
    const next = payCheckout(account, page.id);
    expect(next.customer).toBe(subscription.customer);
    await hearAll();
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active', gatewaySubscriptionId: next.id });
    expect(at(subscription).status).toBe('canceled');
    expect(account.invoices.get(at(subscription).latest_invoice ?? '')?.status).toBe('void');
  });
});

const isCancelled = async (orgId: string) => (await find(orgId))?.subscription.cancelAtPeriodEnd;
const pendingOf = async (orgId: string) => (await find(orgId))?.effects ?? [];
const cancel = (orgId: string) =>
  billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: { reason: 'Enough' } });

/** Leaves an effect pending, as a node does that died. */
async function leftPending<K extends keyof typeof effectHandlers>(orgId: string, kind: K) {
  const effect = (await pendingOf(orgId)).find((one) => one.kind === kind);
  return must(effect, kind) as Parameters<(typeof effectHandlers)[K]>[2];
}

describe('What two nodes tell Stripe at once', () => {
  /** Has one call to Stripe hang until it is let go; what is told of it is heard before whoever called goes on. */
  async function hanging(name: 'cancelAtPeriodEnd' | 'changePlan') {
    const stripe = await providerNamed('stripe');
    const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const restore = replaceProvider({
      ...stripe,
      async [name](change: never) {
        begun.resolve();
        await goesOn.promise;
        await stripe[name](change);
        account.clock.seconds += 1;
        await hearAll();
      },
    });
    return { begun: begun.promise, goOn: goesOn.resolve, restore };
  }

  test('is what is wanted last, also where a cancellation arrives after it was taken back', async () => {
    const { orgId, subscription } = await subscribed();
    server.failNext(/POST \/v1\/subscriptions/, 'refused');
    await cancel(orgId);
    const { begun, goOn, restore } = await hanging('cancelAtPeriodEnd');
    const effect = await leftPending(orgId, 'cancelAtProvider');
    const atNode = effectHandlers.cancelAtProvider(billing.context(), orgId, effect);
    await begun;
    account.clock.seconds += 1;
    await billing.callAs(orgId, 'billing.subscription.resume', { path: { orgId } });
    goOn();
    await atNode;
    restore();
    expect(at(subscription).cancel_at_period_end).toBe(false);
    await dispatchEffects(billing.context(), orgId);
    account.clock.seconds += 1;
    await hearAll();
    expect([at(subscription).cancel_at_period_end, await isCancelled(orgId)]).toEqual([false, false]);
    expect(await find(orgId)).toMatchObject({ effects: [], subscription: { plan: 'pro' } });
    expect(await find(orgId)).not.toHaveProperty('teller');
    await cancel(orgId);
    expect(at(subscription).cancel_at_period_end).toBe(true);
  });

  test('is what is wanted last, also where a lesser plan arrives after it was taken back', async () => {
    const { orgId, subscription } = await subscribed(scale);
    const schedule = (to: object | null) =>
      changeSubscription(billing.context(), orgId, () => ({ kind: 'planScheduled', to: to as never }));
    server.failNext(/POST \/v1\/subscription_schedules/, 'refused');
    await schedule({ plan: 'pro', version: 1, billingCycle: 'monthly' });
    const { begun, goOn, restore } = await hanging('changePlan');
    const effect = await leftPending(orgId, 'changePlanAtProvider');
    const atNode = effectHandlers.changePlanAtProvider(billing.context(), orgId, effect);
    await begun;
    account.clock.seconds += 1;
    await schedule(null);
    goOn();
    await atNode;
    restore();
    expect(at(subscription).schedule).toBeNull();
    await dispatchEffects(billing.context(), orgId);
    await hearAll();
    expect(await find(orgId)).toMatchObject({ effects: [], subscription: { plan: 'scale', scheduled: null } });
  });

  test('is told by another one after a while, where the one that told it died', async () => {
    const { orgId, subscription } = await subscribed();
    const teller = { id: 'of another node', until: new Date((account.clock.seconds + 60) * 1000) };
    await SubscriptionModel.updateOne({ _id: orgId, orgId }, { $set: { teller } });
    await cancel(orgId);
    expect(at(subscription).cancel_at_period_end).toBe(false);
    account.clock.seconds += 60;
    await dispatchEffects(billing.context(), orgId);
    expect(at(subscription).cancel_at_period_end).toBe(true);
    expect(await pendingOf(orgId)).toEqual([]);
  });
});

describe('A webhook', () => {
  const { signal } = new AbortController();
  const stored = (events: StripeEvent[]) =>
    WebhookModel.find({ _id: { $in: events.map(({ id }) => `stripe:${id}`) } }).lean<
      { isDone: boolean; attempts: number; lastError: string | null }[]
    >();

  test('about what Stripe does not know by this key is kept, said once, and counts when it does', async () => {
    const warn = jest.spyOn(billing.context().broker.logger, 'warn');
    const orgId = newId('org');
    const { checkoutUrl } = await want(orgId, pro);
    untold();
    const subscription = payCheckout(account, sessionAt(checkoutUrl).id);
    account.subscriptions.delete(subscription.id);
    const events = untold();
    for (const event of events) await receive(event);
    const about = { isDone: false, attempts: 1, lastError: expect.stringContaining('another account') };
    expect(await stored(events)).toMatchObject(events.map(() => about));
    expect(warn).toHaveBeenCalledTimes(events.length);
    account.clock.seconds += 120;
    await sweepWebhooks(billing.context(), signal);
    expect(await stored(events)).toMatchObject(events.map(() => ({ ...about, attempts: 2 })));
    expect(warn).toHaveBeenCalledTimes(events.length);
    account.subscriptions.set(subscription.id, subscription);
    account.clock.seconds += 300;
    await sweepWebhooks(billing.context(), signal);
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await stored(events)).toMatchObject(events.map(() => ({ isDone: true, lastError: null })));
  });

  test('about what somebody else has in the same account is done, and said once', async () => {
    const info = jest.spyOn(billing.context().broker.logger, 'info');
    const { subscription } = await subscribed();
    at(subscription).metadata = {};
    account.tell('customer.subscription.updated', at(subscription));
    const events = untold();
    for (const event of events) await receive(event);
    expect(await stored(events)).toMatchObject([{ isDone: true, attempts: 1 }]);
    expect(info).toHaveBeenCalledTimes(1);
  });
});

describe('An organization that is deleted', () => {
  const close = (orgId: string) => billing.call('billing.organizations.close', { body: { orgId } });
  const erase = (orgId: string) => billing.call('billing.organizations.erase', { body: { orgId } });
  const isKnown = async (orgId: string) => (await StripeCustomerModel.exists({ _id: orgId, orgId })) !== null;
  const warned = () => jest.spyOn(billing.context().broker.logger, 'warn');

  async function paying() {
    const orgId = newId('org');
    const { checkoutUrl, sessionId: checkoutId } = await want(orgId, pro);
    return { orgId, checkoutId, session: sessionAt(checkoutUrl) };
  }

  /** Everything is told again, as if by other events. */
  async function hearAgain(events: StripeEvent[]): Promise<void> {
    for (const event of events) await receive({ ...event, id: account.id('evt') });
    await hearAll();
  }

  test('while it pays has it given back, once, and no subscription', async () => {
    const warn = warned();
    const { orgId, checkoutId, session } = await paying();
    const subscription = payCheckout(account, session.id);
    await close(orgId);
    const events = untold();
    for (const event of events) await receive(event);
    await hearAgain(events);
    expect(at(subscription).status).toBe('canceled');
    expect(refundsOf(account, subscription.id)).toEqual([4900]);
    expect(await read(orgId)).toMatchObject({ plan: 'free', status: 'canceled' });
    expect(await invoicesOf(orgId)).toEqual([]);
    expect(await pendingOf(orgId)).toEqual([]);
    const ids = { orgId, provider: 'stripe', gatewaySubscriptionId: subscription.id, checkoutId };
    expect(warn.mock.calls).toEqual([['Refunded a payment for a deleted organization', ids]]);
  });

  test('while its payment takes its time is to pay no longer, and has what is paid all the same given back', async () => {
    const { orgId, session } = await paying();
    account.cards.set(session.customer, 'processes');
    const subscription = payCheckout(account, session.id);
    await close(orgId);
    await hearAll();
    expect(at(subscription).status).toBe('canceled');
    expect((await pendingOf(orgId)).map(({ kind }) => kind)).toEqual(['endAtProvider']);
    settle(account, session.id, 'paid');
    await hearAll();
    expect(refundsOf(account, subscription.id)).toEqual([4900]);
    expect(await pendingOf(orgId)).toEqual([]);
  });

  test('has its payment given back later, where Stripe does not do it now, and nothing twice', async () => {
    const { orgId, session } = await paying();
    const subscription = payCheckout(account, session.id);
    await close(orgId);
    for (let times = 0; times < 3; times += 1) server.failNext(/POST \/v1\/refunds/, 'fault');
    await hearAll();
    expect(refundsOf(account, subscription.id)).toEqual([]);
    const [pending] = await pendingOf(orgId);
    expect(pending).toMatchObject({ kind: 'refundAtProvider', amount: 4900, currency: 'eur' });
    server.failNext(/POST \/v1\/refunds/, 'answerLost');
    await dispatchEffects(billing.context(), orgId);
    expect(refundsOf(account, subscription.id)).toEqual([4900]);
    expect(await pendingOf(orgId)).toEqual([]);
  });

  test('has an upgrade given back that it paid meanwhile, and nothing of what it had', async () => {
    const { orgId, subscription } = await subscribed();
    account.clock.seconds += 7 * 86_400;
    await confirm((await want(orgId, scale)).sessionId);
    const { total } = must(account.invoices.get(at(subscription).latest_invoice ?? ''), 'invoice');
    await close(orgId);
    await hearAll();
    expect(refundsOf(account, subscription.id)).toEqual([total]);
    expect(await invoicesOf(orgId)).toEqual(['paid 4900']);
  });

  test('has nothing given back of what it had, however often that is told', async () => {
    const orgId = newId('org');
    const { checkoutUrl } = await want(orgId, pro);
    const subscription = payCheckout(account, sessionAt(checkoutUrl).id);
    const events = untold();
    for (const event of events) await receive(event);
    await close(orgId);
    await hearAgain(events);
    expect(at(subscription).status).toBe('canceled');
    expect(refundsOf(account, subscription.id)).toEqual([]);
    expect(await invoicesOf(orgId)).toEqual(['paid 4900']);
  });

  test.each<[what: string, happens: (invoice: unknown) => void]>([
    [
      'was paid in another way',
      (invoice) => {
        for (const payment of account.payments.values()) {
          if (payment.invoice === invoice) payment.payment = { type: 'payment_record' };
        }
      },
    ],
    ['Stripe will not give back', () => server.failNext(/POST \/v1\/refunds/, 'refused')],
    [
      'does not arrive',
      () => {
        account.refundsEnd = 'failed';
      },
    ],
    [
      'was paid out of a balance',
      (invoice) => {
        for (const [id, payment] of account.payments) if (payment.invoice === invoice) account.payments.delete(id);
      },
    ],
  ])('has what %s paid back by an operator, who is told of it', async (_what, happens) => {
    const error = jest.spyOn(billing.context().broker.logger, 'error');
    const { orgId, checkoutId, session } = await paying();
    const subscription = payCheckout(account, session.id);
    happens(subscription.latest_invoice);
    await close(orgId);
    await hearAll();
    const ids = { orgId, provider: 'stripe', gatewaySubscriptionId: subscription.id, checkoutId };
    expect(error.mock.calls).toEqual([
      ['A payment for a deleted organization must be refunded manually', { ...ids, amount: 4900, currency: 'eur' }],
    ]);
    expect(await pendingOf(orgId)).toEqual([]);
    account.refundsEnd = 'succeeded';
  });

  test('has what was to be given back and does not arrive paid back by an operator, who is told of it', async () => {
    const error = jest.spyOn(billing.context().broker.logger, 'error');
    const { orgId, checkoutId, session } = await paying();
    const subscription = payCheckout(account, session.id);
    account.refundsEnd = 'pending';
    await close(orgId);
    await hearAll();
    const refund = must([...account.refunds.values()].at(-1), 'refund');
    const ofOthers = { ...refund, id: account.id('re'), metadata: {}, status: 'failed' };
    account.refunds.set(ofOthers.id, ofOthers);
    account.tell('refund.failed', ofOthers);
    account.tell('refund.failed', refund);
    await hearAll();
    expect(error.mock.calls).toEqual([]);
    refund.status = 'failed';
    account.tell('refund.failed', refund);
    await hearAll();
    const ids = { orgId, provider: 'stripe', gatewaySubscriptionId: subscription.id, checkoutId };
    const message = 'A payment for a deleted organization must be refunded manually';
    expect(error.mock.calls).toEqual([[message, { ...ids, amount: 4900, currency: 'eur' }]]);
    account.refundsEnd = 'succeeded';
  });

  test('is nobody to Stripe any more, and only then to the platform', async () => {
    const { orgId, subscription } = await subscribed();
    await close(orgId);
    server.failNext(/DELETE \/v1\/customers/, 'refused');
    await expect(erase(orgId)).rejects.toThrow();
    expect([await isKnown(orgId), account.customers.has(subscription.customer)]).toEqual([true, true]);
    expect(await erase(orgId)).toEqual({ isComplete: true });
    expect([await isKnown(orgId), account.customers.has(subscription.customer)]).toEqual([false, false]);
    expect(await erase(orgId)).toEqual({ isComplete: true });
    await hearAll();
    expect(await read(orgId)).toMatchObject({ plan: 'free', status: 'canceled' });
  });

  test('is known to Stripe until its subscription has ended there', async () => {
    const { orgId, subscription } = await subscribed();
    server.failNext(/DELETE \/v1\/subscriptions/, 'refused');
    server.failNext(/DELETE \/v1\/subscriptions/, 'refused');
    await close(orgId);
    await expect(erase(orgId)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect([await isKnown(orgId), account.customers.has(subscription.customer)]).toEqual([true, true]);
    await erase(orgId);
    expect([await isKnown(orgId), at(subscription).status]).toEqual([false, 'canceled']);
  });
});

test('What is told in parts, twice and in any order is the same in the end', async () => {
  const picks = fc.array(fc.nat({ max: 999 }), { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(picks, async (numbers) => {
      let used = 0;
      const pick = () => (numbers[used++ % numbers.length] ?? 0) / 1000;
      const shuffled = (events: StripeEvent[]) =>
        events
          .map((event) => ({ event, rank: pick() }))
          .sort((one, other) => one.rank - other.rank)
          .map(({ event }) => event);
      const { orgId, subscription } = await subscribed();
      const kept: StripeEvent[] = [];
      const hearSome = async () => {
        const events = shuffled(untold());
        kept.push(...events);
        await Promise.all(events.slice(0, 1 + Math.floor(pick() * events.length)).map((event) => receive(event)));
      };
      endPeriod(account, subscription.id);
      await hearSome();
      account.clock.seconds += 86_400;
      await confirm((await want(orgId, scale)).sessionId);
      await hearSome();
      endPeriod(account, subscription.id);
      await hearSome();
      await Promise.all(shuffled([...kept, ...kept]).map((event) => receive(event)));
      const { current_period_end } = at(subscription).items.data[0];
      expect(await read(orgId)).toMatchObject({
        plan: 'scale',
        status: 'active',
        currentPeriodEnd: new Date(current_period_end * 1000).toISOString(),
      });
      const amounts = await invoicesOf(orgId);
      expect(amounts.slice(0, 2)).toEqual(['paid 4900', 'paid 4900']);
      expect(amounts).toHaveLength(4);
      expect(amounts).toContain('paid 29900');
    }),
    { numRuns: propertyCases(4, 100), endOnFailure: true },
  );
}, 120_000);

describe('A checkout while Stripe is down', () => {
  test('is 503 with the time to wait, and is had when Stripe is back', async () => {
    const orgId = newId('org');
    for (let times = 0; times < 3; times += 1) server.failNext(/POST .*sessions/, 'fault');
    await expect(want(orgId, pro)).rejects.toMatchObject({
      type: 'UNAVAILABLE',
      code: 503,
      data: { headers: { 'Retry-After': '5' } },
    });
    expect((await want(orgId, pro)).checkoutUrl).toMatch(/^https:/);
  });
});

describe('A plan that is bought again at Stripe while its payment is overdue', () => {
  test('is paid by the open invoice, for the period that has begun', async () => {
    const { orgId, subscription } = await subscribed();
    account.cards.set(subscription.customer, 'declines');
    endPeriod(account, subscription.id);
    await hearAll();
    const overdue = await read(orgId);
    expect(overdue).toMatchObject({ plan: 'pro', status: 'past_due' });
    account.clock.seconds += 3 * 24 * 3600;
    await expect(want(orgId, scale)).rejects.toMatchObject({ type: 'CONFLICT' });
    const sessions = account.sessions.size;
    const { checkoutUrl } = await want(orgId, pro);
    const invoice = must(account.invoices.get(at(subscription).latest_invoice ?? ''), 'invoice');
    expect(checkoutUrl).toBe(invoice.hosted_invoice_url);
    expect(account.sessions.size).toBe(sessions);
    payInvoice(account, invoice.id);
    await hearAll();
    const { currentPeriodStart, currentPeriodEnd } = overdue;
    expect(await read(orgId)).toMatchObject({ plan: 'pro', status: 'active', currentPeriodStart, currentPeriodEnd });
    expect(account.subscriptions.get(subscription.id)).toMatchObject({ status: 'active' });
    await expect(want(orgId, pro)).rejects.toMatchObject({ type: 'PLAN_IS_CURRENT' });
  });
});
