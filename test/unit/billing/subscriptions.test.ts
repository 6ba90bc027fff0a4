import { describe, expect, test } from '@jest/globals';
import { day, hour } from '../../../lib/data/clock.ts';
import type { Terms } from '../../../models/billing/sold-version.ts';
import type { Effect, Subscription } from '../../../models/billing/subscription.ts';
import { upgradeAmount } from '../../../services/billing/subscriptions/proration.ts';
import { applyDueTransitions, next, nextDue, periodAt } from '../../../services/billing/subscriptions/state.ts';
import {
  type CheckoutCompleted,
  complimentarySubscription,
  endOf,
  type ProviderState,
  type ProviderStateRead,
  type SubscriptionEvent,
} from '../../../services/billing/subscriptions/transition.ts';

const date = (text: string): Date => new Date(`${text}T12:00:00.000Z`);
const pro: Terms = { plan: 'pro', version: 1, billingCycle: 'monthly' };
const proYearly: Terms = { ...pro, billingCycle: 'yearly' };
const scale: Terms = { plan: 'scale', version: 1, billingCycle: 'monthly' };
const start = date('2030-01-31');
const free = complimentarySubscription('free', date('2030-01-01'));
const gatewaySubscriptionId = 'sub_1';

function bought(terms: Terms, change: Partial<CheckoutCompleted> = {}): CheckoutCompleted {
  return {
    kind: 'checkoutCompleted',
    checkoutId: `chk_${terms.plan}_${terms.billingCycle}`,
    terms,
    provider: 'test',
    gatewaySubscriptionId,
    collection: 'platform',
    currency: 'eur',
    amount: 4900,
    period: null,
    ...change,
  };
}

const renewed = { kind: 'renewed', gatewaySubscriptionId, period: null, amount: null } as const;
const failed = { kind: 'paymentFailed', gatewaySubscriptionId, period: null } as const;
const recovered = { kind: 'paymentRecovered', gatewaySubscriptionId, period: null } as const;
const cancel = { kind: 'cancelRequested', reason: 'Too many stories' } as const;

/** The subscription after events, each at its day, with what is due brought up before and after each. */
function following(first: Subscription, ...events: [string | Date, SubscriptionEvent | null][]) {
  let subscription = first;
  const effects: Effect[] = [];
  const keep = (step: { subscription: Subscription; effects: Effect[] }) => {
    subscription = step.subscription;
    effects.push(...step.effects);
  };
  for (const [when, event] of events) {
    const at = typeof when === 'string' ? date(when) : when;
    keep(applyDueTransitions(subscription, at));
    if (event) keep(next(subscription, event, at));
    keep(applyDueTransitions(subscription, at));
  }
  return { subscription, effects, kinds: effects.map(({ kind }) => kind) };
}

const onPro = next(free, bought(pro), start).subscription;
const onScale = next(free, bought(scale), start).subscription;

describe('the periods of a subscription', () => {
  test.each([
    ['2030-01-31', 31, '2030-02-28'],
    ['2030-02-28', 31, '2030-03-31'],
    ['2030-03-31', 31, '2030-04-30'],
    ['2032-01-31', 31, '2032-02-29'],
    ['2032-02-29', 31, '2032-03-31'],
    ['2030-12-31', 31, '2031-01-31'],
    ['2030-01-30', 30, '2030-02-28'],
    ['2030-02-28', 28, '2030-03-28'],
    ['2030-02-28', 29, '2030-03-29'],
  ])('from %s with the anchor on day %i end on %s', (from, anchorDay, end) => {
    expect(endOf(date(from), 'monthly', anchorDay)).toEqual(date(end));
  });

  test.each([
    ['2032-02-29', '2033-02-28'],
    ['2035-02-28', '2036-02-29'],
    ['2030-07-15', '2031-07-29'],
  ])('of a year that began on a leap day: from %s to %s', (from, end) => {
    expect(endOf(date(from), 'yearly', 29)).toEqual(date(end));
  });

  test('are the calendar’s months where nobody pays', () => {
    const months = { start: new Date('2031-12-01'), end: new Date('2032-01-01') };
    expect(periodAt(free, date('2031-12-31'))).toEqual(months);
    expect(periodAt(complimentarySubscription('scale', start), date('2031-12-01'))).toEqual(months);
    expect(nextDue(free)).toBeNull();
    expect(applyDueTransitions(free, date('2040-01-01')).subscription).toBe(free);
  });
});

