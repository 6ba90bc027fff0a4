import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePositions, positionOf, type StoredEvent } from '../../../services/context/story/event.ts';
import { writeSummary } from '../../../services/context/story/render/summary.ts';
import { emptyState, type StoryState } from '../../../services/context/story/state.ts';
import { composeStory, foldEvent, renderStory } from '../../../services/context/story/story.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { event, saasPastDue, shopRegular } from './histories.ts';

const names = [
  ...['created', 'paid', 'shipped', 'delivered', 'cancelled', 'returned', 'refunded', 'updated'].map(
    (action) => `order.${action}`,
  ),
  ...['succeeded', 'failed', 'refunded', 'pending', 'disputed', 'cancelled'].map((action) => `payment.${action}`),
  ...['created', 'renewed', 'upgraded', 'downgraded', 'past_due', 'cancelled', 'expired', 'updated'].map(
    (action) => `subscription.${action}`,
  ),
  ...['opened', 'replied', 'resolved', 'reopened'].map((action) => `ticket.${action}`),
  ...[
    'message.sent',
    'message.received',
    'page.viewed',
    'user.registered',
    'user.logged_in',
    'user.deleted',
    'customer.updated',
  ],
  ...[
    'trial.started',
    'trial.ended',
    'invoice.overdue',
    'wishlist.item_added',
    'constructor.prototype',
    '__proto__.created',
    'a.b.c',
  ],
];

const fieldNames = [
  ...[
    'orderId',
    'id',
    'total',
    'amount',
    'currency',
    'items',
    'order',
    'payment',
    'subscription',
    'ticket',
    'customer',
    'user',
    'data',
  ],
  ...[
    'object',
    'name',
    'firstName',
    'lastName',
    'email',
    'plan',
    'status',
    'trialEndsAt',
    'cancelAtPeriodEnd',
    'subject',
    'channel',
  ],
  ...[
    'direction',
    'url',
    'path',
    'refundAmount',
    'subscriptionId',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
  ],
];

