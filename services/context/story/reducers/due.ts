import { bounds } from '../bounds.ts';
import type { DuePayment, PaymentFacts } from '../state.ts';

/**
 * Records a payment that is due, in place of an earlier one for the same thing. Drops the oldest when there are too
 * many.
 */
export function noteDue(payments: PaymentFacts, due: DuePayment): PaymentFacts {
  const others = forgetDue(payments, due.references).due;
  return { ...payments, due: [...others, due].slice(-bounds.payments) };
}

/** Forgets what was due under any of the references. */
export function forgetDue(payments: PaymentFacts, references: string[]): PaymentFacts {
  const due = payments.due.filter((item) => !item.references.some((reference) => references.includes(reference)));
  return due.length === payments.due.length ? payments : { ...payments, due };
}

/**
 * Settles the due payments that a received payment was for: all that share a reference with it, otherwise the oldest
 * one of the same amount, because many senders give every attempt a new id and name nothing else.
 */
export function settleDue(payments: PaymentFacts, references: string[], money: DuePayment['money']): PaymentFacts {
  const settled = forgetDue(payments, references);
  if (settled !== payments) return settled;
  const index = payments.due.findIndex((item) => isSameMoney(item.money, money));
  return index < 0 ? payments : { ...payments, due: payments.due.toSpliced(index, 1) };
}

function isSameMoney(left: DuePayment['money'], right: DuePayment['money']): boolean {
  return left?.currency === right?.currency && left?.minor === right?.minor;
}
