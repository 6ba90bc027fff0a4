import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { day, hour, now, setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { formatMoney } from '../../../lib/format/money.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type CheckoutDocument, CheckoutModel } from '../../../models/billing/checkout.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../models/billing/invoice.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../../models/billing/subscription.ts';
import { cancelCheckout } from '../../../services/billing/checkouts/checkouts.ts';
import { sweepCheckouts } from '../../../services/billing/checkouts/sweep-checkouts.ts';
import type { PaymentProvider } from '../../../services/billing/payment/provider.ts';
import { manualProvider, replaceProvider } from '../../../services/billing/payment/providers.ts';
import { testProvider } from '../../../services/billing/payment/sandbox.ts';
import { currentPlan } from '../../../services/billing/plans/plans.ts';
import { sweepSubscriptions } from '../../../services/billing/subscriptions/sweep.ts';
import { linkTo } from '../../support/checkout-links.ts';
import { until } from '../../support/until.ts';
import { type BillingBroker, startBillingBroker } from './billing-broker.ts';

let billing: BillingBroker;
let instant: number;
let restore: (() => void)[] = [];

beforeAll(async () => {
  billing = await startBillingBroker();
});
afterAll(() => billing.stop());
beforeEach(() => {
  instant = Date.parse('2030-01-31T12:00:00.000Z');
  restore = [setClock(() => new Date(instant))];
});
afterEach(() => {
  for (const one of restore) one();
});

const home = settings.PUBLIC_URL;
const urls = { successUrl: `${home}/done`, cancelUrl: `${home}/back` };
const { pro, scale } = { pro: currentPlan('pro').prices, scale: currentPlan('scale').prices };

type Body = { plan: 'pro' | 'scale'; billingCycle: 'monthly' | 'yearly'; currency?: 'eur' | 'usd' };
const open = (orgId: string, body: Partial<Body & typeof urls> = {}) =>
  billing.callAs(orgId, 'billing.checkouts.open', {
    path: { orgId },
    body: { plan: 'pro', billingCycle: 'monthly', ...urls, ...body },
  });
const act = (sessionId: string, what: 'approve' | 'approve-once' | 'decline' | 'challenge' | 'complete' | 'fail') =>
  billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: what } });
const confirm = (sessionId: string) =>
  billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: 'confirm' } });
const show = (sessionId: string) => billing.call('billing.checkouts.show', { body: linkTo(sessionId) });
const subscription = (orgId: string) => billing.callAs(orgId, 'billing.subscription.read', { path: { orgId } });
const stored = (_id: string) =>
  CheckoutModel.findOne({ _id }).setOptions({ acrossTenants: true }).lean<CheckoutDocument>();
const invoices = (orgId: string) => InvoiceModel.find({ orgId }).sort({ sequence: 1 }).lean<InvoiceDocument[]>();
const typeOf = (work: Promise<unknown>) => work.then(String, (error: { type: string }) => error.type);
const actsOf = (orgId: string) => billing.acts.filter((one) => one.orgId === orgId).map(({ action }) => action);

/** An organization that has bought. */
async function buyer(body: Partial<Body> = {}, how: 'approve' | 'approve-once' = 'approve') {
  const orgId = newId('org');
  const { sessionId } = await open(orgId, body);
  await act(sessionId, how);
  return { orgId, sessionId };
}

