import { type BusinessEvent, openPlatform } from '../shop-backend/platform/client.ts';
import { forSending, sendAll } from '../shop-backend/platform/send.ts';
import { uuidOf } from '../shop-backend/shop/random.ts';
import type { History } from './history.ts';
import { type Organization, type Step, valuesOf } from './organization.ts';

/** Sends the events of the roastery. The platform counts an event once, so a repeated run adds none. */
export async function sendEvents({ connection, console }: Organization, { happenings }: History): Promise<Step> {
  const events = forSending(happenings, connection.tenantId);
  const { accepted, rejected } = await sendAll(openPlatform(connection), events);
  const [first] = rejected;
  if (first) throw new Error(`${rejected.length} events were rejected: ${first.message}`);
  return { what: 'events', total: events.length, added: accepted, where: `${console}/events` };
}

/** Sends events with mistakes that integrations make, unless the list of refused events still has them. */
export async function sendInvalidEvents(organization: Organization): Promise<Step> {
  const { client, connection, console } = organization;
  const known = await valuesOf(client.list('/events/refused', {}), ({ eventId }) => eventId ?? '');
  const events = invalidEvents(connection.tenantId);
  const missing = events.filter(({ eventId }) => !known.has(eventId));
  if (missing.length > 0) await client.post('/events/batch', { body: { events: missing } });
  return { what: 'refused events', total: events.length, added: missing.length, where: `${console}/events` };
}

function invalidEvents(tenantId: string): (Partial<BusinessEvent> & { eventId: string })[] {
  const event = {
    schemaVersion: '1.0',
    tenantId,
    eventName: 'order.placed',
    occurredAt: '2026-01-31T12:00:00.000Z',
    actor: { type: 'customer', id: 'C-1' },
    source: { system: 'till', channel: 'store' },
    payload: { orderId: 'T-1' },
  };
  const idOf = (name: string) => uuidOf(`roastery/${tenantId}/invalid/${name}`);
  const { payload: _payload, ...withoutPayload } = event;
  return [
    { ...event, eventId: idOf('name'), eventName: 'order' },
    { ...event, eventId: idOf('date'), occurredAt: 'yesterday' },
    { ...event, eventId: idOf('actor'), actor: { type: 'customer', id: '' } },
    { ...withoutPayload, eventId: idOf('payload') },
  ];
}
