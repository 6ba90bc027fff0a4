import fc from 'fast-check';
import type { StoredEvent } from '../../../services/context/story/event.ts';
import { entities, type Family, meanings, tellingEntities } from '../../../services/context/story/vocabulary/events.ts';
import { fieldNames } from '../../../services/context/story/vocabulary/fields.ts';
import { anyCodePoint } from '../../support/code-points.ts';

/** Every name that a reducer knows, and some that none does. */
const knownNames = Object.entries(entities).flatMap(([family, [entity]]) =>
  Object.values<readonly string[]>(meanings[family as Family]).flatMap((words) =>
    words.map((word) => {
      const telling = tellingEntities.find(
        (one) => entities[family as Family].includes(one) && word.startsWith(`${one}_`),
      );
      return telling ? `${telling}.${word.slice(telling.length + 1)}` : `${entity}.${word}`;
    }),
  ),
);
const names = [
  ...knownNames,
  ...['order', 'payment', 'invoice', 'subscription', 'trial', 'user'].map((entity) => `${entity}.updated`),
  ...['wishlist.item_added', 'survey.answered', 'constructor.prototype', '__proto__.created', 'a.b.c'],
];

const fields = [
  ...new Set(Object.values<readonly string[]>(fieldNames).flat()),
  ...['order', 'payment', 'subscription', 'ticket', 'customer', 'user', 'data', 'object', 'charge', 'payment_intent'],
  ...['amount_paid', 'cancellation_details', 'parent', 'score'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'],
];

export const text = fc.string({ unit: anyCodePoint, maxLength: 300 });
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
    ...['-5', '1.234,50', '$1,299.00', '1 234,50 €', '1.234', 'free', 'trialing', 'invoice', 'charge'],
  ),
);
const { payload: anyPayload } = fc.letrec<{ payload: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 4 }), tie('payload')),
  // Entries made as JSON.parse makes them: `__proto__` is an own property.
  payload: fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: text }),
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
const someId = fc.integer({ min: 1, max: 30 });
const plainPayload = fc.record(
  {
    ...{ id: someId, orderId: someId, paymentId: someId, invoiceId: someId, refundId: someId },
    ...{ subscriptionId: fc.integer({ min: 1, max: 12 }), trialId: fc.integer({ min: 1, max: 12 }) },
    amount: fc.constantFrom<unknown>(1, '2.50', 10.01, '1.234,50', '$5', 'on request', -3, 0),
    refundAmount: fc.constantFrom<unknown>(1, '2.50', 'some'),
    amountRefunded: fc.constantFrom<unknown>(1, 5.25),
    currency: fc.constantFrom('EUR', 'JPY', 'USD'),
    status: fc.constantFrom('active', 'trialing', 'paid', 'delivered', 'incomplete'),
    plan: fc.constantFrom('basic', 'pro', 'Free', 'price_1NabcDEFghij'),
    reason: fc.constantFrom('too_expensive', 'Moved abroad'),
    trialEndsAt: fc.constantFrom('2026-02-28', '2026-03-01', '2027-01-01'),
    cancelAtPeriodEnd: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** As a billing provider sends it: the object in an envelope, amounts in minor units, ids that name each other. */
const billingPayload = fc.record({
  id: fc.constantFrom('evt_1', 'evt_2'),
  data: fc.record({
    object: fc.record(
      {
        object: fc.constantFrom('invoice', 'charge', 'payment_intent', 'refund', 'subscription'),
        ...{ id: someId, charge: someId.map(String), payment_intent: someId.map(String), invoice: someId.map(String) },
        ...{ amount: fc.constantFrom(0, 100, 4900), amount_paid: fc.constantFrom(0, 4900), amount_refunded: someId },
        ...{ currency: fc.constantFrom('usd', 'jpy'), status: fc.constantFrom('active', 'trialing', 'canceled') },
        cancellation_details: fc.constant({ feedback: 'too_expensive', reason: 'cancellation_requested' }),
      },
      { requiredKeys: ['id', 'object'] },
    ),
  }),
});

const eventWith = (
  payload: fc.Arbitrary<Record<string, unknown>>,
  eventName: fc.Arbitrary<string>,
): fc.Arbitrary<StoredEvent> =>
  fc.record({
    eventId: fc.uuid(),
    eventName,
    occurredAt: fc
      .oneof(fc.integer({ min: 0, max: 60 }), fc.constantFrom(24 * 40, 24 * 500, 24 * 1000))
      .map((hours) => new Date(Date.UTC(2026, 1, 27) + hours * 3_600_000).toISOString())
      // Some differ in microseconds alone.
      .chain((at) => fc.constantFrom(at, at.replace('Z', '250Z'), at.replace('Z', '5Z'))),
    actor: fc.record({
      type: fc.constantFrom('customer', 'visitor', 'system', 'agent'),
      id: fc.constantFrom('c1', '__proto__'),
    }),
    source: fc.constant({ system: 'shop', channel: 'web' }),
    payload,
  });

/** Events of one customer as senders write them. */
export const history = fc.uniqueArray(eventWith(fc.oneof(plainPayload, billingPayload), fc.constantFrom(...names)), {
  selector: ({ eventId }) => eventId,
  maxLength: 80,
  size: 'max',
});
/** Events with any payload and any name. */
export const wildHistory = fc.array(eventWith(anyPayload, fc.oneof(fc.constantFrom(...names), text)), {
  minLength: 1,
  maxLength: 12,
});
