import { formatDay, formatSpan } from '../dates.ts';
import { describeWorth } from '../money.ts';
import type { OrderFacts, StoryState } from '../state.ts';
import { groupThousands, joinWithAnd } from '../text.ts';
import { writeReason } from '../wording.ts';
import { openingDay } from './person.ts';

/** No order is delivered and completed; a delivered one may be cancelled, and each may be returned and refunded. */
const ends = ['delivered', 'completed', 'cancelled'] as const;
const reversals = ['returned', 'refunded'] as const;

type Outcome = (typeof ends)[number] | (typeof reversals)[number];

/** The orders and their outcome; `''` without orders. "That day" is the day of the sentence before. */
export function writeOrders(state: StoryState, isAfterOpening: boolean): string {
  const { orders } = state;
  if (orders.placed === 0 || !orders.latest) return '';
  const { id, items, at } = orders.latest;
  if (orders.placed === 1) {
    const label = [id, items].filter(Boolean).join(': ');
    const day = formatDay(at);
    const [count, ...amount] = describeWorth(1, orders.worth, 'order', 'worth').split(/(?<=^1 order)/);
    const order = `${count}${label && ` (${label})`}${amount.join('')}`;
    const outcome = describeOutcome(orders);
    if (isAfterOpening && day === openingDay(state)) return `That day they placed ${order}${outcome}.`;
    return `They placed ${order} on ${day}${outcome}.`;
  }
  const latest = id ? `; the latest is ${id}${items && ` (${items})`}` : '';
  const span = formatSpan(orders.firstAt ?? at, at);
  const worth = describeWorth(orders.placed, orders.worth, 'order', 'worth');
  return `They placed ${worth} ${span}${describeOutcomes(orders)}${latest}.`;
}

function describeOutcome(orders: OrderFacts): string {
  const reached = [...ends, ...reversals].filter((outcome) => orders[outcome] > 0);
  const outcomes = reached.map((outcome) => `${outcome}${describeReason(orders, outcome)}`);
  return outcomes.length > 0 ? `, which was ${joinWithAnd(outcomes)}` : '';
}

function describeOutcomes(orders: OrderFacts): string {
  const whole = ends.find((end) => orders[end] >= orders.placed);
  const others = ends.filter((end) => end !== whole);
  const ended = whole ? [] : describeShares(orders, ends);
  const reversed = describeShares(orders, whole ? [...others, ...reversals] : reversals);
  const clauses = [
    whole ? `, ${bothOrAll(orders.placed)} of which were ${whole}${describeReason(orders, whole)}` : '',
    ended.length > 0 ? `, of which ${joinWithAnd(ended)}` : '',
    reversed.length > 0 ? `; ${joinWithAnd(reversed)}` : '',
  ];
  return clauses.join('');
}

function describeReason({ cancelled, cancelReason }: OrderFacts, outcome: Outcome): string {
  return outcome === 'cancelled' ? writeReason(cancelReason, cancelled > 1 ? 'latest reason' : 'reason') : '';
}

function describeShares(orders: OrderFacts, outcomes: readonly Outcome[]): string[] {
  const reached = outcomes.filter((outcome) => orders[outcome] > 0);
  return reached.map(
    (outcome) => describeShare(orders[outcome], orders.placed, outcome) + describeReason(orders, outcome),
  );
}

function describeShare(count: number, placed: number, outcome: Outcome): string {
  const share = count >= placed ? bothOrAll(placed) : groupThousands(String(count));
  return `${share} ${count === 1 ? 'was' : 'were'} ${outcome}`;
}

function bothOrAll(count: number): string {
  return count === 2 ? 'both' : 'all';
}
