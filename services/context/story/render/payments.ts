import { formatDay, isAfter } from '../dates.ts';
import {
  addMoney,
  describeWorth,
  formatTotals,
  hasDebt,
  hasMoney,
  isSameSum,
  largerTotals,
  subtractTotals,
  type Totals,
} from '../money.ts';
import type { PaymentFacts, StoryState } from '../state.ts';
import { capitalize, countOf, joinWithAnd } from '../text.ts';

/**
 * Payments, refunds and failed attempts, for the place after the sentence on orders; `''` when no money is known to
 * have moved. Omits a failed attempt that is still due: the sentence on open matters has it.
 */
export function writePayments(state: StoryState): string {
  const moved = state.payments.succeeded > 0 ? describeReceived(state) : describeReductions(state);
  const { lastFailedAt, firstSucceededAt } = state.payments;
  const isFailureFirst = !firstSucceededAt || (lastFailedAt !== null && !isAfter(lastFailedAt, firstSucceededAt));
  const failures = describeFailures(state.payments, moved === '' || isFailureFirst);
  const clauses = [...(isFailureFirst ? [failures, moved] : [moved, failures]), describeDisputes(state.payments)];
  const sentence = capitalize(clauses.filter(Boolean).join('; '));
  return sentence && `${sentence}.`;
}

function describeFailures({ failed, lastFailedAt, due }: PaymentFacts, isOpening: boolean): string {
  const stillDue = due.filter(({ stage }) => stage === 'failed').length;
  if (failed <= stillDue || !lastFailedAt) return '';
  const when = `${failed > 1 ? ', the latest' : ''} on ${formatDay(lastFailedAt)}`;
  return isOpening
    ? `they had ${countOf(failed, 'failed payment attempt')}${when}`
    : `${countOf(failed, 'attempt')} failed${when}`;
}

function describeDisputes({ disputed, lastDisputedAt }: PaymentFacts): string {
  if (disputed === 0 || !lastDisputedAt) return '';
  const when = `${disputed > 1 ? ', the latest' : ''} on ${formatDay(lastDisputedAt)}`;
  return `they disputed ${countOf(disputed, 'payment')}${when}`;
}

function describeReceived(state: StoryState): string {
  const { received } = state.payments;
  const refunds = refundsOf(state);
  const paid = `they ${describePaid(state)}`;
  const unknown = refunds.unknown > 0 ? `${countOf(refunds.unknown, 'refund')} of unknown amount` : '';
  if (!hasMoney(refunds)) return unknown ? `${paid}, and had ${unknown}` : paid;
  if (isSameSum(received, refunds)) return `${paid}, and all of it was refunded`;
  const net = subtractTotals(received, refunds);
  const isExact = !hasDebt(net) && refunds.unknown === 0 && received.unknown === 0;
  const rest = unknown && `, besides ${unknown}`;
  const leaving = isExact ? `, leaving ${formatTotals(net)}` : '';
  return `${paid}, and ${formatTotals(refunds)} ${wasOrWere(refunds)} refunded${rest}${leaving}`;
}

function describePaid(state: StoryState): string {
  const { orders, payments } = state;
  const { succeeded, received, lastSucceededAt } = payments;
  const when = lastSucceededAt ? `${succeeded > 1 ? ', the latest' : ''} on ${formatDay(lastSucceededAt)}` : '';
  const count = countOf(succeeded, 'payment');
  if (isPaidInFull(state)) {
    const whole = orders.placed === 1 ? 'it in full' : 'all of it';
    return `paid for ${whole}${succeeded > 1 || orders.placed > 1 ? ` in ${count}` : ''}${when}`;
  }
  return `made ${describeWorth(succeeded, received, 'payment', 'totalling')}${when}`;
}

/** Whether the payments equal the worth of the orders, and could have been for nothing but the orders. */
function isPaidInFull({ orders, payments, subscriptions }: StoryState): boolean {
  const isForOrdersAlone = orders.placed > 0 && subscriptions.started === 0 && payments.due.length === 0;
  return isForOrdersAlone && hasMoney(orders.worth) && isSameSum(orders.worth, payments.received);
}

/** States the remaining worth of the orders, for a story without payments. */
function describeReductions(state: StoryState): string {
  const { placed, worth, withdrawn, refunded } = state.orders;
  const refunds = refundsOf(state);
  const reductions = [
    hasMoney(withdrawn) ? `cancellations of ${formatTotals(withdrawn)}` : '',
    hasMoney(refunds) ? `refunds of ${formatTotals(refunds)}` : '',
    refunds.unknown > 0 ? `${countOf(refunds.unknown, 'refund')} of unknown amount` : '',
  ];
  const reduced = joinWithAnd(reductions);
  if (!reduced) return '';
  const net = subtractTotals(subtractTotals(worth, withdrawn), refunds);
  const isExact = refunds.unknown === 0 && worth.unknown === 0 && !hasDebt(net);
  if (!isExact || !hasMoney(worth)) return `the record shows ${reduced}`;
  // That the one order was cancelled or refunded has just been said.
  const isSaid = isSameSum(worth, withdrawn) || (refunded > 0 && isSameSum(worth, refunds));
  if (placed === 1 && isSaid) return '';
  return `after ${reduced}, the ${placed === 1 ? 'order comes' : 'orders come'} to ${formatTotals(net)}`;
}

/**
 * Refunds of orders whose payments name them count as they are. Of the others, an order's refund and a payment's are
 * mostly two reports of one refund, so the larger sum of the two counts.
 */
function refundsOf({ orders, payments }: StoryState): Totals {
  return orders.pairedRefunds.amounts.reduce(addMoney, largerTotals(orders.refunds, payments.refunds));
}

function wasOrWere(totals: Totals): string {
  return totals.amounts.filter(({ minor }) => minor !== '0').length > 1 ? 'were' : 'was';
}
