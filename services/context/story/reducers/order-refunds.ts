import { absolute, findMoney, isAmountStated, isZero } from '../amounts.ts';
import { bounds } from '../bounds.ts';
import { addMoney, type Money, negate, type Totals } from '../money.ts';
import { firstId, type Source } from '../payload.ts';
import { larger, nothingRefunded, refundedOf, withRefund } from '../refunds.ts';
import type { OrderEntry, OrderFacts, StoryState } from '../state.ts';
import { findTracked, track } from '../tracked.ts';
import { type FieldPurpose, namesOf } from '../vocabulary/fields.ts';

/** An order and the facts of all orders, changed together. */
export type OrderStep = {
  orders: OrderFacts;
  entry: OrderEntry;
};

const amountPurposes: FieldPurpose[] = ['refund', 'refundTotal', 'amount'];

/**
 * Counts a refund that an event of the order reports, once by its id. A refund without an amount covers the whole
 * worth; one whose amount cannot be read could be of any size.
 */
export function refundOrder(
  orders: OrderFacts,
  entry: OrderEntry,
  meaning: 'refunded' | 'partially_refunded',
  sources: Source[],
): OrderStep {
  const refundId = firstId(sources, namesOf('refundId'));
  const isAmountless = !isAmountStated(sources, amountPurposes);
  const isWhole = meaning === 'refunded' && isAmountless;
  if ((refundId && orders.refundIds.includes(refundId)) || (isWhole && entry.isRefunded)) return { orders, entry };
  const refundIds = refundId ? [...orders.refundIds, refundId].slice(-bounds.orderRefundIds) : orders.refundIds;
  const counted = { ...orders, refundIds };
  const currency = currencyOf(entry) ?? '';
  const money = isWhole ? entry.worth : absolute(findMoney(sources, amountPurposes, currency));
  if (!money || isForeign(entry, money)) {
    const isRefunded = meaning === 'refunded' && (isAmountless || (money !== null && entry.worth === null));
    return settle({ ...counted, refunds: addMoney(orders.refunds, money) }, entry, { ...entry, isRefunded });
  }
  const isTotal = isWhole || (!isAmountStated(sources, ['refund']) && isAmountStated(sources, ['refundTotal']));
  const isRefunded = meaning === 'refunded' && entry.worth === null;
  return settle(counted, entry, { ...withReport(entry, 'byOrder', money, isTotal), isRefunded });
}

/**
 * Moves a refund that an event of a payment reports to the order it is of. When events of the order report it too, it
 * counts once.
 */
export function notePaymentRefund(state: StoryState, orderId: string, money: Money, isTotal: boolean): StoryState {
  const entry = orderId === '' ? undefined : findTracked(state.orders.tracked, orderId);
  if (!entry || isForeign(entry, money)) return state;
  const noted = { ...withReport(entry, 'byPayments', money, isTotal), hasPayment: true };
  const settled = settle(state.orders, entry, noted);
  const orders = { ...settled.orders, tracked: track(settled.orders.tracked, settled.entry, bounds.orders) };
  const { payments } = state;
  return { ...state, orders, payments: { ...payments, refunds: addMoney(payments.refunds, negate(money)) } };
}

/** Notes that a payment names the order. */
export function notePayment({ orders, entry }: OrderStep): OrderStep {
  return entry.hasPayment ? { orders, entry } : settle(orders, entry, { ...entry, hasPayment: true });
}

/** The remainder of an order's worth; null when it is not known. */
export function remainderOf(entry: OrderEntry): Money | null {
  if (!entry.worth) return null;
  const remainder = BigInt(entry.worth.minor) - allRefundsOf(entry);
  return { currency: entry.worth.currency, minor: String(larger(remainder, 0n)) };
}

/** Adds what has changed between two states of an order to the facts of all orders. */
function settle(orders: OrderFacts, before: OrderEntry, after: OrderEntry): OrderStep {
  const currency = after.refunds?.currency ?? '';
  const change = (of: (entry: OrderEntry) => bigint) => ({ currency, minor: String(of(after) - of(before)) });
  const isWhole = after.worth !== null && after.refunds !== null && remainderOf(after)?.minor === '0';
  const isRefunded = before.isRefunded || after.isRefunded || isWhole;
  const isCancelled = before.stage === 'cancelled';
  const withdrawnOf = (entry: OrderEntry) => (isCancelled ? BigInt(remainderOf(entry)?.minor ?? '0') : 0n);
  return {
    orders: {
      ...orders,
      refunded: orders.refunded + (isRefunded && !before.isRefunded ? 1 : 0),
      refunds: addChange(orders.refunds, change(unpairedRefundsOf)),
      pairedRefunds: addChange(orders.pairedRefunds, change(pairedRefundsOf)),
      withdrawn: addChange(orders.withdrawn, change(withdrawnOf)),
    },
    entry: { ...after, isRefunded, open: before.open && !isRefunded },
  };
}

function addChange(totals: Totals, change: Money): Totals {
  return isZero(change) ? totals : addMoney(totals, change);
}

function withReport(entry: OrderEntry, by: 'byOrder' | 'byPayments', money: Money, isTotal: boolean): OrderEntry {
  const { currency } = money;
  const refunds = entry.refunds ?? { currency, byOrder: nothingRefunded, byPayments: nothingRefunded };
  return { ...entry, refunds: { ...refunds, [by]: withRefund(refunds[by], BigInt(money.minor), isTotal) } };
}

function currencyOf({ worth, refunds }: OrderEntry): string | null {
  return worth?.currency ?? refunds?.currency ?? null;
}

function isForeign(entry: OrderEntry, { currency }: Money): boolean {
  const own = currencyOf(entry);
  return own !== null && own !== currency;
}

function pairedRefundsOf(entry: OrderEntry): bigint {
  return entry.hasPayment ? allRefundsOf(entry) : 0n;
}

function unpairedRefundsOf(entry: OrderEntry): bigint {
  return entry.hasPayment ? 0n : allRefundsOf(entry);
}

/** Two reports of one refund: the larger sum counts. */
function allRefundsOf({ refunds, worth }: OrderEntry): bigint {
  if (!refunds) return 0n;
  return larger(refundedOf(refunds.byOrder, worth && BigInt(worth.minor)), refundedOf(refunds.byPayments, null));
}
