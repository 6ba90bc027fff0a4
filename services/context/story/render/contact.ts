import { formatDay } from '../dates.ts';
import type { MessageFacts, StoryState, TicketFacts } from '../state.ts';
import { mostFrequent } from '../tally.ts';
import { countOf, groupThousands, joinWithAnd, quote } from '../text.ts';
import { countOpen } from '../tracked.ts';

/** Tickets and messages in one sentence; `''` without either. */
export function writeContact({ tickets, messages }: StoryState): string {
  const parts = [describeTickets(tickets), describeMessages(messages)].filter(Boolean);
  return parts.length > 0 ? `They ${parts.join(', and ')}.` : '';
}

function describeTickets(tickets: TicketFacts): string {
  const { opened, replies, lastOpenedAt } = tickets;
  if (opened === 0 || !lastOpenedAt) return '';
  const answered = replies > 0 ? ` with ${countOf(replies, 'reply', 'replies')}` : '';
  const when = ` ${opened > 1 ? '(the latest ' : ''}on ${formatDay(lastOpenedAt)}${opened > 1 ? ')' : ''}`;
  const subject = opened === 1 ? (tickets.tracked.entries.at(-1)?.subject ?? '') : '';
  const label = subject && ` (${quote(subject)})`;
  return `opened ${countOf(opened, 'ticket')}${label}${answered}${when}${describeResolution(tickets)}`;
}

function describeResolution({ opened, reopened, tracked }: TicketFacts): string {
  const open = countOpen(tracked);
  const resolved = Math.max(opened - open, 0);
  const aside = reopened > 0 ? ` after ${countOf(reopened, 'reopening')}` : '';
  if (opened === 1) return `, which is ${open > 0 ? 'still open' : 'resolved'}${aside}`;
  if (resolved === 0) return `, all still open${aside}`;
  if (open === 0) return `, all resolved${aside}`;
  return `, of which ${groupThousands(String(resolved))} ${resolved === 1 ? 'is' : 'are'} resolved${aside}`;
}

function describeMessages({ fromCustomer, toCustomer, channels, lastAt }: MessageFacts): string {
  if (!lastAt) return '';
  const total = fromCustomer + toCustomer;
  const verb = describeDirection(fromCustomer, toCustomer);
  const [channel] = mostFrequent(channels);
  const mostly = channels.entries.length > 1 || channels.overflow > 0 ? 'mostly ' : '';
  const via = channel ? ` ${mostly}via ${channel.name}` : '';
  const when = total > 1 ? `, the last on ${formatDay(lastAt)}` : ` on ${formatDay(lastAt)}`;
  return `${verb}${via}${when}`;
}

function describeDirection(fromCustomer: number, toCustomer: number): string {
  if (toCustomer === 0) return `sent ${countOf(fromCustomer, 'message')}`;
  if (fromCustomer === 0) return `received ${countOf(toCustomer, 'message')}`;
  const shares = joinWithAnd([
    `${groupThousands(String(fromCustomer))} from them`,
    `${groupThousands(String(toCustomer))} to them`,
  ]);
  return `exchanged ${countOf(fromCustomer + toCustomer, 'message')} (${shares})`;
}
