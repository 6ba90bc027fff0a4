import { formatDay, isAfter } from '../dates.ts';
import type { MessageFacts, StoryState, TicketFacts } from '../state.ts';
import { mostFrequent } from '../tally.ts';
import { countOf, groupThousands, joinWithAnd, quote } from '../text.ts';
import { countOpen } from '../tracked.ts';

/** Tickets and messages in one sentence; `''` without either. */
export function writeContact({ tickets, messages }: StoryState): string {
  const told = [describeTickets(tickets), describeMessages(messages)];
  const isMessageFirst = isAfter(tickets.lastOpenedAt ?? '', messages.lastAt ?? '');
  const parts = (isMessageFirst ? told.toReversed() : told).filter(Boolean);
  return parts.length > 0 ? `They ${parts.join('; they ')}.` : '';
}

function describeTickets(tickets: TicketFacts): string {
  const { opened, replies, lastOpenedAt } = tickets;
  if (opened === 0 || !lastOpenedAt) return '';
  const day = formatDay(lastOpenedAt);
  const answered = replies > 0 ? `got ${countOf(replies, 'reply', 'replies')}` : '';
  if (opened > 1) {
    const replied = answered && `, which ${answered}`;
    return `opened ${countOf(opened, 'ticket')} (the latest on ${day})${replied}; ${describeResolutions(tickets)}`;
  }
  const subject = tickets.tracked.entries.at(-1)?.subject ?? '';
  const outcome = joinWithAnd([answered, `is ${countOpen(tickets.tracked) > 0 ? 'still open' : 'resolved'}`]);
  return `opened 1 ticket${subject && ` (${quote(subject)})`} on ${day}, which ${outcome}${describeReopenings(tickets)}`;
}

function describeResolutions(tickets: TicketFacts): string {
  const { opened, tracked } = tickets;
  const open = countOpen(tracked);
  const resolved = Math.max(opened - open, 0);
  const whole = opened === 2 ? 'both' : 'all';
  const some = `${groupThousands(String(resolved))} of them ${resolved === 1 ? 'is' : 'are'}`;
  const state = resolved === 0 ? `${whole} are still open` : `${open === 0 ? `${whole} are` : some} resolved`;
  return `${state}${describeReopenings(tickets)}`;
}

function describeReopenings({ reopened }: TicketFacts): string {
  return reopened > 0 ? ` after ${countOf(reopened, 'reopening')}` : '';
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
