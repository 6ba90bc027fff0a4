import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePositions, positionOf, type StoredEvent } from '../../../services/context/story/event.ts';
import { customerIdOf } from '../../../services/context/story/identifiers.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';

/** What happened, without whom: few instants and few orders, so that ties and updates of one order happen. */
const happening = fc.record({
  eventName: fc.constantFrom(
    'order.created',
    'order.shipped',
    'order.refunded',
    'payment.succeeded',
    'payment.failed',
    'ticket.opened',
    'page.viewed',
    'wishlist.item_added',
  ),
  hour: fc.integer({ min: 0, max: 12 }),
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
    { numRuns: 15, endOnFailure: true },
  );
});

function eventOf(tenantId: string, person: string, email: string, one: Happening) {
  return {
    schemaVersion: '1.0',
    tenantId,
    eventId: randomUUID(),
    eventName: one.eventName,
    occurredAt: new Date(Date.UTC(2026, 1, 27, one.hour)).toISOString(),
    // Two ids of one person, whom the email joins.
    actor: one.isVisitor ? { type: 'visitor', id: `v-${person}` } : { type: 'customer', id: `c-${person}` },
    source: { system: 'test', channel: 'web' },
    payload: { email, orderId: one.orderId, amount: 10 * one.orderId, currency: 'EUR', subject: 'A question' },
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
