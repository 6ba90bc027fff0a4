import { isAfter } from '../dates.ts';
import type { MessageFacts, StoryState, TicketFacts } from '../state.ts';
import { mostFrequent } from '../tally.ts';
import { countOpen } from '../tracked.ts';
import type { Writer } from './writer.ts';

export type OneTicket = { at: string; subject: string; isOpen: boolean; replies: number; reopened: number };

/** `at` is when the latest was opened. */
export type ManyTickets = {
  count: number;
  at: string;
  replies: number;
  resolved: number;
  isAnyOpen: boolean;
  reopened: number;
};

/** `channel` is the most frequent one, `''` when none is known; `at` is when the last message came. */
export type Messages = { fromCustomer: number; toCustomer: number; channel: string; isMostly: boolean; at: string };

/** Tickets and messages in one sentence; `''` without either. */
export function writeContact({ tickets, messages }: StoryState, writer: Writer): string {
  const told = [describeTickets(tickets, writer), describeMessages(messages, writer)];
  const isMessageFirst = isAfter(tickets.lastOpenedAt ?? '', messages.lastAt ?? '');
  return (isMessageFirst ? told.toReversed() : told).filter(Boolean).join('; ');
}

function describeTickets(tickets: TicketFacts, { contact }: Writer): string {
  const { opened: count, replies, reopened, lastOpenedAt: at, tracked } = tickets;
  if (count === 0 || !at) return '';
  const open = countOpen(tracked);
  if (count > 1) {
    const resolved = Math.max(count - open, 0);
    return contact.tickets({ count, at, replies, resolved, isAnyOpen: open > 0, reopened });
  }
  const subject = tracked.entries.at(-1)?.subject ?? '';
  return contact.oneTicket({ at, subject, isOpen: open > 0, replies, reopened });
}

function describeMessages({ fromCustomer, toCustomer, channels, lastAt }: MessageFacts, { contact }: Writer): string {
  if (!lastAt) return '';
  const channel = mostFrequent(channels)[0]?.name ?? '';
  const isMostly = channels.entries.length > 1 || channels.overflow > 0;
  return contact.messages({ fromCustomer, toCustomer, channel, isMostly, at: lastAt });
}
