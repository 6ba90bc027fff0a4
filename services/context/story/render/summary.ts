import type { PaymentFacts, StoryState } from '../state.ts';
import { firstShown, writeActivity, writeOthers } from './activity.ts';
import { writeContact } from './contact.ts';
import { writeOpen } from './open.ts';
import { writeOrders } from './orders.ts';
import { writePayments } from './payments.ts';
import { writeOpening } from './person.ts';
import { writeSubscriptions } from './subscription.ts';

const maxSentencesBetween = 4;

/** A sentence and its first date, null for none. An empty sentence is omitted. */
type Part = { text: string; from: string | null };

/**
 * Three to six sentences: the person, up to four events in the order of time, the open matters. Beyond four sentences,
 * the sentences of one subject become one.
 */
export function writeSummary(customerId: string, state: StoryState): string[] {
  const told = inOrder(toParts(state, false));
  const isOrderFirst = told[0]?.text === writeOrders(state, false);
  // Only next to the opening is "that day" the day it names.
  const between = isOrderFirst ? inOrder(toParts(state, true)) : told;
  const texts = between.length > 0 ? between.map(({ text }) => text) : ['No purchase is on record yet.'];
  return [writeOpening(customerId, state), ...texts, writeOpen(state)];
}

function toParts(state: StoryState, isAfterOpening: boolean): Part[] {
  const { orders, payments, subscriptions, tickets, messages, pages, person, others } = state;
  const placed = { text: writeOrders(state, isAfterOpening), from: orders.firstAt };
  // Payments come after the orders they are for.
  const paid = { text: writePayments(state), from: orders.firstAt ?? firstTold(payments) };
  const subscribed = { text: writeSubscriptions(state), from: subscriptions.firstAt };
  const talked = { text: writeContact(state), from: earliest(tickets.lastOpenedAt, messages.lastAt) };
  const acted = { text: writeActivity(state), from: earliest(pages.lastAt, person.lastLoginAt, person.lastUpdateAt) };
  const other = { text: writeOthers(state), from: firstShown(others)?.lastAt ?? null };
  const count = [placed, paid, subscribed, talked, acted, other].filter(({ text }) => text).length;
  const isOneJoined = count > maxSentencesBetween && acted.text !== '' && other.text !== '';
  const isMoneyJoined = count - (isOneJoined ? 1 : 0) > maxSentencesBetween;
  return [
    ...(isMoneyJoined ? [joined(placed, paid), subscribed] : [placed, subscribed, paid]),
    talked,
    // Both are of the whole time, so their one sentence comes last.
    ...(isOneJoined ? [{ ...joined(acted, other), from: state.last?.at ?? null }] : [acted, other]),
  ].filter(({ text }) => text);
}

/** Stable: what has one date stays in the order of its subject. */
function inOrder(parts: Part[]): Part[] {
  return parts.toSorted((left, right) => Date.parse(left.from ?? '') - Date.parse(right.from ?? ''));
}

function joined(left: Part, right: Part): Part {
  const [first = '', ...rest] = right.text;
  return { text: `${left.text.slice(0, -1)}; ${first.toLowerCase()}${rest.join('')}`, from: left.from };
}

function firstTold({ lastSucceededAt, lastFailedAt, lastDisputedAt }: PaymentFacts): string | null {
  return earliest(lastSucceededAt, lastFailedAt, lastDisputedAt);
}

function earliest(...instants: (string | null)[]): string | null {
  return (
    instants.filter((at) => at !== null).toSorted((left, right) => Date.parse(left) - Date.parse(right))[0] ?? null
  );
}
