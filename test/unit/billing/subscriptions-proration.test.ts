import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { day, hour } from '../../../lib/data/clock.ts';
import type { BillingCycle, Currency, PlanName, Terms } from '../../../models/billing/sold-version.ts';
import type { Period, Subscription } from '../../../models/billing/subscription.ts';
import { priceOf } from '../../../services/billing/plans/plans.ts';
import { upgradeAmount } from '../../../services/billing/subscriptions/proration.ts';
import { applyDueTransitions, next } from '../../../services/billing/subscriptions/state.ts';
import {
  type CheckoutCompleted,
  complimentarySubscription,
} from '../../../services/billing/subscriptions/transition.ts';
import { addMonths } from '../../integration/billing/year-model.ts';

const noon = (text: string): Date => new Date(`${text}T12:00:00.000Z`);
const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
const terms = (plan: PlanName, billingCycle: BillingCycle): Terms => ({ plan, version: 1, billingCycle });
const [proMonthly, proYearly] = [terms('pro', 'monthly'), terms('pro', 'yearly')];
const [scaleMonthly, scaleYearly] = [terms('scale', 'monthly'), terms('scale', 'yearly')];

let checkouts = 0;

/** Pays what is due, or what is given, for a plan. */
function buy(subscription: Subscription, wanted: Terms, at: Date, change: Partial<CheckoutCompleted> = {}) {
  const purchase = { terms: wanted, provider: 'test', currency: 'eur' as Currency, ...change };
  const amount = upgradeAmount(subscription, purchase, at);
  checkouts += 1;
  const event: CheckoutCompleted = {
    kind: 'checkoutCompleted',
    checkoutId: `chk_${checkouts}`,
    gatewaySubscriptionId: subscription.gatewaySubscriptionId ?? 'sub_1',
    collection: 'platform',
    amount,
    period: null,
    ...purchase,
  };
  const { subscription: bought, effects } = next(subscription, event, at);
  return { bought, effects, amount: event.amount };
}

const begin = (wanted: Terms, at: Date): Subscription => buy(complimentarySubscription('free', at), wanted, at).bought;

const periodOf = ({ currentPeriodStart, currentPeriodEnd }: Subscription): Period => ({
  start: currentPeriodStart,
  end: currentPeriodEnd,
});

/** In its next period, which is paid. */
function renew(subscription: Subscription): Subscription {
  const at = subscription.currentPeriodEnd;
  const gatewaySubscriptionId = subscription.gatewaySubscriptionId ?? '';
  const paid = { kind: 'renewed', gatewaySubscriptionId, period: null, amount: null } as const;
  return next(applyDueTransitions(subscription, at).subscription, paid, at).subscription;
}

/** Where the period ends that began last, and the one after it. */
const endsOf = (subscription: Subscription): Date[] => [
  subscription.currentPeriodEnd,
  renew(subscription).currentPeriodEnd,
];

describe('an upgrade from a year to a month', () => {
  const year = begin(proYearly, noon('2030-01-01'));

  test('costs nothing on the first day, and gives the month and as much longer as is left', () => {
    const at = noon('2030-01-01');
    const { bought, effects, amount } = buy(year, scaleMonthly, at);
    const end = later(noon('2030-02-01'), Math.ceil((31 * day * (49_000 - 29_900)) / 29_900));
    expect(amount).toBe(0);
    expect(bought).toMatchObject({ ...scaleMonthly, currentPeriodEnd: end, paidUntil: end, invoicedUntil: end });
    expect(effects).toMatchObject([{ kind: 'issueInvoice', amount: 0, period: { start: at, end } }]);
    expect(end.toISOString().slice(0, 10)).toBe('2030-02-21');
  });

  test('costs the rest late in the year, and gives a month', () => {
    const at = noon('2030-12-15');
    const { bought, amount } = buy(year, scaleMonthly, at);
    expect(amount).toBe(Math.floor(29_900 - (49_000 * 17) / 365));
    expect(periodOf(bought)).toEqual({ start: at, end: noon('2031-01-15') });
  });

  test('renews on the day on which the longer month ended', () => {
    const { bought } = buy(year, scaleMonthly, noon('2030-01-01'));
    const [end, following] = endsOf(bought);
    expect(following).toEqual(new Date(end!.toISOString().replace('-02-', '-03-')));
    const renewed = applyDueTransitions(bought, end!);
    expect(renewed.effects).toMatchObject([{ amount: 29_900 }, { kind: 'charge', amount: 29_900 }]);
  });

  test.each([
    ['2030-01-31', 28],
    ['2032-01-31', 29],
    ['2032-02-29', 29],
    ['2030-12-31', 31],
  ])('on %s is longer by the price of a month of %i days, and comes back to its day', (date, days) => {
    const at = noon(date);
    const { bought } = buy(begin(proYearly, at), scaleMonthly, at);
    const end = later(at, Math.ceil((days * day * 49_000) / 29_900));
    expect(bought.currentPeriodEnd).toEqual(end);
    let current = bought;
    for (let month = 0; month < 12; month += 1) current = renew(current);
    expect(current.currentPeriodEnd).toEqual(addMonths(end, 12, end.getUTCDate()));
  });

  test('that ends on the last of a month comes back to that after a shorter one', () => {
    const at = noon('2030-01-10');
    // So much more than the price that 49 days follow the month.
    const amount = 29_900 + Math.ceil((29_900 * 49) / 31);
    let { bought } = buy(complimentarySubscription('free', at), scaleMonthly, at, { amount });
    for (const end of ['2030-03-31', '2030-04-30', '2030-05-31']) {
      expect(bought.currentPeriodEnd.toISOString().slice(0, 10)).toBe(end);
      bought = renew(bought);
    }
  });
});

