import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { type Event, eventAbout, eventOf, newCustomerId } from '../../support/events.ts';
import { newTenantClient } from '../../support/tenant-client.ts';

let own: Client;
beforeAll(async () => {
  own = await newTenantClient();
});

/** An event of 150 kB on the wire, whose numbers JavaScript's JSON writes in full: 630 kB. */
const swelling = (): string => {
  const { payload: _payload, ...rest } = eventOf(own.orgId);
  return `${JSON.stringify(rest).slice(0, -1)},"payload":{"n":[${Array(30_000).fill('1e20').join(',')}]}}`;
};

describe('an event that grows beyond its limit when it is kept', () => {
  test('is refused with 413', async () => {
    const { status, body } = await own.send('POST', '/events', swelling());
    expect({ status, error: body.error }).toEqual({ status: 413, error: 'BODY_TOO_LARGE' });
  });

  test('is rejected within a batch, and the others are accepted', async () => {
    const other = JSON.stringify(eventOf(own.orgId));
    const { status, body } = await own.send<{ results: { status: string; message?: string }[] }>(
      'POST',
      '/events/batch',
      `{"events":[${swelling()},${other}]}`,
    );
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 'rejected', message: expect.stringContaining('at most 262144 bytes') },
      { status: 'accepted' },
    ]);
  });
});

test('a page of large events ends before one message between nodes is full, and the next goes on', async () => {
  const customerId = newCustomerId();
  const sent: Event[] = Array.from({ length: 5 }, (_none, minute) =>
    eventAbout(own.orgId, customerId, {
      occurredAt: `2026-01-01T00:0${minute}:00.000Z`,
      payload: { text: 'x'.repeat(200_000) },
    }),
  );
  for (const body of sent) await own.call('context.events.create', { body });
  const sizes: number[] = [];
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await own.call('context.story.events', { path: { customerId }, query: { limit: '100', cursor } });
    sizes.push(page.data.length);
    listed.push(...page.data.map(({ eventId }) => eventId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(sizes).toEqual([2, 2, 1]);
  expect(listed).toEqual(sent.map(({ eventId }) => eventId));
});
