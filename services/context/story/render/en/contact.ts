import { joinWithAnd, quote } from '../../text.ts';
import type { ManyTickets, Messages, OneTicket } from '../contact.ts';
import { countOf, dayOf, numberOf } from './words.ts';

/** The sentence on tickets and messages. */
export const contact = {
  oneTicket: ({ at, subject, isOpen, replies, reopened }: OneTicket) => {
    const outcome = joinWithAnd([repliesOf(replies), `is ${isOpen ? 'still open' : 'resolved'}`]);
    return `they opened 1 ticket${subject && ` (${quote(subject)})`} on ${dayOf(at)}, which ${outcome}${reopeningsOf(reopened)}`;
  },
  tickets: ({ count, at, replies, resolved, isAnyOpen, reopened }: ManyTickets) => {
    const answered = replies > 0 ? `, which ${repliesOf(replies)}` : '';
    const whole = count === 2 ? 'both' : 'all';
    const some = `${numberOf(resolved)} of them ${resolved === 1 ? 'is' : 'are'}`;
    const state = resolved === 0 ? `${whole} are still open` : `${isAnyOpen ? some : `${whole} are`} resolved`;
    return `they opened ${countOf(count, 'ticket')} (the latest on ${dayOf(at)})${answered}; ${state}${reopeningsOf(reopened)}`;
  },
  messages: ({ fromCustomer, toCustomer, channel, isMostly, at }: Messages) => {
    const count = fromCustomer + toCustomer;
    const via = channel && ` ${isMostly ? 'mostly ' : ''}via ${channel}`;
    return `they ${exchanged(fromCustomer, toCustomer)}${via}${count > 1 ? ', the last' : ''} on ${dayOf(at)}`;
  },
};

function repliesOf(replies: number): string {
  return replies > 0 ? `got ${countOf(replies, 'reply', 'replies')}` : '';
}

function reopeningsOf(count: number): string {
  return count > 0 ? ` after ${countOf(count, 'reopening')}` : '';
}

function exchanged(fromCustomer: number, toCustomer: number): string {
  if (toCustomer === 0) return `sent ${countOf(fromCustomer, 'message')}`;
  if (fromCustomer === 0) return `received ${countOf(toCustomer, 'message')}`;
  const shares = joinWithAnd([`${numberOf(fromCustomer)} from them`, `${numberOf(toCustomer)} to them`]);
  return `exchanged ${countOf(fromCustomer + toCustomer, 'message')} (${shares})`;
}