describe('a checkout that was paid', () => {
  test('makes the plan count from that instant on, and an invoice that is paid', () => {
    const { subscription, effects } = next(free, bought(pro), start);
    expect(subscription).toMatchObject({
      ...pro,
      status: 'active',
      gatewaySubscriptionId,
      currentPeriodStart: start,
      currentPeriodEnd: date('2030-02-28'),
      anchorDay: 31,
    });
    expect(effects).toEqual([
      {
        kind: 'issueInvoice',
        provider: 'test',
        gatewaySubscriptionId,
        reason: 'subscribed',
        terms: pro,
        formerTerms: null,
        period: { start, end: date('2030-02-28') },
        amount: 4900,
        currency: 'eur',
        isPaid: true,
      },
    ]);
  });

  test('counts once, also when it is told again after another one', () => {
    expect(next(onPro, bought(pro), date('2030-02-01'))).toEqual({ subscription: onPro, effects: [] });
    const upgraded = next(onPro, bought(scale), date('2030-02-10')).subscription;
    expect(next(upgraded, bought(pro), date('2030-02-11')).subscription).toBe(upgraded);
  });

  test('upgrades within the period, which stays as it is', () => {
    const { subscription, effects } = next(onPro, bought(scale, { amount: 12_345 }), date('2030-02-10'));
    expect(subscription).toMatchObject({
      ...scale,
      currentPeriodStart: start,
      currentPeriodEnd: date('2030-02-28'),
      anchorDay: 31,
    });
    expect(effects).toMatchObject([{ reason: 'upgraded', formerTerms: pro, terms: scale, amount: 12_345 }]);
  });

  test('keeps its day through an upgrade in a period that began on a short month’s last', () => {
    const { subscription } = following(
      onPro,
      ['2030-02-28', renewed],
      ['2030-03-10', bought(scale)],
      ['2030-03-31', null],
    );
    expect(subscription).toMatchObject({
      currentPeriodStart: date('2030-03-31'),
      currentPeriodEnd: date('2030-04-30'),
    });
  });

  test('begins a new period where the cycle changes', () => {
    const { subscription } = next(onPro, bought(proYearly), date('2030-02-10'));
    expect(subscription).toMatchObject({
      currentPeriodStart: date('2030-02-10'),
      currentPeriodEnd: date('2031-02-10'),
    });
  });

  test('ends another subscription of the provider’s, so that nobody pays twice', () => {
    const { subscription, effects } = next(
      onPro,
      bought(scale, { gatewaySubscriptionId: 'sub_2' }),
      date('2030-02-10'),
    );
    expect(subscription.gatewaySubscriptionId).toBe('sub_2');
    expect(effects).toContainEqual({ kind: 'endAtProvider', provider: 'test', gatewaySubscriptionId });
    expect(next(subscription, failed, date('2030-02-11')).subscription).toBe(subscription);
  });

  test('takes a cancellation, a schedule and what was overdue back', () => {
    const canceled = following(onPro, ['2030-02-01', cancel], ['2030-02-02', bought(scale)]).subscription;
    expect(canceled).toMatchObject({ ...scale, cancelAtPeriodEnd: false, cancelReason: null });
    const overdue = following(onPro, ['2030-02-28', failed], ['2030-03-02', bought(scale)]);
    expect(overdue.subscription).toMatchObject({
      status: 'active',
      deadline: null,
      currentPeriodStart: date('2030-02-28'),
    });
    expect(overdue.effects).toContainEqual({
      kind: 'giveUpInvoices',
      provider: 'test',
      gatewaySubscriptionId,
      status: 'void',
    });
  });

  test('is given back at once where the organization is gone', () => {
    const closed = next(onPro, { kind: 'organizationClosed' }, date('2030-02-01'));
    expect(closed.effects.map(({ kind }) => kind)).toEqual(['giveUpInvoices', 'endAtProvider']);
    const paid = bought(scale, { gatewaySubscriptionId: 'sub_9' });
    const again = next(closed.subscription, paid, date('2030-02-02'));
    expect(again.subscription).toMatchObject({ plan: 'free', status: 'canceled', gatewaySubscriptionId: null });
    const names = { provider: 'test', gatewaySubscriptionId: 'sub_9' };
    const { checkoutId, amount, currency } = paid;
    expect(again.effects).toEqual([
      { kind: 'giveUpInvoices', ...names, status: 'void' },
      { kind: 'endAtProvider', ...names },
      { kind: 'refundAtProvider', ...names, checkoutId, amount, currency },
    ]);
    expect(next(again.subscription, paid, date('2030-02-03'))).toEqual({
      subscription: again.subscription,
      effects: [],
    });
    const had = next(closed.subscription, bought(pro), date('2030-02-02'));
    expect(had).toEqual({ subscription: closed.subscription, effects: [] });
    expect(nextDue(closed.subscription)).toBeNull();
  });
});

