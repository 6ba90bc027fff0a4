import type { Model } from 'mongoose';

/** So many documents are changed or removed by one statement, which holds up the others' meanwhile. */
export const maxStatement = 500;

type Tenant = { _id: string; orgId: string };

/** Removes up to so many of an organization's documents that the filter finds, or a few more, and says how many. */
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