describe('opening a checkout', () => {
  test('answers the page where the payer goes, its id and its end, and is recorded', async () => {
    const orgId = newId('org');
    const opened = await open(orgId);
    expect(opened).toEqual({
      checkoutUrl: expect.stringMatching(`^${home}/billing/checkout/${opened.sessionId}[?]signature=[\\w-]{43}$`),
      sessionId: expect.stringMatching(/^chk_[0-9a-z]{26}$/),
      expiresAt: new Date(instant + 2 * hour).toISOString(),
    });
    expect(actsOf(orgId)).toEqual(['checkout.opened']);
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
  });

  test('of 20 equal wishes at once one opens it, and all are answered the same', async () => {
    const orgId = newId('org');
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(orgId)));
    expect(new Set(opened.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(actsOf(orgId)).toEqual(['checkout.opened']);
  });

  test('of different wishes at once one remains open, and one that it replaced too early is refused', async () => {
    const orgId = newId('org');
    const plans = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'pro' : 'scale') as 'pro' | 'scale');
    const opened = await Promise.allSettled(plans.map((plan) => open(orgId, { plan })));
    const refused = opened.filter((one) => one.status === 'rejected');
    expect(refused.filter(({ reason }) => reason.type !== 'CONFLICT')).toEqual([]);
    expect(refused.length).toBeLessThan(plans.length);
    expect(await CheckoutModel.countDocuments({ orgId, status: 'open' })).toBe(1);
    expect(await CheckoutModel.countDocuments({ orgId, slot: orgId })).toBe(1);
  });

  test('of two different wishes at a provider that takes its time the later one is answered', async () => {
    const orgId = newId('org');
    const { promise: replaced, resolve: replace } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const slow: PaymentProvider = {
      ...testProvider,
      async openCheckout(order) {
        asked.push(order.terms.plan);
        if (order.terms.plan === 'pro') await replaced;
        return await testProvider.openCheckout(order);
      },
    };
    restore.push(replaceProvider(slow));
    const earlier = open(orgId).catch((error) => error);
    await until(() => asked.length === 1);
    const later = await open(orgId, { plan: 'scale' });
    replace();
    expect(await earlier).toMatchObject({ type: 'CONFLICT' });
    expect(asked).toEqual(['pro', 'scale']);
    expect((await show(later.sessionId)).status).toBe('open');
    expect(actsOf(orgId)).toEqual(['checkout.opened']);
  });

  test('another wish takes the place of the open one, which can be paid no more', async () => {
    const orgId = newId('org');
    const first = await open(orgId);
    const second = await open(orgId, { plan: 'scale' });
    expect(second.sessionId).not.toBe(first.sessionId);
    expect((await show(first.sessionId)).status).toBe('closed');
    expect(await act(first.sessionId, 'approve')).toEqual({ outcome: 'over' });
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
  });

  test('one that has expired makes room for another', async () => {
    const orgId = newId('org');
    const first = await open(orgId);
    instant += 2 * hour;
    expect((await show(first.sessionId)).status).toBe('expired');
    expect(await act(first.sessionId, 'approve')).toEqual({ outcome: 'over' });
    expect((await open(orgId)).sessionId).not.toBe(first.sessionId);
    expect((await stored(first.sessionId))?.status).toBe('expired');
  });

  test('the plan that one has is refused, and changes nothing', async () => {
    const { orgId } = await buyer();
    expect(await typeOf(open(orgId))).toBe('PLAN_IS_CURRENT');
    expect(await CheckoutModel.countDocuments({ orgId })).toBe(1);
  });

  test.each([
    ['free', { plan: 'free' }, 'body.plan'],
    ['an unknown plan', { plan: 'gold' }, 'body.plan'],
    ['an unknown cycle', { billingCycle: 'weekly' }, 'body.billingCycle'],
    ['an unknown currency', { currency: 'gbp' }, 'body.currency'],
    ['an origin of strangers', { successUrl: 'https://evil.example/' }, 'body.successUrl'],
    ['a user name in the address', { cancelUrl: `${home.replace('://', '://a@')}/` }, 'body.cancelUrl'],
    ['a backslash', { cancelUrl: '/\\evil.example' }, 'body.cancelUrl'],
    ['another scheme', { successUrl: 'javascript:alert(1)' }, 'body.successUrl'],
    ['two slashes', { successUrl: '//evil.example' }, 'body.successUrl'],
    ['a field there is not', { price: 1 }, 'body.price'],
  ])('refuses %s', async (_what, body, path) => {
    const orgId = newId('org');
    const refused = await open(orgId, body as never).catch((error) => error);
    expect(refused).toMatchObject({ type: 'INPUT_INVALID', data: { details: [{ path }] } });
    expect(await CheckoutModel.countDocuments({ orgId })).toBe(0);
  });

  test('sends payers back to the organization’s own clients, too', async () => {
    billing.origins.push('https://shop.example:8443');
    const orgId = newId('org');
    const { sessionId } = await open(orgId, { successUrl: 'https://SHOP.example:8443/a?b#c' });
    billing.origins.length = 0;
    expect(await act(sessionId, 'approve')).toEqual({ outcome: 'done', url: 'https://shop.example:8443/a?b#c' });
  });

  test('when the provider cannot be reached, is refused for now, and goes on where it was', async () => {
    const orgId = newId('org');
    const asked: string[] = [];
    const broken: PaymentProvider = {
      ...testProvider,
      openCheckout: ({ checkoutId }) => {
        asked.push(checkoutId);
        return Promise.reject(new Error('No route to the provider.'));
      },
    };
    const repair = replaceProvider(broken);
    expect(await typeOf(open(orgId))).toBe('UNAVAILABLE');
    repair();
    expect((await open(orgId)).sessionId).toBe(asked[0]);
  });
});