describe('what an upgrade costs', () => {
  const of = (subscription: Subscription, terms: Terms, at: Date, currency: 'eur' | 'usd' = 'eur', provider = 'test') =>
    upgradeAmount(subscription, { terms, currency, provider }, at);
  const half = new Date((start.getTime() + date('2030-02-28').getTime()) / 2);

  test('is the price for who is free', () => {
    expect(of(free, pro, half)).toBe(4900);
  });

  test('is the difference for what is left of the period', () => {
    expect(of(onPro, scale, start)).toBe(29_900 - 4900);
    expect(of(onPro, scale, half)).toBe((29_900 - 4900) / 2);
    expect(of(onPro, scale, new Date(date('2030-02-28').getTime() - 1))).toBe(0);
  });

  test('is a year less what is left of the month', () => {
    expect(of(onPro, proYearly, half)).toBe(49_000 - 2450);
  });

  test('credits in another currency what the former plan costs in that', () => {
    expect(of(onPro, scale, half, 'usd')).toBe(32_900 - 5400 / 2);
  });

  test('credits nothing that was not paid, or paid to another provider', () => {
    expect(of(onPro, scale, half, 'eur', 'manual')).toBe(29_900);
    const unpaid = following(onPro, ['2030-02-28', null]).subscription;
    expect(of(unpaid, scale, date('2030-03-01'))).toBe(29_900);
  });

  test('is never less than nothing', () => {
    const onYear = next(free, bought({ ...scale, billingCycle: 'yearly' }), start).subscription;
    expect(of(onYear, pro, date('2030-02-01'))).toBe(0);
  });
});

