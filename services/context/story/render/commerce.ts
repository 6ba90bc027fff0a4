import { formatDay } from '../dates.ts';
import { formatTotals, hasDebt, hasMoney, largerTotals, subtractTotals, type Totals } from '../money.ts';
import type { OrderFacts, PaymentFacts, StoryState } from '../state.ts';
import { capitalize, countOf, groupThousands, joinWithAnd } from '../text.ts';

/** What was ordered and what became of it; `''` without orders. */
export function writeOrders({ orders }: StoryState): string {
  if (orders.placed === 0 || !orders.latest) return '';
  const worth = hasMoney(orders.worth) ? ` worth ${formatTotals(orders.worth)}` : '';
  const { id, items, at } = orders.latest;
  const outcome = describeOutcomes(orders);
  if (orders.placed === 1) {
    const label = [id, items].filter(Boolean).join(': ');
    return `They placed 1 order${label && ` (${label})`}${worth} on ${formatDay(at)}${outcome}.`;
  }
  const latest = id ? `; the latest is ${id}${items && ` (${items})`}` : '';
  return `They placed ${countOf(orders.placed, 'order')}${worth} ${describeSpan(orders.firstAt ?? at, at)}${outcome}${latest}.`;
}

function describeSpan(from: string, to: string): string {
  const [first, last] = [formatDay(from), formatDay(to)];
  return first === last ? `on ${first}` : `between ${first} and ${last}`;
}

function describeOutcomes(orders: OrderFacts): string {
  const stages = ['delivered', 'completed', 'cancelled', 'returned', 'refunded'] as const;
  const reached = stages.filter((stage) => orders[stage] > 0);
  if (reached.length === 0) return '';
  if (orders.placed === 1) return `, which was ${joinWithAnd(reached)}`;
  const clauses = reached.map((stage) => describeShare(orders[stage], orders.placed, stage));
  return `, of which ${joinWithAnd(clauses)}`;
}

function describeShare(count: number, total: number, stage: string): string {
  const number = groupThousands(String(count));
  const whole = total === 2 ? 'both' : `all ${number}`;
  return `${count >= total ? whole : number} ${count === 1 ? 'was' : 'were'} ${stage}`;
}

/** What was paid, given back and what failed; `''` when no money is known to have moved. */
export function writePayments(state: StoryState): string {
  const moved = state.payments.succeeded > 0 ? describeReceived(state) : describeReductions(state);
  const clauses = [moved, describeFailures(state.payments, moved === ''), describeDisputes(state.payments)];
  const sentence = capitalize(clauses.filter(Boolean).join('; '));
  return sentence && `${sentence}.`;
}

function describeFailures({ failed, lastFailedAt }: PaymentFacts, isOpening: boolean): string {
  if (failed === 0 || !lastFailedAt) return '';
  const when = `${failed > 1 ? ', the latest' : ''} on ${formatDay(lastFailedAt)}`;
  return isOpening
    ? `they had ${countOf(failed, 'failed payment attempt')}${when}`
    : `${countOf(failed, 'attempt')} failed${when}`;
}

function describeDisputes({ disputed }: PaymentFacts): string {
  return disputed > 0 ? `they disputed ${countOf(disputed, 'payment')}` : '';
}

function describeReceived(state: StoryState): string {
  const { succeeded, received, lastSucceededAt } = state.payments;
  const totalling = hasMoney(received) ? ` totalling ${formatTotals(received)}` : '';
  const when = lastSucceededAt ? `${succeeded > 1 ? ', the latest' : ''} on ${formatDay(lastSucceededAt)}` : '';
  const paid = `They made ${countOf(succeeded, 'payment')}${totalling}${when}`;
  const refunds = refundsOf(state);
  if (!hasMoney(refunds)) return paid;
  const net = subtractTotals(received, refunds);
  const leaving = hasDebt(net) ? '' : `, leaving ${formatTotals(net)}`;
  return `${paid}, and ${formatTotals(refunds)} ${wasOrWere(refunds)} refunded${leaving}`;
}

/** Without payments on record, the orders tell what is left of their worth. */
function describeReductions(state: StoryState): string {
  const { worth, withdrawn } = state.orders;
  const refunds = refundsOf(state);
  const reductions = [
    hasMoney(withdrawn) ? `cancellations of ${formatTotals(withdrawn)}` : '',
    hasMoney(refunds) ? `refunds of ${formatTotals(refunds)}` : '',
  ];
  const reduced = joinWithAnd(reductions);
  if (!reduced) return '';
  const net = subtractTotals(subtractTotals(worth, withdrawn), refunds);
  if (hasDebt(net) || !hasMoney(worth)) return `The record shows ${reduced}`;
  return `After ${reduced}, the orders come to ${formatTotals(net)}`;
}

/** An order's refund and a payment's are mostly one refund told twice, so the larger sum of the two counts. */
function refundsOf({ orders, payments }: StoryState): Totals {
  return largerTotals(orders.refunds, payments.refunds);
}

function wasOrWere(totals: Totals): string {
  return totals.amounts.filter(({ minor }) => minor !== '0').length > 1 ? 'were' : 'was';
}
