import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePositions, type StoredEvent } from '../../../services/context/story/event.ts';
import { paragraphsOf, writeSummary } from '../../../services/context/story/render/summary.ts';
import { writerOf } from '../../../services/context/story/render/writer.ts';
import { emptyState, type StoryState } from '../../../services/context/story/state.ts';
import { composeStory, foldEvent, renderStory } from '../../../services/context/story/story.ts';
import { positionOf } from '../../../services/context/story/tiebreaker.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { history, text, wildHistory } from './arbitrary-histories.ts';
import { event, saasPastDue, shopRegular } from './histories.ts';

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
      { numRuns: propertyCases(30, 1_000) },
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
      { numRuns: propertyCases(30, 1_000) },
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
      { numRuns: propertyCases(5, 200) },
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

/** The lives of one thing each, in the order in which their events may happen. */
const lives: [names: string[], payload: Record<string, unknown>][] = [
  [
    [
      ...['order.created', 'order.updated', 'order.paid', 'order.shipped', 'order.delivered', 'order.completed'],
      ...['order.returned', 'order.cancelled', 'order.partially_refunded', 'order.refunded'],
    ],
    { orderId: 'A-1', total: 10, currency: 'EUR', refundAmount: 5, reason: 'Chipped' },
  ],
  [
    [
      'payment.pending',
      'payment.overdue',
      'payment.failed',
      'payment.succeeded',
      'payment.refunded',
      'payment.disputed',
    ],
    { paymentId: 'p-1', orderId: 'A-1', amount: 10, refundAmount: 4, currency: 'EUR' },
  ],
  [
    [
      ...['subscription.created', 'subscription.past_due', 'subscription.activated', 'subscription.renewed'],
      ...['subscription.paused', 'subscription.cancelled', 'subscription.resumed', 'subscription.expired'],
    ],
    { subscriptionId: 's-1', plan: 'Pro', amount: 9, currency: 'EUR', reason: 'Too expensive' },
  ],
  [['trial.started', 'trial.extended', 'trial.ended'], { subscriptionId: 's-1', trialEndsAt: '2026-03-20' }],
  [['ticket.opened', 'ticket.replied', 'ticket.resolved', 'ticket.reopened'], { ticketId: 'T-1', subject: 'Late' }],
  [['user.registered', 'user.profile_updated', 'user.logged_in', 'user.deleted'], { name: 'Ada', reason: 'Privacy' }],
];
const steps = lives.flatMap(([names, payload]) => names.map((name) => ({ name, payload })));
const told = (events: StoredEvent[]) => composeStory('cus_1', events)?.summary;
const toldInOrder = (events: StoredEvent[]) => renderStory('cus_1', events.reduce(foldEvent, emptyState()))?.summary;