describe('the end of a period', () => {
  test('begins the next one, with an invoice that is open and a charge', () => {
    const { subscription, effects } = following(onPro, ['2030-02-28', null]);
    const period = { start: date('2030-02-28'), end: date('2030-03-31') };
    expect(subscription).toMatchObject({
      status: 'active',
      currentPeriodStart: period.start,
      currentPeriodEnd: period.end,
    });
    expect(effects).toMatchObject([
      { kind: 'issueInvoice', reason: 'renewed', period, amount: 4900, isPaid: false },
      { kind: 'charge', period, amount: 4900, currency: 'eur' },
    ]);
  });

  test('comes at its instant, and not a millisecond before', () => {
    const end = date('2030-02-28');
    expect(applyDueTransitions(onPro, new Date(end.getTime() - 1)).subscription).toBe(onPro);
    expect(applyDueTransitions(onPro, end).subscription).not.toBe(onPro);
    expect(next(onPro, { kind: 'periodEnded' }, new Date(end.getTime() - 1)).subscription).toBe(onPro);
  });

  test('is paid by the payment that arrives, once', () => {
    const { subscription, kinds } = following(onPro, ['2030-02-28', renewed], ['2030-02-28', renewed]);
    expect(kinds).toEqual(['issueInvoice', 'charge', 'settleInvoice']);
    expect(subscription).toMatchObject({ deadline: null, paidUntil: date('2030-03-31') });
  });

  test('is asked of the provider where that collects by itself, whose payment makes the invoice', () => {
    const ofProvider = next(free, bought(pro, { provider: 'stripe', collection: 'provider' }), start).subscription;
    const { effects } = following(ofProvider, ['2030-02-28', null], ['2030-03-01', { ...renewed, amount: 5831 }]);
    expect(effects).toMatchObject([
      { kind: 'readProvider', provider: 'stripe', gatewaySubscriptionId },
      { kind: 'issueInvoice', reason: 'renewed', isPaid: true, amount: 5831 },
    ]);
  });

  test('is caught up period by period after downtime', () => {
    const { subscription, effects } = following(onPro, ['2030-07-04', null]);
    const starts = effects.flatMap((effect) => (effect.kind === 'charge' ? [effect.period.start] : []));
    expect(starts).toEqual(['2030-02-28', '2030-03-31', '2030-04-30', '2030-05-31', '2030-06-30'].map(date));
    expect(subscription).toMatchObject({ status: 'active', currentPeriodEnd: date('2030-07-31') });
    expect(subscription.deadline).toEqual(date('2030-07-11'));
  });

  test('settles the invoices of several periods in any order', () => {
    const periods = [
      { start: date('2030-02-28'), end: date('2030-03-31') },
      { start: date('2030-03-31'), end: date('2030-04-30') },
    ];
    for (const order of [periods, [...periods].reverse()]) {
      const events = order.map((period): [string, SubscriptionEvent] => ['2030-04-02', { ...renewed, period }]);
      const { subscription, effects } = following(onPro, ...events);
      expect(subscription).toMatchObject({ status: 'active', deadline: null, paidUntil: date('2030-04-30') });
      expect(effects.filter(({ kind }) => kind === 'settleInvoice')).toHaveLength(2);
    }
  });

  test('makes of a downgrade what was scheduled, also of a shorter cycle', () => {
    const later = following(onScale, ['2030-02-10', { kind: 'planScheduled', to: pro }]);
    expect(later.subscription).toMatchObject({ ...scale, scheduled: pro });
    expect(later.effects).toMatchObject([{ kind: 'changePlanAtProvider', to: pro }]);
    const ended = following(later.subscription, ['2030-02-28', null]);
    expect(ended.subscription).toMatchObject({ ...pro, scheduled: null });
    expect(ended.effects).toMatchObject([{ amount: 4900 }, { amount: 4900 }]);

    const onYear = next(free, bought(proYearly), start).subscription;
    const monthly = following(
      onYear,
      ['2030-05-01', { kind: 'planScheduled', to: pro }],
      ['2031-01-31', null],
    ).subscription;
    expect(monthly).toMatchObject({ ...pro, currentPeriodEnd: date('2031-02-28') });
  });
});

