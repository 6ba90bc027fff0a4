import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/**
 * A business event as it was accepted. What is left to do for its story is in work items of their own
 * (`PendingEventDocument`).
 *
 * Lifecycle: without a `customer` until a worker has found them, unless it came in a batch about one who was known; then
 * kept as long as the plan says; `expired` until the story is composed without it; at last a stub of ids that only detects
 * repetitions.
 */
export type EventDocument = {
  /** `<orgId>:<eventId>`. The insert checks that the event was not sent before. */
  _id: string;
  orgId: string;
  eventId: string;
  schemaVersion?: string;
  eventName?: string;
  occurredAt?: Date;
  /** Orders the events of one millisecond (`story/tiebreaker.ts`). Events from before decision 0080 have none. */
  tiebreaker?: number;
  actor?: { type: string; id: string };
  source?: { system: string; channel: string };
  /** JSON text, because a payload may have keys that databases reserve, and no query uses them. */
  payload?: string;
  /** Canonical keys (`id:…`, `email:…`, `phone:…`) of its customer; an event without any is in no story. */
  identifiers: string[];
  /** The customer's internal id, once found. */
  customer?: string | null;
  receivedAt: Date;
  /** The key of the batch of quota units that it was charged to. */
  lot?: string;
  /** The key of the operation that sent it, if a retry may send it again. */
  operation?: string;
  expired?: boolean;
  /** When a stub may be removed. */
  stubUntil?: Date;
};

export const storyOrder = 'story_order_tiebreaker';

const schema = new Schema<EventDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    eventId: { type: String, required: true },
    schemaVersion: String,
    eventName: String,
    occurredAt: Date,
    tiebreaker: Number,
    actor: { _id: false, type: { type: { type: String }, id: String } },
    source: { _id: false, type: { system: String, channel: String } },
    payload: String,
    identifiers: { type: [String], default: [] },
    customer: String,
    receivedAt: { type: Date, required: true },
    lot: String,
    operation: String,
    expired: Boolean,
    stubUntil: Date,
  },
  { collection: 'context_events', versionKey: false },
);
schema.plugin(tenantGuard);
// A customer's events in the order of the story. An event gets into it with its customer and not before: an entry that
// moves costs as much as a second one.
schema.index(
  { orgId: 1, customer: 1, occurredAt: 1, tiebreaker: 1, eventId: 1 },
  { name: storyOrder, partialFilterExpression: { customer: { $exists: true } } },
);
// Retention: an organization's events by their age and, apart from them, its stubs by their end.
schema.index({ orgId: 1, stubUntil: 1, receivedAt: 1 });

export const EventModel = model('ContextEvent', schema);

export const eventKey = (orgId: string, eventId: string): string => `${orgId}:${eventId}`;
