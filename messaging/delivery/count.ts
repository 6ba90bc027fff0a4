import type { Model } from 'mongoose';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type DeliveryFields, openStatuses } from './documents.ts';

/** The documents that one command counts, because it holds the database meanwhile. */
const slice = 1000;
/** The most that {@link countStatus} counts. */
export const maxCounted = 10_000;

/** How many deliveries of an organization are open, at most `most`: in slices, between which others have their turns. */
export async function countOpen<D extends DeliveryFields>(
  model: Model<D>,
  orgId: string,
  most: number,
): Promise<number> {
  const collection = nativeCollection<DeliveryFields>(model);
  let count = 0;
  for (const status of openStatuses) {
    for (let after = ''; count < most; count += slice) {
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
  return Math.min(count, most);
}

/** How many deliveries of all organizations have a status, at most {@link maxCounted}. */
export async function countStatus<D extends DeliveryFields>(model: Model<D>, status: string): Promise<number> {
  return await nativeCollection<DeliveryFields>(model).countDocuments({ status }, { limit: maxCounted });
}
