import { limitsOf, requireRoom } from '../../../lib/clients/plan-limits.ts';
import { createTtlCache } from '../../../lib/concurrency/ttl-cache.ts';
import type { BrokerContext } from '../../../lib/contract/context.ts';
import { errorCode } from '../../../lib/contract/errors.ts';
import { BucketModel } from '../../../models/storage/bucket.ts';

/** Caches per organization, for half a second, why another object is rejected. */
const refusals = createTtlCache<Error | null>();

/**
 * Returns why an organization cannot have another object: its plan has no room (`objects`), or its limits are unknown;
 * null if it can. The limit bounds data outside the byte quota: keys and metadata. Uploads within half a second may
 * exceed it.
 */
export function refusalOfObject({ broker }: BrokerContext, orgId: string): Promise<Error | null> {
  return refusals.find(orgId, async () => {
    const [limits, present] = await Promise.all([limitsOf(broker, orgId), countObjectsOf(orgId)]);
    try {
      requireRoom(limits, { orgId, name: 'objects', present });
      return null;
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return error as Error;
    }
  });
}

/** The number of objects of an organization, by the counts of its buckets. */
export async function countObjectsOf(orgId: string): Promise<number> {
  const buckets = await BucketModel.find({ orgId, deletedAt: null }, { objectCount: 1 }).lean();
  return buckets.reduce((sum, { objectCount }) => sum + objectCount, 0);
}