describe('a payment that failed', () => {
  const pastDue = following(onPro, ['2030-02-28', failed]);

  test('gives seven days in which the plan works, and a mail', () => {
    expect(pastDue.subscription).toMatchObject({ ...pro, status: 'past_due', deadline: date('2030-03-07') });
    expect(pastDue.effects.at(-1)).toMatchObject({ kind: 'mail', template: 'payment-failed' });
  });

  test('again gives no more time', () => {
    expect(next(pastDue.subscription, failed, date('2030-03-05')).subscription).toBe(pastDue.subscription);
  });

  test('is forgotten when it is paid in the end', () => {
    const { subscription, effects } = following(pastDue.subscription, ['2030-03-06', recovered]);
    expect(subscription).toMatchObject({ status: 'active', deadline: null, paidUntil: date('2030-03-31') });
    expect(effects).toMatchObject([{ kind: 'settleInvoice' }]);
    expect(
      next(subscription, { ...failed, period: { start, end: date('2030-03-31') } }, date('2030-03-08')).subscription,
    ).toBe(subscription);
  });

  test('ends in `expired` to the millisecond, and 30 days later in `free`', () => {
    const deadline = date('2030-03-07');
    expect(applyDueTransitions(pastDue.subscription, new Date(deadline.getTime() - 1)).subscription.status).toBe(
      'past_due',
    );
    const expired = following(pastDue.subscription, [deadline, null]);
    expect(expired.subscription).toMatchObject({ ...pro, status: 'expired', deadline: date('2030-04-06') });
    expect(expired.effects).toMatchObject([{ kind: 'mail', template: 'subscription-expired' }]);
    const ended = following(expired.subscription, ['2030-04-06', null]);
    expect(ended.subscription).toMatchObject({ plan: 'free', status: 'active', gatewaySubscriptionId: null });
    expect(ended.kinds).toEqual(['giveUpInvoices', 'endAtProvider', 'mail']);
  });

  test('reaches `free` by its own days, however late anybody looks', () => {
    expect(following(pastDue.subscription, ['2031-01-01', null]).subscription).toMatchObject({
      plan: 'free',
      status: 'active',
    });
  });

  test('can be paid while it is expired', () => {
    const { subscription } = following(pastDue.subscription, ['2030-03-20', recovered]);
    expect(subscription).toMatchObject({ ...pro, status: 'active', deadline: null });
  });

  test('ends with the grace when it is cancelled in it, and at once when it has expired', () => {
    const canceled = following(pastDue.subscription, ['2030-03-01', cancel], ['2030-03-07', null]);
    expect(canceled.subscription).toMatchObject({ plan: 'free', status: 'active' });
    const expired = following(pastDue.subscription, ['2030-03-08', null]).subscription;
    expect(next(expired, cancel, date('2030-03-09')).subscription).toMatchObject({ plan: 'free', status: 'active' });
  });

  test('counts seven days after it was asked for and nobody answered', () => {
    const unanswered = following(onPro, ['2030-02-28', null]).subscription;
    expect(applyDueTransitions(unanswered, date('2030-03-06')).subscription.status).toBe('active');
    expect(applyDueTransitions(unanswered, date('2030-03-07')).subscription.status).toBe('past_due');
  });

  test('of another subscription or a paid period changes nothing', () => {
    expect(next(onPro, { ...failed, gatewaySubscriptionId: 'sub_2' }, date('2030-02-01')).subscription).toBe(onPro);
    expect(next(onPro, failed, date('2030-02-01')).subscription).toBe(onPro);
    expect(next(free, failed, date('2030-02-01')).subscription).toBe(free);
  });

  test('of the period that the provider has begun before us counts', () => {
    const period = { start: date('2030-02-28'), end: date('2030-03-31') };
    const early = new Date(period.start.getTime() - 90_000);
    const { subscription } = next(onPro, { ...failed, period }, early);
    expect(subscription).toMatchObject({ status: 'past_due', currentPeriodStart: period.start });
    const paid = next(onPro, { ...renewed, period }, early).subscription;
    expect(paid).toMatchObject({ status: 'active', currentPeriodStart: period.start, paidUntil: period.end });
    expect(applyDueTransitions(paid, date('2030-03-01')).subscription).toBe(paid);
  });
});

