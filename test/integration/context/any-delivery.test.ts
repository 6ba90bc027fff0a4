import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePositions, type StoredEvent } from '../../../services/context/story/event.ts';
import { customerIdOf } from '../../../services/context/story/identifiers.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { positionOf } from '../../../services/context/story/tiebreaker.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';

/** What happened, without whom: few instants and few orders, so that ties and updates of one order happen. */
const happening = fc.record({
  eventName: fc.constantFrom(
    'order.created',
    'order.shipped',
    'order.cancelled',
    'order.partially_refunded',
    'order.refunded',
    'payment.succeeded',
    'payment.refunded',
    'subscription.created',
    'subscription.cancelled',
    'payment.failed',
    'ticket.opened',
    'page.viewed',
    'wishlist.item_added',
  ),
  hour: fc.integer({ min: 0, max: 4 }),
  microsecond: fc.constantFrom('', '000', '250', '250001'),
  orderId: fc.integer({ min: 1, max: 4 }),
  isVisitor: fc.boolean(),
});

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

type Delivery = { places: number[]; batchSize: number; readsAfter: boolean };

/** Each event at least once, some again, in any order, a few at a time; a story may be read in between. */
const history = fc.array(happening, { minLength: 1, maxLength: 16 }).chain((happenings) => {
  const places = happenings.map((_, place) => place);
  const deliveries = fc
    .tuple(fc.shuffledSubarray(places, { minLength: places.length }), fc.subarray(places))
    .map(([all, again]) => [...all, ...again])
    .chain(splitAnywhere);
  return fc.record({ happenings: fc.constant(happenings), deliveries });
});

function splitAnywhere(places: number[]): fc.Arbitrary<Delivery[]> {
  const cut = fc.record({ batchSize: fc.integer({ min: 1, max: 6 }), readsAfter: fc.boolean() });
  return fc.array(cut, { minLength: places.length, maxLength: places.length }).map((cuts) => {
    const deliveries: Delivery[] = [];
    for (let from = 0; from < places.length; ) {
      const next = cuts[deliveries.length]!;
      deliveries.push({ ...next, places: places.slice(from, from + next.batchSize) });
      from += next.batchSize;
    }
    return deliveries;
  });
}

test('any order, any repetition and any split into batches tells the same story, to the byte', async () => {
  const { url, firstRun } = await sharedPlatform();
  const client = clientOf({ url, ...firstRun });
  await fc.assert(
    fc.asyncProperty(history, async ({ happenings, deliveries }) => {
      const person = randomUUID();
      const email = `${person}@example.com`;
      const events = happenings.map((one) => eventOf(client.orgId, person, email, one));
      for (const { places, readsAfter } of deliveries) {
        await deliver(
          client,
          places.map((place) => events[place]!),
        );
        if (readsAfter) await client.call('context.story.resolve', { query: { q: email } });
      }
      const { text } = await client.attempt('context.story.resolve', { query: { q: email } });
      expect(text).toBe(JSON.stringify(storyOf(events)));
    }),
    { numRuns: propertyCases(5, 200), endOnFailure: true },
  );
});

test('the events of a story are listed in its order, also those of one instant', async () => {
  const { url, firstRun } = await sharedPlatform();
  const client = clientOf({ url, ...firstRun });
  const customerId = randomUUID();
  const at = (fraction: string) => `2026-02-27T10:00:00.000${fraction}Z`;
  const names = [
    'order.created',
    'order.paid',
    'order.shipped',
    'order.delivered',
    'order.cancelled',
    'order.refunded',
  ];
  const events = [
    ...names.map((eventName) => ({ eventName, occurredAt: at('') })),
    ...names.map((eventName, place) => ({ eventName, occurredAt: at(`9${5 - place}0`) })),
  ].map((one) => ({
    ...{ schemaVersion: '1.0', tenantId: client.orgId, eventId: randomUUID(), ...one },
    ...{ actor: { type: 'customer', id: customerId }, source: { system: 'test', channel: 'web' } },
    payload: { orderId: one.occurredAt, total: 10, currency: 'EUR' },
  }));
  await client.call('context.events.create-batch', { body: { events: events.toReversed() } });
  const listed: string[] = [];
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const query = { limit: '5', ...(cursor && { cursor }) };
    const page = await client.call('context.story.events', { path: { customerId }, query });
    listed.push(...page.data.map(({ eventId }) => eventId));
    cursor = page.nextCursor ?? undefined;
    isLast = page.nextCursor === null;
  }
  const ranked = events.slice(0, names.length).map(({ eventId }) => eventId);
  const byMicrosecond = events.slice(names.length).map(({ eventId }) => eventId);
  expect(listed).toEqual([...ranked, ...byMicrosecond.toReversed()]);
  const story = await client.call('context.story.read', { path: { customerId }, query: {} });
  expect(story.summary).toContain('They placed 7 orders');
});

function eventOf(tenantId: string, person: string, email: string, one: Happening) {
  return {
    schemaVersion: '1.0',
    tenantId,
    eventId: randomUUID(),
    eventName: one.eventName,
    occurredAt: `2026-02-27T0${one.hour}:00:00.000${one.microsecond}Z`,
    // Two ids of one person, whom the email joins.
    actor: one.isVisitor ? { type: 'visitor', id: `v-${person}` } : { type: 'customer', id: `c-${person}` },
    source: { system: 'test', channel: 'web' },
    payload: {
      email,
      orderId: one.orderId,
      amount: 10 * one.orderId,
      refundAmount: 4,
      currency: 'EUR',
      subject: 'A question',
    },
  };
}

type Event = ReturnType<typeof eventOf>;

async function deliver(client: Client, events: Event[]): Promise<void> {
  const [only] = events;
  if (only && events.length === 1) {
    const { status } = await client.attempt('context.events.create', { body: only });
    expect([201, 409]).toContain(status);
    return;
  }
  const { results } = await client.call('context.events.create-batch', { body: { events } });
  expect(results.map(({ eventId }) => eventId)).toEqual(events.map(({ eventId }) => eventId));
  expect(results.map(({ status }) => status)).not.toContain('rejected');
}

/** The story of the pure composer, which is asked in the order of the history. */
function storyOf(events: StoredEvent[]) {
  const [first] = events.toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)));
  return composeStory(customerIdOf(first!)!, events)!;
}