describe('in a period that was lengthened', () => {
  const start = noon('2030-01-01');
  const longer = buy(begin(proYearly, start), scaleMonthly, start).bought;
  const { currentPeriodEnd: end } = longer;

  test('what is left is set off by the time, not by the share of the period', () => {
    const at = noon('2030-01-11');
    const worth = (29_900 * (end.getTime() - at.getTime())) / (31 * day);
    expect(worth).toBeGreaterThan(29_900);
    const { bought, amount } = buy(longer, scaleYearly, at);
    expect(amount).toBe(Math.floor(299_000 - worth));
    expect(periodOf(bought)).toEqual({ start: at, end: noon('2031-01-11') });
  });

  test('more in the same cycle costs the difference for all of the time that is left', () => {
    const onPro = buy(begin(scaleYearly, start), proMonthly, start).bought;
    const at = noon('2031-01-01');
    const left = onPro.currentPeriodEnd.getTime() - at.getTime();
    expect(left).toBeGreaterThan(300 * day);
    const { bought, amount } = buy(onPro, scaleMonthly, at);
    expect(amount).toBe(Math.floor(((29_900 - 4900) * left) / (31 * day)));
    expect(periodOf(bought)).toEqual(periodOf(onPro));
    expect(endsOf(bought)).toEqual(endsOf(onPro));
  });

  test('less in the same cycle is had for as long as what is left pays for', () => {
    const at = noon('2030-01-11');
    const { bought, amount } = buy(longer, proMonthly, at);
    const time = ((29_900 / 4900) * (end.getTime() - at.getTime())) / (31 * day);
    expect(amount).toBe(0);
    expect(bought.currentPeriodEnd).toEqual(later(at, Math.ceil(time * 31 * day)));
  });
});

describe('what is left', () => {
  const start = noon('2030-01-01');
  const year = begin(proYearly, start);

  test('is worth in another currency what the former plan costs in that', () => {
    const { bought, amount } = buy(year, scaleMonthly, start, { currency: 'usd' });
    expect(amount).toBe(0);
    expect(bought).toMatchObject({
      currency: 'usd',
      currentPeriodEnd: later(start, Math.ceil((31 * day * 54_000) / 32_900)),
    });
  });

  test('is not set off by another provider', () => {
    const { bought, amount } = buy(year, scaleMonthly, start, { provider: 'manual', gatewaySubscriptionId: 'sub_2' });
    expect(amount).toBe(29_900);
    expect(bought.currentPeriodEnd).toEqual(noon('2030-02-01'));
  });

  test('is had for longer by whoever pays in full for another subscription meanwhile', () => {
    const month = begin(proMonthly, start);
    const at = noon('2030-01-11');
    const { bought } = buy(month, proMonthly, at, { amount: 4900, gatewaySubscriptionId: 'sub_2' });
    expect(periodOf(bought)).toEqual({ start: at, end: noon('2030-03-04') });
  });

  test('is no matter of the platform’s where the provider tells the period', () => {
    const period = { start, end: noon('2030-02-01') };
    const ofStripe = { provider: 'stripe', collection: 'provider' as const };
    const onStripe = buy(complimentarySubscription('free', start), proYearly, start, {
      ...ofStripe,
      period: { start, end: noon('2031-01-01') },
    }).bought;
    const { bought } = buy(onStripe, scaleMonthly, start, { ...ofStripe, period });
    expect(periodOf(bought)).toEqual(period);
    expect(applyDueTransitions(bought, period.end).subscription.anchorDay).toBe(1);
  });

  test('is less when the payer takes their time, who gets what was said all the same', () => {
    // So late that less than the price is left when they pay, and just more when it was said that nothing is due.
    const said = later(noon('2031-01-01'), -((29_900 / 49_000) * 365 * day) - hour);
    const at = later(said, 2 * hour);
    expect(upgradeAmount(year, { terms: scaleMonthly, provider: 'test', currency: 'eur' }, said)).toBe(0);
    expect(upgradeAmount(year, { terms: scaleMonthly, provider: 'test', currency: 'eur' }, at)).toBeGreaterThan(0);
    const { bought } = buy(year, scaleMonthly, at, { amount: 0 });
    expect(bought.currentPeriodStart).toEqual(at);
    expect(endsOf(bought)[0]).toEqual(
      new Date(at.toISOString().replace(/-(\d\d)-/, (_all, month) => `-0${+month + 1}-`)),
    );
  });
});

