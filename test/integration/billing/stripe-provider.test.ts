import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { taxBehavior } from '../../../models/billing/sold-version.ts';
import { StripeCustomerModel } from '../../../models/billing/stripe-customer.ts';
import type { Order, PaymentEvent } from '../../../services/billing/payment/provider.ts';
import { createStripeProvider } from '../../../services/billing/payment/stripe/provider.ts';
import {
  endPeriod,
  expirePendingUpdate,
  expireSession,
  giveUpCollecting,
  must,
  payCheckout,
  payInvoice,
  refundsOf,
  type Subscription,
  settle,
} from './stripe-account.ts';
import {
  openStripeDatabase,
  orderAt,
  proMonthly,
  proYearly,
  type StripeBench,
  scaleMonthly,
  scaleYearly,
  startStripeBench,
} from './stripe-bench.ts';

const start = new Date('2030-01-31T12:00:00.000Z');
const day = 86_400;
let bench: StripeBench;
let closeDatabase: () => Promise<void>;

beforeAll(async () => {
  closeDatabase = await openStripeDatabase();
  bench = await startStripeBench(start);
});
afterAll(async () => {
  await bench.close();
  await closeDatabase();
});
afterEach(() => bench.server.account.cards.clear());

const account = () => bench.server.account;
const provider = () => bench.provider;

/** Somebody buys, and pays. */
async function subscribe(change: Partial<Order> = {}): Promise<{ order: Order; subscription: Subscription }> {
  const order = orderAt(bench.server, change);
  const { gatewayCheckoutId } = await provider().openCheckout(order);
  return { order, subscription: payCheckout(account(), gatewayCheckoutId ?? '') };
}

/** The newest event of a kind; what it means. */
function told(type: string): Promise<PaymentEvent> {
  return bench.paymentEventOf(
    must(
      account().events.findLast((event) => event.type === type),
      type,
    ),
  );
}

const asked = (pattern: RegExp) => bench.server.asked.filter(({ method, path }) => pattern.test(`${method} ${path}`));
const stateIn = (paymentEvent: PaymentEvent | null) =>
  paymentEvent?.events.flatMap((event) => (event.kind === 'providerStateRead' ? [event.state] : []))[0];
const kindsIn = (paymentEvent: PaymentEvent | null) => paymentEvent?.events.map(({ kind }) => kind);
const seconds = (instant: string) => Date.parse(instant) / 1000;

