import { Counter } from 'prom-client';
import { z } from 'zod';
import { quotaError } from '../../../lib/clients/quota-refusal.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { acceptEvent } from './accept-events.ts';
import { eventInput, eventLimitBytes, exampleOrder, isTooLarge } from './event-input.ts';
import { acceptedFields, readEvent } from './read-event.ts';
import { conflict, keepRefusal, keepRefusedInput } from './refused-events.ts';
import type { Outcome } from './store-events.ts';

const events = new Counter({
  name: 'context_events_total',
  help: 'Business events received, by outcome; conflicting: another event has the same id; refused: by the plan.',
  labelNames: ['outcome'],
});

/** POST /events: accepts one business event. 201 means it is stored durably; a repeated eventId is 409. */
export const createEvent = defineAction({
  rest: 'POST /events',
  summary: 'Send a business event',
  description:
    'Accepts one business event; `201` means that it is stored durably. The story of its customer includes it in ' +
    'the next read. `eventId` makes the event unique in the organization: a repetition is refused with ' +
    '`EVENT_ALREADY_SENT`, so a client that got no answer can safely send it again. An event has at most 256 KiB ' +
    'and counts towards the events of the day.',
  permission: 'context.events.write',
  tenant: 'required',
  shapeFirst: true,
  // An event's id is stored once, with the operation that sent it.
  idempotent: { resume: 'rerun' },
  limits: { bodyBytes: eventLimitBytes },
  input: { body: eventInput },
  output: z
    .strictObject({
      eventId: z.string(),
      status: z.literal('accepted').describe('The event is stored durably.'),
      ...acceptedFields,
    })
    .meta({ id: 'AcceptedEvent' }),
  status: 201,
  errors: ['EVENT_ALREADY_SENT', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  example: {
    body: exampleOrder,
    output: {
      eventId: exampleOrder.eventId,
      status: 'accepted',
      customerId: exampleOrder.actor.id,
      understood: true,
    },
  },
  refused: keepRefusedInput(false),
  async handler({ body, caller, operation, ctx }) {
    if (body.tenantId !== caller.orgId) {
      throw inputError([{ path: 'body.tenantId', message: 'Must equal the x-tenant-id header.' }]);
    }
    if (isTooLarge(body))
      throw apiError('BODY_TOO_LARGE', { message: `The payload is larger than ${eventLimitBytes} bytes.` });
    const reading = readEvent(caller.orgId, body);
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
      keepRefusal(caller, body, conflict, ctx.broker.logger);
    }
    if (outcome !== 'accepted') throw apiError('EVENT_ALREADY_SENT');
    return { eventId: body.eventId, status: 'accepted' as const, ...(await reading) };
  },
});

export function countOutcome(outcome: Outcome | 'rejected' | 'refused'): void {
  events.inc({ outcome });
}
