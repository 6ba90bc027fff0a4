import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import { apiError } from '../../lib/contract/errors.ts';
import { second } from '../../lib/data/clock.ts';
import { countOpen, type DeliveryFields } from './documents.ts';

/** A cached count: exact when queried; until the next query this process adds its own deliveries to it. */
type CachedCount = { count: number; until: number; counting: Promise<void> | null };

const minRetryAfter = second;
/** A count is cached for this many times the duration of its query. */
const keptAgainstCounting = 20;

/**
 * Bounds the open deliveries of an organization. Deliveries that other processes accept between two counts may exceed
 * the bound.
 */
export type QueueLimit = {
  /** Counts one more delivery; throws RATE_LIMITED with Retry-After when the organization's queue is full. */
  add: (orgId: string) => Promise<void>;
};

export function createQueueLimit<D extends DeliveryFields>(model: Model<D>, maxOpen: number): QueueLimit {
  const counts = new LRUCache<string, CachedCount>({ max: 10_000 });

  async function count(orgId: string, entry: CachedCount): Promise<void> {
    const startedAt = performance.now();
    entry.count = await countOpen(model, orgId, maxOpen);
    const endedAt = performance.now();
    entry.until = endedAt + minRetryAfter + (endedAt - startedAt) * keptAgainstCounting;
  }

  return {
    async add(orgId) {
      const entry = counts.get(orgId) ?? { count: 0, until: 0, counting: null };
      counts.set(orgId, entry);
      if (entry.until <= performance.now()) {
        entry.counting ??= count(orgId, entry).finally(() => {
          entry.counting = null;
        });
        // The first count is awaited; later ones run in the background while the previous count is still used.
        if (entry.until === 0 || entry.count >= maxOpen) await entry.counting;
        else entry.counting.catch(() => undefined);
      }
      if (entry.count >= maxOpen) throw fullQueue(maxOpen);
      entry.count += 1;
    },
  };
}

function fullQueue(maxOpen: number): Error {
  const message = `The organization has ${maxOpen} messages waiting to be sent. Try again later.`;
  return apiError('RATE_LIMITED', { message, headers: { 'Retry-After': '30' } });
}
