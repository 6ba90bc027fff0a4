import { findMoney, refundNames, totalNames } from '../amounts.ts';
import { addMoney, type Money } from '../money.ts';
import { meaningOf, type Occurrence, vocabulary } from '../occurrence.ts';
import { field, firstText, type Source, sourcesFor, spellings } from '../payload.ts';
import { type DuePayment, lengths, type StoryState } from '../state.ts';
import { forgetDue, noteDue, settleDue } from './due.ts';
import { markOrderPaid } from './order.ts';
import { markSubscriptionPaid } from './subscription.ts';

const meanings = vocabulary({
  succeeded: [
    'succeeded',
    'paid',
    'completed',
    'captured',
    'received',
    'settled',
    'success',
    'invoice_paid',
    'invoice_payment_succeeded',
  ],
  failed: ['failed', 'declined', 'rejected', 'invoice_payment_failed'],
  pending: [
    'pending',
    'created',
    'initiated',
    'authorized',
    'processing',
    'invoice_created',
    'invoice_sent',
    'invoice_issued',
    'invoice_finalized',
  ],
  overdue: ['overdue', 'invoice_overdue', 'invoice_past_due'],
  refunded: [
    'refunded',
    'partially_refunded',
    'refund_created',
    'refund_succeeded',
    'refund_completed',
    'refund_issued',
  ],
  disputed: ['disputed', 'chargeback', 'dispute_created', 'dispute_opened'],
  dropped: ['cancelled', 'canceled', 'voided', 'expired', 'invoice_voided', 'invoice_cancelled', 'invoice_canceled'],
});

/** `payment.*`, `charge.*`, `invoice.*`, `refund.*`, `dispute.*`: what was paid, what was refunded and what is due. */
export function reducePayment(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, 'payment', 'charge', 'invoice', 'refund', 'transaction');
  const meaning = meaningOf(occurrence, meanings, sources);
  const references = referencesOf(occurrence, sources);
  const money = findMoney(sources, totalNames);
  switch (meaning) {
    case 'succeeded':
      return receive(state, occurrence, references, money);
    case 'failed':
      return fail(state, { stage: 'failed', references, money, at: occurrence.at });
    case 'pending':
    case 'overdue':
      return { ...state, payments: noteDue(state.payments, { stage: meaning, references, money, at: occurrence.at }) };
    case 'refunded':
      return giveBack(state, findMoney(sources, refundNames) ?? money);
    case 'disputed':
      return { ...state, payments: { ...state.payments, disputed: state.payments.disputed + 1 } };
    case 'dropped':
      return { ...state, payments: forgetDue(state.payments, references) };
    default:
      return undefined;
  }
}

function receive(state: StoryState, { at }: Occurrence, references: string[], money: Money | null): StoryState {
  const settled = settleDue(state.payments, references, money);
  const received = addMoney(settled.received, money);
  const dates = { firstSucceededAt: settled.firstSucceededAt ?? at, lastSucceededAt: at };
  const payments = { ...settled, ...dates, succeeded: settled.succeeded + 1, received };
  const withOrder = markOrderPaid({ ...state, payments }, referenced(references, 'order'));
  return markSubscriptionPaid(withOrder, referenced(references, 'subscription'), at);
}

function fail(state: StoryState, due: DuePayment): StoryState {
  const noted = noteDue(state.payments, due);
  return { ...state, payments: { ...noted, failed: noted.failed + 1, lastFailedAt: due.at } };
}

function giveBack(state: StoryState, money: Money | null): StoryState {
  const refunds = addMoney(state.payments.refunds, money);
  return { ...state, payments: { ...state.payments, refunded: state.payments.refunded + 1, refunds } };
}

/** What a payment is and what it is for, as `order:A-1`, `invoice:…`, `subscription:…`, `payment:…`. */
function referencesOf(occurrence: Occurrence, sources: Source[]): string[] {
  const ownNames = spellings('paymentId', 'chargeId', 'transactionId', 'id');
  const entities = ['order', 'invoice', 'subscription'];
  const outer = entities.map((entity) => reference(entity, sources, spellings(`${entity}Id`)));
  const nested = entities.map((entity) => reference(entity, sourcesFor(field(occurrence.payload, entity)), ['id']));
  const own = reference(occurrence.entity === 'invoice' ? 'invoice' : 'payment', sources, ownNames);
  return [...new Set([...outer, ...nested, own])].filter(Boolean);
}

function reference(entity: string, sources: Source[], names: string[]): string {
  const id = firstText(sources, names, lengths.id);
  return id && `${entity}:${id}`;
}

function referenced(references: string[], entity: string): string {
  const prefix = `${entity}:`;
  return references.find((item) => item.startsWith(prefix))?.slice(prefix.length) ?? '';
}
