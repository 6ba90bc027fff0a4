import type { Model, Schema, SchemaDefinition } from 'mongoose';
import { maxBatchSize, nativeCollection } from '../../lib/data/collection.ts';
import type { Failure } from './deliverer.ts';

/**
 * Deletes the deliveries of all organizations with one of the statuses that were accepted up to `until`, oldest first.
 */
export async function removeEnded<D extends DeliveryFields>(
  model: Model<D>,
  statuses: D['status'][],
  until: Date,
  signal: AbortSignal,
): Promise<void> {
  const documents = model as unknown as Model<DeliveryFields>;
  const ended = { status: { $in: statuses }, createdAt: { $lte: until } };
  while (!signal.aborted) {
    const expired = await documents
      .find(ended, { _id: 1 })
      .setOptions({ acrossTenants: true })
      .sort({ createdAt: 1 })
      .limit(maxBatchSize)
      .lean();
    if (expired.length === 0) return;
    const batch = { ...ended, _id: { $in: expired.map(({ _id }) => _id) } };
    await documents.deleteMany(batch).setOptions({ acrossTenants: true });
  }
}

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
  /** The failed message whose content this one repeats, and the one that repeats this one. */
  resentFrom?: string;
  resentAs?: string;
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
  resentFrom: String,
  resentAs: String,
} satisfies SchemaDefinition;

/**
 * Adds the indexes of the queue: by organization for claims, by due time for retries, expired leases and the list of dead
 * letters.
 */
export function indexDeliveries<T>(schema: Schema<T>): void {
  schema.index({ orgId: 1, _id: 1 });
  schema.index({ status: 1, orgId: 1, _id: 1 });
  schema.index({ status: 1, nextAttemptAt: 1, _id: 1 });
}

/** The maximum of documents that one command counts, because it blocks the database while it runs. */
const slice = 1000;
/** The maximum that {@link countStatus} counts. */
export const maxCounted = 10_000;

/** Counts the open deliveries of an organization, up to `limit`, in slices so that other commands run in between. */
export async function countOpen<D extends DeliveryFields>(
  model: Model<D>,
  orgId: string,
  limit: number,
): Promise<number> {
  const collection = nativeCollection<DeliveryFields>(model);
  let count = 0;
  for (const status of openStatuses) {
    for (let after = ''; count < limit; count += slice) {
      const rest = { status, orgId, _id: { $gt: after } };
      const [last] = await collection
        .find(rest, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .skip(slice - 1)
        .limit(1)
        .toArray();
      if (!last) {
        count += await collection.countDocuments(rest, { limit: slice });
        break;
      }
      after = last._id;
    }
  }
  return Math.min(count, limit);
}

/** Counts the deliveries of all organizations with a status, up to {@link maxCounted}. */
export async function countStatus<D extends DeliveryFields>(model: Model<D>, status: string): Promise<number> {
  return await nativeCollection<DeliveryFields>(model).countDocuments({ status }, { limit: maxCounted });
}
