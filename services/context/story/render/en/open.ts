import { formatMoney } from '../../money.ts';
import { joinWithAnd, quote } from '../../text.ts';
import { named } from '../../wording.ts';
import type { Debt, Debts, OnlyOrder, OpenOrder, OpenOrders, OpenTicket, OpenTickets } from '../open.ts';
import { countOf, dayOf, numberOf, someOf, totalsOf } from './words.ts';

/** The sentence on open matters. */
export const open = {
  none: 'no open orders or tickets',
  asOf: (at: string, clauses: string[]) => `as of ${dayOf(at)}, ${joinWithAnd(clauses)}`,
  debt: ({ stage, total, at }: Debt) => {
    const payment = `a payment of ${total ? totalsOf(total) : 'unknown amount'}`;
    return stage === 'failed'
      ? `${payment} that failed on ${dayOf(at)} is still due`
      : `${payment} has been ${stage} since ${dayOf(at)}`;
  },
  debts: ({ stage, count, total, unknown }: Debts) => {
    const rest = unknown > 0 ? ` and ${countOf(unknown, 'payment')} of unknown amount` : '';
    const sum = total ? ` (${totalsOf(total)}${rest})` : '';
    const payments = countOf(count, stage === 'failed' ? 'failed payment' : 'payment');
    return `${payments}${sum} are ${stage === 'failed' ? 'still due' : stage}`;
  },
  pastDue: (plan: string) => `the ${plan && `${plan} `}subscription is past due`,
  paused: (plan: string) => `the ${plan && `${plan} `}subscription is paused`,
  trialing: (plan: string) => `the ${plan && `${plan} `}trial is still running`,
  ending: (plan: string) => `the ${plan && `${plan} `}subscription is about to end`,
  onlyOrder: ({ isShipped, isPaid }: OnlyOrder) =>
    isShipped ? 'their order is on its way' : `their order is ${isPaid ? 'paid and still open' : 'open'}`,
  order: ({ id, worth, isShipped, isPaid, at }: OpenOrder) => {
    const details = [worth && formatMoney(worth), isPaid && 'paid'].filter(Boolean).join(', ');
    const order = `${named('order', id)}${details && ` (${details})`}`;
    return isShipped ? `${order} is on its way` : `${order} has been open since ${dayOf(at)}`;
  },
  orders: ({ count, ids }: OpenOrders) => {
    const some = someOf(ids, count - ids.length);
    return `${numberOf(count)} ${count === 1 ? 'order is' : 'orders are'} open${some && ` (${some})`}`;
  },
  ticket: ({ id, subject, at }: OpenTicket) =>
    `${named('ticket', id)}${subject && ` (${quote(subject)})`} has been open since ${dayOf(at)}`,
  tickets: ({ count, names }: OpenTickets) => {
    const labels = names.map(({ subject, id }) => (subject ? quote(subject) : id));
    const some = someOf(labels, count - labels.length);
    return `${numberOf(count)} ${count === 1 ? 'ticket is' : 'tickets are'} open${some && ` (${some})`}`;
  },
};
