import { Counter } from 'prom-client';
import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { apiError, inputError } from '../../lib/errors.ts';
import { quotaError } from '../../lib/quota-errors.ts';
import { acceptEvent } from './accept-events.ts';
import { eventInput, eventLimitBytes, exampleOrder, isTooLarge } from './event-input.ts';
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

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.events.create': typeof createEvent;
  }
}