describe('A checkout', () => {
  test('leads to a page of Stripe’s, which knows what is bought and by whom', async () => {
    const order = orderAt(bench.server);
    const opened = await provider().openCheckout(order);
    const session = must(account().sessions.get(opened.gatewayCheckoutId ?? ''), 'session');
    expect(opened).toEqual({ gatewayCheckoutId: session.id, url: session.url, expiresAt: order.expiresAt });
    const { checkoutId, orgId } = order;
    const [request] = asked(/^POST \/v1\/checkout\/sessions$/).slice(-1);
    expect(request?.params).toMatchObject({
      mode: 'subscription',
      client_reference_id: checkoutId,
      metadata: { orgId, checkoutId },
      subscription_data: { metadata: { orgId, checkoutId, terms: 'pro@1:monthly:eur' } },
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
    });
    expect(account().customers.get(session.customer)).toMatchObject({
      name: 'Ćevapi & Söhne',
      email: 'owner@example.com',
      metadata: { orgId },
    });
    expect(account().prices.get(session.priceId)).toMatchObject({
      unit_amount: 4900,
      currency: 'eur',
      recurring: { interval: 'month' },
      lookup_key: 'pro@1:monthly:eur',
    });
    const made = bench.server.asked.filter(({ method, path }) => method === 'POST' && path === '/v1/prices');
    expect(new Set(made.map(({ params }) => params.tax_behavior))).toEqual(new Set([taxBehavior]));
  });

  test('opened again, also after a lost answer, is the same page and one customer', async () => {
    const order = orderAt(bench.server);
    bench.server.failNext(/POST .*sessions/, 'answerLost');
    const opened = await Promise.all([provider().openCheckout(order), provider().openCheckout(order)]);
    opened.push(await provider().openCheckout(order));
    expect(new Set(opened.map(({ gatewayCheckoutId }) => gatewayCheckoutId)).size).toBe(1);
    const mine = [...account().customers.values()].filter(
      ({ metadata }) => (metadata as { orgId: string }).orgId === order.orgId,
    );
    expect(mine).toHaveLength(1);
  });

  test('of an organization that bought before is for the same customer, unless Stripe lost it', async () => {
    const { order, subscription } = await subscribe();
    const again = await subscribe({ orgId: order.orgId, terms: scaleMonthly });
    expect(again.subscription.customer).toBe(subscription.customer);
    account().customers.delete(subscription.customer);
    const third = await subscribe({ orgId: order.orgId });
    expect(third.subscription.customer).not.toBe(subscription.customer);
    expect(account().customers.has(third.subscription.customer)).toBe(true);
  });

  test('is open for as long as Stripe keeps it, where it is to be open for longer', async () => {
    const expiresAt = new Date((account().clock.seconds + 3 * day) * 1000);
    const opened = await provider().openCheckout(orderAt(bench.server, { expiresAt }));
    expect(opened.expiresAt).toEqual(new Date((account().clock.seconds + day) * 1000));
  });

  test('of a running subscription is confirmed on the platform’s page', async () => {
    const { subscription } = await subscribe();
    const order = orderAt(bench.server, { gatewaySubscriptionId: subscription.id, terms: scaleMonthly });
    expect(await provider().openCheckout(order)).toEqual({
      gatewayCheckoutId: null,
      url: null,
      expiresAt: order.expiresAt,
    });
  });

  test('can be closed, again and when it was paid or is unknown', async () => {
    const order = orderAt(bench.server);
    const { gatewayCheckoutId } = await provider().openCheckout(order);
    const checkout = {
      key: `${order.checkoutId}:close`,
      orgId: order.orgId,
      gatewayCheckoutId: gatewayCheckoutId ?? '',
    };
    await provider().closeCheckout(checkout);
    await provider().closeCheckout(checkout);
    expect(account().sessions.get(checkout.gatewayCheckoutId)?.status).toBe('expired');
    expect(await told('checkout.session.expired')).toEqual({
      checkoutId: order.checkoutId,
      gatewaySubscriptionId: null,
      events: [],
      isCheckoutOver: true,
    });
    await provider().closeCheckout({ ...checkout, gatewayCheckoutId: 'cs_unknown' });

    const { order: paid } = await subscribe();
    const session = must(
      [...account().sessions.values()].find(({ client_reference_id }) => client_reference_id === paid.checkoutId),
      'session',
    );
    await provider().closeCheckout({ ...checkout, gatewayCheckoutId: session.id });
    expect(session.status).toBe('complete');
  });

  test('that is paid while it is being closed stays paid', async () => {
    const order = orderAt(bench.server);
    const { gatewayCheckoutId } = await provider().openCheckout(order);
    const { sessions } = account();
    const session = must(sessions.get(gatewayCheckoutId ?? ''), 'session');
    // It is paid just before Stripe hears that it is to be closed.
    bench.server.before(/POST .*expire/, () => payCheckout(account(), session.id));
    await provider().closeCheckout({ key: 'close', orgId: order.orgId, gatewayCheckoutId: session.id });
    expect(session.status).toBe('complete');
  });
});

describe('A price', () => {
  test('is found by its name, and made once for all who want it first', async () => {
    const others = [1, 2, 3].map(() => anotherProvider());
    const terms = { plan: 'scale', version: 1, billingCycle: 'yearly' } as const;
    await Promise.all(
      others.map((one) => one.openCheckout(orderAt(bench.server, { terms, currency: 'usd', amount: 329_000 }))),
    );
    const made = [...account().prices.values()].filter(({ lookup_key }) => lookup_key === 'scale@1:yearly:usd');
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ unit_amount: 329_000, recurring: { interval: 'year' }, product: 'plan_scale_1' });
  });

  test('of another amount than the plan says is never charged', async () => {
    await provider().openCheckout(orderAt(bench.server, { currency: 'usd', amount: 5400 }));
    const price = must(
      [...account().prices.values()].find(({ lookup_key }) => lookup_key === 'pro@1:monthly:usd'),
      'price',
    );
    price.unit_amount = 1;
    const opening = anotherProvider().openCheckout(orderAt(bench.server, { currency: 'usd' }));
    await expect(opening).rejects.toThrow('pro@1:monthly:usd is not 5400 each month');
    price.unit_amount = 5400;
  });

  test('that somebody archived is made anew, and the subscriptions that have it keep their plan', async () => {
    const { subscription } = await subscribe({ currency: 'usd' });
    const [{ price }] = subscription.items.data;
    price.active = false;
    const { gatewayCheckoutId } = await anotherProvider().openCheckout(orderAt(bench.server, { currency: 'usd' }));
    const next = payCheckout(account(), gatewayCheckoutId ?? '');
    expect(next.items.data[0].price.id).not.toBe(price.id);
    expect(price.lookup_key).toBeNull();
    expect(stateIn(await provider().read(subscription.id))).toMatchObject({ terms: proMonthly, currency: 'usd' });
  });

  function anotherProvider() {
    return createStripeProvider({
      secretKey: 'sk_test_of_a_stand_in',
      webhookSecrets: ['whsec_unused'],
      apiBase: bench.server.url,
    });
  }
});

