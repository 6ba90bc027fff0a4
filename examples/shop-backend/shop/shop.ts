import { browse, writeAsVisitor } from './browsing.ts';
import { type Customer, registerCustomers } from './customers.ts';
import { byCustomer, type Draft, day, type Happening, type Life, minute } from './happening.ts';
import { order } from './orders.ts';
import { createRandom, uuidOf } from './random.ts';
import { subscribe } from './subscriptions.ts';
import { askSupport } from './support.ts';

export type Shop = {
  customers: Customer[];
  /** All events, oldest first. */
  history: Happening[];
};

/** Options that determine the shop. `until` is a day (`YYYY-MM-DD`): the history ends at its beginning, UTC. */
export type ShopOptions = { seed: number; customers: number; days: number; until: string };

/**
 * Generates the shop of this seed over these days. It does not depend on the clock or on real randomness: the same
 * options yield the same customers, and the same events with the same ids.
 */
export function openShop({ seed, customers: count, days, until }: ShopOptions): Shop {
  const shopName = `${seed}/${until}/${days}`;
  const customers = registerCustomers(shopName, count);
  const end = Date.parse(until);
  const history = customers.flatMap((customer) => {
    const life = { customer, random: createRandom(`${shopName}/life/${customer.id}`), until: end };
    return withIds(shopName, customer, live(life, end - days * day, days));
  });
  return { customers, history: history.sort((left, right) => left.at - right.at) };
}

/** Events of a customer from the registration on. Events after the end are dropped. */
function live(life: Life, opening: number, days: number): Draft[] {
  const { customer, random, until } = life;
  const { email, phone, firstName, lastName, country } = customer;
  const registeredAt = opening + random.between(0, Math.floor(days * 0.8)) * day + random.between(0, 1439) * minute;
  const registered = byCustomer(customer, 'user.registered', registeredAt, 'web', {
    email,
    phone,
    firstName,
    lastName,
    country,
  });
  const purchases = [...order(life, registeredAt + 10 * minute), ...subscribe(life, registeredAt)];
  const drafts = [
    registered,
    ...browse(life, registeredAt + minute),
    ...writeAsVisitor(life, registeredAt),
    ...purchases,
    ...askSupport(life, purchases),
  ];
  return drafts.filter(({ at }) => at < until);
}

function withIds(shopName: string, customer: Customer, drafts: Draft[]): Happening[] {
  return drafts.map((draft, index) => ({
    ...draft,
    customerId: customer.id,
    eventId: uuidOf(`${shopName}/${customer.id}/${index}`),
  }));
}
