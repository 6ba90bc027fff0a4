import { Counter } from 'prom-client';
import { z } from 'zod';
import { quotaError, upgradeUrlOf } from '../../../lib/clients/plan-limits.ts';
import { yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, errorCatalogue, inputError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { inputMessage } from '../../../lib/contract/input.ts';
import { minute, now } from '../../../lib/data/clock.ts';
import { acceptEvent, acceptEvents, type Refused } from './accept-events.ts';
import type { Outcome } from './store-events.ts';

const furthestAhead = 5 * minute;
const earliest = Date.UTC(1970, 0, 1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
export const printable = /^[^\u0000-\u001f\u007f]*$/;
const text = (longest: number) =>
  z.string().min(1, 'Must not be empty.').max(longest).regex(printable, 'Must not contain control characters.');

const eventName = z
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
export const eventInput = z.strictObject({
  schemaVersion: z.string().regex(/^1\.\d{1,3}$/, 'Must be a version of this schema, such as 1.0.'),
  tenantId: z.string(),
  eventId: z.guid('Must be a UUID.'),
  eventName,
  occurredAt,
  actor: z.strictObject({ type: text(64), id: text(256) }),
  source: z.strictObject({ system: text(128), channel: text(128) }),
  payload: z
    .record(z.string(), z.unknown(), 'Must be a JSON object.')
    .refine((payload) => !hasTooManyKeys(payload), `Must have at most ${maxKeys} keys, including nested objects.`),
});

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

const events = new Counter({
  name: 'context_events_total',
  help: 'Business events received, by outcome; conflicting: another event has the same id; refused: by the plan.',
  labelNames: ['outcome'],
});

/** POST /events: accepts one business event. 201 means it is stored durably; a repeated eventId is 409. */
export const createEvent = defineAction({
  rest: 'POST /events',
  summary: 'Send a business event',
  permission: 'context.events.write',
  tenant: 'required',
  shapeFirst: true,
  // An event's id is stored once, with the operation that sent it.
  idempotent: { resume: 'rerun' },
  limits: { bodyBytes: eventLimitBytes },
  input: { body: eventInput },
  output: z.strictObject({ eventId: z.string(), status: z.literal('accepted') }),
  status: 201,
  errors: ['EVENT_ALREADY_SENT', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  example: {
    body: exampleOrder,
    output: { eventId: exampleOrder.eventId, status: 'accepted' },
  },
  async handler({ body, caller, operation, ctx }) {
    if (body.tenantId !== caller.orgId) {
      throw inputError([{ path: 'body.tenantId', message: 'Must equal the x-tenant-id header.' }]);
    }
    if (isTooLarge(body))
      throw apiError('BODY_TOO_LARGE', { message: `The payload is larger than ${eventLimitBytes} bytes.` });
    const outcome = await acceptEvent(ctx, caller.orgId, body, operation);
    if (typeof outcome === 'object') {
      countOutcome('refused');
      throw quotaError(outcome.refused, caller.orgId);
    }
    countOutcome(outcome);
    if (outcome === 'conflicting') {
      ctx.broker.logger.warn('Conflicting event: another event has this eventId', {
        orgId: caller.orgId,
        eventId: body.eventId,
      });
    }
    if (outcome !== 'accepted') throw apiError('EVENT_ALREADY_SENT');
    return { eventId: body.eventId, status: 'accepted' as const };
  },
});

export function countOutcome(outcome: Outcome | 'rejected' | 'refused'): void {
  events.inc({ outcome });
}

const result = z
  .strictObject({
    /** Null when the event carried no usable id. */
    eventId: z.string().nullable(),
    status: z.enum(['accepted', 'duplicate', 'rejected']),
    error: z.string().optional(),
    message: z.string().optional(),
    /** With an error of billing: where to change the plan. */
    upgradeUrl: z.string().optional(),
  })
  .meta({ id: 'EventResult' });
type Result = z.output<typeof result>;

/**
 * POST /events/batch: up to 500 events, each with its own outcome in the order sent; an invalid event does not affect
 * the others.
 */
export const createEvents = defineAction({
  rest: 'POST /events/batch',
  summary: 'Send up to 500 business events',
  permission: 'context.events.write',
  tenant: 'required',
  shapeFirst: true,
  // Each event's id is stored once, with the operation that sent it.
  idempotent: { resume: 'rerun' },
  limits: { bodyBytes: batchLimitBytes },
  input: { body: z.strictObject({ events: z.array(z.unknown()).min(1).max(batchLimitEvents) }) },
  output: z.strictObject({ results: z.array(result) }),
  example: {
    body: { events: [exampleOrder, examplePayment] },
    output: {
      results: [
        { eventId: exampleOrder.eventId, status: 'accepted' },
        { eventId: examplePayment.eventId, status: 'accepted' },
      ],
    },
  },
  async handler({ body, caller, operation, ctx }) {
    const parsed = await parseAll(body.events, caller.orgId);
    const valid = parsed.filter((item) => 'event' in item);
    const outcomes = await acceptEvents(
      ctx,
      caller.orgId,
      valid.map(({ event }) => event),
      operation,
    );
    const conflicts = outcomes.filter((outcome) => outcome === 'conflicting').length;
    if (conflicts > 0)
      ctx.broker.logger.warn('Conflicting events: other events have these eventIds', {
        orgId: caller.orgId,
        conflicts,
      });
    let next = 0;
    const results = parsed.map((item) => {
      const outcome = 'event' in item ? (outcomes[next++] ?? 'accepted') : 'rejected';
      countOutcome(typeof outcome === 'object' ? 'refused' : outcome);
      if (!('event' in item)) return item.rejected;
      return describe(item.event, outcome as Outcome | Refused);
    });
    return { results };
  },
});

type Parsed = { event: EventInput } | { rejected: Result };

/** Parses in time slices: other requests wait for less than it takes to parse a batch. */
async function parseAll(events: unknown[], orgId: string): Promise<Parsed[]> {
  const parsed: Parsed[] = [];
  let startedAt = performance.now();
  for (const event of events) {
    parsed.push(parse(event, orgId));
    startedAt = await yieldIfSliceOver(startedAt);
  }
  return parsed;
}

function parse(input: unknown, orgId: string): Parsed {
  const parsed = eventInput.safeParse(input, { error: inputMessage });
  if (!parsed.success) return reject(input, describeIssue(parsed.error.issues[0]));
  if (parsed.data.tenantId !== orgId) return reject(input, 'tenantId: Must equal the x-tenant-id header.');
  if (isTooLarge(parsed.data)) return reject(input, `payload: Must be at most ${eventLimitBytes} bytes.`);
  return { event: parsed.data };
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys')
    return `${[...issue.path, issue.keys[0]].join('.')}: There is no such field.`;
  return `${issue?.path.join('.') || 'event'}: ${issue?.message ?? 'Invalid.'}`;
}

function reject(input: unknown, message: string): Parsed {
  const { eventId } = (typeof input === 'object' && input !== null ? input : {}) as { eventId?: unknown };
  const usable = typeof eventId === 'string' && eventId.length <= 64 ? eventId : null;
  return { rejected: { eventId: usable, status: 'rejected', error: 'INPUT_INVALID', message } };
}

function describe({ eventId, tenantId }: EventInput, outcome: Outcome | Refused): Result {
  if (typeof outcome === 'object') return describeRefusal(eventId, tenantId, outcome);
  if (outcome === 'accepted') return { eventId, status: 'accepted' };
  const { message } = errorCatalogue.EVENT_ALREADY_SENT;
  return { eventId, status: 'duplicate', error: 'EVENT_ALREADY_SENT', message };
}

function describeRefusal(eventId: string, orgId: string, { refused }: Refused): Result {
  const { type: error, message } = quotaError(refused, orgId) as Error & { type?: string };
  const isPlans = refused !== 'unavailable';
  return { eventId, status: 'rejected', error, message, ...(isPlans && { upgradeUrl: upgradeUrlOf(orgId) }) };
}
