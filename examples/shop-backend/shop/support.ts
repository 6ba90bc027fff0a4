import { questions } from './catalogue.ts';
import type { Customer } from './customers.ts';
import { byCustomer, type Draft, day, hour, type Life } from './happening.ts';

const askingShare = 0.35;
const againShare = 0.3;
const resolvedShare = 0.8;

/** Questions to support: a message, its ticket, replies from both sides, usually an end. */
export function askSupport({ customer, random, until }: Life, from: number): Draft[] {
  const drafts: Draft[] = [];
  let asks = random.happens(askingShare);
  let at = from + random.between(4, 60) * day;
  for (let number = 1; asks && at < until; number += 1) {
    const ticketId = `T-${customer.id.slice(2)}-${number}`;
    const subject = random.pick(questions);
    const channel = random.pick(['email', 'web', 'chatapp']);
    const answeredAt = at + random.between(1, 30) * hour;
    drafts.push(
      byCustomer(customer, 'message.received', at, channel, { channel, direction: 'inbound', text: subject }),
      byCustomer(customer, 'ticket.opened', at + 1000, channel, { ticketId, subject, priority: 'normal' }),
      reply(customer, ticketId, answeredAt),
    );
    if (random.happens(resolvedShare))
      drafts.push(resolve(customer, ticketId, answeredAt + random.between(1, 48) * hour));
    asks = random.happens(againShare);
    at += random.between(7, 40) * day;
  }
  return drafts;
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