describe('events of one instant', () => {
  test('tell one story, whatever their ids are', () => {
    const ids = fc.uniqueArray(fc.uuid(), { minLength: 2 * steps.length, maxLength: 2 * steps.length });
    fc.assert(
      fc.property(fc.subarray(steps, { minLength: 1 }), ids, (some, uuids) => {
        const withIds = (from: number) =>
          some.map(({ name, payload }, place) =>
            event('2026-03-01T10:00:00Z', name, payload, { eventId: uuids[from + place]! }),
          );
        expect(told(withIds(steps.length))).toBe(told(withIds(0)));
      }),
      { numRuns: propertyCases(50, 5_000) },
    );
  });

  test.each(lives)('are told as if one had followed the other: %s', (names, payload) => {
    const events = names.map((name, place) =>
      event('2026-03-01T10:00:00Z', name, payload, { eventId: `id-${99 - place}` }),
    );
    expect(told(events)).toBe(toldInOrder(events));
  });

  test('are in the order of their microseconds and nanoseconds before all else', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(steps, { minLength: 2 }), fc.constantFrom(3, 6), (some, digits) => {
        const events = some.map(({ name, payload }, place) => {
          const fraction = String(place * 7 + 1).padStart(digits, '0');
          return event(`2026-03-01T10:00:00.000${fraction}Z`, name, payload, { eventId: `id-${99 - place}` });
        });
        expect(told(events)).toBe(toldInOrder(events));
      }),
    );
  });

  test.each<[string, [string, Record<string, unknown>][], string]>([
    [
      'a subscription that was cancelled as soon as it was created',
      [
        ['subscription.created', { plan: 'Pro' }],
        ['subscription.cancelled', {}],
      ],
      'Their Pro subscription started on 1 March 2026 and was cancelled on 1 March 2026.',
    ],
    [
      'a payment that failed and succeeded',
      [
        ['payment.failed', { paymentId: 'p1', amount: 5 }],
        ['payment.succeeded', { paymentId: 'p1', amount: 5 }],
      ],
      'No open orders or tickets',
    ],
    [
      'a status and the next one, as Stripe reports them',
      [
        [
          'customer.subscription.created',
          { data: { object: { object: 'subscription', id: 's', status: 'incomplete' } } },
        ],
        ['customer.subscription.updated', { data: { object: { object: 'subscription', id: 's', status: 'active' } } }],
      ],
      'Their subscription started on 1 March 2026 and is active. No open orders or tickets',
    ],
    [
      'an update that ends a subscription later',
      [
        ['subscription.updated', { id: 's', status: 'active' }],
        ['subscription.updated', { id: 's', status: 'active', cancelAt: '2026-04-01' }],
      ],
      'was cancelled on 1 March 2026, to end on 1 April 2026.',
    ],
    [
      'a delivery, a cancellation and two refunds',
      [
        ['order.created', { orderId: 'A-1', total: 10, currency: 'EUR' }],
        ['order.delivered', { orderId: 'A-1' }],
        ['order.cancelled', { orderId: 'A-1' }],
        ['order.partially_refunded', { orderId: 'A-1', refundAmount: 5 }],
        ['order.refunded', { orderId: 'A-1', refundAmount: 5 }],
      ],
      'worth 10.00 EUR, which was delivered, cancelled and refunded. No open orders or tickets',
    ],
    [
      'a ticket that was opened, resolved and reopened',
      [
        ['ticket.opened', { id: 'T-1' }],
        ['ticket.resolved', { id: 'T-1' }],
        ['ticket.reopened', { id: 'T-1' }],
      ],
      'which is still open after 1 reopening.',
    ],
  ])('%s', (_name, happened, part) => {
    const withIds = (idOf: (place: number) => string) =>
      happened.map(([name, payload], place) => event('2026-03-01T10:00:00Z', name, payload, { eventId: idOf(place) }));
    expect(told(withIds((place) => `id-${place}`))).toContain(part);
    expect(told(withIds((place) => `id-${9 - place}`))).toContain(part);
  });
});

