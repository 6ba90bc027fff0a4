import { isZero } from './amounts.ts';
import { bounds } from './bounds.ts';
import { addMoney, type Money } from './money.ts';
import { ofOnePayment, sharesAny } from './references.ts';
import type { PaymentFacts, Receipt } from './state.ts';

/** What reports a payment beside its invoice. */
const chargeEntities = ['charge', 'payment_intent', 'checkout'];
const sameReportMilliseconds = 300_000;

/** A payment as one event reports it. */
export type Report = { references: string[]; entity: string; money: Money | null; at: string };

/** A refund as one event reports it; `isTotal` for all refunds of the payment so far. */
export type Refund = { references: string[]; refundId: string; money: Money | null; isTotal: boolean };

/**
 * Counts a payment once, however many events report it: a charge, its payment intent and its invoice name each other.
 * Two payments of one invoice differ in their ids or amounts.
 */
export function receivePayment(payments: PaymentFacts, report: Report): PaymentFacts {
  const { references, entity, money, at } = report;
  const earlier = findReport(payments.receipts, report);
  if (earlier) {
    const merged = { ...earlier, money: earlier.money ?? money, references: join(earlier.references, references) };
    const isNowKnown = earlier.money === null && money !== null;
    const { received } = payments;
    return {
      ...payments,
      received: isNowKnown ? addMoney({ ...received, unknown: received.unknown - 1 }, money) : received,
      receipts: [...payments.receipts.filter((receipt) => receipt !== earlier), merged],
    };
  }
  const receipt = { references, entity, at, money, refundSum: '0', refundTotal: '0' };
  return {
    ...payments,
    succeeded: payments.succeeded + 1,
    received: addMoney(payments.received, money),
    firstSucceededAt: payments.firstSucceededAt ?? at,
    lastSucceededAt: at,
    receipts: [...payments.receipts, receipt].slice(-bounds.receipts),
  };
}

/**
 * Counts a refund once by its id, and of a known payment at most what was paid. Single refunds and running totals are
 * two reports of the same, so the larger of the two counts.
 */
export function refundPayment(payments: PaymentFacts, { references, refundId, money, isTotal }: Refund): PaymentFacts {
  if (refundId && payments.refundIds.includes(refundId)) return payments;
  const refundIds = refundId ? [...payments.refundIds, refundId].slice(-bounds.refundIds) : payments.refundIds;
  const known = { ...payments, refundIds, refunded: payments.refunded + 1 };
  const own = ofOnePayment(references);
  const receipt = payments.receipts.findLast((item) => item.money && sharesAny(item.references, own));
  if (!receipt?.money) return { ...known, refunds: addMoney(known.refunds, money) };
  const paid = receipt.money;
  // A refund of a payment that names no amount is of all that is left.
  const given = money ?? { currency: paid.currency, minor: String(BigInt(paid.minor) - refundedOf(receipt)) };
  if (given.currency !== paid.currency) return { ...known, refunds: addMoney(known.refunds, given) };
  const after = withRefund(receipt, BigInt(given.minor), isTotal);
  const added = { currency: paid.currency, minor: String(refundedOf(after) - refundedOf(receipt)) };
  const receipts = payments.receipts.map((item) => (item === receipt ? after : item));
  return { ...known, receipts, refunds: isZero(added) ? known.refunds : addMoney(known.refunds, added) };
}

function withRefund(receipt: Receipt, minor: bigint, isTotal: boolean): Receipt {
  const { refundSum, refundTotal } = receipt;
  if (!isTotal) return { ...receipt, refundSum: String(BigInt(refundSum) + minor) };
  return { ...receipt, refundTotal: minor > BigInt(refundTotal) ? String(minor) : refundTotal };
}

function refundedOf({ money, refundSum, refundTotal }: Receipt): bigint {
  const amounts = [BigInt(refundSum), BigInt(refundTotal)];
  const larger = amounts.reduce((left, right) => (left > right ? left : right));
  const paid = BigInt(money?.minor ?? '0');
  return larger < paid ? larger : paid;
}

/** An event of another kind about the same payment or invoice, or a repetition of one id and amount. */
function findReport(receipts: Receipt[], report: Report): Receipt | undefined {
  const { references, entity, money } = report;
  const own = ofOnePayment(references);
  const ids = own.filter((item) => item.startsWith('payment:'));
  return receipts.findLast((receipt) => {
    const isSameMoney = !money || !receipt.money || isSame(money, receipt.money);
    const isSamePayment = sharesAny(receipt.references, ids);
    const isOtherView = receipt.entity !== entity && sharesAny(receipt.references, own);
    return (
      isSameMoney &&
      (isSamePayment || isOtherView || isSameInvoice(receipt, own, entity) || isUnlinkedView(receipt, report))
    );
  });
}

function isSameInvoice(receipt: Receipt, own: string[], entity: string): boolean {
  return entity === 'invoice' && receipt.entity === 'invoice' && sharesAny(receipt.references, own);
}

/**
 * Stripe's API since 2025 has no links between an invoice and its charge. They are of one payment when one amount is
 * reported by both within minutes, and neither names another.
 */
function isUnlinkedView(receipt: Receipt, { references, entity, money, at }: Report): boolean {
  const isPair = (entity === 'invoice') !== (receipt.entity === 'invoice');
  const other = entity === 'invoice' ? receipt.entity : entity;
  const isNear = Math.abs(Date.parse(at) - Date.parse(receipt.at)) <= sameReportMilliseconds;
  if (!isPair || !isNear || !money || !receipt.money || !chargeEntities.includes(other)) return false;
  const [invoice, charge] = entity === 'invoice' ? [references, receipt.references] : [receipt.references, references];
  const isLinked = (list: string[], kind: string) => list.some((item) => item.startsWith(`${kind}:`));
  return !isLinked(invoice, 'payment') && !isLinked(charge, 'invoice');
}

function isSame(left: Money, right: Money): boolean {
  return left.currency === right.currency && left.minor === right.minor;
}

function join(left: string[], right: string[]): string[] {
  return [...new Set([...left, ...right])].slice(0, bounds.references);
}
