import type { Model } from 'mongoose';
import { second } from '../../lib/clock.ts';
import { apiError } from '../../lib/errors.ts';
import { countOpen } from './count.ts';
import type { DeliveryFields } from './documents.ts';

/** A count is exact when it is made; until the next, what this process adds is counted with it. */
type Known = { count: number; until: number; counting: Promise<void> | null };

const minRetryAfter = second;
/** A count is kept so many times longer than counting took. */
const keptAgainstCounting = 20;
const maxKnown = 10_000;

/**
 * Bounds how many deliveries of an organization can be open. Other processes add some between two counts, so that the
 * bound is exceeded by what they accept meanwhile.
 */
export type QueueLimit = {
  /** Counts one more; throws RATE_LIMITED with Retry-After when the organization's queue is full. */
  add: (orgId: string) => Promise<void>;
};

export function createQueueLimit<D extends DeliveryFields>(model: Model<D>, maxOpen: number): QueueLimit {
  const known = new Map<string, Known>();

  async function count(orgId: string, entry: Known): Promise<void> {
    const startedAt = performance.now();
    entry.count = await countOpen(model, orgId, maxOpen);
    const endedAt = performance.now();
    entry.until = endedAt + minRetryAfter + (endedAt - startedAt) * keptAgainstCounting;
  }

  return {
    async add(orgId) {
      const entry = known.get(orgId) ?? { count: 0, until: 0, counting: null };
      known.delete(orgId);
      known.set(orgId, entry);
      const [oldest] = known.keys();
      if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
      if (entry.until <= performance.now()) {
        entry.counting ??= count(orgId, entry).finally(() => {
          entry.counting = null;
        });
        // A first count is awaited; later ones are made while the former still serves.
        if (entry.until === 0 || entry.count >= maxOpen) await entry.counting;
        else entry.counting.catch(() => undefined);
      }
      if (entry.count >= maxOpen) throw fullQueue(maxOpen);
      entry.count += 1;
    },
  };
}

function fullQueue(maxOpen: number): Error {
  const message = `The organization has ${maxOpen} messages that wait to be sent; send more when some were delivered.`;
  return apiError('RATE_LIMITED', { message, headers: { 'Retry-After': '30' } });
}
