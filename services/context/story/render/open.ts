import { formatDay } from '../dates.ts';
import { addMoney, emptyTotals, formatMoney, formatTotals, hasMoney } from '../money.ts';
import type { DuePayment, OrderEntry, StoryState, SubscriptionEntry } from '../state.ts';
import { countOf, groupThousands, joinSome, joinWithAnd, quote } from '../text.ts';
import { countOpen, openEntries } from '../tracked.ts';
import { statusOf } from './standing.ts';

const maxShown = 3;

/** An open matter, and since when it is open. */
type Clause = { text: string; at: string };

/** Open matters as of the last event, because a story has no clock; the longest open first. */
export function writeOpen(state: StoryState): string {
  const day = formatDay(state.last?.at ?? '');
  const clauses = [
    describeDue(state, 'failed'),
    describeDue(state, 'overdue'),
    describeDue(state, 'pending'),
    ...describeSubscriptions(state),
    describeOrders(state),
    describeTickets(state),
  ].filter((clause) => clause !== undefined && clause.text !== '');
  const ordered = clauses.toSorted((left, right) => Date.parse(left?.at ?? '') - Date.parse(right?.at ?? ''));
  const text = joinWithAnd(ordered.map((clause) => clause?.text ?? ''));
  return text ? `As of ${day}, ${text}.` : `Nothing is open as of ${day}.`;
}

function describeDue({ payments }: StoryState, stage: DuePayment['stage']): Clause | undefined {
  const due = payments.due.filter((item) => item.stage === stage);
  const [first] = due;
  if (!first) return undefined;
  const total = due.map(({ money }) => money).reduce(addMoney, emptyTotals());
  const amount = hasMoney(total) ? formatTotals(total) : '';
  const { at } = first;
  if (due.length > 1) {
    const payments = countOf(due.length, stage === 'failed' ? 'failed payment' : 'payment');
    const rest = total.unknown > 0 ? ` and ${countOf(total.unknown, 'payment')} of unknown amount` : '';
    const sum = amount && ` (${amount}${rest})`;
    return { at, text: `${payments}${sum} are ${stage === 'failed' ? 'still due' : stage}` };
  }
  const payment = `a payment of ${amount || 'unknown amount'}`;
  const day = formatDay(at);
  const text =
    stage === 'failed' ? `${payment} that failed on ${day} is still due` : `${payment} has been ${stage} since ${day}`;
  return { at, text };
}

function describeSubscriptions(state: StoryState): Clause[] {
  const entries = openEntries(state.subscriptions.tracked).toReversed().slice(0, maxShown);
  return entries.map((entry) => ({ text: describeSubscription(entry, state), at: entry.changedAt }));
}

function describeSubscription(entry: SubscriptionEntry, state: StoryState): string {
  const name = entry.plan && `${entry.plan} `;
  switch (statusOf(entry, state)) {
    case 'past_due':
      return `the ${name}subscription is past due`;
    case 'paused':
      return `the ${name}subscription is paused`;
    case 'trialing':
      return `the ${name}trial is still running`;
    case 'ending':
      return `the ${name}subscription is about to end`;
    default:
      return '';
  }
}

function describeOrders({ orders }: StoryState): Clause | undefined {
  const open = countOpen(orders.tracked);
  const entries = openEntries(orders.tracked);
  const [first] = entries;
  if (open === 0) return undefined;
  const at = first?.placedAt ?? '';
  if (open === 1 && first) return { at, text: describeOrder(first, orders.placed === 1) };
  const ids = joinSome(
    entries.toReversed().map(({ id }) => id),
    open,
    maxShown,
  );
  const are = open === 1 ? 'order is' : 'orders are';
  return { at, text: `${groupThousands(String(open))} ${are} open${ids && ` (${ids})`}` };
}

function describeOrder({ id, stage, placedAt, worth }: OrderEntry, isOnly: boolean): string {
  const details = [worth && formatMoney(worth), stage === 'paid' && 'paid'].filter(Boolean).join(', ');
  const order = isOnly ? 'their order' : `${named('order', id)}${details && ` (${details})`}`;
  if (stage === 'shipped') return `${order} is on its way`;
  if (isOnly) return `${order} is ${stage === 'paid' ? 'paid and still open' : 'open'}`;
  return `${order} has been open since ${formatDay(placedAt)}`;
}

/** `order A-1`; a sender's id that says what it is stays alone: `order-1`. */
function named(noun: string, id: string): string {
  return id.toLowerCase().startsWith(noun) ? id : `${noun}${id && ` ${id}`}`;
}

function describeTickets({ tickets }: StoryState): Clause | undefined {
  const open = countOpen(tickets.tracked);
  const entries = openEntries(tickets.tracked);
  const [first] = entries;
  if (open === 0) return undefined;
  const at = first?.openedAt ?? '';
  if (open === 1 && first) {
    const label = first.subject ? ` (${quote(first.subject)})` : '';
    return { at, text: `${named('ticket', first.id)}${label} has been open since ${formatDay(at)}` };
  }
  const subjects = joinSome(
    entries.toReversed().map(({ subject, id }) => (subject ? quote(subject) : id)),
    open,
    maxShown,
  );
  const are = open === 1 ? 'ticket is' : 'tickets are';
  return { at, text: `${groupThousands(String(open))} ${are} open${subjects && ` (${subjects})`}` };
}