describe('a cancellation', () => {
  const canceled = following(onPro, ['2030-02-05', cancel]);

  test('keeps everything until the period ends, and is `free` then', () => {
    expect(canceled.subscription).toMatchObject({ ...pro, status: 'active', cancelAtPeriodEnd: true });
    expect(canceled.effects).toMatchObject([
      { kind: 'cancelAtProvider', reason: 'Too many stories' },
      { kind: 'mail', template: 'subscription-canceled' },
    ]);
    const ended = following(canceled.subscription, ['2030-02-28', null]);
    expect(ended.subscription).toMatchObject({ plan: 'free', status: 'active', cancelAtPeriodEnd: false });
    expect(ended.kinds).toEqual(['giveUpInvoices', 'mail']);
  });

  test('is the same again, and keeps the first reason', () => {
    const again = next(canceled.subscription, { kind: 'cancelRequested', reason: 'Another' }, date('2030-02-06'));
    expect(again).toEqual({ subscription: canceled.subscription, effects: [] });
  });

  test('can be taken back until the period ends', () => {
    const { subscription, kinds } = following(canceled.subscription, ['2030-02-27', { kind: 'resumed' }]);
    expect(subscription).toMatchObject({ cancelAtPeriodEnd: false, cancelReason: null });
    expect(kinds).toEqual(['resumeAtProvider']);
    expect(following(subscription, ['2030-02-28', null]).subscription).toMatchObject(pro);
    const late = following(canceled.subscription, ['2030-03-01', { kind: 'resumed' }]).subscription;
    expect(late.plan).toBe('free');
  });

  test('changes nothing for who is free', () => {
    expect(next(free, cancel, start).subscription).toBe(free);
    expect(next(free, { kind: 'resumed' }, start).subscription).toBe(free);
    expect(next(free, { kind: 'planScheduled', to: pro }, start).subscription).toBe(free);
  });

  test('of a plan that was given ends it with the month', () => {
    const given = complimentarySubscription('scale', start);
    const { subscription, kinds } = following(given, ['2030-06-10', cancel]);
    expect(subscription).toMatchObject({ currentPeriodEnd: new Date('2030-07-01'), cancelAtPeriodEnd: true });
    expect(kinds).toEqual(['mail']);
    expect(following(subscription, ['2030-07-01', null]).subscription.plan).toBe('free');
    const resumed = following(subscription, ['2030-06-11', { kind: 'resumed' }]).subscription;
    expect(applyDueTransitions(resumed, date('2031-01-01')).subscription.plan).toBe('scale');
  });

  test('by a schedule of `free` is one, and a schedule of another plan takes it back', () => {
    const toFree = { ...pro, plan: 'free' as const };
    expect(following(onPro, ['2030-02-05', { kind: 'planScheduled', to: toFree }]).subscription.cancelAtPeriodEnd).toBe(
      true,
    );
    const scheduled = following(onScale, ['2030-02-05', cancel], ['2030-02-06', { kind: 'planScheduled', to: pro }]);
    expect(scheduled.subscription).toMatchObject({ cancelAtPeriodEnd: false, scheduled: pro });
    expect(scheduled.kinds.slice(-2)).toEqual(['resumeAtProvider', 'changePlanAtProvider']);
  });

  test('of a schedule leaves the plan as it is', () => {
    const schedule: SubscriptionEvent = { kind: 'planScheduled', to: pro };
    const { subscription, effects } = following(
      onScale,
      ['2030-02-05', schedule],
      ['2030-02-06', { kind: 'planScheduled', to: null }],
    );
    expect(subscription.scheduled).toBeNull();
    expect(effects.at(-1)).toMatchObject({ kind: 'changePlanAtProvider', to: scale });
    const twice = following(onScale, ['2030-02-05', schedule], ['2030-02-05', schedule]);
    expect(twice.kinds).toEqual(['changePlanAtProvider']);
  });
});

