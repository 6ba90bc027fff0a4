import { formatDay } from '../dates.ts';
import { addMoney, emptyTotals, formatMoney, formatTotals, hasMoney } from '../money.ts';
import type { DuePayment, OrderEntry, StoryState, SubscriptionEntry } from '../state.ts';
import { countOf, groupThousands, joinSome, joinWithAnd, quote } from '../text.ts';
import { countOpen, openEntries } from '../tracked.ts';
import { statusOf } from './standing.ts';

const maxShown = 3;

/** What is open as of the last event, because a story has no clock. */
export function writeOpen(state: StoryState): string {
  const day = formatDay(state.last?.at ?? '');
  const clauses = joinWithAnd([
    describeDue(state, 'failed'),
    describeDue(state, 'overdue'),
    describeDue(state, 'pending'),
    ...describeSubscriptions(state),
    describeOrders(state),
    describeTickets(state),
  ]);
  return clauses ? `As of ${day}, ${clauses}.` : `Nothing is open as of ${day}.`;
}

function describeDue({ payments }: StoryState, stage: DuePayment['stage']): string {
  const due = payments.due.filter((item) => item.stage === stage);
  const [first] = due;
  if (!first) return '';
  const total = due.map(({ money }) => money).reduce(addMoney, emptyTotals());
  const amount = hasMoney(total) ? formatTotals(total) : '';
  if (due.length > 1) {
    const payments = countOf(due.length, stage === 'failed' ? 'failed payment' : 'payment');
    return `${payments}${amount && ` (${amount})`} are ${stage === 'failed' ? 'still due' : stage}`;
  }
  const payment = `a payment${amount && ` of ${amount}`}`;
  const day = formatDay(first.at);
  return stage === 'failed'
    ? `${payment} that failed on ${day} is still due`
    : `${payment} has been ${stage} since ${day}`;
}

function describeSubscriptions(state: StoryState): string[] {
  const entries = openEntries(state.subscriptions.tracked).toReversed().slice(0, maxShown);
  return entries.map((entry) => describeSubscription(entry, state));
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

function describeOrders({ orders }: StoryState): string {
  const open = countOpen(orders.tracked);
  const latestFirst = openEntries(orders.tracked).toReversed();
  const [latest] = latestFirst;
  if (open === 0) return '';
  if (open === 1 && latest) return describeOrder(latest, orders.placed === 1);
  const ids = joinSome(
    latestFirst.map(({ id }) => id),
    open,
    maxShown,
  );
  return `${groupThousands(String(open))} ${open === 1 ? 'order is' : 'orders are'} open${ids && ` (${ids})`}`;
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

function describeTickets({ tickets }: StoryState): string {
  const open = countOpen(tickets.tracked);
  const latestFirst = openEntries(tickets.tracked).toReversed();
  const [latest] = latestFirst;
  if (open === 0) return '';
  if (open === 1 && latest) {
    const label = latest.subject ? ` (${quote(latest.subject)})` : '';
    return `${named('ticket', latest.id)}${label} has been open since ${formatDay(latest.openedAt)}`;
  }
  const subjects = joinSome(
    latestFirst.map(({ subject, id }) => (subject ? quote(subject) : id)),
    open,
    maxShown,
  );
  return `${groupThousands(String(open))} ${open === 1 ? 'ticket is' : 'tickets are'} open${subjects && ` (${subjects})`}`;
}
