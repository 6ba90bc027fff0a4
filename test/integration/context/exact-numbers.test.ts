import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { send } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { eventually } from '../../support/until.ts';

let client: Client;

beforeAll(async () => {
  client = await newTenantClient();
});

/** Sends an event with a payload as it is written here. */
async function sendEvent(eventName: string, payload: string, eventId = randomUUID()) {
  const { orgId: tenantId, apiKey, url } = client;
  const about = { schemaVersion: '1.0', tenantId, eventId, eventName, occurredAt: '2026-03-02T09:30:00.000Z' };
  const whole = { ...about, actor: { type: 'system', id: 'shop' }, source: { system: 'shop', channel: 'web' } };
  const body = `${JSON.stringify(whole).slice(0, -1)},"payload":${payload}}`;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-tenant-id': tenantId,
    'content-type': 'application/json',
  };
  return await send(url, { method: 'POST', path: '/events', headers, body });
}

const path = { customerId: '820982911946154508' };
const ticketOf = (id: string) => `{"customer":{"id":820982911946154508},"ticketId":${id},"subject":"Ticket ${id}"}`;

test('ids of 64 bits are exact in stories, in lists and in repetitions', async () => {
  for (const id of ['9223372036854775806', '9223372036854775807']) {
    expect((await sendEvent('ticket.opened', ticketOf(id))).status).toBe(201);
  }
  const story = await eventually(async () => {
    const found = await client.call('context.story.read', { path, query: {} });
    expect(found.summary).toContain('9223372036854775807');
    return found;
  });
  expect(story.customerId).toBe('820982911946154508');
  expect(story.summary).toContain('9223372036854775806');
  const { text } = await client.send('GET', `/v1/story/customers/${path.customerId}/events`);
  expect(text).toContain('"customer":{"id":820982911946154508},"ticketId":9223372036854775807,');
  expect(text).toContain('"ticketId":9223372036854775806,');
});

test('the same event with another id of 64 bits is a conflict of its content, not a repetition', async () => {
  const eventId = randomUUID();
  expect((await sendEvent('ticket.opened', ticketOf('9223372036854775801'), eventId)).status).toBe(201);
  const repeated = await sendEvent('ticket.opened', ticketOf('9223372036854775801'), eventId);
  const changed = await sendEvent('ticket.opened', ticketOf('9223372036854775802'), eventId);
  expect([repeated.status, changed.status]).toEqual([409, 409]);
});