describe('paying on the page', () => {
  test('gives the plan at once, invoices it as paid, and leads back', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId, { billingCycle: 'yearly' });
    expect(await show(sessionId)).toMatchObject({
      status: 'open',
      page: 'test',
      organizationName: 'Shop',
      title: 'Pro',
      amount: pro.yearly.eur,
      currency: 'eur',
      countsFrom: null,
    });
    expect(await act(sessionId, 'approve')).toEqual({ outcome: 'done', url: `${home}/done` });
    expect(await subscription(orgId)).toMatchObject({
      plan: 'pro',
      status: 'active',
      gatewaySubscriptionId: sessionId.replace('chk_', 'sub_'),
      billingCycle: 'yearly',
      currentPeriodEnd: '2031-01-31T12:00:00.000Z',
    });
    expect(await invoices(orgId)).toEqual([
      expect.objectContaining({
        status: 'paid',
        amount: pro.yearly.eur,
        currency: 'eur',
        buyer: expect.objectContaining({ name: 'Shop' }),
      }),
    ]);
    expect(actsOf(orgId)).toEqual(['checkout.opened', 'subscription.changed']);
    expect((await show(sessionId)).status).toBe('completed');
  });

  test('twenty times at once is one payment', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => act(sessionId, 'approve')));
    for (const { outcome } of outcomes) expect(['done', 'over']).toContain(outcome);
    expect(outcomes.some(({ outcome }) => outcome === 'done')).toBe(true);
    expect(await invoices(orgId)).toHaveLength(1);
  });

  test('that is declined changes nothing, and can be repeated', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    expect(await act(sessionId, 'decline')).toEqual({ outcome: 'declined' });
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    expect(await act(sessionId, 'approve')).toMatchObject({ outcome: 'done' });
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro' });
  });

  test('after the bank asked is done when it is the payer, and not when it is not', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    expect(await act(sessionId, 'complete')).toEqual({ outcome: 'over' });
    expect(await act(sessionId, 'challenge')).toEqual({ outcome: 'challenged' });
    expect((await show(sessionId)).isChallenged).toBe(true);
    expect(await act(sessionId, 'approve')).toEqual({ outcome: 'over' });
    expect(await act(sessionId, 'fail')).toEqual({ outcome: 'failed' });
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    await act(sessionId, 'challenge');
    expect(await act(sessionId, 'complete')).toMatchObject({ outcome: 'done' });
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro' });
  });

  test('going back leaves it open', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    const left = await billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: 'abandon' } });
    expect(left).toEqual({ outcome: 'done', url: `${home}/back` });
    expect((await open(orgId)).sessionId).toBe(sessionId);
  });

  test('nobody knows a checkout that there is not', async () => {
    const sessionId = newId('chk');
    expect(await typeOf(show(sessionId))).toBe('NOT_FOUND');
    expect(await typeOf(act(sessionId, 'approve'))).toBe('NOT_FOUND');
  });

  test('nobody knows a checkout by its id alone, or by the link to another', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    const { signature: other } = linkTo((await open(newId('org'))).sessionId);
    const { signature } = linkTo(sessionId);
    for (const wrong of ['', other, `${signature}=`, signature.slice(1), signature.toUpperCase(), 'x'.repeat(10_000)]) {
      const body = { sessionId, signature: wrong };
      expect(await typeOf(billing.call('billing.checkouts.show', { body }))).toBe('NOT_FOUND');
      for (const what of ['approve', 'confirm', 'abandon'] as const) {
        expect(await typeOf(billing.call('billing.checkouts.act', { body: { ...body, act: what } }))).toBe('NOT_FOUND');
      }
    }
    expect(await subscription(orgId)).toMatchObject({ plan: 'free' });
    expect((await show(sessionId)).status).toBe('open');
  });
});

