import type { Logger } from 'moleculer';
import { z } from 'zod';
import { quotaError, upgradeUrlOf } from '../../../lib/clients/quota-refusal.ts';
import { yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';
import type { Caller } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { type ErrorDetail, errorCatalogue, sentenceOf } from '../../../lib/contract/errors.ts';
import { detailsOf, inputMessage } from '../../../lib/contract/input.ts';
import { acceptEvents, type Refused } from './accept-events.ts';
import { countOutcome } from './create-events.ts';
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
import { acceptedFields, type Reading, readEvent } from './read-event.ts';
import { conflict, isRefusal, keepRefusal, keepRefusedInput } from './refused-events.ts';
import type { Outcome } from './store-events.ts';

const result = z
  .strictObject({
    eventId: z.string().nullable().describe('The `eventId` of the event; null if it carried no usable one.'),
    status: z
      .enum(['accepted', 'duplicate', 'rejected'])
      .describe(
        '`accepted`: stored durably. `duplicate`: an event with this id was accepted before. `rejected`: not stored.',
      ),
    ...z.object(acceptedFields).partial().shape,
    error: z.string().optional().describe('The error code, unless it was accepted.'),
    message: z.string().optional().describe('The reason as a sentence, unless it was accepted.'),
    upgradeUrl: z.string().optional().describe('With an error of the plan: where to change the plan.'),
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
  description:
    'Accepts up to 500 events in one request of at most 768 KiB. Each event has its own result, in the order sent: ' +
    '`accepted`, `duplicate` or `rejected`. The status is `200` also when events were rejected, because an invalid ' +
    'event does not affect the others; read `results`.',
  permission: 'context.events.write',
  tenant: 'required',
  shapeFirst: true,
  // Each event's id is stored once, with the operation that sent it.
  idempotent: { resume: 'rerun' },
  limits: { bodyBytes: batchLimitBytes },
  input: {
    body: z
      .strictObject({
        events: z
          .array(z.unknown())
          .min(1)
          .max(batchLimitEvents)
          .describe('The events, each as in `POST /events`. One that is not valid is rejected alone.'),
      })
      .meta({ id: 'EventBatchInput' }),
  },
  output: z
    .strictObject({ results: z.array(result).describe('The results, in the order of the events.') })
    .meta({ id: 'EventBatchResult' }),
  example: {
    body: { events: [exampleOrder, examplePayment] },
    output: {
      results: [
        { eventId: exampleOrder.eventId, status: 'accepted', customerId: exampleOrder.actor.id, understood: true },
        { eventId: examplePayment.eventId, status: 'accepted', customerId: examplePayment.actor.id, understood: true },
      ],
    },
  },
  refused: keepRefusedInput(true),
  async handler({ body, caller, operation, ctx }) {
    const parsed = await parseAll(body.events, caller.orgId);
    const valid = parsed.filter((item) => 'event' in item);
    const readings = Promise.all(valid.map(({ event }) => readEvent(caller.orgId, event)));
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
    const handled = toHandled(parsed, outcomes, await readings);
    for (const one of handled) {
      countOutcome(typeof one.outcome === 'object' ? 'refused' : one.outcome);
      keepIfRefused(caller, one, ctx.broker.logger);
    }
    return { results: handled.map((one) => one.result) };
  },
});

type Invalid = { input: unknown; details: ErrorDetail[]; rejected: Result };
type Parsed = { event: EventInput } | Invalid;

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
  const { data, error } = eventInput.safeParse(input, { error: inputMessage });
  if (error) {
    const details = error.issues.flatMap((issue) => detailsOf('body', issue));
    return reject(input, details, inEvent(details[0]));
  }
  if (data.tenantId !== orgId) return rejectField(input, 'tenantId', 'Must equal the x-tenant-id header.');
  if (isTooLarge(data)) return rejectField(input, 'payload', `Must be at most ${eventLimitBytes} bytes.`);
  return { event: data };
}

/** A detail of an event as a sentence, with its path within the event. */
function inEvent({ path, message }: ErrorDetail = { path: 'body', message: 'Not a valid event.' }): string {
  return sentenceOf({ path: path === 'body' ? 'event' : path.replace(/^body\./, ''), message });
}

function rejectField(input: unknown, field: string, message: string): Invalid {
  const detail = { path: `body.${field}`, message };
  return reject(input, [detail], inEvent(detail));
}

function reject(input: unknown, details: ErrorDetail[], message: string): Invalid {
  const { eventId } = (typeof input === 'object' && input !== null ? input : {}) as { eventId?: unknown };
  const usable = typeof eventId === 'string' && eventId.length <= 64 ? eventId : null;
  return { input, details, rejected: { eventId: usable, status: 'rejected', error: 'INPUT_INVALID', message } };
}

type Handled = { input: unknown; outcome: Outcome | Refused | 'rejected'; details: ErrorDetail[]; result: Result };

/** The events of the batch in its order; `outcomes` and `readings` are of the valid ones. */
function toHandled(parsed: Parsed[], outcomes: (Outcome | Refused)[], readings: Reading[]): Handled[] {
  let next = 0;
  return parsed.map((item) => {
    if ('rejected' in item) {
      return { input: item.input, outcome: 'rejected', details: item.details, result: item.rejected };
    }
    const [outcome = 'accepted', reading] = [outcomes[next], readings[next]];
    next += 1;
    return { input: item.event, outcome, details: [], result: describe(item.event, outcome, reading) };
  });
}

function describe({ eventId, tenantId }: EventInput, outcome: Outcome | Refused, reading?: Reading): Result {
  if (typeof outcome === 'object') return describeRefusal(eventId, tenantId, outcome);
  if (outcome === 'accepted') return { eventId, status: 'accepted', ...reading };
  const { message } = errorCatalogue.EVENT_ALREADY_SENT;
  return { eventId, status: 'duplicate', error: 'EVENT_ALREADY_SENT', message };
}

function describeRefusal(eventId: string, orgId: string, { refused }: Refused): Result {
  const { type: error, message } = quotaError(refused, orgId) as Error & { type?: string };
  const isPlans = refused.reason !== 'unavailable';
  return { eventId, status: 'rejected', error, message, ...(isPlans && { upgradeUrl: upgradeUrlOf(orgId) }) };
}

function keepIfRefused(caller: Caller, { input, outcome, details, result: { error } }: Handled, logger: Logger): void {
  if (outcome === 'conflicting') keepRefusal(caller, input, { ...conflict, isBatch: true }, logger);
  else if (outcome !== 'repeated' && isRefusal(error))
    keepRefusal(caller, input, { code: error, details, isBatch: true }, logger);
}