describe('no amount is dropped', () => {
  const euros = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const readable = fc
    .tuple(
      fc.integer({ min: 1, max: 99_999 }),
      fc.constantFrom<(text: string) => unknown>(Number, String, (text) => `${text.replace('.', ',')} €`),
    )
    .map(([cents, write]) => ({ cents, value: write(euros(cents)) }));
  const unreadable = fc
    .constantFrom(null, '', 'on request', '1.234', '$5', {}, [5])
    .map((value) => ({ cents: null, value }));
  const amounts = fc.array(fc.oneof(readable, unreadable), { minLength: 2, maxLength: 60 });

  test.each([
    ['order.created', 'orderId', 'order', 'worth', 'worth'],
    ['payment.succeeded', 'paymentId', 'payment', 'totalling', 'of'],
  ])('%s: the known ones are summed and the others are counted', (eventName, idField, noun, verb, verbOfOne) => {
    fc.assert(
      fc.property(amounts, (list) => {
        const events = list.map(({ value }, index) =>
          event(new Date(Date.UTC(2026, 2, 1, index)).toISOString(), eventName, {
            ...{ [idField]: `x${index}`, amount: value, currency: 'EUR' },
          }),
        );
        const known = list.filter(({ cents }) => cents !== null);
        const total = known.reduce((sum, { cents }) => sum + (cents ?? 0), 0);
        const sum = `${euros(total).replace(/\B(?=(\d{3})+\.)/g, ',')} EUR`;
        const rest = list.length - known.length;
        const lacking = `without ${rest === 1 ? 'a known amount' : 'known amounts'}`;
        const expected =
          known.length === 0
            ? `${list.length} ${noun}s ${lacking}`
            : rest === 0
              ? `${list.length} ${noun}s ${verb} ${sum}`
              : `${list.length} ${noun}s (${known.length} ${known.length === 1 ? verbOfOne : verb} ${sum} and ${rest} ${noun}${rest === 1 ? '' : 's'} ${lacking})`;
        expect(composeStory('c', events)?.summary).toContain(expected);
      }),
      { numRuns: propertyCases(50, 1_000) },
    );
  });

  test('however many events report a payment and its refund, each counts once', () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
    const object = (type: string, id: string, rest: object) => ({
      id: `evt_${id}`,
      data: { object: { object: type, id, currency: 'usd', ...rest } },
    });
    const links = { charge: 'ch_1', payment_intent: 'pi_1', invoice: 'in_1' };
    const reports: [string, Record<string, unknown>][] = [
      ['payment_intent.succeeded', object('payment_intent', 'pi_1', { amount_received: 4900, latest_charge: 'ch_1' })],
      ['charge.succeeded', object('charge', 'ch_1', { amount: 4900, payment_intent: 'pi_1', invoice: 'in_1' })],
      ['invoice.paid', object('invoice', 'in_1', { amount_paid: 4900, charge: 'ch_1', payment_intent: 'pi_1' })],
      ['invoice.payment_succeeded', object('invoice', 'in_1', { amount_paid: 4900, charge: 'ch_1' })],
    ];
    const refunds: [string, Record<string, unknown>][] = [
      ['charge.refunded', object('charge', 'ch_1', { amount: 4900, amount_refunded: 1000, payment_intent: 'pi_1' })],
      ['refund.created', object('refund', 're_1', { amount: 1000, ...links })],
      ['refund.updated', object('refund', 're_1', { amount: 1000, status: 'succeeded', ...links })],
    ];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(reports, { minLength: 1 }),
        fc.shuffledSubarray(refunds, { minLength: 1 }),
        (paid, refunded) => {
          const events = [...paid, ...refunded].map(([name, payload], index) => event(at(index), name, payload));
          expect(composeStory('c', events)?.summary).toContain(
            'They made 1 payment of 49.00 USD on 1 March 2026, and 10.00 USD was refunded, leaving 39.00 USD.',
          );
        },
      ),
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
        const sentences = writeSummary(customerId, state, writerOf('en'));
        expect(sentences.length).toBeGreaterThanOrEqual(3);
        expect(sentences.length).toBeLessThanOrEqual(6);
        expect(new Set(sentences).size).toBe(sentences.length);
        expect(paragraphsOf(story.summary, 'en')).toEqual(sentences);
        for (const sentence of sentences) expect(sentence).toMatch(/^\S.*\S\.$/su);
        expect(`${story.title} ${story.summary}`).not.toMatch(programmersWords);
        expect(`${story.title} ${story.summary}`).not.toMatch(/\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u);
        expect(story.summary).not.toMatch(/ {2}| [,.;]|\(\)|“”/);
      }),
      { numRuns: propertyCases(50, 4_000) },
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
      'That day they placed 1 order without a known amount.',
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
        reason: face.repeat(200),
        trialId: `t${index}${face.repeat(60)}`,
        previousPlan: `p${index}${face.repeat(90)}`,
        paymentId: `y${index}${face.repeat(60)}`,
      },
      ...{
        amount: '999999999999999',
        currency: `X${String.fromCharCode(65 + (index % 26))}${String.fromCharCode(65 + (index % 17))}`,
      },
    });
    const actions = [
      'order.created',
      'payment.failed',
      'payment.succeeded',
      'subscription.created',
      'subscription.upgraded',
      'subscription.cancelled',
      'order.cancelled',
      'ticket.created',
      'message.sent',
      'page.viewed',
      'user.updated',
      'order.refunded',
      'payment.refunded',
      'subscription.renewed',
    ];
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const events = Array.from({ length: propertyCases(2000, 6000) }, (_, index) => [
      event(at(index), actions[index % actions.length]!, texts(index)),
      event(at(index), `kind${index}.${face.repeat(200)}`, { name: face.repeat(200) }),
    ]).flat();
    const state = inOrder(events).reduce(foldEvent, emptyState());
    expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(65_536);
  });

  test('is no larger, and its story no longer, after ten thousand events than after two thousand', () => {
    const [state, later] = [2000, 10_000].map((count) => manyEvents(count).reduce(foldEvent, emptyState()));
    const [bytes, laterBytes] = [state!, later!].map((one) => Buffer.byteLength(JSON.stringify(one)));
    expect(laterBytes).toBeLessThan(bytes! * 1.05);
    expect(later!.eventCount).toBe(10_000);
    expect(writeSummary('c', later!, writerOf('en'))).toHaveLength(6);
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
    expect(story?.summary).toContain('They placed 500 orders without known amounts on 1 January 2026');
    expect(story?.summary).toContain('of which 499 were delivered');
    expect(story?.title).toContain('1 open order');
  });

  test('a shop that only tells of completed orders is counted in full', () => {
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const completed = Array.from({ length: 300 }, (_, index) =>
      event(at(index), 'order.completed', { orderId: `A-${index}` }),
    );
    expect(composeStory('c', completed)?.summary).toContain(
      'They placed 300 orders without known amounts on 1 January 2026, all of which were completed',
    );
  });
});