const text = fc.string({ unit: 'binary', maxLength: 300 });
const leaf = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.constantFrom(
    null,
    true,
    '49.90',
    'EUR',
    'JPY',
    'A-1',
    '2026-05-05',
    '__proto__',
    'null',
    'undefined',
    'NaN',
    '[object Object]',
    '-5',
  ),
);
const { payload: anyPayload } = fc.letrec<{ payload: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 4 }), tie('payload')),
  // Entries made as JSON.parse makes them: `__proto__` is an own property.
  payload: fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fieldNames) }, { weight: 1, arbitrary: text }),
        tie('value'),
      ),
      { maxLength: 8 },
    )
    .map((entries) =>
      JSON.parse(
        `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value ?? null)}`).join(',')}}`,
      ),
    ),
}));

/** Few instants and few ids, so that ties, updates of one thing and evictions all happen. */
const plainPayload = fc.record(
  {
    id: fc.integer({ min: 1, max: 60 }),
    orderId: fc.integer({ min: 1, max: 60 }),
    amount: fc.constantFrom(1, '2.50', 10.01),
    currency: fc.constantFrom('EUR', 'JPY', 'USD'),
  },
  { requiredKeys: [] },
);

const eventWith = (
  payload: fc.Arbitrary<Record<string, unknown>>,
  eventName: fc.Arbitrary<string>,
): fc.Arbitrary<StoredEvent> =>
  fc.record({
    eventId: fc.uuid(),
    eventName,
    occurredAt: fc
      .integer({ min: 0, max: 60 })
      .map((hours) => new Date(Date.UTC(2026, 1, 27) + hours * 3_600_000).toISOString()),
    actor: fc.record({
      type: fc.constantFrom('customer', 'visitor', 'system', 'agent'),
      id: fc.constantFrom('c1', '__proto__'),
    }),
    source: fc.constant({ system: 'shop', channel: 'web' }),
    payload,
  });

const history = fc.uniqueArray(eventWith(plainPayload, fc.constantFrom(...names)), {
  selector: ({ eventId }) => eventId,
  maxLength: 80,
  size: 'max',
});
const wildHistory = fc.array(eventWith(anyPayload, fc.oneof(fc.constantFrom(...names), text)), {
  minLength: 1,
  maxLength: 12,
});

const bytesOf = (events: StoredEvent[]) => JSON.stringify(composeStory('cus_1', events));
const inOrder = (events: StoredEvent[]) =>
  events.toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)));
const stored = (state: StoryState): StoryState => JSON.parse(JSON.stringify(state));
const shuffled = (events: StoredEvent[]) => fc.shuffledSubarray(events, { minLength: events.length });

describe('a story is a function of the set of its events', () => {
  test('any order and any repetition gives the same bytes', () => {
    const disordered = history.chain((events) =>
      fc
        .tuple(fc.constant(events), shuffled(events), fc.subarray(events))
        .map(([all, mixed, again]) => ({ all, mixed, again })),
    );
    fc.assert(
      fc.property(disordered, ({ all, mixed, again }) => {
        expect(bytesOf([...mixed, ...again])).toBe(bytesOf(all));
        expect(bytesOf([...again, ...mixed])).toBe(bytesOf(all));
      }),
    );
  });

  test('any split into batches, each continuing from the stored state, gives the same bytes', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 }),
        (events, sizes) => {
          const sorted = inOrder(events);
          let state = emptyState();
          for (let start = 0, batch = 0; start < sorted.length; batch += 1) {
            const end = start + sizes[batch % sizes.length]!;
            state = sorted.slice(start, end).reduce(foldEvent, stored(state));
            start = end;
          }
          expect(JSON.stringify(renderStory('cus_1', state))).toBe(bytesOf(events));
        },
      ),
    );
  });

  test('every prefix of a history, folded in, is the story of that prefix', () => {
    fc.assert(
      fc.property(history, (events) => {
        const sorted = inOrder(events);
        let state = emptyState();
        sorted.forEach((next, index) => {
          state = foldEvent(state, next);
          expect(JSON.stringify(renderStory('cus_1', state))).toBe(bytesOf(sorted.slice(0, index + 1)));
        });
      }),
      { numRuns: propertyCases(10, 200) },
    );
  });

  test('folding changes neither the state nor the event it was given', () => {
    fc.assert(
      fc.property(wildHistory, (events) => {
        const before = inOrder(events).reduce(foldEvent, emptyState());
        const [snapshot, payloads] = [JSON.stringify(before), JSON.stringify(events)];
        for (const next of events) foldEvent(before, next);
        expect([JSON.stringify(before), JSON.stringify(events)]).toEqual([snapshot, payloads]);
      }),
    );
  });
});

/** What a template writes that had no value. No arbitrary text below happens to hold one among other words. */
const programmersWords = /undefined|NaN|\bnull\b|\[object|Infinity/;

describe('whatever is sent', () => {
  test('nothing throws, and title and summary keep their bounds', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.constantFrom('__proto__', 'null', '')), wildHistory, (customerId, events) => {
        const story = composeStory(customerId, events)!;
        const state = inOrder(events).reduce(foldEvent, emptyState());
        expect([...story.title].length).toBeLessThanOrEqual(200);
        expect(story.title).not.toBe('');
        const sentences = writeSummary(customerId, state);
        expect(sentences.length).toBeGreaterThanOrEqual(3);
        expect(sentences.length).toBeLessThanOrEqual(6);
        expect(new Set(sentences).size).toBe(sentences.length);
        for (const sentence of sentences) expect(sentence).toMatch(/^\S.*\S\.$/su);
        expect(`${story.title} ${story.summary}`).not.toMatch(programmersWords);
        expect(`${story.title} ${story.summary}`).not.toMatch(/\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u);
        expect(story.summary).not.toMatch(/ {2}| [,.;]|\(\)|“”/);
      }),
      { numRuns: propertyCases(150, 4_000) },
    );
  });

  test('no prototype changes', () => {
    fc.assert(
      fc.property(wildHistory, (events) => {
        composeStory('__proto__', events);
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(Object.getOwnPropertyNames({})).toEqual([]);
      }),
    );
  });

  test.each([[null], ['text'], [[]], [7]])('a payload that is %j is an empty one', (payload) => {
    expect(bytesOf([event('2026-03-01T00:00:00Z', 'order.created', payload as never)])).toContain(
      'That day they placed 1 order.',
    );
  });

  test('deep nesting and long texts leave a short story', () => {
    const deep = JSON.parse(`${'{"order":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const long = {
      name: 'x'.repeat(200_000),
      email: `${'a'.repeat(200_000)}@b.co`,
      orderId: '9'.repeat(200_000),
      total: '9'.repeat(200_000),
      items: Array(50_000).fill({ price: 1 }),
    };
    const wordy = event('2026-03-02T00:00:00Z', 'customer.updated', long);
    expect(
      bytesOf([
        event('2026-03-01T00:00:00Z', 'order.created', deep),
        wordy,
        { ...wordy, eventId: 'b', eventName: 'order.created' },
      ]).length,
    ).toBeLessThan(2000);
  });
});

