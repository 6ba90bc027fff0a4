import { formatDay, formatSpan } from '../dates.ts';
import { formatTotals, hasMoney } from '../money.ts';
import type { OrderFacts, StoryState } from '../state.ts';
import { countOf, groupThousands, joinWithAnd } from '../text.ts';
import { openingDay } from './person.ts';

/** No order has two of these; it may be returned and refunded besides. */
const ends = ['delivered', 'completed', 'cancelled'] as const;
const reversals = ['returned', 'refunded'] as const;

type Outcome = (typeof ends)[number] | (typeof reversals)[number];

/** What was ordered and what became of it; `''` without orders. */
export function writeOrders(state: StoryState): string {
  const { orders } = state;
  if (orders.placed === 0 || !orders.latest) return '';
  const worth = hasMoney(orders.worth) ? ` worth ${formatTotals(orders.worth)}` : '';
  const { id, items, at } = orders.latest;
  if (orders.placed === 1) {
    const label = [id, items].filter(Boolean).join(': ');
    const day = formatDay(at);
    const order = `1 order${label && ` (${label})`}${worth}`;
    const outcome = describeOutcome(orders);
    if (day === openingDay(state)) return `That day they placed ${order}${outcome}.`;
    return `They placed ${order} on ${day}${outcome}.`;
  }
  const latest = id ? `; the latest is ${id}${items && ` (${items})`}` : '';
  const span = formatSpan(orders.firstAt ?? at, at);
  return `They placed ${countOf(orders.placed, 'order')}${worth} ${span}${describeOutcomes(orders)}${latest}.`;
}

function describeOutcome(orders: OrderFacts): string {
  const reached = [...ends, ...reversals].filter((outcome) => orders[outcome] > 0);
  return reached.length > 0 ? `, which was ${joinWithAnd(reached)}` : '';
}

function describeOutcomes(orders: OrderFacts): string {
  const whole = ends.find((end) => orders[end] >= orders.placed);
  const ended = whole ? [] : describeShares(orders, ends);
  const reversed = describeShares(orders, reversals);
  const clauses = [
    whole ? `, ${bothOrAll(orders.placed)} of which were ${whole}` : '',
    ended.length > 0 ? `, of which ${joinWithAnd(ended)}` : '',
    reversed.length > 0 ? `; ${joinWithAnd(reversed)}` : '',
  ];
  return clauses.join('');
}

function describeShares(orders: OrderFacts, outcomes: readonly Outcome[]): string[] {
  const reached = outcomes.filter((outcome) => orders[outcome] > 0);
  return reached.map((outcome) => describeShare(orders[outcome], orders.placed, outcome));
}

function describeShare(count: number, placed: number, outcome: Outcome): string {
  const share = count >= placed ? bothOrAll(placed) : groupThousands(String(count));
  return `${share} ${count === 1 ? 'was' : 'were'} ${outcome}`;
}

function bothOrAll(count: number): string {
  return count === 2 ? 'both' : 'all';
}
