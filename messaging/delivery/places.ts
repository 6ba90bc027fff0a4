import { LRUCache } from 'lru-cache';
import { createFairQueue } from '../../lib/concurrency/fair-queue.ts';
import { expireAfter } from '../../lib/concurrency/ttl-cache.ts';
import { minute, second } from '../../lib/data/clock.ts';

/** The maximum of concurrent deliveries. An organization holds at most `share` times the free places. */
export type PlaceLimits = { places: number; share: number };

/** This share of the places is reserved for organizations that hold none and were not slow recently. */
const reservedShare = 1 / 4;
/**
 * An organization that held a place for longer than this counts as slow for up to a minute, until a faster delivery.
 */
const slowAfter = second;
const slowFor = minute;

/**
 * A fair semaphore over organizations: slow deliveries of one leave places free for the others, and part of the places
 * is not available to them.
 */
export type Places = {
  free: () => number;
  /** The number of further places that an organization may take now. */
  room: (orgId: string) => number;
  /** Takes a place; the organization must have room. Returns the function that releases it. */
  take: (orgId: string) => () => void;
  /** Resolves with the release function once the organization holds a place; organizations take turns. */
  acquire: (orgId: string) => Promise<() => void>;
};

type Waiting = { orgId: string; resolve: (release: () => void) => void };

export function createPlaces({ places, share }: PlaceLimits, clock: () => number = () => performance.now()): Places {
  const reserved = Math.floor(places * reservedShare);
  const heldPlaces = new Map<string, number>();
  const slow = new LRUCache<string, true>({ max: 10_000, ...expireAfter(slowFor, clock) });
  const waiting = createFairQueue<Waiting>();
  let free = places;

  function room(orgId: string): number {
    const own = heldPlaces.get(orgId) ?? 0;
    const open = free - reserved;
    // Solves `own + more = share * (open - more)`, rounded up.
    const more = Math.max(0, Math.min(open, Math.ceil((share * open - own) / (1 + share))));
    return more === 0 && own === 0 && free > 0 && !slow.has(orgId) ? 1 : more;
  }

  function take(orgId: string): () => void {
    const since = clock();
    free -= 1;
    heldPlaces.set(orgId, (heldPlaces.get(orgId) ?? 0) + 1);
    return () => {
      const rest = (heldPlaces.get(orgId) ?? 0) - 1;
      if (rest > 0) heldPlaces.set(orgId, rest);
      else heldPlaces.delete(orgId);
      free += 1;
      if (clock() - since > slowAfter) slow.set(orgId, true);
      else slow.delete(orgId);
      admit();
    };
  }

  function admit(): void {
    for (;;) {
      const next = free > 0 ? waiting.next([], ({ orgId }) => room(orgId) > 0) : undefined;
      if (!next) return;
      next.resolve(take(next.orgId));
    }
  }

  return {
    free: () => free,
    room,
    take,
    acquire(orgId) {
      const { promise, resolve } = Promise.withResolvers<() => void>();
      waiting.add([orgId], { orgId, resolve });
      admit();
      return promise;
    },
  };
}
