import type { Model } from 'mongoose';

/**
 * The maximum number of documents that one statement changes or removes, because it blocks other statements meanwhile.
 */
export const maxStatement = 500;

type Tenant = { _id: string; orgId: string };

/** Removes about `most` of an organization's documents that match the filter, and returns how many it removed. */
export async function removeUpTo(
  model: { collection: unknown },
  filter: { orgId: string; [field: string]: unknown },
  most: number,
): Promise<number> {
  const documents = model as unknown as Model<Tenant>;
  let removed = 0;
  while (removed < most) {
    const some = await documents.find(filter, { _id: 1 }).limit(maxStatement).lean<Tenant[]>();
    if (some.length === 0) break;
    const batch = { orgId: filter.orgId, _id: { $in: some.map(({ _id }) => _id) } };
    removed += (await documents.deleteMany(batch)).deletedCount;
  }
  return removed;
}
