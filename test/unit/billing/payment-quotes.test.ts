import { describe, expect, test } from '@jest/globals';
import { day } from '../../../lib/data/clock.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { type Quote, type QuoteRequest, quoteFor } from '../../../services/billing/checkouts/quotes.ts';
import { currentPlan } from '../../../services/billing/plans/plans.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';

const start = new Date('2030-01-01T00:00:00.000Z');
const halfway = new Date('2030-01-16T12:00:00.000Z');
const end = new Date('2030-02-01T00:00:00.000Z');
const { pro, scale } = { pro: currentPlan('pro').prices, scale: currentPlan('scale').prices };

const free = complimentarySubscription('free', start);

/** A month of pro, paid at the provider `test`. */
function paid(changes: Partial<Subscription> = {}): Subscription {
  return {
    ...complimentarySubscription('pro', start),
    provider: 'test',
    gatewaySubscriptionId: 'sub_1',
    collection: 'platform',
    currency: 'eur',
    currentPeriodEnd: end,
    paidUntil: end,
    invoicedUntil: end,
    ...changes,
  };
}

function quote(subscription: Subscription, wanted: Partial<QuoteRequest>, provider = 'test'): Quote | string {
  try {
    return quoteFor(subscription, { plan: 'pro', billingCycle: 'monthly', ...wanted }, provider, halfway);
  } catch (error) {
    return (error as { type: string }).type;
  }
}

describe('what is bought from the free plan', () => {
  test('is paid in full, in euros unless another currency is wanted', () => {
    expect(quote(free, {})).toEqual({
      kind: 'purchase',
      provider: 'test',
      terms: { plan: 'pro', version: 1, billingCycle: 'monthly' },
      currency: 'eur',
      amount: pro.monthly.eur,
      gatewaySubscriptionId: null,
      until: null,
    });
    expect(quote(free, { plan: 'scale', billingCycle: 'yearly', currency: 'usd' })).toMatchObject({
      currency: 'usd',
      amount: scale.yearly.usd,
    });
  });
});

describe('of a plan that is paid', () => {
  test('more is an upgrade of the same subscription, for what is left of the period', () => {
    expect(quote(paid(), { plan: 'scale' })).toMatchObject({
      kind: 'upgrade',
      gatewaySubscriptionId: 'sub_1',
      // The price is for the rest of this period and buys nothing of the next.
      until: paid().currentPeriodEnd,
      amount: Math.round((scale.monthly.eur - pro.monthly.eur) / 2),
    });
  });

  test('a longer cycle is an upgrade, less what is left of the paid month', () => {
    expect(quote(paid(), { billingCycle: 'yearly' })).toMatchObject({
      kind: 'upgrade',
      amount: pro.yearly.eur - Math.round(pro.monthly.eur / 2),
    });
  });

  test('more in another currency is an upgrade, less what is left at the former plan’s price in that', () => {
    expect(quote(paid(), { plan: 'scale', currency: 'usd' })).toMatchObject({
      kind: 'upgrade',
      currency: 'usd',
      gatewaySubscriptionId: 'sub_1',
      until: paid().currentPeriodEnd,
      amount: scale.monthly.usd - Math.round(pro.monthly.usd / 2),
    });
  });

  test('more by another provider, or in a currency that it does not change, is a new subscription', () => {
    expect(quote(paid(), { plan: 'scale' }, 'manual')).toMatchObject({
      kind: 'purchase',
      provider: 'manual',
      gatewaySubscriptionId: null,
      amount: scale.monthly.eur,
    });
    const collected = paid({ provider: 'stripe', collection: 'provider' });
    expect(quote(collected, { plan: 'scale', currency: 'usd' }, 'stripe')).toMatchObject({
      kind: 'purchase',
      amount: scale.monthly.usd,
      gatewaySubscriptionId: null,
    });
  });

  test('less counts later, costs nothing now, and stays with its provider', () => {
    const yearly = paid({ plan: 'scale', billingCycle: 'yearly' });
    for (const wanted of [{ plan: 'pro' }, { plan: 'scale' }, { plan: 'pro', billingCycle: 'yearly' }] as const) {
      expect(quote(yearly, wanted, 'manual')).toMatchObject({ kind: 'change', provider: 'test', amount: 0 });
    }
  });

  test('less in another currency is refused', () => {
    expect(quote(paid({ plan: 'scale' }), { currency: 'usd' })).toBe('INPUT_INVALID');
  });

  test('the same is refused, also when it was cancelled or is wanted in another currency', () => {
    expect(quote(paid(), {})).toBe('PLAN_IS_CURRENT');
    expect(quote(paid({ cancelAtPeriodEnd: true }), {})).toBe('PLAN_IS_CURRENT');
    expect(quote(paid(), { currency: 'usd' })).toBe('PLAN_IS_CURRENT');
  });

  test('the same takes back what it was to become, and that itself is refused', () => {
    const scheduled = { plan: 'pro', version: 1, billingCycle: 'monthly' } as const;
    const changing = paid({ plan: 'scale', scheduled });
    expect(quote(changing, { plan: 'scale' })).toMatchObject({ kind: 'change', terms: { plan: 'scale' } });
    expect(quote(changing, {})).toBe('PLAN_IS_CURRENT');
  });

  test('the version is kept with the plan', () => {
    expect(
      quote(paid({ version: 7, scheduled: { plan: 'pro', version: 1, billingCycle: 'yearly' } }), {}),
    ).toMatchObject({ terms: { plan: 'pro', version: 7 } });
  });
});

describe('what was not paid', () => {
  test.each(['past_due', 'expired', 'incomplete'] as const)('is bought anew while it is %s, in full', (status) => {
    const owing = paid({ status, paidUntil: start, deadline: new Date(halfway.getTime() + day) });
    for (const plan of ['pro', 'scale'] as const) {
      expect(quote(owing, { plan })).toMatchObject({
        kind: 'purchase',
        gatewaySubscriptionId: null,
        amount: currentPlan(plan).prices.monthly.eur,
      });
    }
  });
});

describe('a plan that was given', () => {
  test('is not sold to who has it, and nothing else is had for nothing', () => {
    const given = complimentarySubscription('scale', start);
    expect(quote(given, { plan: 'scale' })).toBe('PLAN_IS_CURRENT');
    expect(quote(given, { plan: 'pro' })).toMatchObject({ kind: 'purchase', amount: pro.monthly.eur });
    expect(quote(given, { plan: 'scale', billingCycle: 'yearly' })).toMatchObject({ kind: 'purchase' });
  });
});
