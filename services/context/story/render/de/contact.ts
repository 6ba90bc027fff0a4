import type { contact as English } from '../en/contact.ts';
import { viaChannel } from './kept.ts';
import { countOf, dayOf, listOf, numberOf, quote } from './words.ts';

export const contact: typeof English = {
  oneTicket: ({ at, subject, isOpen, replies, reopened }) => {
    const answered = replies > 0 ? `${countOf(replies, 'Antwort', 'Antworten')} erhielt` : '';
    const outcome = listOf([answered, `${reopeningsOf(reopened)}${isOpen ? 'noch offen' : 'gelöst'} ist`]);
    return `am ${dayOf(at)} wurde 1 Ticket${subject && ` (${quote(subject)})`} eröffnet, das ${outcome}`;
  },
  tickets: ({ count, at, replies, resolved, isAnyOpen, reopened }) => {
    const answered = replies > 0 ? `, die insgesamt ${countOf(replies, 'Antwort', 'Antworten')} erhielten` : '';
    const all = count === 2 ? 'beide sind' : 'alle sind';
    const some = `${numberOf(resolved)} davon ${resolved === 1 ? 'ist' : 'sind'}`;
    const state = `${reopeningsOf(reopened)}${resolved === 0 ? 'noch offen' : 'gelöst'}`;
    const whole = resolved === 0 || !isAnyOpen;
    return `es wurden ${numberOf(count)} Tickets (das letzte am ${dayOf(at)}) eröffnet${answered}; ${whole ? all : some} ${state}`;
  },
  messages: ({ fromCustomer, toCustomer, channel, isMostly, at }) => {
    const count = fromCustomer + toCustomer;
    const mainChannel = channel && isMostly ? `, meist ${viaChannel(channel)}` : '';
    const via = channel && !isMostly ? ` ${viaChannel(channel)}` : '';
    const when = `, die letzte am ${dayOf(at)}`;
    if (fromCustomer > 0 && toCustomer > 0) {
      const shares = `${numberOf(fromCustomer)} eingehende und ${numberOf(toCustomer)} ausgehende`;
      return `es wurden ${numberOf(count)} Nachrichten${via} ausgetauscht (${shares})${mainChannel}${when}`;
    }
    const direction = toCustomer === 0 ? 'eingehende' : 'ausgehende';
    if (count === 1) return `am ${dayOf(at)} gab es 1 ${direction} Nachricht${via}${mainChannel}`;
    return `es gab ${numberOf(count)} ${direction} Nachrichten${via}${mainChannel}${when}`;
  },
};

function reopeningsOf(count: number): string {
  return count > 0 ? `nach ${countOf(count, 'Wiedereröffnung', 'Wiedereröffnungen')} ` : '';
}
