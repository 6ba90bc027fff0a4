import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StoredEvent } from '../../../services/context/story/event.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { propertyCases } from '../../support/property-cases.ts';

/*
 * The figures of stories against a model: orders, their payments and refunds, one after the other or all at one instant,
 * with event ids in any order.
 */

type Refund = { cents: number; isTotal: boolean };

/** `reported`: by events of the order, of its payment, or of both. */
type Order = {
  cents: number;
  parts: number;
  refunds: Refund[];
  reported: 'order' | 'payment' | 'both';
  isDelivered: boolean;
  isCancelled: boolean;
};
type Extra = { cents: number; refunds: Refund[] };

/** `paid`: whether there are events of payments; `isAtOnce`: whether all happens at one instant. */
type Life = { orders: Order[]; extras: Extra[]; paid: boolean; isAtOnce: boolean; ids: number[] };

const cents = fc.integer({ min: 2, max: 5_000 });

/** Refunds that come to no more than what was paid, half of the time to all of it. */
const refundsOf = (most: number): fc.Arbitrary<Refund[]> =>
  fc
    .record({
      shares: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), isTotal: fc.boolean() }), { maxLength: 3 }),
      whole: fc.oneof(fc.constant(most), fc.integer({ min: 1, max: most })),
    })
    .map(({ shares, whole }) => {
      const weights = shares.reduce((sum, { weight }) => sum + weight, 0);
      const parts = shares.map(({ weight }) => Math.floor((whole * weight) / weights));
      const rest = whole - parts.reduce((sum, part) => sum + part, 0);
      return shares
        .map(({ isTotal }, place) => ({ isTotal, cents: parts[place]! + (place === 0 ? rest : 0) }))
        .filter((refund) => refund.cents > 0);
    });

const order: fc.Arbitrary<Order> = cents.chain((most) =>
  fc.record({
    cents: fc.constant(most),
    parts: fc.constantFrom(1, 2),
    refunds: refundsOf(most),
    reported: fc.constantFrom('order', 'payment', 'both'),
    isDelivered: fc.boolean(),
    isCancelled: fc.boolean(),
  }),
);
const extra: fc.Arbitrary<Extra> = cents.chain((most) =>
  fc.record({ cents: fc.constant(most), refunds: refundsOf(most) }),
);
/** At most ten payments: so many are remembered. */
const life: fc.Arbitrary<Life> = fc.record({
  orders: fc.array(order, { minLength: 1, maxLength: 4 }),
  extras: fc.array(extra, { maxLength: 2 }),
  paid: fc.boolean(),
  isAtOnce: fc.boolean(),
  ids: fc.infiniteStream(fc.nat()).map((numbers) => Array.from({ length: 120 }, () => numbers.next().value as number)),
});

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
const euros = (amount: number) => `${(amount / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')} EUR`;

function eventsOf({ orders, extras, paid, isAtOnce, ids }: Life): StoredEvent[] {
  const events: StoredEvent[] = [];
  const add = (eventName: string, payload: Record<string, unknown>) => {
    const place = events.length;
    const occurredAt = new Date(Date.UTC(2026, 2, 1) + (isAtOnce ? 0 : place * 3_600_000)).toISOString();
    const envelope = { actor: { type: 'customer', id: 'c' }, source: { system: 'shop', channel: 'web' } };
    const eventId = `${String(ids[place]).padStart(12, '0')}-${place}`;
    events.push({ ...envelope, eventId, eventName, occurredAt, payload: { currency: 'EUR', ...payload } });
  };
  const pay = (paymentId: string, amount: number, rest: object) =>
    add('payment.succeeded', { paymentId, amount: amount / 100, ...rest });
  /** Each as an amount of its own, or as the total so far. */
  const refund = (eventName: string, refunds: Refund[], rest: object) => {
    let total = 0;
    for (const { cents: amount } of refunds) {
      total += amount;
      const isTotal = refunds[0]!.isTotal;
      add(eventName, { ...rest, ...(isTotal ? { amountRefunded: total / 100 } : { refundAmount: amount / 100 }) });
    }
  };
  for (const [place, one] of orders.entries()) {
    const orderId = `A-${place}`;
    add('order.created', { orderId, total: one.cents / 100 });
    const first = one.parts === 2 ? Math.floor(one.cents / 2) : one.cents;
    if (paid) pay(`p-${place}-1`, first, { orderId });
    if (paid && one.parts === 2) pay(`p-${place}-2`, one.cents - first, { orderId });
    if (one.isDelivered) add('order.delivered', { orderId });
    if (one.isCancelled) add('order.cancelled', { orderId });
    if (one.reported !== 'payment') refund('order.partially_refunded', one.refunds, { orderId });
    if (one.reported !== 'order') refund('payment.refunded', one.refunds, { orderId });
  }
  if (!paid) return events;
  for (const [place, one] of extras.entries()) {
    const paymentId = `x-${place}`;
    pay(paymentId, one.cents, {});
    refund('charge.refunded', one.refunds, { chargeId: paymentId });
  }
  return events;
}

