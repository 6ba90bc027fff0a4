import { isAfter } from '../dates.ts';
import {
  addMoney,
  hasDebt,
  hasMoney,
  isSameSum,
  largerTotals,
  subtractTotals,
  type Totals,
  type Worth,
  worthOf,
} from '../money.ts';
import type { PaymentFacts, StoryState } from '../state.ts';
import type { Writer } from './writer.ts';

/** `at` is the latest; `orders` is how many orders the payments were for in full, null when that is not known. */
export type Paid = { count: number; orders: number | null; worth: Worth; at: string | null };

/** `known` is the sum of refunds, null for none; `unknown` counts those without an amount; `rest` is null if unclear. */
export type Refunds = { isAll: boolean; known: Totals | null; unknown: number; rest: Totals | null };

/** Reductions of orders, for a story without payments; `rest` has the remaining worth of how many orders. */
export type Reductions = {
  cancelled: Totals | null;
  refunded: Totals | null;
  unknown: number;
  rest: { orders: number; worth: Totals } | null;
};

/**
 * Payments, refunds and failed attempts, for the place after the sentence on orders; `''` when no money is known to
 * have moved. Omits a failed attempt that is still due: the sentence on open matters has it.
 */
export function writePayments(state: StoryState, writer: Writer): string {
  const moved = state.payments.succeeded > 0 ? describeReceived(state, writer) : describeReductions(state, writer);
  const { lastFailedAt, firstSucceededAt } = state.payments;
  const isFailureFirst = !firstSucceededAt || (lastFailedAt !== null && !isAfter(lastFailedAt, firstSucceededAt));
  const failures = describeFailures(state.payments, moved === '' || isFailureFirst, writer);
  const clauses = [
    ...(isFailureFirst ? [failures, moved] : [moved, failures]),
    describeDisputes(state.payments, writer),
  ];
  return clauses.filter(Boolean).join('; ');
}

function describeFailures({ failed, lastFailedAt, due }: PaymentFacts, isOpening: boolean, writer: Writer): string {
  const stillDue = due.filter(({ stage }) => stage === 'failed').length;
  return failed > stillDue && lastFailedAt ? writer.payments.failures(failed, lastFailedAt, isOpening) : '';
}

function describeDisputes({ disputed, lastDisputedAt }: PaymentFacts, { payments }: Writer): string {
  return disputed > 0 && lastDisputedAt ? payments.disputes(disputed, lastDisputedAt) : '';
}

function describeReceived(state: StoryState, { payments }: Writer): string {
  const { received, succeeded: count, lastSucceededAt: at } = state.payments;
  const refunds = refundsOf(state);
  const { unknown } = refunds;
  const orders = isPaidInFull(state) ? state.orders.placed : null;
  const paid = { count, orders, worth: worthOf(count, received), at };
  if (!hasMoney(refunds)) return payments.received(paid, { isAll: false, known: null, unknown, rest: null });
  const net = subtractTotals(received, refunds);
  const isExact = !hasDebt(net) && unknown === 0 && received.unknown === 0;
  const isAll = isSameSum(received, refunds);
  return payments.received(paid, { isAll, known: refunds, unknown, rest: isExact ? net : null });
}

/** Whether the payments equal the worth of the orders, and could have been for nothing but the orders. */
function isPaidInFull({ orders, payments, subscriptions }: StoryState): boolean {
  const isForOrdersAlone = orders.placed > 0 && subscriptions.started === 0 && payments.due.length === 0;
  return isForOrdersAlone && hasMoney(orders.worth) && isSameSum(orders.worth, payments.received);
}

/** States the remaining worth of the orders, for a story without payments. */
function describeReductions(state: StoryState, { payments }: Writer): string {
  const { placed, worth, withdrawn, refunded } = state.orders;
  const refunds = refundsOf(state);
  const { unknown } = refunds;
  const reductions = {
    cancelled: hasMoney(withdrawn) ? withdrawn : null,
    refunded: hasMoney(refunds) ? refunds : null,
    unknown,
  };
  if (!reductions.cancelled && !reductions.refunded && unknown === 0) return '';
  const net = subtractTotals(subtractTotals(worth, withdrawn), refunds);
  const isExact = unknown === 0 && worth.unknown === 0 && !hasDebt(net);
  if (!isExact || !hasMoney(worth)) return payments.reductions({ ...reductions, rest: null });
  // That the one order was cancelled or refunded has just been said.
  const isSaid = isSameSum(worth, withdrawn) || (refunded > 0 && isSameSum(worth, refunds));
  if (placed === 1 && isSaid) return '';
  return payments.reductions({ ...reductions, rest: { orders: placed, worth: net } });
}

/**
 * Refunds of orders whose payments name them count as they are. Of the others, an order's refund and a payment's are
 * mostly two reports of one refund, so the larger sum of the two counts.
 */
function refundsOf({ orders, payments }: StoryState): Totals {
  return orders.pairedRefunds.amounts.reduce(addMoney, largerTotals(orders.refunds, payments.refunds));
}