describe('a payment and the end of its checkout at the same time', () => {
  test('have one outcome: it is paid and counts, or it is closed and does not', async () => {
    for (let round = 0; round < 20; round += 1) {
      const orgId = newId('org');
      const { sessionId } = await open(orgId);
      const checkout = (await stored(sessionId))!;
      const [{ outcome }] = await Promise.all([act(sessionId, 'approve'), cancelCheckout(checkout, 'closed')]);
      const { plan } = await subscription(orgId);
      expect({ outcome, plan }).toEqual(
        outcome === 'done' ? { outcome: 'done', plan: 'pro' } : { outcome: 'over', plan: 'free' },
      );
      expect((await stored(sessionId))?.status).toBe(outcome === 'done' ? 'completed' : 'closed');
    }
  });
});

describe('an upgrade', () => {
  test('is paid for what is left of the period, keeps it, and counts at once', async () => {
    const { orgId } = await buyer();
    const before = await subscription(orgId);
    instant += 14 * day;
    const { sessionId } = await open(orgId, { plan: 'scale' });
    const amount = Math.round((scale.monthly.eur - pro.monthly.eur) / 2);
    expect(await show(sessionId)).toMatchObject({ page: 'test', amount });
    await act(sessionId, 'approve');
    expect(await subscription(orgId)).toEqual({ ...before, plan: 'scale' });
    expect((await invoices(orgId)).map((one) => [one.status, one.amount, one.lines[0]?.description])).toEqual([
      ['paid', pro.monthly.eur, 'Plan Pro, a month'],
      ['paid', amount, 'Plan Scale, a month, in place of Plan Pro, a month'],
    ]);
  });
});

describe('an upgrade that what is left of the present plan pays for', () => {
  const scaleMonthly = { plan: 'scale', billingCycle: 'monthly' } as const;

  test('is confirmed with the day until which that lasts, and is had at once', async () => {
    const { orgId } = await buyer({ billingCycle: 'yearly' });
    const { sessionId } = await open(orgId, scaleMonthly);
    // EUR 490.00 for a month of EUR 299.00, which is February.
    const coveredUntil = new Date(instant + Math.ceil((28 * day * 49_000) / 29_900)).toISOString();
    expect(await show(sessionId)).toMatchObject({ page: 'covered', amount: 0, coveredUntil });
    expect(await act(sessionId, 'decline')).toEqual({ outcome: 'over' });
    expect((await subscription(orgId)).plan).toBe('pro');
    expect(await confirm(sessionId)).toEqual({ outcome: 'done', url: `${home}/done` });
    expect(await subscription(orgId)).toMatchObject({ plan: 'scale', currentPeriodEnd: coveredUntil });
    expect((await stored(sessionId))?.status).toBe('completed');
    expect(await confirm(sessionId)).toEqual({ outcome: 'over' });
    expect((await invoices(orgId)).map(({ status, amount }) => [status, amount])).toEqual([
      ['paid', pro.yearly.eur],
      ['paid', 0],
    ]);
    expect(actsOf(orgId).filter((action) => action === 'subscription.changed')).toHaveLength(2);
  });

  test('counts once, however often it is confirmed at once', async () => {
    const { orgId } = await buyer({ billingCycle: 'yearly' });
    const { sessionId } = await open(orgId, scaleMonthly);
    const { coveredUntil } = await show(sessionId);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => confirm(sessionId)));
    expect(outcomes).toContainEqual({ outcome: 'done', url: `${home}/done` });
    expect((await subscription(orgId)).currentPeriodEnd).toBe(coveredUntil);
    expect(await invoices(orgId)).toHaveLength(2);
  });

  test('is not had by a checkout that another one took the place of', async () => {
    const { orgId } = await buyer({ billingCycle: 'yearly' });
    const { sessionId } = await open(orgId, scaleMonthly);
    const other = await open(orgId, { plan: 'scale', billingCycle: 'yearly' });
    await act(other.sessionId, 'approve');
    expect(await confirm(sessionId)).toEqual({ outcome: 'over' });
    expect(await subscription(orgId)).toMatchObject({ plan: 'scale', billingCycle: 'yearly' });
  });
});

