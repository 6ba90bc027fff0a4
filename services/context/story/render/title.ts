import { formatDay, formatMonth } from '../dates.ts';
import type { StoryState } from '../state.ts';
import { countOf } from '../text.ts';
import { countOpen } from '../tracked.ts';
import { nameOf } from './person.ts';
import {
  customerSince,
  isFirstPurchaseSeen,
  isLive,
  mainSubscription,
  type Standing,
  standingOf,
  statusOf,
} from './standing.ts';

const standings: Record<Standing['kind'], string> = {
  closed: 'account closed in',
  loyal: 'loyal customer since',
  returning: 'returning customer since',
  new: 'new customer since',
  customer: 'customer since',
  former: 'former customer, first bought in',
  trial: 'trial user since',
  registered: 'registered user since',
  user: 'user since',
  contact: 'contact since',
  visitor: 'visitor since',
  known: 'known since',
};

/** `Ada Byron, loyal customer since March 2025, subscription past due`. */
export function writeTitle(customerId: string, state: StoryState): string {
  const { kind, since } = standingOf(state);
  const standing = `${standings[kind]} ${describeSince(since, state, kind)}${describeReturn(state, kind)}`;
  const parts = [nameOf(customerId, state), standing, concernOf(state, kind)];
  return parts.filter(Boolean).join(', ');
}

/** `March 2025`; the month of a first purchase that is not on record is the latest it can be. */
function describeSince(since: string, state: StoryState, kind: Standing['kind']): string {
  const month = formatMonth(since);
  const isPurchase = since === customerSince(state) && kind !== 'closed';
  if (!isPurchase || isFirstPurchaseSeen(state)) return month;
  return kind === 'former' ? `${month} or before` : `at least ${month}`;
}

/** ` (back since March 2026)` for who left and came back. */
function describeReturn({ tenure }: StoryState, kind: Standing['kind']): string {
  const last = tenure.gaps.at(-1);
  const isCustomer = kind === 'loyal' || kind === 'returning' || kind === 'new' || kind === 'customer';
  return last && isCustomer ? ` (back since ${formatMonth(last.to)})` : '';
}

/** The one thing to know before talking to them, the most pressing first; `''` when nothing is. */
function concernOf(state: StoryState, kind: Standing['kind']): string {
  const failed = countDue(state, 'failed');
  const overdue = countDue(state, 'overdue');
  const tickets = countOpen(state.tickets.tracked);
  const orders = countOpen(state.orders.tracked);
  if (hasPastDue(state)) return 'subscription past due';
  if (failed > 0) return countOf(failed, 'failed payment');
  if (overdue > 0) return countOf(overdue, 'overdue payment');
  if (tickets > 0) return countOf(tickets, 'open ticket');
  if (orders > 0) return countOf(orders, 'open order');
  return describeSubscription(state, kind);
}

function hasPastDue(state: StoryState): boolean {
  return state.subscriptions.tracked.entries.some(({ status }) => status === 'past_due');
}

function describeSubscription(state: StoryState, kind: Standing['kind']): string {
  const entry = mainSubscription(state);
  if (!entry || !isLive(entry, state)) return '';
  const status = statusOf(entry, state);
  if (status === 'paused') return 'subscription paused';
  if (status === 'ending')
    return entry.endsAt ? `subscription ending on ${formatDay(entry.endsAt)}` : 'subscription ending';
  if (status !== 'trialing' || !entry.endsAt) return '';
  return `${kind === 'trial' ? 'trial ends' : 'another trial ends'} on ${formatDay(entry.endsAt)}`;
}

function countDue({ payments }: StoryState, stage: string): number {
  return payments.due.filter((due) => due.stage === stage).length;
}