describe('What is paid', () => {
  test('is told alike by every webhook of a first purchase', async () => {
    account().clock.seconds = seconds('2030-03-31T08:00:00.000Z');
    const { order, subscription } = await subscribe();
    const period = { start: new Date('2030-03-31T08:00:00.000Z'), end: new Date('2030-04-30T08:00:00.000Z') };
    const names = { provider: 'stripe', gatewaySubscriptionId: subscription.id, collection: 'provider' };
    const expected = {
      checkoutId: order.checkoutId,
      gatewaySubscriptionId: subscription.id,
      events: [
        {
          kind: 'checkoutCompleted',
          checkoutId: order.checkoutId,
          ...names,
          terms: proMonthly,
          currency: 'eur',
          amount: 4900,
          period,
        },
        {
          kind: 'providerStateRead',
          ...names,
          readAt: period.start,
          state: { status: 'active', terms: proMonthly, currency: 'eur', period, cancelAtPeriodEnd: false },
        },
      ],
    };
    for (const type of ['customer.subscription.created', 'invoice.paid', 'checkout.session.completed']) {
      expect(await told(type)).toEqual(expected);
    }
    expect(await provider().read(subscription.id)).toEqual(expected);
  });

  test('later than it was ordered counts when it is there', async () => {
    const order = orderAt(bench.server);
    const { gatewayCheckoutId } = await provider().openCheckout(order);
    const session = must(account().sessions.get(gatewayCheckoutId ?? ''), 'session');
    account().cards.set(session.customer, 'processes');
    payCheckout(account(), session.id);
    expect(kindsIn(await told('checkout.session.completed'))).toEqual(['providerStateRead']);
    settle(account(), session.id, 'paid');
    const paymentEvent = await told('checkout.session.async_payment_succeeded');
    expect(paymentEvent).toMatchObject({ checkoutId: order.checkoutId });
    expect(kindsIn(paymentEvent)).toEqual(['checkoutCompleted', 'providerStateRead']);
  });

  test('never came: the checkout is over, and what had begun has ended', async () => {
    const order = orderAt(bench.server);
    const { gatewayCheckoutId } = await provider().openCheckout(order);
    const session = must(account().sessions.get(gatewayCheckoutId ?? ''), 'session');
    account().cards.set(session.customer, 'processes');
    payCheckout(account(), session.id);
    settle(account(), session.id, 'failed');
    const paymentEvent = await told('checkout.session.async_payment_failed');
    expect(paymentEvent).toMatchObject({ checkoutId: order.checkoutId, isCheckoutOver: true });
    expect(stateIn(paymentEvent)).toMatchObject({ status: 'canceled' });
  });

  test('each month is a renewal with its own period', async () => {
    account().clock.seconds = seconds('2030-05-31T08:00:00.000Z');
    const { subscription } = await subscribe();
    endPeriod(account(), subscription.id);
    const period = { start: new Date('2030-06-30T08:00:00.000Z'), end: new Date('2030-07-31T08:00:00.000Z') };
    const paymentEvent = await told('invoice.paid');
    expect(paymentEvent.events).toMatchObject([
      { kind: 'renewed', gatewaySubscriptionId: subscription.id, period, amount: 4900 },
      { kind: 'providerStateRead', state: { status: 'active', period } },
    ]);
    expect((await provider().read(subscription.id))?.events).toEqual(paymentEvent.events);
  });

  test('told of late comes before what was paid since', async () => {
    const { order, subscription } = await subscribe();
    const event = must(
      account().events.findLast(({ type }) => type === 'invoice.paid'),
      'event',
    );
    endPeriod(account(), subscription.id);
    const paymentEvent = await bench.paymentEventOf(event);
    expect(paymentEvent.checkoutId).toBe(order.checkoutId);
    expect(kindsIn(paymentEvent)).toEqual(['checkoutCompleted', 'renewed', 'providerStateRead']);
  });

  test('not at all is overdue, then given up, then recovered by hand', async () => {
    const { subscription } = await subscribe();
    account().cards.set(subscription.customer, 'declines');
    endPeriod(account(), subscription.id);
    const failed = await told('invoice.payment_failed');
    expect(kindsIn(failed)).toEqual(['providerStateRead']);
    expect(stateIn(failed)).toMatchObject({ status: 'past_due' });
    giveUpCollecting(account(), subscription.id);
    expect(stateIn(await told('customer.subscription.updated'))).toMatchObject({ status: 'expired' });
    payInvoice(account(), subscription.latest_invoice ?? '');
    const recovered = await told('invoice.paid');
    expect(kindsIn(recovered)).toEqual(['renewed', 'providerStateRead']);
    expect(stateIn(recovered)).toMatchObject({ status: 'active' });
  });

  test('for something else in the same account is of no concern', async () => {
    const { subscription } = await subscribe();
    subscription.metadata = {};
    const ofOthers = { checkoutId: null, gatewaySubscriptionId: null, events: [], isOfOthers: true };
    expect(await told('customer.subscription.created')).toEqual(ofOthers);
    expect(await told('invoice.paid')).toEqual(ofOthers);
    expect(await provider().read(subscription.id)).toEqual(ofOthers);
    sessionOf(subscription).metadata = {};
    expect(await told('checkout.session.completed')).toEqual(ofOthers);
  });

  test('that Stripe does not know by this key is unknown, and not of no concern', async () => {
    const unknown = { checkoutId: null, gatewaySubscriptionId: null, events: [], isUnknown: true };
    expect(await provider().read('sub_unknown')).toEqual(unknown);
    for (const [type, id] of [
      ['customer.subscription.updated', 'sub_unknown'],
      ['customer.subscription.pending_update_expired', 'sub_unknown'],
      ['invoice.paid', 'in_unknown'],
      ['checkout.session.completed', 'cs_unknown'],
    ] as const) {
      account().tell(type, { id });
      expect(await told(type)).toEqual(unknown);
    }
  });

  function sessionOf({ id }: Subscription) {
    return must(
      [...account().sessions.values()].find(({ subscription }) => subscription === id),
      'session',
    );
  }

  test('by a price that is of no plan is a fault, which is tried again', async () => {
    const { subscription } = await subscribe();
    const [item] = subscription.items.data;
    item.price = { ...item.price, id: 'price_foreign', lookup_key: null, metadata: {} };
    await expect(told('customer.subscription.created')).rejects.toThrow('price_foreign, which is of no plan');
  });

  test.each([
    ['trialing', 'active'],
    ['incomplete', 'incomplete'],
    ['past_due', 'past_due'],
    ['unpaid', 'expired'],
    ['paused', 'expired'],
    ['canceled', 'canceled'],
    ['incomplete_expired', 'canceled'],
  ] as const)('makes a subscription that is %s at Stripe %s here', async (status, expected) => {
    const { subscription } = await subscribe();
    subscription.status = status;
    expect(stateIn(await provider().read(subscription.id))?.status).toBe(expected);
  });
});