describe('what is bought anew because a renewal was not paid', () => {
  /** An organization that is overdue, and is about to buy its plan anew. */
  async function overdue() {
    const { orgId } = await buyer({}, 'approve-once');
    instant = Date.parse('2030-02-28T13:00:00.000Z');
    await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: {} });
    await billing.callAs(orgId, 'billing.subscription.resume', { path: { orgId } });
    expect((await subscription(orgId)).status).toBe('past_due');
    const { sessionId } = await open(orgId);
    const [, renewal] = await invoices(orgId);
    const recover = () => billing.call('billing.console.pay', { body: { id: renewal!._id } });
    return { orgId, sessionId, recover };
  }

  test('is paid and had', async () => {
    const { orgId, sessionId } = await overdue();
    expect(await act(sessionId, 'approve')).toMatchObject({ outcome: 'done' });
    const gatewaySubscriptionId = sessionId.replace('chk_', 'sub_');
    expect(await subscription(orgId)).toMatchObject({ status: 'active', gatewaySubscriptionId });
  });

  test('is not paid any more when the renewal was', async () => {
    const { orgId, sessionId, recover } = await overdue();
    await recover();
    const before = await subscription(orgId);
    expect(before.status).toBe('active');
    expect(await act(sessionId, 'approve')).toEqual({ outcome: 'over' });
    expect((await stored(sessionId))?.status).toBe('closed');
    expect(await subscription(orgId)).toEqual(before);
  });

  test('is given up by the sweep when the renewal was paid', async () => {
    const { sessionId, recover } = await overdue();
    const { signal } = new AbortController();
    await sweepCheckouts(billing.context(), signal);
    expect((await stored(sessionId))?.status).toBe('open');
    await recover();
    await sweepCheckouts(billing.context(), signal);
    expect((await stored(sessionId))?.status).toBe('closed');
  });
});

describe('a downgrade', () => {
  test('is confirmed with its date, costs nothing, counts at the end of the period, and can be taken back', async () => {
    const { orgId } = await buyer({ plan: 'scale' });
    const { currentPeriodEnd } = await subscription(orgId);
    const { sessionId } = await open(orgId, { plan: 'pro' });
    expect(await show(sessionId)).toMatchObject({ page: 'change', amount: 0, countsFrom: currentPeriodEnd });
    expect(await act(sessionId, 'approve')).toEqual({ outcome: 'over' });
    expect(await confirm(sessionId)).toEqual({ outcome: 'done', url: `${home}/done` });
    expect(await confirm(sessionId)).toEqual({ outcome: 'over' });
    expect((await subscription(orgId)).plan).toBe('scale');
    expect(await typeOf(open(orgId, { plan: 'pro' }))).toBe('PLAN_IS_CURRENT');

    const back = await open(orgId, { plan: 'scale' });
    expect(await show(back.sessionId)).toMatchObject({ page: 'change', isKept: true });
    await confirm(back.sessionId);
    const again = await open(orgId, { plan: 'pro' });
    await confirm(again.sessionId);
    instant = Date.parse(currentPeriodEnd) + hour;
    expect((await subscription(orgId)).plan).toBe('pro');
    expect(await invoices(orgId)).toHaveLength(1);
  });

  test('that came to nothing meanwhile says so', async () => {
    const { orgId } = await buyer({ plan: 'scale' });
    const { sessionId } = await open(orgId, { plan: 'pro' });
    await billing.call('billing.subscriptions.give', { body: { orgId, plan: 'free' } });
    expect(await confirm(sessionId)).toEqual({ outcome: 'over' });
    expect((await show(sessionId)).status).toBe('closed');
  });
});

