import { addMoney, emptyTotals, hasMoney, type Money, type Totals } from '../money.ts';
import type { DuePayment, OrderEntry, StoryState, SubscriptionEntry } from '../state.ts';
import { countOpen, openEntries } from '../tracked.ts';
import { statusOf } from './standing.ts';
import type { Writer } from './writer.ts';

const maxShown = 3;

/** An open matter, and since when it is open. */
type Clause = { text: string; at: string };

/** A payment that has not come; `total` is null when its amount is not known. */
export type Debt = { stage: DuePayment['stage']; total: Totals | null; at: string };
/** `total` is of those with a known amount, `unknown` how many have none. */
export type Debts = { stage: DuePayment['stage']; count: number; total: Totals | null; unknown: number };

export type OnlyOrder = { isShipped: boolean; isPaid: boolean };
export type OpenOrder = OnlyOrder & { id: string; worth: Money | null; at: string };
/** `ids` and `names` are of the latest, of those that have one. */
export type OpenOrders = { count: number; ids: string[] };
export type OpenTicket = { id: string; subject: string; at: string };
export type OpenTickets = { count: number; names: { subject: string; id: string }[] };

/** Open matters as of the last event, because a story has no clock; the longest open first. */
export function writeOpen(state: StoryState, writer: Writer): string {
  const clauses = [
    describeDue(state, 'failed', writer),
    describeDue(state, 'overdue', writer),
    describeDue(state, 'pending', writer),
    ...describeSubscriptions(state, writer),
    describeOrders(state, writer),
    describeTickets(state, writer),
  ].filter((clause) => clause !== undefined && clause.text !== '');
  if (clauses.length === 0) return writer.open.none;
  const ordered = clauses.toSorted((left, right) => Date.parse(left?.at ?? '') - Date.parse(right?.at ?? ''));
  const texts = ordered.map((clause) => clause?.text ?? '');
  return writer.open.asOf(state.last?.at ?? '', texts);
}

function describeDue({ payments }: StoryState, stage: DuePayment['stage'], { open }: Writer): Clause | undefined {
  const due = payments.due.filter((item) => item.stage === stage);
  const [first] = due;
  if (!first) return undefined;
  const sum = due.map(({ money }) => money).reduce(addMoney, emptyTotals());
  const total = hasMoney(sum) ? sum : null;
  const { at } = first;
  if (due.length === 1) return { at, text: open.debt({ stage, total, at }) };
  return { at, text: open.debts({ stage, count: due.length, total, unknown: sum.unknown }) };
}

function describeSubscriptions(state: StoryState, writer: Writer): Clause[] {
  const entries = openEntries(state.subscriptions.tracked).toReversed().slice(0, maxShown);
  return entries.map((entry) => ({ text: describeSubscription(entry, state, writer), at: entry.changedAt }));
}

function describeSubscription(entry: SubscriptionEntry, state: StoryState, { open }: Writer): string {
  const { plan } = entry;
  switch (statusOf(entry, state)) {
    case 'past_due':
      return open.pastDue(plan);
    case 'paused':
      return open.paused(plan);
    case 'trialing':
      return open.trialing(plan);
    case 'ending':
      return open.ending(plan);
    default:
      return '';
  }
}

function describeOrders({ orders }: StoryState, { open }: Writer): Clause | undefined {
  const count = countOpen(orders.tracked);
  const entries = openEntries(orders.tracked);
  const [first] = entries;
  if (count === 0) return undefined;
  const at = first?.placedAt ?? '';
  if (count === 1 && first) {
    const order = toOpenOrder(first);
    return { at, text: orders.placed === 1 ? open.onlyOrder(order) : open.order(order) };
  }
  const ids = entries.toReversed().flatMap(({ id }) => id || []);
  return { at, text: open.orders({ count, ids: ids.slice(0, maxShown) }) };
}

function toOpenOrder({ id, stage, placedAt: at, worth }: OrderEntry): OpenOrder {
  return { id, worth, isShipped: stage === 'shipped', isPaid: stage === 'paid', at };
}

function describeTickets({ tickets }: StoryState, { open }: Writer): Clause | undefined {
  const count = countOpen(tickets.tracked);
  const entries = openEntries(tickets.tracked);
  const [first] = entries;
  if (count === 0) return undefined;
  const at = first?.openedAt ?? '';
  if (count === 1 && first) return { at, text: open.ticket({ id: first.id, subject: first.subject, at }) };
  const names = entries.toReversed().filter(({ subject, id }) => subject !== '' || id !== '');
  return { at, text: open.tickets({ count, names: names.slice(0, maxShown) }) };
}