describe('An upgrade', () => {
  async function upgrade(subscription: Subscription, change: Partial<Order> = {}) {
    const order = orderAt(bench.server, {
      terms: scaleMonthly,
      orgId: subscription.metadata.orgId ?? '',
      gatewaySubscriptionId: subscription.id,
      ...change,
    });
    const again = () =>
      provider().upgrade({ key: `${order.checkoutId}:upgrade`, gatewaySubscriptionId: subscription.id, order });
    return { order, again, ...(await again()) };
  }

  test('that is paid at once counts at once, for the rest of the period', async () => {
    account().clock.seconds = seconds('2030-09-01T00:00:00.000Z');
    const { subscription } = await subscribe();
    account().clock.seconds += 15 * day;
    const { order, url, again } = await upgrade(subscription);
    expect(url).toBeNull();
    const paymentEvent = await told('invoice.paid');
    expect(paymentEvent.checkoutId).toBe(order.checkoutId);
    expect(paymentEvent.events[0]).toMatchObject({
      kind: 'checkoutCompleted',
      checkoutId: order.checkoutId,
      terms: scaleMonthly,
      // Half of each.
      amount: 12_500,
      period: { start: new Date('2030-09-01T00:00:00.000Z'), end: new Date('2030-10-01T00:00:00.000Z') },
    });
    expect(stateIn(paymentEvent)).toMatchObject({ terms: scaleMonthly });
    const invoices = account().invoices.size;
    expect(await again()).toEqual({ url: null });
    expect(account().invoices.size).toBe(invoices);
  });

  test('to another cycle begins a new period', async () => {
    account().clock.seconds = seconds('2030-09-01T00:00:00.000Z');
    const { subscription } = await subscribe();
    account().clock.seconds += 15 * day;
    await upgrade(subscription, { terms: proYearly });
    expect((await told('invoice.paid')).events).toMatchObject([
      {
        kind: 'checkoutCompleted',
        terms: proYearly,
        amount: 49_000 - 2450,
        period: { start: new Date('2030-09-16T00:00:00.000Z'), end: new Date('2031-09-16T00:00:00.000Z') },
      },
      { kind: 'providerStateRead', state: { terms: proYearly } },
    ]);
  });

  test('that needs the payer changes nothing until it is paid on Stripe’s page', async () => {
    const { subscription } = await subscribe();
    account().clock.seconds += day;
    account().cards.set(subscription.customer, 'declines');
    const { order, url, again } = await upgrade(subscription);
    const invoice = must(account().invoices.get(subscription.latest_invoice ?? ''), 'invoice');
    expect(url).toBe(invoice.hosted_invoice_url);
    expect(await again()).toEqual({ url });
    const pending = await told('invoice.payment_action_required');
    expect(kindsIn(pending)).toEqual(['providerStateRead']);
    expect(stateIn(pending)).toMatchObject({ terms: proMonthly, status: 'active' });
    payInvoice(account(), invoice.id);
    const paid = await told('invoice.paid');
    expect(paid.events[0]).toMatchObject({ kind: 'checkoutCompleted', checkoutId: order.checkoutId });
    expect(stateIn(paid)).toMatchObject({ terms: scaleMonthly });
  });

  describe('of a subscription with a scheduled downgrade, that nobody pays for,', () => {
    async function downgradedWithoutCard() {
      const { subscription } = await subscribe({ terms: scaleMonthly });
      const names = { gatewaySubscriptionId: subscription.id };
      await provider().changePlan({ key: newId('req'), ...names, to: proMonthly, currency: 'eur' });
      account().cards.set(subscription.customer, 'declines');
      return subscription;
    }

    async function expectRenewal({ id }: Subscription, terms: Order['terms']) {
      account().cards.clear();
      endPeriod(account(), id);
      expect(stateIn(await told('invoice.paid'))).toMatchObject({ terms });
    }

    test.each(['customer.subscription.pending_update_expired', 'customer.subscription.updated'])(
      'is over with %s, and the downgrade still comes',
      async (firstTold) => {
        const subscription = await downgradedWithoutCard();
        const { order } = await upgrade(subscription, { terms: scaleYearly });
        expect(subscription.schedule).toBeNull();
        expirePendingUpdate(account(), subscription.id);
        expect(stateIn(await told(firstTold))).toMatchObject({ terms: scaleMonthly });
        const { schedule } = subscription;
        expect(schedule).not.toBeNull();
        const paymentEvent = await told('customer.subscription.pending_update_expired');
        expect(paymentEvent).toMatchObject({ checkoutId: order.checkoutId, isCheckoutOver: true });
        expect(stateIn(paymentEvent)).toMatchObject({ terms: scaleMonthly });
        expect(subscription.schedule).toBe(schedule);
        await expectRenewal(subscription, proMonthly);
      },
    );

    test('is not over before its payment is asked for', async () => {
      const subscription = await downgradedWithoutCard();
      const during: (string | null)[] = [];
      bench.server.before(/\/release$/, () => {
        bench.server.before(/^POST .*\/subscriptions\//, async () => {
          await told('customer.subscription.updated');
          during.push(subscription.schedule);
        });
      });
      const { url } = await upgrade(subscription, { terms: scaleYearly });
      expect(during).toEqual([null]);
      expect(url).toContain('https://');
      await told('customer.subscription.updated');
      expect(subscription).toMatchObject({ schedule: null, pending_update: {} });
    });

    test('twice, before anything of the first is heard, is over all the same', async () => {
      const subscription = await downgradedWithoutCard();
      await upgrade(subscription, { terms: scaleYearly });
      expirePendingUpdate(account(), subscription.id);
      await upgrade(subscription, { terms: scaleYearly });
      expect(subscription.schedule).toBeNull();
      expirePendingUpdate(account(), subscription.id);
      await told('customer.subscription.pending_update_expired');
      await expectRenewal(subscription, proMonthly);
    });

    test('and that is asked for again and paid, replaces the downgrade', async () => {
      const subscription = await downgradedWithoutCard();
      await upgrade(subscription, { terms: scaleYearly });
      expirePendingUpdate(account(), subscription.id);
      account().cards.clear();
      await upgrade(subscription, { terms: scaleYearly });
      await told('customer.subscription.pending_update_expired');
      await told('customer.subscription.updated');
      expect(subscription.schedule).toBeNull();
      await expectRenewal(subscription, scaleYearly);
    });
  });

  test('that Stripe refuses leaves what was to become of the subscription', async () => {
    const { subscription } = await subscribe({ terms: scaleMonthly });
    const names = { gatewaySubscriptionId: subscription.id };
    await provider().changePlan({ key: newId('req'), ...names, to: proMonthly, currency: 'eur' });
    bench.server.failNextWhere(({ params }) => params.payment_behavior === 'pending_if_incomplete', 'refused');
    const yearly = { terms: scaleYearly };
    await expect(upgrade(subscription, yearly)).rejects.toThrow('Not so.');
    expect(subscription.schedule).not.toBeNull();
    const { again } = await upgrade(subscription, yearly);
    expect(subscription.schedule).toBeNull();
    expect(await again()).toEqual({ url: null });
    expect(stateIn(await told('invoice.paid'))).toMatchObject({ terms: yearly.terms });
  });

  test('takes a cancellation back when it is paid, and not before', async () => {
    const { subscription } = await subscribe();
    const names = { gatewaySubscriptionId: subscription.id };
    await provider().cancelAtPeriodEnd({ key: newId('req'), ...names, reason: null });
    account().clock.seconds += day;
    account().cards.set(subscription.customer, 'declines');
    await upgrade(subscription);
    expect(stateIn(await told('invoice.payment_action_required'))).toMatchObject({ cancelAtPeriodEnd: true });
    payInvoice(account(), subscription.latest_invoice ?? '');
    expect(stateIn(await told('invoice.paid'))).toMatchObject({ cancelAtPeriodEnd: false, terms: scaleMonthly });
    expect(subscription.cancel_at_period_end).toBe(false);
    // A cancellation after that stays.
    account().clock.seconds += day;
    await provider().cancelAtPeriodEnd({ key: newId('req'), ...names, reason: null });
    expect(stateIn(await told('invoice.paid'))).toMatchObject({ cancelAtPeriodEnd: true });
  });

  test('whose answer is lost is paid once', async () => {
    const { subscription } = await subscribe();
    account().clock.seconds += day;
    bench.server.failNextWhere(({ params }) => params.payment_behavior === 'pending_if_incomplete', 'answerLost');
    const { order } = await upgrade(subscription);
    const invoices = [...account().invoices.values()].filter(
      ({ parent }) => parent.subscription_details.metadata.checkoutId === order.checkoutId,
    );
    expect(invoices).toHaveLength(1);
  });

  test('of what has ended is refused', async () => {
    const { subscription } = await subscribe();
    subscription.status = 'canceled';
    await expect(upgrade(subscription)).rejects.toMatchObject({ type: 'CONFLICT' });
    await expect(upgrade({ ...subscription, id: 'sub_unknown' })).rejects.toMatchObject({ type: 'CONFLICT' });
  });

  test('to what is overdue leads to the page on which that is paid', async () => {
    const { subscription } = await subscribe();
    account().cards.set(subscription.customer, 'declines');
    endPeriod(account(), subscription.id);
    const { url } = await upgrade(subscription, { terms: proMonthly });
    expect(url).toBe(account().invoices.get(subscription.latest_invoice ?? '')?.hosted_invoice_url);
  });
});