type Step = { share: number; wait: number; wanted: Terms; currency: Currency };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    share: fc.double({ min: 0, max: 0.999, noNaN: true }),
    wait: fc.constantFrom(0, 0, 1000, hour, 3 * day),
    wanted: fc.constantFrom(proMonthly, proYearly, scaleMonthly, scaleYearly),
    currency: fc.constantFrom<Currency>('eur', 'usd'),
  }),
  { minLength: 1, maxLength: 8 },
);
const starts = fc
  .constantFrom(
    '2030-01-31T23:59:59.999Z',
    '2032-02-29T00:00:00.000Z',
    '2031-12-31T12:00:00.001Z',
    '2030-06-30T06:00:00Z',
  )
  .map((text) => new Date(text));

/** What the rest of a period costs by time, in minor units. No period of these renews: each begins with a purchase. */
function worthOf(subscription: Subscription, currency: Currency, at: Date): number {
  const { start, end } = periodOf(subscription);
  const months = subscription.billingCycle === 'yearly' ? 12 : 1;
  const whole = addMonths(start, months, start.getUTCDate()).getTime() - start.getTime();
  return (priceOf(subscription, currency) * (end.getTime() - at.getTime())) / whole;
}

/** Less than a minor unit that is not charged, less than a millisecond, and what a double cannot tell. */
const rounded = 1.01;

describe('whatever is bought after one another', () => {
  const follow = (
    begun: Date,
    bought: Step[],
    check: (step: Step, before: Subscription, said: Date, at: Date) => Subscription,
  ) => {
    let subscription = begin(proMonthly, begun);
    for (const step of bought) {
      const { start, end } = periodOf(subscription);
      const said = later(start, Math.floor(step.share * (end.getTime() - start.getTime())));
      const at = new Date(Math.min(said.getTime() + step.wait, end.getTime() - 1));
      subscription = check(step, subscription, said, at);
    }
  };

  test('gives the time that was paid for and was left, to the minor unit', () => {
    fc.assert(
      fc.property(starts, steps, (begun, bought) =>
        follow(begun, bought, ({ wanted, currency }, before, _said, at) => {
          const { bought: now, amount } = buy(before, wanted, at, { currency });
          const more = worthOf(now, currency, at) - amount - worthOf(before, currency, at);
          expect(more).toBeGreaterThan(-0.01);
          expect(more).toBeLessThan(rounded);
          return now;
        }),
      ),
      { numRuns: 1000 },
    );
  });

  test('gives what was said, and no more than was paid and left when it was said', () => {
    fc.assert(
      fc.property(starts, steps, (begun, bought) =>
        follow(begun, bought, ({ wanted, currency }, before, said, at) => {
          const amount = upgradeAmount(before, { terms: wanted, provider: 'test', currency }, said);
          const now = buy(before, wanted, at, { currency, amount }).bought;
          const worth = worthOf(now, currency, at);
          const isKept = now.currentPeriodStart === before.currentPeriodStart;
          if (isKept) expect(now.currentPeriodEnd).toEqual(before.currentPeriodEnd);
          else
            expect(worth).toBeGreaterThan(
              Math.max(priceOf(wanted, currency), amount + worthOf(before, currency, at)) - 0.01,
            );
          expect(worth).toBeLessThan(amount + worthOf(before, currency, said) + rounded);
          return now;
        }),
      ),
      { numRuns: 1000 },
    );
  });
});
