import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Effect, Subscription } from '../../../models/billing/subscription.ts';
import { next } from '../../../services/billing/subscriptions/state.ts';
import {
  complimentarySubscription,
  type SubscriptionEvent,
} from '../../../services/billing/subscriptions/transition.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import {
  endNow,
  endPeriod,
  expirePendingUpdate,
  giveUpCollecting,
  must,
  payCheckout,
  payInvoice,
  type StripeEvent,
} from './stripe-account.ts';
import {
  openStripeDatabase,
  orderAt,
  proMonthly,
  scaleMonthly,
  scaleYearly,
  startStripeBench,
} from './stripe-bench.ts';

/**
 * Webhooks come late, twice, out of order and not at all. The same life of a subscription at Stripe is told in order,
 * and then in any other way; what the platform has in the end is the same.
 */
const start = new Date('2030-01-31T12:00:00.000Z');
let closeDatabase: () => Promise<void>;

beforeAll(async () => {
  closeDatabase = await openStripeDatabase();
});
afterAll(() => closeDatabase());

/** What happens at Stripe alone, and what the platform has done there. */
const atStripe = ['renew', 'fail', 'recover', 'giveUp', 'end'] as const;
const ofThePlatform = ['upgrade', 'upgradeByHand', 'upgradeForgotten', 'downgrade', 'cancel', 'resume'] as const;
type Act = (typeof atStripe)[number] | (typeof ofThePlatform)[number];

type Telling = {
  /** Which events of an act are told before the next act: by their place, and again for those that come twice. */
  now: (events: StripeEvent[], act: number) => StripeEvent[];
  /** What is told in the end. */
  atLast: (events: StripeEvent[]) => StripeEvent[];
};

async function live(acts: readonly Act[], telling: Telling) {
  const bench = await startStripeBench(start);
  const { provider, server, paymentEventOf } = bench;
  const { account } = server;
  let subscription: Subscription = complimentarySubscription('free', start);
  const effects: Effect[] = [];
  const apply = (event: SubscriptionEvent) => {
    const step = next(subscription, event, new Date(account.clock.seconds * 1000));
    subscription = step.subscription;
    effects.push(...step.effects);
  };
  const tell = async (events: StripeEvent[]) => {
    for (const event of events) for (const one of (await paymentEventOf(event)).events) apply(one);
  };
  let heard = 0;
  const tellNow = async (act: number) => {
    const fresh = account.events.slice(heard);
    heard = account.events.length;
    await tell(telling.now(fresh, act));
  };
  try {
    const order = orderAt(server, { checkoutId: 'chk_first', terms: proMonthly });
    const { gatewayCheckoutId } = await provider.openCheckout(order);
    const { id } = payCheckout(account, gatewayCheckoutId ?? '');
    await tellNow(0);
    for (const [place, act] of acts.entries()) {
      account.clock.seconds += 3600;
      await happen(act, `chk_${place}`);
      await tellNow(place + 1);
    }
    await tell(telling.atLast(account.events));
    return { subscription: withoutTimes(subscription), invoices: invoicesIn(effects), told: account.events };

    async function happen(act: Act, checkoutId: string): Promise<void> {
      const there = must(account.subscriptions.get(id), id);
      const invoice = account.invoices.get(there.latest_invoice ?? '');
      const names = { gatewaySubscriptionId: id };
      const isRunning = there.status === 'active';
      const key = `key:${checkoutId}`;
      account.cards.delete(there.customer);
      if (act === 'recover' && invoice?.status === 'open') payInvoice(account, invoice.id);
      if (act === 'giveUp' && there.status === 'past_due') giveUpCollecting(account, id);
      if (act === 'end' && there.status !== 'canceled') endNow(account, there);
      if (!isRunning || there.pending_update) return;
      if (act === 'renew') endPeriod(account, id);
      if (act === 'fail') {
        account.cards.set(there.customer, 'declines');
        endPeriod(account, id);
      }
      if (act.startsWith('upgrade') && there.items.data[0].price.lookup_key !== 'scale@1:yearly:eur') {
        const isPro = there.items.data[0].price.lookup_key === 'pro@1:monthly:eur';
        const terms = isPro ? scaleMonthly : scaleYearly;
        if (act !== 'upgrade') account.cards.set(there.customer, 'declines');
        await provider.upgrade({ key, ...names, order: { ...order, checkoutId, terms, ...names } });
        account.clock.seconds += 60;
        if (act === 'upgradeByHand') payInvoice(account, there.latest_invoice ?? '');
        if (act === 'upgradeForgotten') expirePendingUpdate(account, id);
      }
      if (act === 'downgrade' && there.items.data[0].price.lookup_key !== 'pro@1:monthly:eur') {
        apply({ kind: 'planScheduled', to: proMonthly });
        await provider.resume({ key, ...names });
        await provider.changePlan({ key, ...names, to: proMonthly, currency: 'eur' });
      }
      if (act === 'cancel') {
        apply({ kind: 'cancelRequested', reason: null });
        await provider.cancelAtPeriodEnd({ key, ...names, reason: null });
      }
      if (act === 'resume') {
        apply({ kind: 'resumed' });
        await provider.resume({ key, ...names });
      }
    }
  } finally {
    await bench.close();
  }
}

