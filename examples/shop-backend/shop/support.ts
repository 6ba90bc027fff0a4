import { questions } from './catalogue.ts';
import type { Customer } from './customers.ts';
import { byCustomer, type Draft, day, hour, type Life } from './happening.ts';
import type { Random } from './random.ts';

const askingShare = 0.35;
const againShare = 0.3;
const resolvedShare = 0.8;

/** Support requests about purchases: a message, its ticket, replies from both sides, and usually a resolution. */
export function askSupport({ customer, random, until }: Life, purchases: Draft[]): Draft[] {
  const drafts: Draft[] = [];
  let asks = random.happens(askingShare);
  let at = Math.min(...purchases.map((draft) => draft.at)) + random.between(4, 60) * day;
  for (let number = 1; asks && at < until; number += 1) {
    const subject = chooseSubject(random, purchases, at);
    const ticketId = `T-${customer.id.slice(2)}-${number}`;
    if (subject) drafts.push(...handle(customer, random, { ticketId, subject, at }));
    asks = random.happens(againShare);
    at += random.between(7, 40) * day;
  }
  return drafts;
}

type Ticket = { ticketId: string; subject: string; at: number };

function handle(customer: Customer, random: Random, { ticketId, subject, at }: Ticket): Draft[] {
  const channel = random.pick(['email', 'web', 'chatapp']);
  const answeredAt = at + random.between(1, 30) * hour;
  const resolvedAt = answeredAt + random.between(1, 48) * hour;
  return [
    byCustomer(customer, 'message.received', at, channel, { channel, direction: 'inbound', text: subject }),
    byCustomer(customer, 'ticket.opened', at + 1000, channel, { ticketId, subject, priority: 'normal' }),
    reply(customer, ticketId, answeredAt),
    ...(random.happens(resolvedShare) ? [resolve(customer, ticketId, resolvedAt)] : []),
  ];
}

/** Chooses a question that makes sense at this time: a parcel is only asked about while it is in transit. */
function chooseSubject(random: Random, purchases: Draft[], at: number): string | undefined {
  const latest = (eventName: string) =>
    Math.max(...purchases.filter((draft) => draft.eventName === eventName && draft.at < at).map((draft) => draft.at));
  const sensible = questions.filter(({ after, before }) => {
    const since = latest(after);
    return since > 0 && (before === undefined || latest(before) < since);
  });
  return sensible[random.between(0, sensible.length - 1)]?.subject;
}

function reply(customer: Customer, ticketId: string, at: number): Draft {
  return byAgent(customer, 'ticket.replied', at, { ticketId, text: 'Thank you for writing. We are looking into it.' });
}

function resolve(customer: Customer, ticketId: string, at: number): Draft {
  return byAgent(customer, 'ticket.resolved', at, { ticketId, resolution: 'answered' });
}

function byAgent({ id }: Customer, eventName: string, at: number, payload: object): Draft {
  const actor = { type: 'agent', id: 'agent-7' };
  return { eventName, at, actor, channel: 'helpdesk', payload: { customerId: id, ...payload } };
}
