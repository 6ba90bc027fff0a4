import { isZero } from './amounts.ts';
import { bounds } from './bounds.ts';
import { addMoney, type Money } from './money.ts';
import { ofOnePayment, referenced, sharesAny } from './references.ts';
import { larger, nothingRefunded, refundedOf, smaller, withRefund } from './refunds.ts';
import type { PaymentFacts, Receipt } from './state.ts';

/** The entities that report a payment in addition to its invoice. */
const chargeEntities = ['charge', 'payment_intent', 'checkout'];
const sameReportMilliseconds = 300_000;

/** A payment as one event reports it. */
type Report = { references: string[]; entity: string; money: Money | null; at: string };

/** A refund as one event reports it; `isTotal` for all refunds of the payment so far. */
type Refund = { references: string[]; refundId: string; money: Money | null; isTotal: boolean };

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
  const receipt = { references, entity, at, money, ...nothingRefunded };
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
 * The refund counted; `given` is what it adds to the refunds, null when that is not known or nothing. `isTotal`: it is
 * the total of a payment that is not known.
 */
type Repaid = { payments: PaymentFacts; given: Money | null; isTotal: boolean; orderId: string };

/** Counts a refund once by its id, and repeated ones of known payments at most by what was paid. */
export function refundPayment(payments: PaymentFacts, refund: Refund): Repaid {
  const { references, refundId, money } = refund;
  if (refundId && payments.refundIds.includes(refundId)) return { payments, given: null, isTotal: false, orderId: '' };
  const refundIds = refundId ? [...payments.refundIds, refundId].slice(-bounds.refundIds) : payments.refundIds;
  const counted = { ...payments, refundIds, refunded: payments.refunded + 1 };
  const named = receiptsOf(payments.receipts, references);
  const orders = [references, ...named.map((receipt) => receipt.references)].map((list) => referenced(list, 'order'));
  const orderId = orders.find(Boolean) ?? '';
  const currency = money?.currency ?? named.at(-1)?.money?.currency;
  const own = named.filter((receipt) => receipt.money?.currency === currency);
  if (currency === undefined || own.length === 0) {
    const added = { ...counted, refunds: addMoney(counted.refunds, money) };
    return { payments: added, given: money, isTotal: refund.isTotal, orderId };
  }
  const repaid = spread(own, refund);
  const before = total(own.map(refundedReceipt));
  const refunded = { currency, minor: String(total([...repaid.values()].map(refundedReceipt)) - before) };
  const receipts = payments.receipts.map((receipt) => repaid.get(receipt) ?? receipt);
  const rest = { isTotal: false, orderId };
  if (isZero(refunded)) return { payments: { ...counted, receipts }, given: null, ...rest };
  return { payments: { ...counted, receipts, refunds: addMoney(counted.refunds, refunded) }, given: refunded, ...rest };
}

/** The payments that a refund is of, by the closest kind of reference: one invoice or order may have several. */
function receiptsOf(receipts: Receipt[], references: string[]): Receipt[] {
  const kinds = ['payment', 'invoice', 'order'].map((kind) => references.filter((item) => item.startsWith(`${kind}:`)));
  const found = kinds.map((own) => receipts.filter(({ money, references }) => money && sharesAny(references, own)));
  return found.find((matching) => matching.length > 0) ?? [];
}

/** The payments of one currency after a refund of them, which goes to the latest first. */
function spread(receipts: Receipt[], { money, isTotal }: Refund): Map<Receipt, Receipt> {
  const [only, ...others] = receipts;
  if (only && others.length === 0 && money && isTotal) {
    return new Map([[only, withRefund(only, BigInt(money.minor), true)]]);
  }
  const refunded = total(receipts.map(refundedReceipt));
  const paid = total(receipts.map(paidOf));
  // A refund without an amount covers the whole remainder.
  const requested = money ? BigInt(money.minor) - (isTotal ? refunded : 0n) : paid - refunded;
  let rest = larger(requested, 0n);
  const repaid = new Map<Receipt, Receipt>();
  for (const receipt of receipts.toReversed()) {
    const part = smaller(larger(paidOf(receipt) - BigInt(receipt.refundSum), 0n), rest);
    repaid.set(receipt, part > 0n ? withRefund(receipt, part, false) : receipt);
    rest -= part;
  }
  const last = receipts.at(-1);
  // One event reports more than what was paid.
  if (last && requested > paid)
    repaid.set(last, withRefund(repaid.get(last) ?? last, paidOf(last) + requested - paid, true));
  return repaid;
}

function refundedReceipt(receipt: Receipt): bigint {
  return refundedOf(receipt, paidOf(receipt));
}

function paidOf({ money }: Receipt): bigint {
  return BigInt(money?.minor ?? '0');
}

function total(amounts: bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
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