describe('A change for the end of the period', () => {
  test('cancels with the reason, resumes, and can be repeated', async () => {
    const { subscription } = await subscribe();
    const names = { gatewaySubscriptionId: subscription.id };
    const cancel = { key: newId('req'), ...names, reason: 'Too expensive — sorry.' };
    await provider().cancelAtPeriodEnd(cancel);
    await provider().cancelAtPeriodEnd(cancel);
    expect(subscription).toMatchObject({
      cancel_at_period_end: true,
      cancellation_details: { comment: 'Too expensive — sorry.' },
    });
    expect(stateIn(await told('customer.subscription.updated'))).toMatchObject({ cancelAtPeriodEnd: true });
    const resume = { key: newId('req'), ...names };
    await provider().resume(resume);
    await provider().resume(resume);
    expect(subscription).toMatchObject({ cancel_at_period_end: false, cancellation_details: { comment: null } });
    // A cancellation that is told once more, late, does not count again.
    await provider().cancelAtPeriodEnd(cancel);
    expect(subscription.cancel_at_period_end).toBe(false);
  });

  test('that was made by a date in Stripe’s pages is known and taken back', async () => {
    const { subscription } = await subscribe();
    subscription.cancel_at = subscription.items.data[0].current_period_end;
    expect(stateIn(await provider().read(subscription.id))).toMatchObject({ cancelAtPeriodEnd: true });
    await provider().resume({ key: newId('req'), gatewaySubscriptionId: subscription.id });
    expect(subscription.cancel_at).toBeNull();
  });

  test('ends with the period, and a subscription that was deleted is canceled', async () => {
    const { subscription } = await subscribe();
    const names = { gatewaySubscriptionId: subscription.id };
    await provider().cancelAtPeriodEnd({ key: newId('req'), ...names, reason: null });
    endPeriod(account(), subscription.id);
    expect(stateIn(await told('customer.subscription.deleted'))).toMatchObject({ status: 'canceled' });
    await provider().cancelAtPeriodEnd({ key: newId('req'), ...names, reason: null });
    await provider().resume({ key: newId('req'), ...names });
    await provider().changePlan({ key: newId('req'), ...names, to: proMonthly, currency: 'eur' });
    await provider().end({ key: newId('req'), ...names });
  });

  test('to a lesser plan is paid from the next period on, without settling', async () => {
    const { subscription } = await subscribe({ terms: scaleMonthly });
    const names = { gatewaySubscriptionId: subscription.id };
    const change = { key: newId('req'), ...names, to: proMonthly, currency: 'eur' } as const;
    await provider().changePlan(change);
    await provider().changePlan(change);
    expect(stateIn(await provider().read(subscription.id))).toMatchObject({ terms: scaleMonthly });
    endPeriod(account(), subscription.id);
    expect((await told('invoice.paid')).events).toMatchObject([
      { kind: 'renewed', amount: 4900 },
      { kind: 'providerStateRead', state: { terms: proMonthly } },
    ]);
  });

  test('to a shorter cycle is a renewal, though the checkout of the longer one is noted', async () => {
    const { subscription } = await subscribe({ terms: proYearly });
    await provider().changePlan({
      key: newId('req'),
      gatewaySubscriptionId: subscription.id,
      to: proMonthly,
      currency: 'eur',
    });
    endPeriod(account(), subscription.id);
    expect((await told('invoice.paid')).events).toMatchObject([
      { kind: 'renewed', amount: 4900 },
      { kind: 'providerStateRead', state: { terms: proMonthly } },
    ]);
  });

  test('can become another one, or none, or a cancellation', async () => {
    const { subscription } = await subscribe({ terms: scaleYearly });
    const names = { gatewaySubscriptionId: subscription.id };
    const change = (to: typeof proMonthly) =>
      provider().changePlan({ key: newId('req'), ...names, to, currency: 'eur' });
    await change(proMonthly);
    await change(scaleMonthly);
    const scheduled = must(account().schedules.get(subscription.schedule ?? ''), 'schedule');
    expect(scheduled.phases).toHaveLength(2);
    expect(account().prices.get(scheduled.phases[1]?.items[0]?.price ?? '')?.lookup_key).toBe('scale@1:monthly:eur');
    await change(scaleYearly);
    expect(subscription.schedule).toBeNull();
    await change(proMonthly);
    await provider().cancelAtPeriodEnd({ key: newId('req'), ...names, reason: null });
    expect(subscription).toMatchObject({ schedule: null, cancel_at_period_end: true });
  });

  test('can change again in the period in which it came about', async () => {
    const { subscription } = await subscribe({ terms: scaleYearly });
    const names = { gatewaySubscriptionId: subscription.id };
    await provider().changePlan({ key: newId('req'), ...names, to: scaleMonthly, currency: 'eur' });
    endPeriod(account(), subscription.id);
    await provider().changePlan({ key: newId('req'), ...names, to: proMonthly, currency: 'eur' });
    endPeriod(account(), subscription.id);
    expect(stateIn(await told('invoice.paid'))).toMatchObject({ terms: proMonthly });
  });

  test('whose answer was lost is made once', async () => {
    const { subscription } = await subscribe({ terms: scaleMonthly });
    const names = { gatewaySubscriptionId: subscription.id };
    bench.server.failNext(/POST \/v1\/subscription_schedules$/, 'answerLost');
    await provider().changePlan({ key: newId('req'), ...names, to: proMonthly, currency: 'eur' });
    expect(account().schedules.get(subscription.schedule ?? '')?.phases).toHaveLength(2);
  });
});

