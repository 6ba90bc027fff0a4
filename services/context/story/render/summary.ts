import { capitalize } from '../../../../lib/format/capitalize.ts';
import { type Language, languages } from '../../../../lib/format/language.ts';
import type { PaymentFacts, StoryState } from '../state.ts';
import { firstShown, writeActivity, writeOthers } from './activity.ts';
import { writeContact } from './contact.ts';
import { writeOpen } from './open.ts';
import { writeOrders } from './orders.ts';
import { writePayments } from './payments.ts';
import { writeOpening } from './person.ts';
import { writeSubscriptions } from './subscription.ts';
import { type Writer, writerOf } from './writer.ts';

const maxSentencesBetween = 4;

/** A sentence as clauses, and its first date, null for none. An empty sentence is omitted. */
type Part = { text: string; from: string | null; isOrders?: true };

/**
 * Three to six sentences: the person, up to four events in the order of time, the open matters. Beyond four sentences,
 * the sentences of one subject become one.
 */
export function writeSummary(customerId: string, state: StoryState, writer: Writer): string[] {
  const [first, ...others] = inOrder(toParts(state, writer));
  // Only next to the opening is "that day" the day it names.
  const start = first?.isOrders ? writeOrders(state, true, writer) : (first?.text ?? writer.noPurchase);
  const clauses = [start, ...others.map(({ text }) => text), writeOpen(state, writer)];
  return [writeOpening(customerId, state, writer), ...clauses.map((text) => `${capitalize(text)}.`)];
}

/**
 * The beginnings of the sentences after the opening. Text that was sent may have full stops too: what follows one and
 * begins in another way stays in the paragraph before it.
 */
const beginnings = Object.fromEntries(
  languages.map((language) => [language, new RegExp(`(?<=\\.) (?=(?:${writerOf(language).beginnings}) )`, 'g')]),
) as Record<Language, RegExp>;

/** The sentences of a summary as it is served, each a paragraph. */
export function paragraphsOf(summary: string, language: Language): string[] {
  return summary.split(beginnings[language]);
}

function toParts(state: StoryState, writer: Writer): Part[] {
  const { orders, payments, subscriptions, tickets, messages, pages, person, others } = state;
  const placed: Part = { text: writeOrders(state, false, writer), from: orders.firstAt, isOrders: true };
  // Payments come after the orders they are for.
  const paid = { text: writePayments(state, writer), from: orders.firstAt ?? firstTold(payments) };
  const subscribed = { text: writeSubscriptions(state, writer), from: subscriptions.firstAt };
  const talked = { text: writeContact(state, writer), from: earliest(tickets.lastOpenedAt, messages.lastAt) };
  const acted = {
    text: writeActivity(state, writer),
    from: earliest(pages.lastAt, person.lastLoginAt, person.lastUpdateAt),
  };
  const other = { text: writeOthers(state, writer), from: firstShown(others)?.lastAt ?? null };
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
  return { text: `${left.text}; ${right.text}`, from: left.from };
}

function firstTold({ lastSucceededAt, lastFailedAt, lastDisputedAt }: PaymentFacts): string | null {
  return earliest(lastSucceededAt, lastFailedAt, lastDisputedAt);
}

function earliest(...instants: (string | null)[]): string | null {
  return (
    instants.filter((at) => at !== null).toSorted((left, right) => Date.parse(left) - Date.parse(right))[0] ?? null
  );
}
