import type { Customer } from './customers.ts';
import type { Random } from './random.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** One event in the shop. `at` is in milliseconds since 1970, UTC. */
export type Happening = {
  eventId: string;
  eventName: string;
  at: number;
  /** The customer in whose history it appears; the platform derives it from the actor or the payload. */
  customerId: string;
  actor: { type: string; id: string };
  channel: string;
  payload: Record<string, unknown>;
};

export type Draft = Omit<Happening, 'eventId' | 'customerId'>;

/** Inputs for each part of a customer's life. */
export type Life = {
  customer: Customer;
  random: Random;
  /** End of the shop's history. */
  until: number;
};

/** An event whose actor is the customer. */
export function byCustomer({ id }: Customer, eventName: string, at: number, channel: string, payload: object): Draft {
  return { eventName, at, actor: { type: 'customer', id }, channel, payload: { ...payload } };
}

/** An event whose actor is the shop; the payload names the customer. */
export function byShop({ id }: Customer, eventName: string, at: number, by: string, payload: object): Draft {
  return { eventName, at, actor: { type: 'system', id: by }, channel: by, payload: { customerId: id, ...payload } };
}