describe('a plan that is given', () => {
  const give = (plan: 'free' | 'pro' | 'scale') => ({ kind: 'planGiven', plan }) as const;
  const given = next(free, give('scale'), start).subscription;

  test('counts at once, by calendar months, and costs nothing', () => {
    const { subscription, effects } = next(free, give('scale'), start);
    expect(subscription).toEqual(complimentarySubscription('scale', start));
    expect(effects).toEqual([]);
    expect(nextDue(subscription)).toBeNull();
    expect(periodAt(subscription, date('2031-03-10'))).toEqual({
      start: new Date('2031-03-01'),
      end: new Date('2031-04-01'),
    });
  });

  test('ends what was paid for, here and at the provider, and late news of that changes nothing', () => {
    const { subscription, effects } = next(onPro, give('scale'), date('2030-02-10'));
    expect(subscription).toMatchObject({ plan: 'scale', provider: null, endedIds: [gatewaySubscriptionId] });
    expect(effects).toEqual([
      { kind: 'giveUpInvoices', provider: 'test', gatewaySubscriptionId, status: 'void' },
      { kind: 'endAtProvider', provider: 'test', gatewaySubscriptionId },
    ]);
    for (const late of [bought(pro), renewed, failed, recovered]) {
      expect(next(subscription, late, date('2030-02-11'))).toEqual({ subscription, effects: [] });
    }
  });

  test('is the same again, and takes back that it was to end', () => {
    expect(next(given, give('scale'), date('2030-06-01')).subscription).toBe(given);
    const ending = following(given, ['2030-06-10', cancel]).subscription;
    const { subscription, effects } = next(ending, give('scale'), date('2030-06-11'));
    expect(subscription).toMatchObject({ plan: 'scale', cancelAtPeriodEnd: false, cancelReason: null });
    expect(effects).toEqual([]);
    expect(applyDueTransitions(subscription, date('2031-01-01')).subscription.plan).toBe('scale');
  });

  test('helps who did not pay, also with `free`', () => {
    const overdue = following(onPro, ['2030-02-28', failed]).subscription;
    const expired = applyDueTransitions(overdue, date('2030-03-10')).subscription;
    expect([overdue.status, expired.status]).toEqual(['past_due', 'expired']);
    for (const former of [overdue, expired]) {
      for (const plan of ['pro', 'free'] as const) {
        const { subscription } = next(former, give(plan), date('2030-03-11'));
        expect(subscription).toMatchObject({ plan, status: 'active', provider: null, deadline: null });
      }
    }
  });

  test('can be paid for, and given again, but not to an organization that is gone', () => {
    const again = bought(pro, { checkoutId: 'chk_again', gatewaySubscriptionId: 'sub_2' });
    const { subscription, effects } = next(given, again, date('2030-02-10'));
    expect(subscription).toMatchObject({ ...pro, provider: 'test', gatewaySubscriptionId: 'sub_2' });
    expect(effects).toMatchObject([{ kind: 'issueInvoice', reason: 'subscribed' }]);
    const closed = next(subscription, { kind: 'organizationClosed' }, date('2030-02-11')).subscription;
    expect(next(closed, give('scale'), date('2030-02-12')).subscription).toBe(closed);
  });
});