describe('payments by hand', () => {
  test('count when the operator says so, and are renewed by invoices that are open until then', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    await CheckoutModel.updateOne({ _id: sessionId, orgId }, { $set: { provider: 'manual' } });
    expect(await show(sessionId)).toMatchObject({ page: 'manual', amount: pro.monthly.eur });
    expect(await act(sessionId, 'approve')).toEqual({ outcome: 'over' });
    const pay = (id: string) => billing.call('billing.console.pay', { body: { id } });
    expect((await pay(sessionId)).lines).toEqual([
      `${orgId} has the plan Pro, monthly: ${formatMoney(pro.monthly.eur, 'eur')} paid.`,
    ]);
    expect((await pay(sessionId)).lines).toEqual([`${sessionId} is already paid.`]);
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro', status: 'active' });

    instant = Date.parse('2030-02-28T13:00:00.000Z');
    await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: {} });
    await billing.callAs(orgId, 'billing.subscription.resume', { path: { orgId } });
    const [, renewal] = await invoices(orgId);
    expect(renewal).toMatchObject({ status: 'open', amount: pro.monthly.eur });
    instant += 8 * day;
    expect((await subscription(orgId)).status).toBe('past_due');
    expect((await pay(renewal!._id)).lines[0]).toMatch(/ is paid: EUR\s49\.00\.$/);
    expect((await invoices(orgId))[1]).toMatchObject({ status: 'paid' });
    expect((await subscription(orgId)).status).toBe('active');
    expect((await pay(renewal!._id)).lines[0]).toMatch(/ is paid: no payment is due/);
  });

  test('that will not come are declined', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    const decline = () => billing.call('billing.console.decline', { body: { id: sessionId } });
    expect((await decline()).lines).toEqual([`There is no manually paid checkout ${sessionId}.`]);
    await CheckoutModel.updateOne({ _id: sessionId, orgId }, { $set: { provider: 'manual' } });
    expect((await decline()).lines).toEqual([`${sessionId} is closed.`]);
    expect((await decline()).lines).toEqual([`${sessionId} is not open: it is closed.`]);
  });

  test('are waited for two weeks', async () => {
    const opened = await manualProvider.openCheckout({ checkoutId: 'chk_1' } as never);
    expect(opened.expiresAt.getTime() - now().getTime()).toBe(14 * day);
  });
});

describe('the sweep of checkouts', () => {
  test('ends what nobody finished, and forgets what is old', async () => {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    const { signal } = new AbortController();
    await sweepCheckouts(billing.context(), signal);
    expect((await stored(sessionId))?.status).toBe('open');
    instant += 3 * hour;
    await sweepCheckouts(billing.context(), signal);
    expect((await stored(sessionId))?.status).toBe('expired');
    instant += 401 * day;
    await sweepCheckouts(billing.context(), signal);
    expect(await stored(sessionId)).toBeNull();
  });
});

