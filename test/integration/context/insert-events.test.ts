import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';

test('of events sent twice at the same moment, each is accepted once and refused once', async () => {
  const { url, firstRun } = await sharedPlatform();
  const client = clientOf({ url, ...firstRun });
  const customer = randomUUID();
  const ids = Array.from({ length: 100 }, () => randomUUID());
  const answers = await Promise.all(
    [...ids, ...ids].map(async (eventId) => {
      const body = {
        schemaVersion: '1.0',
        tenantId: client.orgId,
        eventId,
        eventName: 'order.created',
        occurredAt: '2026-03-01T12:00:00.000Z',
        actor: { type: 'customer', id: customer },
        source: { system: 'test', channel: 'web' },
        payload: { orderId: eventId, total: 1, currency: 'EUR' },
      };
      return { eventId, status: (await client.attempt('context.events.create', { body })).status };
    }),
  );
  for (const id of ids) {
    const statuses = answers.filter(({ eventId }) => eventId === id).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 409]);
  }
  const story = await client.call('context.story.read', { path: { customerId: customer }, query: {} });
  expect(story.summary).toContain('They placed 100 orders worth 100.00 EUR on 1 March 2026');
});
