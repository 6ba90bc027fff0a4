import { absolute, findMoney, isNegative, isZero } from '../amounts.ts';
import { bounds, lengths } from '../bounds.ts';
import { isAfter } from '../dates.ts';
import type { Money } from '../money.ts';
import { meaningOf, type Occurrence } from '../occurrence.ts';
import { firstId, firstText, type Source, sourcesFor } from '../payload.ts';
import { receivePayment, refundPayment } from '../receipts.ts';
import { ofOnePayment, referenced, referencesOf, sharesAny } from '../references.ts';
import type { DuePayment, PaymentFacts, StoryState } from '../state.ts';
import { notePurchase } from '../tenure.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';
import { forgetDue, noteDue, settleDue } from './due.ts';
import { markOrderPaid } from './order.ts';
import { notePaymentRefund } from './order-refunds.ts';
import { markSubscriptionPaid, subscribedUntil } from './subscription.ts';

/** Reports of one failed attempt arrive within this many milliseconds; the next attempt comes later. */
const sameAttemptMilliseconds = 300_000;

/** `payment.*`, `charge.*`, `invoice.*`, `refund.*`, `dispute.*`: what was paid, what was refunded and what is due. */
export function reducePayment(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, ...wrappers.payment);
  const meaning = meaningOf(occurrence, 'payment', sources);
  if (!meaning) return undefined;
  const references = referencesOf(occurrence, sources);
  switch (meaning) {
    case 'succeeded':
      return succeed(state, occurrence, references, sources);
    case 'failed':
      return fail(state, occurrence, { stage: 'failed', references, money: dueMoney(sources), at: occurrence.at });
    case 'pending':
    case 'overdue':
      return expect(state, { stage: meaning, references, money: dueMoney(sources), at: occurrence.at });
    case 'refunded':
      return applyRefund(state, occurrence, references, sources);
    case 'disputed':
      return withPayments(state, {
        ...state.payments,
        disputed: state.payments.disputed + 1,
        lastDisputedAt: occurrence.at,
      });
    case 'dropped':
      return withPayments(state, forgetDue(state.payments, references));
    default:
      return state;
  }
}

/** A negative payment is a refund; a payment of zero, such as the first invoice of a trial, does not count. */
function succeed(state: StoryState, occurrence: Occurrence, references: string[], sources: Source[]): StoryState {
  const { at, entity } = occurrence;
  if (isUnpaid(entity, sources)) return state;
  const money = findMoney(sources, ['received', 'total', 'minorUnits']);
  if (money && isNegative(money)) return applyRefund(state, occurrence, references, sources, absolute(money));
  if (money && isZero(money)) return withPayments(state, forgetDue(state.payments, references));
  const received = receivePayment(state.payments, { references, entity, money, at });
  const isNew = received.succeeded > state.payments.succeeded;
  const payments = isNew ? settleDue(received, references, money) : forgetDue(received, references);
  const isPurchase = isNew && state.orders.placed === 0 && !referenced(references, 'subscription');
  const tenure = isPurchase
    ? notePurchase(state.tenure, '', at, subscribedUntil(state.subscriptions, at))
    : state.tenure;
  const withOrder = markOrderPaid({ ...state, payments, tenure }, referenced(references, 'order'));
  return markSubscriptionPaid(withOrder, referenced(references, 'subscription'), at);
}

/** A checkout can be completed before its money comes. */
function isUnpaid(entity: string, sources: Source[]): boolean {
  return entity === 'checkout' && firstText(sources, namesOf('paymentStatus'), lengths.id) === 'unpaid';
}

/** Counts an attempt once that a charge, its payment intent and its invoice report. */
function fail(state: StoryState, { entity }: Occurrence, due: DuePayment): StoryState {
  const { failed, lastFailedAt, due: known } = state.payments;
  const own = ofOnePayment(due.references);
  const earlier = known.find(({ stage, references }) => stage === 'failed' && sharesAny(references, own));
  const isSoon = earlier !== undefined && Date.parse(due.at) - Date.parse(earlier.at) < sameAttemptMilliseconds;
  const isReport = isSoon && isOtherView(earlier, due, entity);
  const merged = isReport
    ? { ...due, references: [...new Set([...earlier.references, ...due.references])].slice(0, bounds.references) }
    : due;
  const noted = noteDue(state.payments, merged);
  return withPayments(state, {
    ...noted,
    failed: failed + (isReport ? 0 : 1),
    lastFailedAt: latest(lastFailedAt, due.at),
  });
}

/** Whether two events report one attempt: they name each other, agree in the amount, and differ in their first id. */
function isOtherView(earlier: DuePayment, due: DuePayment, entity: string): boolean {
  const isSameMoney = earlier.money?.minor === due.money?.minor && earlier.money?.currency === due.money?.currency;
  return isSameMoney && (entity === 'invoice' || earlier.references[0] !== due.references[0]);
}

function latest(left: string | null, right: string): string {
  return left && isAfter(left, right) ? left : right;
}

/** A credit or an amount of zero is not due. */
function expect(state: StoryState, due: DuePayment): StoryState | undefined {
  if (due.money && isNegative(due.money)) return undefined;
  return due.money && isZero(due.money) ? state : withPayments(state, noteDue(state.payments, due));
}

/** `paid`: the negative payment that is the refund. */
function applyRefund(
  state: StoryState,
  { entity }: Occurrence,
  references: string[],
  sources: Source[],
  paid: Money | null = null,
): StoryState {
  const own = entity === 'refund' ? firstId(sources, namesOf('id')) : '';
  const refundId = firstId(sources, namesOf('refundId')) || own;
  const single = findMoney(sources, ['refund']);
  const total = single ? null : findMoney(sources, ['refundTotal']);
  const money = absolute(single ?? total ?? paid ?? findMoney(sources, ['total', 'minorUnits']));
  const refund = { references, refundId, money, isTotal: total !== null };
  const { payments, given, isTotal, orderId } = refundPayment(state.payments, refund);
  const repaid = withPayments(state, payments);
  return given ? notePaymentRefund(repaid, orderId, given, isTotal) : repaid;
}

function dueMoney(sources: Source[]): Money | null {
  return findMoney(sources, ['due', 'total', 'minorUnits']);
}

function withPayments(state: StoryState, payments: PaymentFacts): StoryState {
  return { ...state, payments };
}
