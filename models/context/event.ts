import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * A business event as it was accepted. The pending work for its story is in separate work items
 * (`PendingEventDocument`).
 *
 * Lifecycle: without a `customer` until a worker has resolved the customer, unless it came in a batch about a known
 * one; then kept for the plan's retention; `expired` until the story is composed without it; finally a tombstone of ids
 * that only detects repetitions.
 */
export type EventDocument = {
  /** `<orgId>:<eventId>`. The insert checks that the event was not sent before. */
  _id: string;
  orgId: string;
  eventId: string;
  schemaVersion?: string;
  eventName?: string;
  occurredAt?: Date;
  /** Orders the events of one millisecond (`story/tiebreaker.ts`). Absent in events of earlier versions. */
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
  /** When the tombstone may be removed. */
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
// A customer's events in the order of the story. An event enters the index only with its customer: moving an entry
// costs as much as inserting a second one.
schema.index(
  { orgId: 1, customer: 1, occurredAt: 1, tiebreaker: 1, eventId: 1 },
  { name: storyOrder, partialFilterExpression: { customer: { $exists: true } } },
);
// Retention: an organization's events by age and, separately, its tombstones by expiry.
schema.index({ orgId: 1, stubUntil: 1, receivedAt: 1 });

export const EventModel = model('ContextEvent', schema);

export const eventKey = (orgId: string, eventId: string): string => `${orgId}:${eventId}`;
