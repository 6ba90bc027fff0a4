import type { Schema, SchemaDefinition } from 'mongoose';
import type { Failure } from './failures.ts';

/**
 * `queued`: ready to be sent. `waiting`: retried at `nextAttemptAt`. `sending`: leased until `nextAttemptAt`. All other
 * statuses are final for the queue: `failed` is a dead letter, which an operator can redrive.
 */
export const openStatuses = ['queued', 'waiting', 'sending'] as const;

/** The fields of a document to deliver. A service adds the content, and further final statuses. */
export type DeliveryFields = {
  _id: string;
  orgId: string;
  status: string;
  /** The number of attempts, including the current one. */
  attempts: number;
  /**
   * While `queued`: when it became ready. While `waiting`: when the next attempt is due. While `sending`: when the
   * lease expires, after which it is queued again.
   */
  nextAttemptAt: Date;
  /** While `sending`: the id of the lease, which one process holds. */
  leaseOwner: string | null;
  /** When attempts began; the retry period is measured from it. */
  startedAt: Date;
  /** For operators and senders: short, without links and credentials. */
  lastError: string | null;
  lastFailure: Failure | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Returns the delivery fields of a newly accepted document. */
export function newDelivery(at: Date): Omit<DeliveryFields, '_id' | 'orgId'> {
  const times = { nextAttemptAt: at, startedAt: at, createdAt: at, updatedAt: at };
  return { status: 'queued', attempts: 0, leaseOwner: null, ...times, lastError: null, lastFailure: null };
}

/** The schema definition of {@link DeliveryFields}. */
export const deliveryFields = {
  _id: String,
  orgId: { type: String, required: true },
  status: { type: String, required: true },
  attempts: { type: Number, default: 0 },
  nextAttemptAt: { type: Date, required: true },
  leaseOwner: { type: String, default: null },
  startedAt: { type: Date, required: true },
  lastError: { type: String, default: null },
  lastFailure: { type: String, default: null },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
} satisfies SchemaDefinition;

/** Adds the indexes of the queue: by organization for claims, by due time for retries and expired leases. */
export function indexDeliveries<T>(schema: Schema<T>): void {
  schema.index({ orgId: 1, _id: 1 });
  schema.index({ status: 1, orgId: 1, _id: 1 });
  schema.index({ status: 1, nextAttemptAt: 1 });
}