const refundedOf = ({ refunds }: { refunds: Refund[] }) => sum(refunds.map((refund) => refund.cents));

/** The words of the story's figures. */
function expectedFigures({ orders, extras, paid }: Life): string[] {
  const worth = sum(orders.map((one) => one.cents));
  const placed = `placed ${orders.length === 1 ? '1 order (A-0)' : `${orders.length} orders`} worth ${euros(worth)}`;
  const refunds = sum([...orders, ...(paid ? extras : [])].map(refundedOf));
  if (!paid) {
    const withdrawn = sum(orders.filter(({ isCancelled }) => isCancelled).map((one) => one.cents - refundedOf(one)));
    const reductions = [
      withdrawn > 0 ? `cancellations of ${euros(withdrawn)}` : '',
      refunds > 0 ? `refunds of ${euros(refunds)}` : '',
    ].filter(Boolean);
    const isSaid = orders.length === 1 && (withdrawn === worth || refunds === worth);
    if (reductions.length === 0 || isSaid) return [placed];
    const come = orders.length === 1 ? 'order comes' : 'orders come';
    return [placed, `After ${reductions.join(' and ')}, the ${come} to ${euros(worth - withdrawn - refunds)}.`];
  }
  const received = worth + sum(extras.map((one) => one.cents));
  if (refunds === 0) return [placed];
  if (refunds === received) return [placed, ', and all of it was refunded'];
  return [placed, `, and ${euros(refunds)} was refunded, leaving ${euros(received - refunds)}`];
}

/** How many orders met each end. */
function expectedOutcomes({ orders }: Life): Record<string, number> {
  const count = (holds: (one: Order) => boolean) => orders.filter(holds).length;
  const isRefunded = (one: Order) => refundedOf(one) === one.cents;
  return {
    delivered: count(({ isDelivered }) => isDelivered),
    cancelled: count(({ isCancelled }) => isCancelled),
    refunded: count(isRefunded),
    open: count((one) => !one.isDelivered && !one.isCancelled && !isRefunded(one)),
  };
}

/** What the sentence on orders says of an end. */
function saidOf(summary: string, outcome: string, placed: number): number {
  const [sentence = ''] = summary.match(/placed .*?(?:\.(?= [A-Z])|$)/) ?? [];
  if (placed === 1) return sentence.includes(outcome) ? 1 : 0;
  const all = new RegExp(`(?:both|all) (?:of which )?(?:was|were) (?:\\w+ and )?${outcome}`);
  if (all.test(sentence)) return placed;
  return Number(new RegExp(`(\\d+) (?:was|were) ${outcome}`).exec(sentence)?.[1] ?? 0);
}

test('money adds up in every story, whatever was ordered, paid and refunded, and in whichever order ids come', () => {
  fc.assert(
    fc.property(life, (one) => {
      const story = composeStory('c', eventsOf(one))!;
      for (const figure of expectedFigures(one)) expect(story.summary).toContain(figure);
      const { open, ...outcomes } = expectedOutcomes(one);
      for (const [outcome, count] of Object.entries(outcomes)) {
        expect([outcome, saidOf(story.summary, outcome, one.orders.length)]).toEqual([outcome, count]);
      }
      expect(story.title.match(/(\d+) open order/)?.[1] ?? '0').toBe(String(open));
      if (expectedFigures(one).length === 1) expect(story.summary).not.toMatch(/leaving|comes? to|was refunded,/);
    }),
    { numRuns: propertyCases(100, 10_000) },
  );
});
