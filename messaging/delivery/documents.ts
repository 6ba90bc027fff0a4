import type { Schema, SchemaDefinition } from 'mongoose';
import type { Failure } from './failures.ts';

/**
 * `queued`: ready to be sent. `waiting`: to be sent again at `nextAttemptAt`. `sending`: leased until `nextAttemptAt`. The
 * others are final for the queue: `failed` is a dead letter, which an operator can send again.
 */
export const openStatuses = ['queued', 'waiting', 'sending'] as const;

/** The fields of a document that is delivered. A service adds what is delivered, and further final statuses. */
export type DeliveryFields = {
  _id: string;
  orgId: string;
  status: string;
  /** The number of attempts, the present one included. */
  attempts: number;
  /**
   * While `queued`: since when it can be sent. While `waiting`: when the next attempt is due. While `sending`: the end of
   * the lease, after which it is queued again.
   */
  nextAttemptAt: Date;
  /** While `sending`: the lease, which one process holds. */
  leaseOwner: string | null;
  /** When attempts began; retries end so long after it. */
  startedAt: Date;
  /** For operators and senders: short, and without a link or a credential. */
  lastError: string | null;
  lastFailure: Failure | null;
  createdAt: Date;
  updatedAt: Date;
};

/** The delivery fields of a document that is accepted now. */
export function newDelivery(at: Date): Omit<DeliveryFields, '_id' | 'orgId'> {
  const times = { nextAttemptAt: at, startedAt: at, createdAt: at, updatedAt: at };
  return { status: 'queued', attempts: 0, leaseOwner: null, ...times, lastError: null, lastFailure: null };
}

/** The same fields for a schema. */
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

/** The indexes of the queue: by organization for claims, by due time for retries and the ends of leases. */
export function indexDeliveries<T>(schema: Schema<T>): void {
  schema.index({ orgId: 1, _id: 1 });
  schema.index({ status: 1, orgId: 1, _id: 1 });
  schema.index({ status: 1, nextAttemptAt: 1 });
}
