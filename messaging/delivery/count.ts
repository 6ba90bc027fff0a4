import type { Model } from 'mongoose';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type DeliveryFields, openStatuses } from './documents.ts';

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