describe('The end', () => {
  test('is now; nothing is charged any more, and it can be repeated', async () => {
    const { subscription } = await subscribe({ terms: scaleMonthly });
    const names = { gatewaySubscriptionId: subscription.id };
    await provider().changePlan({ key: newId('req'), ...names, to: proMonthly, currency: 'eur' });
    account().cards.set(subscription.customer, 'declines');
    endPeriod(account(), subscription.id);
    const invoice = must(account().invoices.get(subscription.latest_invoice ?? ''), 'invoice');
    expect(invoice.status).toBe('open');
    const change = { key: newId('req'), ...names };
    bench.server.failNext(/POST .*void/, 'refused');
    await expect(provider().end(change)).rejects.toThrow('Not so.');
    await provider().end(change);
    await provider().end(change);
    expect(subscription.status).toBe('canceled');
    expect(invoice.status).toBe('void');
    await provider().end({ ...change, gatewaySubscriptionId: 'sub_unknown' });
  });

  test('gives back what was paid for a checkout, once, and nothing else', async () => {
    const { order, subscription } = await subscribe();
    endPeriod(account(), subscription.id);
    account().clock.seconds += day;
    const names = { gatewaySubscriptionId: subscription.id };
    const upgrade = orderAt(bench.server, { orgId: order.orgId, terms: scaleMonthly, ...names });
    await provider().upgrade({ key: `${upgrade.checkoutId}:upgrade`, ...names, order: upgrade });
    const { total } = must(account().invoices.get(subscription.latest_invoice ?? ''), 'invoice');
    const { orgId, checkoutId } = upgrade;
    await provider().end({ key: newId('req'), ...names });
    bench.server.failNext(/POST \/v1\/refunds/, 'answerLost');
    const refund = { key: newId('req'), orgId, checkoutId, ...names };
    expect(await provider().refund?.(refund)).toBe('refunded');
    expect(await provider().refund?.(refund)).toBe('refunded');
    // Under another key Stripe refuses it.
    expect(await provider().refund?.({ ...refund, key: newId('req') })).toBe('refunded');
    expect(refundsOf(account(), subscription.id)).toEqual([total]);
    const [request] = asked(/^POST \/v1\/refunds$/).slice(-1);
    expect(Object.keys(request?.params ?? {})).toEqual(['payment_intent', 'metadata']);
    expect(await provider().refund?.({ ...refund, checkoutId: 'chk_unknown' })).toBe('byHand');
  });

  test('leaves what was paid outside of Stripe to somebody else', async () => {
    const { order, subscription } = await subscribe();
    const { orgId, checkoutId } = order;
    for (const payment of account().payments.values()) {
      if (payment.invoice === subscription.latest_invoice) payment.payment = { type: 'payment_record' };
    }
    const refund = { key: newId('req'), orgId, checkoutId, gatewaySubscriptionId: subscription.id };
    expect(await provider().refund?.(refund)).toBe('byHand');
    expect(refundsOf(account(), subscription.id)).toEqual([]);
  });

  test('of a customer is there before it is here, and can be repeated', async () => {
    const { order, subscription } = await subscribe();
    const { orgId } = order;
    const isKnown = async () => (await StripeCustomerModel.exists({ _id: orgId, orgId })) !== null;
    bench.server.failNext(/DELETE \/v1\/customers/, 'refused');
    await expect(provider().forget?.(orgId)).rejects.toThrow('Not so.');
    expect(await isKnown()).toBe(true);
    bench.server.failNext(/DELETE \/v1\/customers/, 'answerLost');
    await provider().forget?.(orgId);
    await provider().forget?.(orgId);
    expect([await isKnown(), account().customers.has(subscription.customer)]).toEqual([false, false]);
    expect(subscription.status).toBe('canceled');
  });

  test('of a session that was never paid says nothing of a subscription', async () => {
    const order = orderAt(bench.server);
    const { gatewayCheckoutId } = await provider().openCheckout(order);
    expireSession(account(), gatewayCheckoutId ?? '');
    expect(await told('checkout.session.expired')).toMatchObject({ isCheckoutOver: true, events: [] });
  });
});

describe('Stripe itself', () => {
  test('that fails for a moment is asked again, under the same key', async () => {
    bench.server.failNext(/POST .*sessions/, 'fault');
    const order = orderAt(bench.server);
    await provider().openCheckout(order);
    const keys = asked(/POST .*sessions$/)
      .filter(({ params }) => params.client_reference_id === order.checkoutId)
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([`${order.checkoutId}:session`, `${order.checkoutId}:session`]);
  });

  test('charges by itself', async () => {
    const period = { start, end: start };
    const charge = { key: 'k', orgId: 'o', gatewaySubscriptionId: 's', period, amount: 1, currency: 'eur' } as const;
    await expect(provider().charge(charge)).rejects.toThrow('renews subscriptions itself');
  });
});
