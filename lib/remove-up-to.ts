import type { Model } from 'mongoose';
import { nativeCollection } from './native-collection.ts';

/**
 * The maximum number of documents that one statement changes or removes, because it blocks other statements while it
 * runs.
 */
export const maxBatchSize = 500;

/**
 * Removes the documents of all tenants that match a filter, in batches, until none remains or the signal aborts;
 * returns how many it removed.
 */
export async function removeAcrossTenants(
  model: { collection: unknown },
  filter: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<number> {
  const documents = nativeCollection<{ _id: never }>(model);
  let removed = 0;
  while (!signal?.aborted) {
    const batch = await documents
      .find(filter, { projection: { _id: 1 } })
      .limit(maxBatchSize)
      .toArray();
    if (batch.length === 0) break;
    // A document that was changed in between and no longer matches the filter is kept.
    const { deletedCount } = await documents.deleteMany({ ...filter, _id: { $in: batch.map(({ _id }) => _id) } });
    removed += deletedCount;
  }
  return removed;
}

type Tenant = { _id: string; orgId: string };

/** Removes up to about `most` of an organization's documents that match the filter, and returns how many it removed. */
export async function deleteInBatches(
  model: { collection: unknown },
  filter: { orgId: string; [field: string]: unknown },
  most: number,
): Promise<number> {
  const documents = model as unknown as Model<Tenant>;
  let removed = 0;
  while (removed < most) {
    const some = await documents.find(filter, { _id: 1 }).limit(maxBatchSize).lean<Tenant[]>();
    if (some.length === 0) break;
    const batch = { orgId: filter.orgId, _id: { $in: some.map(({ _id }) => _id) } };
    removed += (await documents.deleteMany(batch)).deletedCount;
  }
  return removed;
}
