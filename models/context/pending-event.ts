import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * The work item of an event: it exists until the story of the event's customer includes the event, or is composed
 * without it. Both are inserted concurrently, and the event is acknowledged when both are stored; a work item without
 * an event belongs to an insert that is in flight or has failed. An event may have several.
 */
export type PendingEventDocument = {
  _id: string;
  orgId: string;
  /** The `_id` of the event. */
  event: string;
  /** The identifiers of the event, by which a read finds the events that it must wait for. */
  identifiers: string[];
  receivedAt: Date;
  attempts: number;
  /** When a worker may claim it. A lease moves it to the lease's end. */
  nextAttemptAt: Date;
  /** The worker that holds the lease. */
  leaseOwner: string | null;
};

const schema = new Schema<PendingEventDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    event: { type: String, required: true },
    identifiers: { type: [String], required: true },
    receivedAt: { type: Date, required: true },
    attempts: { type: Number, required: true },
    nextAttemptAt: { type: Date, required: true },
    leaseOwner: { type: String, default: null },
  },
  { collection: 'context_pending_events', versionKey: false },
);
schema.plugin(tenantGuard);
// Finds the events that a read must wait for.
schema.index({ orgId: 1, identifiers: 1 });
// Finds due work, across all tenants.
schema.index({ nextAttemptAt: 1 });

export const PendingEventModel = model('ContextPendingEvent', schema);
