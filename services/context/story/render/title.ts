import type { StoryState } from '../state.ts';
import { cleanText } from '../text.ts';
import { countOpen } from '../tracked.ts';
import { nameOf } from './person.ts';
import {
  customerSince,
  isFirstPurchaseSeen,
  isLive,
  mainSubscription,
  type Since,
  type Standing,
  standingOf,
  statusOf,
} from './standing.ts';
import type { Writer } from './writer.ts';

const maxLength = 200;

/** `Ada Byron, loyal customer since March 2025, subscription past due`; a long name is cut for the rest. */
export function writeTitle(customerId: string, state: StoryState, writer: Writer): string {
  const { kind, since } = standingOf(state);
  const standing = `${writer.title.standing(kind, describeSince(since, state, kind))}${describeReturn(state, kind, writer)}`;
  const name = nameOf(customerId, state, writer);
  const rest = [standing, concernOf(state, kind, writer)].filter(Boolean).join(', ');
  const title = `${name}, ${rest}`;
  // A length in code units is never below the one in code points.
  return title.length <= maxLength ? title : `${cleanText(name, maxLength - [...rest].length - 2)}, ${rest}`;
}

function describeSince(since: string, state: StoryState, kind: Standing['kind']): Since {
  const isPurchase = since === customerSince(state) && kind !== 'closed';
  return { at: since, isExact: !isPurchase || isFirstPurchaseSeen(state) };
}

/** ` (back since March 2026)` for who left and came back. */
function describeReturn({ tenure }: StoryState, kind: Standing['kind'], { title }: Writer): string {
  const last = tenure.gaps.at(-1);
  const isCustomer = kind === 'loyal' || kind === 'returning' || kind === 'new' || kind === 'customer';
  return last && isCustomer ? title.back(last.to) : '';
}

/** The one thing to know before talking to them, the most pressing first; `''` when nothing is. */
function concernOf(state: StoryState, kind: Standing['kind'], writer: Writer): string {
  const { title } = writer;
  const failed = countDue(state, 'failed');
  const overdue = countDue(state, 'overdue');
  const tickets = countOpen(state.tickets.tracked);
  const orders = countOpen(state.orders.tracked);
  if (hasPastDue(state)) return title.pastDue;
  if (failed > 0) return title.failed(failed);
  if (overdue > 0) return title.overdue(overdue);
  if (tickets > 0) return title.tickets(tickets);
  if (orders > 0) return title.orders(orders);
  return describeSubscription(state, kind, writer);
}

function hasPastDue(state: StoryState): boolean {
  return state.subscriptions.tracked.entries.some(({ status }) => status === 'past_due');
}

function describeSubscription(state: StoryState, kind: Standing['kind'], { title }: Writer): string {
  const entry = mainSubscription(state);
  if (!entry || !isLive(entry, state)) return '';
  const status = statusOf(entry, state);
  if (status === 'paused') return title.paused;
  if (status === 'ending') return title.ending(entry.endsAt);
  return status === 'trialing' && entry.endsAt ? title.trial(entry.endsAt, kind !== 'trial') : '';
}

function countDue({ payments }: StoryState, stage: string): number {
  return payments.due.filter((due) => due.stage === stage).length;
}