describe('what a provider says', () => {
  const state: ProviderState = {
    status: 'active',
    terms: pro,
    currency: 'eur',
    period: { start, end: date('2030-02-28') },
    cancelAtPeriodEnd: false,
  };
  const told = (change: Partial<ProviderState>, readAt: string | Date = '2030-02-09'): ProviderStateRead => ({
    kind: 'providerStateRead',
    provider: 'stripe',
    gatewaySubscriptionId,
    collection: 'provider',
    readAt: typeof readAt === 'string' ? date(readAt) : readAt,
    state: { ...state, ...change },
  });
  const ofProvider = next(free, bought(pro, { provider: 'stripe', collection: 'provider' }), start).subscription;
  const hear = (subscription: Subscription, change: Partial<ProviderState>, at = '2030-02-10') =>
    next(subscription, told(change), date(at));

  test('and is so already changes nothing', () => {
    expect(hear(ofProvider, {})).toEqual({ subscription: ofProvider, effects: [] });
  });

  test('before the checkout is told counts, and the checkout then makes the one invoice', () => {
    const heard = next(free, told({}, start), start);
    expect(heard.subscription).toMatchObject({ ...pro, status: 'active', gatewaySubscriptionId });
    expect(heard.effects).toEqual([]);
    const completed = next(
      heard.subscription,
      bought(pro, { provider: 'stripe', collection: 'provider', period: state.period }),
      start,
    );
    expect(completed.effects).toMatchObject([{ kind: 'issueInvoice', reason: 'subscribed' }]);
    expect(next(completed.subscription, { ...renewed, period: state.period }, start).effects).toEqual([]);
  });

  test('of a first payment that waits gives nothing yet, and ends after 23 hours', () => {
    const { subscription } = next(free, told({ status: 'incomplete' }), start);
    expect(subscription).toMatchObject({ ...pro, status: 'incomplete' });
    const until = new Date(start.getTime() + 23 * hour);
    expect(subscription.deadline).toEqual(until);
    expect(following(subscription, [until, null])).toMatchObject({
      subscription: { plan: 'free', status: 'active' },
      kinds: ['giveUpInvoices', 'endAtProvider'],
    });
    expect(following(subscription, ['2030-01-31', bought(pro, { period: state.period })]).subscription.status).toBe(
      'active',
    );
  });

  test('of a failure begins the grace once, and of its end expires', () => {
    const pastDue = hear(ofProvider, { status: 'past_due' });
    expect(pastDue.subscription).toMatchObject({ status: 'past_due', deadline: date('2030-02-17') });
    expect(hear(pastDue.subscription, { status: 'past_due' }, '2030-02-12').subscription.deadline).toEqual(
      date('2030-02-17'),
    );
    expect(hear(pastDue.subscription, { status: 'active' }, '2030-02-12').subscription).toMatchObject({
      status: 'active',
      deadline: null,
    });
    const expired = hear(pastDue.subscription, { status: 'expired' }, '2030-02-12').subscription;
    expect(expired).toMatchObject({ status: 'expired', deadline: date('2030-03-14') });
    expect(hear(expired, { status: 'expired' }, '2030-02-13').subscription).toBe(expired);
  });

  test('of the end is `free` at once, and what it says afterwards of that subscription is nothing', () => {
    const ended = hear(ofProvider, { status: 'canceled' }).subscription;
    expect(ended).toMatchObject({ plan: 'free', status: 'active' });
    expect(hear(ended, { status: 'active' }).subscription).toBe(ended);
    expect(hear(ended, { status: 'past_due' }).subscription).toBe(ended);
  });

  test('of a trial counts as the plan', () => {
    expect(next(free, told({ status: 'trialing' }), start).subscription).toMatchObject({ ...pro, status: 'trialing' });
  });

  test('of a cancellation or a plan made at the provider’s is taken over', () => {
    expect(hear(ofProvider, { cancelAtPeriodEnd: true }).subscription.cancelAtPeriodEnd).toBe(true);
    expect(hear(ofProvider, { terms: scale }).subscription).toMatchObject(scale);
  });

  test('does not undo what was wanted here after it was asked', () => {
    const canceled = following(ofProvider, ['2030-02-10', cancel]).subscription;
    expect(next(canceled, told({}, '2030-02-09'), date('2030-02-11')).subscription).toBe(canceled);
    expect(next(canceled, told({}, '2030-02-11'), date('2030-02-11')).subscription.cancelAtPeriodEnd).toBe(false);
  });

  test('of a period before the current one does not go back', () => {
    const later = following(ofProvider, ['2030-03-01', renewed]).subscription;
    expect(hear(later, {}, '2030-03-02').subscription.currentPeriodEnd).toEqual(date('2030-03-31'));
  });

  test('of another subscription while there is one changes nothing', () => {
    const other = { ...told({ terms: scale }), gatewaySubscriptionId: 'sub_2' };
    expect(next(ofProvider, other, date('2030-02-10')).subscription).toBe(ofProvider);
  });
});

describe('a clock that jumps back', () => {
  test('changes nothing by itself', () => {
    const later = following(onPro, ['2030-02-28', failed]).subscription;
    for (const back of ['2030-02-27', '2029-01-01']) {
      expect(applyDueTransitions(later, date(back))).toEqual({ subscription: later, effects: [] });
      expect(next(later, { kind: 'periodEnded' }, date(back)).subscription).toBe(later);
      expect(next(later, { kind: 'graceEnded' }, date(back)).subscription).toBe(later);
    }
  });

  test('never makes a deadline come twice', () => {
    const end = new Date(date('2030-02-28').getTime());
    const once = applyDueTransitions(onPro, end).subscription;
    expect(applyDueTransitions(once, new Date(end.getTime() - day)).subscription).toBe(once);
    expect(applyDueTransitions(once, end).subscription).toBe(once);
  });
});
