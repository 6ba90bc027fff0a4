import { randomUUID } from 'node:crypto';
import type { CallInput } from '../../lib/contract/context.ts';

export type Event = CallInput<'context.events.create'>['body'];

/** A valid event of an organization about a customer of its own; `changes` replace whole fields. */
export function eventOf(tenantId: string, changes: Partial<Event> = {}): Event {
  return {
    schemaVersion: '1.0',
    tenantId,
    eventId: randomUUID(),
    eventName: 'order.created',
    occurredAt: new Date().toISOString(),
    actor: { type: 'customer', id: `customer-${randomUUID()}` },
    source: { system: 'shop', channel: 'web' },
    payload: { orderId: 'o-1', total: 10, currency: 'EUR' },
    ...changes,
  };
}

/** An event about the customer of this id. */
export function eventAbout(tenantId: string, customerId: string, changes: Partial<Event> = {}): Event {
  return eventOf(tenantId, { actor: { type: 'customer', id: customerId }, ...changes });
}

/** An id that no other test uses. */
export function newCustomerId(): string {
  return `customer-${randomUUID()}`;
}

/** An email address that no other test uses. */
export function newEmail(): string {
  return `${randomUUID()}@example.com`;
}
