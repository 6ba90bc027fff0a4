import type { Customer } from './customers.ts';
import type { Random } from './random.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** One thing that happened in the shop. `at` is in milliseconds since 1970, UTC. */
export type Happening = {
  eventId: string;
  eventName: string;
  at: number;
  /** Whose history it belongs to; the platform finds out by itself, from the actor or the payload. */
  customerId: string;
  actor: { type: string; id: string };
  channel: string;
  payload: Record<string, unknown>;
};

export type Draft = Omit<Happening, 'eventId' | 'customerId'>;

/** What every part of a customer's life is made from. */
export type Life = {
  customer: Customer;
  random: Random;
  /** When the shop's history ends. */
  until: number;
};

/** Something the customer did. */
export function byCustomer({ id }: Customer, eventName: string, at: number, channel: string, payload: object): Draft {
  return { eventName, at, actor: { type: 'customer', id }, channel, payload: { ...payload } };
}

/** Something the shop did for the customer: then the payload names the customer. */
export function byShop({ id }: Customer, eventName: string, at: number, by: string, payload: object): Draft {
  return { eventName, at, actor: { type: 'system', id: by }, channel: by, payload: { customerId: id, ...payload } };
}
