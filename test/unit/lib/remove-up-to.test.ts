import { describe, expect, test } from '@jest/globals';
import { maxBatchSize, removeAcrossTenants } from '../../../lib/data/collection.ts';

/** A collection with `count` documents, whose removals are recorded. */
function collectionOf(count: number) {
  let ids = Array.from({ length: count }, (_, index) => index);
  const removals: number[] = [];
  return {
    removals,
    collection: {
      find: () => ({
        limit: (limit: number) => ({ toArray: async () => ids.slice(0, limit).map((_id) => ({ _id })) }),
      }),
      deleteMany({ _id: { $in } }: { _id: { $in: number[] } }) {
        const removed = new Set($in);
        removals.push(removed.size);
        ids = ids.filter((id) => !removed.has(id));
        return Promise.resolve({ deletedCount: removed.size });
      },
    },
  };
}

describe('a removal across tenants', () => {
  test('removes a batch by a statement', async () => {
    const documents = collectionOf(2 * maxBatchSize + 7);
    expect(await removeAcrossTenants(documents, {})).toBe(2 * maxBatchSize + 7);
    expect(documents.removals).toEqual([maxBatchSize, maxBatchSize, 7]);
  });

  test('ends when its signal aborts', async () => {
    const documents = collectionOf(10);
    expect(await removeAcrossTenants(documents, {}, AbortSignal.abort())).toBe(0);
    expect(documents.removals).toEqual([]);
  });
});
