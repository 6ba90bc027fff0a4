import { z } from 'zod';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { minute, now } from '../../../lib/data/clock.ts';

const furthestAhead = 5 * minute;
const earliest = Date.UTC(1970, 0, 1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
export const printable = /^[^\u0000-\u001f\u007f]*$/;
const text = (longest: number) =>
  z.string().min(1, 'Must not be empty.').max(longest).regex(printable, 'Must not contain control characters.');

export const eventIdInput = z.guid('Must be a UUID.');

export const eventNameInput = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){1,5}$/, 'Must be 2 to 6 dotted parts, such as order.created.');

const occurredAt = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00.000Z.' })
  .refine((instant) => Date.parse(instant) >= earliest, 'Must not be before 1970.')
  .refine(
    (instant) => Date.parse(instant) <= now().getTime() + furthestAhead,
    'Must be at most 5 minutes in the future.',
  );

const maxKeys = 5000;

/**
 * Whether the objects in a payload have more keys than the maximum. The number of keys determines the cost of an event.
 */
function hasTooManyKeys(payload: object): boolean {
  const open: unknown[] = [payload];
  for (let keys = 0; open.length > 0; ) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const values = Object.values(value);
    if (!Array.isArray(value)) keys += values.length;
    if (keys > maxKeys) return true;
    for (const one of values) if (typeof one === 'object') open.push(one);
  }
  return false;
}

/** A business event as clients send it. */
export const eventInput = z
  .strictObject({
    schemaVersion: z.string().regex(/^1\.\d{1,3}$/, 'Must be a version of this schema, such as 1.0.'),
    tenantId: z.string(),
    eventId: eventIdInput,
    eventName: eventNameInput,
    occurredAt,
    actor: z.strictObject({
      type: text(64).describe(
        'The kind of the actor. A `customer`, `contact`, `visitor` or `user` is the customer of the event.',
      ),
      id: text(256).describe('The id of the actor in your own system.'),
    }),
    source: z.strictObject({
      system: text(128),
      channel: text(128).describe('The channel of the source, such as `web`.'),
    }),
    payload: z
      .record(z.string(), z.unknown(), 'Must be a JSON object.')
      .refine((payload) => !hasTooManyKeys(payload), `Must have at most ${maxKeys} keys, including nested objects.`),
  })
  .meta({ id: 'EventInput' });

export type EventInput = z.output<typeof eventInput>;

export const exampleOrder = {
  schemaVersion: '1.0',
  tenantId: exampleId('org'),
  eventId: '0f9a3c52-6d1b-4e8f-a2c7-5b40d9e81f36',
  eventName: 'order.placed',
  occurredAt: exampleInstant,
  actor: { type: 'customer', id: 'C-1042' },
  source: { system: 'shop', channel: 'web' },
  payload: {
    orderId: 'A-1001',
    total: 129.9,
    currency: 'EUR',
    items: [{ name: 'Touring saddle', quantity: 1 }],
    customer: { name: 'Jean Bartik', email: 'jean@example.com' },
  },
} satisfies z.input<typeof eventInput>;

export const examplePayment = {
  ...exampleOrder,
  eventId: 'c41e7b08-93d5-4a6e-8b1f-27f60a5c9d84',
  eventName: 'payment.succeeded',
  occurredAt: '2026-03-02T09:31:12.000Z',
  payload: { paymentId: 'P-2001', orderId: 'A-1001', amount: 129.9, currency: 'EUR' },
} satisfies z.input<typeof eventInput>;

/** The largest event in bytes; NATS carries 1 MiB, so a batch is bounded below that. */
export const eventLimitBytes = 256 * 1024;
export const batchLimitBytes = 768 * 1024;
export const batchLimitEvents = 500;

/**
 * Whether an event is too large in its stored form: a short `1e20` in the request is 21 digits in JavaScript's JSON.
 */
export function isTooLarge({ payload }: EventInput): boolean {
  return Buffer.byteLength(JSON.stringify(payload)) > eventLimitBytes;
}
