import { type Customer, registerCustomers } from '../shop-backend/shop/customers.ts';
import { byCustomer, byShop, type Draft, day, type Happening, hour, minute } from '../shop-backend/shop/happening.ts';
import { createRandom, type Random, uuidOf } from '../shop-backend/shop/random.ts';

const customerCount = 60;
const days = 14;

type Coffee = { name: string; price: number };

const coffees: readonly [Coffee, ...Coffee[]] = [
  { name: 'Yirgacheffe, 250 g', price: 13.5 },
  { name: 'Huila, 250 g', price: 11.9 },
  { name: 'House espresso, 1 kg', price: 34 },
  { name: 'Decaf Sidamo, 500 g', price: 21.5 },
];
const subjects = ['The bag arrived open', 'Grind for a moka pot?', 'Invoice for our café', 'Wrong address'] as const;

export type History = { customers: Customer[]; happenings: Happening[] };

/**
 * Generates the customers of the roastery and their events of the 14 days before `until`, which must be the same
 * instant in every run: an event with other content under the same id is refused.
 */
export function writeHistory(orgId: string, until: number): History {
  const customers = registerCustomers(`roastery/${orgId}`, customerCount);
  const happenings = customers.flatMap((customer) => {
    const random = createRandom(`roastery/${orgId}/${customer.id}`);
    return liveOf(customer, random, until - days * day)
      .filter(({ at }) => at < until)
      .map((draft, index) => ({
        ...draft,
        customerId: customer.id,
        eventId: uuidOf(`roastery/${orgId}/${customer.id}/${index}`),
      }));
  });
  return { customers, happenings: happenings.sort((left, right) => left.at - right.at) };
}

function liveOf(customer: Customer, random: Random, opening: number): Draft[] {
  const { email, phone, firstName, lastName, country } = customer;
  const at = opening + random.between(0, 9) * day + random.between(0, 1439) * minute;
  const profile = { email, phone, firstName, lastName, country };
  const drafts = [
    byCustomer(customer, 'user.registered', at, 'web', profile),
    ...orderOf(customer, random, at + 20 * minute, 1),
  ];
  if (random.happens(0.4)) drafts.push(...orderOf(customer, random, at + 3 * day, 2));
  if (random.happens(0.35)) drafts.push(...ticketOf(customer, random, at + 2 * day));
  // Names that stories do not interpret: accepted, and shown by name and date.
  if (random.happens(0.25)) {
    drafts.push(byCustomer(customer, 'tasting.booked', at + day, 'web', { name: 'Saturday tasting' }));
  }
  if (random.happens(0.1)) drafts.push(byShop(customer, 'order.creatd', at + day, 'till', { orderId: 'T-1' }));
  return drafts;
}

function orderOf(customer: Customer, random: Random, at: number, number: number): Draft[] {
  const { id, currency, email } = customer;
  const orderId = `R-${id.slice(2)}-${number}`;
  const coffee = random.pick(coffees);
  const totalAmount = coffee.price * random.between(1, 3);
  const items = [{ name: coffee.name }];
  const placed = byCustomer(customer, 'order.placed', at, 'web', {
    orderId,
    totalAmount,
    currency,
    items,
    customer: { email },
  });
  const payment = { paymentId: `P-${orderId}`, orderId, amount: totalAmount, currency };
  if (random.happens(0.12)) {
    const failed = { ...payment, reason: 'card_declined' };
    return [placed, byShop(customer, 'payment.failed', at + minute, 'payments', failed)];
  }
  const drafts = [
    placed,
    byShop(customer, 'payment.succeeded', at + minute, 'payments', payment),
    byShop(customer, 'order.shipped', at + random.between(18, 40) * hour, 'warehouse', { orderId, carrier: 'DHL' }),
    byShop(customer, 'order.delivered', at + random.between(50, 90) * hour, 'warehouse', { orderId }),
  ];
  if (random.happens(0.08)) {
    const refund = { orderId, refundAmount: totalAmount, currency, reason: 'stale' };
    drafts.push(byShop(customer, 'order.refunded', at + 5 * day, 'payments', refund));
  }
  return drafts;
}

function ticketOf(customer: Customer, random: Random, at: number): Draft[] {
  const ticketId = `T-${customer.id.slice(2)}`;
  const subject = random.pick(subjects);
  const opened = byCustomer(customer, 'ticket.opened', at, 'email', { ticketId, subject });
  const replied = byShop(customer, 'ticket.replied', at + 3 * hour, 'helpdesk', { ticketId });
  if (random.happens(0.3)) return [opened];
  return [opened, replied, byShop(customer, 'ticket.resolved', at + 26 * hour, 'helpdesk', { ticketId })];
}
