import { isSameDay } from '../dates.ts';
import { hasMoney, type Worth, worthOf } from '../money.ts';
import type { OrderFacts, StoryState } from '../state.ts';
import { shownReason } from '../wording.ts';
import { openingDay } from './person.ts';
import type { Writer } from './writer.ts';

/** No order is delivered and completed; a delivered one may be cancelled, and each may be returned and refunded. */
const ends = ['delivered', 'completed', 'cancelled'] as const;
const reversals = ['returned', 'refunded'] as const;

export type Outcome = (typeof ends)[number] | (typeof reversals)[number];

/** How many orders came to an outcome, and the latest reason, `''` without one. */
export type Share = { outcome: Outcome; count: number; isAll: boolean; reason: string };

/** `at` is null on the day of the sentence before; `isNamed`: it is known by its id, and not by its amount. */
export type OneOrder = {
  at: string | null;
  order: { id: string; items: string };
  isNamed: boolean;
  worth: Worth;
  outcomes: Share[];
};

/** `whole` is the end to which all orders came, `ended` the ends of some; `latest.id` may be `''`. */
export type ManyOrders = {
  from: string;
  to: string;
  worth: Worth;
  whole: Share | null;
  ended: Share[];
  reversed: Share[];
  latest: { id: string; items: string };
};

/** The orders and their outcome; `''` without orders. "That day" is the day of the sentence before. */
export function writeOrders(state: StoryState, isAfterOpening: boolean, writer: Writer): string {
  const { orders } = state;
  if (orders.placed === 0 || !orders.latest) return '';
  const { id, at } = orders.latest;
  const worth = worthOf(orders.placed, orders.worth);
  if (orders.placed > 1) {
    const { firstAt, latest } = orders;
    return writer.orders.many({ from: firstAt ?? at, to: at, worth, latest, ...sharesOf(orders) });
  }
  const opening = isAfterOpening ? openingDay(state) : null;
  return writer.orders.one({
    at: opening !== null && isSameDay(opening, at) ? null : at,
    order: orders.latest,
    isNamed: id !== '' && worth.unknown > 0 && !hasMoney(orders.worth),
    worth,
    outcomes: reached(orders, [...ends, ...reversals]),
  });
}

function sharesOf(orders: OrderFacts): Pick<ManyOrders, 'whole' | 'ended' | 'reversed'> {
  const whole = reached(orders, ends).find(({ isAll }) => isAll);
  if (!whole) return { whole: null, ended: reached(orders, ends), reversed: reached(orders, reversals) };
  const others = ends.filter((end) => end !== whole.outcome);
  return { whole, ended: [], reversed: reached(orders, [...others, ...reversals]) };
}

function reached(orders: OrderFacts, outcomes: readonly Outcome[]): Share[] {
  return outcomes
    .filter((outcome) => orders[outcome] > 0)
    .map((outcome) => ({
      outcome,
      count: orders[outcome],
      isAll: orders[outcome] >= orders.placed,
      reason: outcome === 'cancelled' ? shownReason(orders.cancelReason) : '',
    }));
}