/** One customer's events of every family, an hour apart. */
function manyEvents(count: number): StoredEvent[] {
  const actions = [
    'order.created',
    'payment.succeeded',
    'order.delivered',
    'page.viewed',
    'message.received',
    'ticket.opened',
    'ticket.resolved',
    'subscription.renewed',
    'payment.failed',
    'wishlist.item_added',
  ];
  return Array.from({ length: count }, (_, index) => {
    const number = Math.floor(index / actions.length);
    return event(new Date(Date.UTC(2024, 0, 1, index)).toISOString(), actions[index % actions.length]!, {
      ...{ orderId: `A-${number}`, paymentId: `p${number}`, ticketId: `T-${number}`, subscriptionId: 's1' },
      ...{ amount: '19.99', currency: 'EUR', path: `/p/${index % 300}`, subject: `Question ${number}` },
    });
  });
}

describe('a state', () => {
  test('survives storage: plain JSON after every event', () => {
    for (const events of [shopRegular, saasPastDue]) {
      const state = inOrder(events).reduce(foldEvent, emptyState());
      expect(stored(state)).toEqual(state);
    }
  });

  test('stays under 64 KiB whatever thousands of events hold', () => {
    const face = '\u{1f600}';
    const texts = (index: number) => ({
      ...{
        id: `${face.repeat(60)}`.slice(0, 60) + index,
        orderId: index + face.repeat(60),
        subscriptionId: index + face.repeat(60),
      },
      ...{
        invoiceId: index + face.repeat(60),
        ticketId: index + face.repeat(60),
        subject: face.repeat(200),
        plan: index + face.repeat(90),
        channel: index + face.repeat(90),
      },
      ...{
        path: `/${index}${face.repeat(200)}`,
        name: face.repeat(200),
        company: face.repeat(200),
        items: [{ name: face.repeat(200) }],
      },
      ...{
        amount: '999999999999999',
        currency: `X${String.fromCharCode(65 + (index % 26))}${String.fromCharCode(65 + (index % 17))}`,
      },
    });
    const actions = [
      'order.created',
      'payment.failed',
      'subscription.created',
      'ticket.created',
      'message.sent',
      'page.viewed',
      'user.updated',
      'order.refunded',
      'payment.refunded',
      'subscription.renewed',
    ];
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const events = Array.from({ length: 6000 }, (_, index) => [
      event(at(index), actions[index % actions.length]!, texts(index)),
      event(at(index), `kind${index}.${'x'.repeat(200)}`, {}),
    ]).flat();
    const state = inOrder(events).reduce(foldEvent, emptyState());
    expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(65_536);
  });

  test('is no larger, and its story no longer, after ten thousand events than after two thousand', () => {
    const [state, later] = [2000, 10_000].map((count) => manyEvents(count).reduce(foldEvent, emptyState()));
    const [bytes, laterBytes] = [state!, later!].map((one) => Buffer.byteLength(JSON.stringify(one)));
    expect(laterBytes).toBeLessThan(bytes! * 1.05);
    expect(later!.eventCount).toBe(10_000);
    expect(writeSummary('c', later!)).toHaveLength(6);
    expect(renderStory('c', later!)!.summary.length).toBeLessThan(renderStory('c', state!)!.summary.length * 1.2);
  });

  test('keeps counting open things it no longer knows by name', () => {
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const placed = Array.from({ length: 500 }, (_, index) =>
      event(at(index), 'order.created', { orderId: `A-${index}` }),
    );
    const delivered = placed
      .slice(0, 499)
      .map((_, index) => event(at(1000 + index), 'order.delivered', { orderId: `A-${index}` }));
    expect(composeStory('c', placed)?.title).toBe('c, returning customer since January 2026, 500 open orders');
    const story = composeStory('c', [...placed, ...delivered]);
    expect(story?.summary).toContain('They placed 500 orders on 1 January 2026');
    expect(story?.summary).toContain('of which 499 were delivered');
    expect(story?.title).toContain('1 open order');
  });

  test('a shop that only tells of completed orders is counted in full', () => {
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const completed = Array.from({ length: 300 }, (_, index) =>
      event(at(index), 'order.completed', { orderId: `A-${index}` }),
    );
    expect(composeStory('c', completed)?.summary).toContain(
      'They placed 300 orders on 1 January 2026, all of which were completed',
    );
  });
});
