import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { errorCatalogue } from '../../lib/errors.ts';
import { inputMessage } from '../../lib/input-messages.ts';
import { quotaError, upgradeUrlOf } from '../../lib/quota-errors.ts';
import { yieldIfSliceOver } from '../../lib/thread-turns.ts';
import { acceptEvents, type Refused } from './accept-events.ts';
import { countOutcome } from './create-event.ts';
import {
  batchLimitBytes,
  batchLimitEvents,
  type EventInput,
  eventInput,
  eventLimitBytes,
  exampleOrder,
  examplePayment,
  isTooLarge,
} from './event-input.ts';
import type { Outcome } from './store-events.ts';

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

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.events.create-batch': typeof createEvents;
  }
}