describe('a payment provider that cannot be asked', () => {
  const { signal } = new AbortController();
  const sweep = () => sweepCheckouts(billing.context(), signal);

  /** An organization with a page at Stripe, which this platform has no settings for any more. */
  async function leftAtStripe(): Promise<{ orgId: string; sessionId: string }> {
    const orgId = newId('org');
    const { sessionId } = await open(orgId);
    const changes = { provider: 'stripe', gatewayCheckoutId: 'cs_1', url: 'https://checkout.stripe.test/cs_1' };
    await CheckoutModel.updateOne({ _id: sessionId, orgId }, { $set: changes });
    return { orgId, sessionId };
  }

  test('keeps no organization from buying elsewhere; its page is closed when it is there again', async () => {
    const { orgId, sessionId } = await leftAtStripe();
    const next = await open(orgId);
    expect(next.sessionId).not.toBe(sessionId);
    expect(await stored(sessionId)).toMatchObject({ status: 'closed', closeAt: new Date(instant) });
    await act(next.sessionId, 'approve');
    expect(await subscription(orgId)).toMatchObject({ plan: 'pro', status: 'active' });

    // Asked again after pauses that grow.
    await sweep();
    expect(await stored(sessionId)).toMatchObject({ closeAttempts: 1, closeAt: new Date(instant + 60_000) });
    await sweep();
    expect(await stored(sessionId)).toMatchObject({ closeAttempts: 1 });
    instant += 60_000;
    await sweep();
    expect(await stored(sessionId)).toMatchObject({ closeAttempts: 2, closeAt: new Date(instant + 120_000) });

    const closed: string[] = [];
    restore.push(
      replaceProvider({
        name: 'stripe',
        closeCheckout: ({ gatewayCheckoutId }) => Promise.resolve(void closed.push(gatewayCheckoutId)),
      } as PaymentProvider),
    );
    instant += 120_000;
    await sweep();
    await sweep();
    expect(closed).toEqual(['cs_1']);
    expect((await stored(sessionId))?.closeAt).toBeUndefined();
  });

  test('keeps no organization from being deleted', async () => {
    const { orgId, sessionId } = await leftAtStripe();
    await billing.call('billing.organizations.close', { body: { orgId } });
    expect(await stored(sessionId)).toMatchObject({ status: 'closed', closeAt: new Date(instant) });
  });

  test('keeps no effect of another provider, and of no other organization, waiting', async () => {
    let release = (): void => undefined;
    const hangs = new Promise<void>((resolve) => {
      release = resolve;
    });
    const ended: string[] = [];
    restore.push(
      replaceProvider({ name: 'stripe', end: () => hangs } as unknown as PaymentProvider),
      replaceProvider({
        ...manualProvider,
        end: ({ gatewaySubscriptionId }) => Promise.resolve(void ended.push(gatewaySubscriptionId)),
      }),
    );
    const organizations = await Promise.all([buyer(), buyer(), buyer()]);
    for (const [place, { orgId }] of organizations.entries()) {
      const due = (kind: string, provider: string) => ({
        ...{ kind, provider, gatewaySubscriptionId: `sub_${place}`, template: 'payment-failed', variables: {} },
        id: `${orgId}:${kind}:${provider}`,
        at: new Date(instant - hour),
      });
      // The first has one at the provider that hangs before all others.
      const effects = [
        ...(place === 0 ? [due('endAtProvider', 'stripe')] : []),
        due('endAtProvider', 'manual'),
        due('mail', ''),
      ];
      await nativeCollection<SubscriptionDocument>(SubscriptionModel).updateOne(
        { _id: orgId, orgId },
        { $set: { effects: effects as never } },
      );
    }
    const sweeping = sweepSubscriptions(billing.context(), signal);
    const mailed = () =>
      organizations.filter(({ orgId }) => [...billing.mails.values()].some((mail) => mail.orgId === orgId));
    await until(() => mailed().length === 3 && ended.length === 3);
    expect(ended.sort()).toEqual(['sub_0', 'sub_1', 'sub_2']);
    release();
    await sweeping;
    for (const { orgId } of organizations) {
      const document = await SubscriptionModel.findOne({ _id: orgId, orgId }).lean<SubscriptionDocument>();
      expect(document?.effects).toEqual([]);
    }
  });
});