/**
 * Without when it was told: the grace begins when the platform hears of it. What is told of the purchase after the end
 * begins it once more for as long as it takes to end it again.
 */
function withoutTimes({ changedAt, deadline, checkouts, endedIds, ...subscription }: Subscription) {
  return {
    ...subscription,
    checkouts: [...checkouts].sort(),
    endedIds: [...new Set(endedIds)],
    hasDeadline: deadline !== null,
  };
}

function invoicesIn(effects: Effect[]): string[] {
  return effects
    .flatMap((effect) => (effect.kind === 'issueInvoice' ? [effect] : []))
    .map(({ period, amount, terms }) => `${period.start.toISOString()} ${terms.plan} ${amount}`)
    .sort();
}

const inOrder: Telling = { now: (events) => events, atLast: () => [] };

/** Any order, some twice, and some only in the end, by numbers that the property picks. */
function anyhow(picks: readonly number[], { isAlwaysHeard }: { isAlwaysHeard: boolean }): Telling {
  let used = 0;
  const pick = () => (picks[used++ % picks.length] ?? 0) / 1000;
  const shuffled = <T>(list: T[]) =>
    list
      .map((one) => ({ one, rank: pick() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ one }) => one);
  return {
    now(events) {
      if (!isAlwaysHeard && pick() > 0.5) return [];
      const told = shuffled(events.flatMap((event) => Array.from({ length: Math.floor(pick() * 3) }, () => event)));
      const [first] = shuffled(events);
      return told.length === 0 && first && isAlwaysHeard ? [first] : told;
    },
    atLast: (events) => shuffled([...events, ...events.filter(() => pick() > 0.7)]),
  };
}

const picks = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 40, maxLength: 120 });

test(
  'What Stripe does by itself, told anyhow and all of it in the end, leads to the same subscription',
  async () => {
    const acts = fc.array(fc.constantFrom(...atStripe), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(acts, picks, async (life, numbers) => {
        const ordered = await live(life, inOrder);
        const other = await live(life, anyhow(numbers, { isAlwaysHeard: false }));
        expect(other.subscription).toEqual(ordered.subscription);
      }),
      { numRuns: propertyCases(8, 300), endOnFailure: true },
    );
  },
  propertyTimeout,
);

test(
  'Also what the platform does at Stripe, and with the same invoices, when it hears of each change something',
  async () => {
    const acts = fc.array(fc.constantFrom<Act>(...atStripe.slice(0, 4), ...ofThePlatform), { maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(acts, picks, async (life, numbers) => {
        const ordered = await live(life, inOrder);
        const other = await live(life, anyhow(numbers, { isAlwaysHeard: true }));
        expect(other.subscription).toEqual(ordered.subscription);
        expect(other.invoices).toEqual(ordered.invoices);
      }),
      { numRuns: propertyCases(8, 300), endOnFailure: true },
    );
  },
  propertyTimeout,
);

test('A period that is overdue has its grace, also when the payment of the expired one before it is told last', async () => {
  const life: Act[] = ['fail', 'giveUp', 'recover', 'fail'];
  const isPayment = ({ type }: StripeEvent) => type === 'invoice.paid';
  const late: Telling = {
    now: (events, act) => (act === 3 ? [] : events.filter((event) => act < 3 || !isPayment(event))),
    atLast: (all) => all,
  };
  const ordered = await live(life, inOrder);
  const other = await live(life, late);
  expect(ordered.subscription).toMatchObject({ plan: 'pro', status: 'past_due', hasDeadline: true });
  expect(other.subscription).toEqual(ordered.subscription);
  expect(other.invoices).toEqual(ordered.invoices);
});

test('A downgrade outlives upgrades that nobody pays, also when their expiry is told after the renewal', async () => {
  const life: Act[] = ['upgrade', 'downgrade', 'upgradeForgotten', 'upgradeForgotten', 'renew'];
  const isExpiry = ({ type }: StripeEvent) => type === 'customer.subscription.pending_update_expired';
  const late: Telling = { now: (events) => events.filter((event) => !isExpiry(event)), atLast: (all) => all };
  const ordered = await live(life, inOrder);
  const other = await live(life, late);
  expect(ordered.subscription).toMatchObject({ plan: 'pro', status: 'active' });
  expect(other.subscription).toEqual(ordered.subscription);
  expect(other.invoices).toEqual(ordered.invoices);
});

test('A life in which every kind of webhook that matters is told', async () => {
  const life: Act[] = [
    'upgradeByHand',
    'upgradeForgotten',
    'renew',
    'fail',
    'recover',
    'upgrade',
    'downgrade',
    'renew',
  ];
  const { subscription, invoices, told } = await live([...life, 'cancel', 'resume', 'end'], inOrder);
  expect(subscription).toMatchObject({ plan: 'free', provider: null });
  expect(new Set(told.map(({ type }) => type))).toEqual(
    new Set([
      'checkout.session.completed',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
      'customer.subscription.pending_update_expired',
      'invoice.paid',
      'invoice.payment_failed',
      'invoice.payment_action_required',
    ]),
  );
  expect(invoices).toHaveLength(6);
});
