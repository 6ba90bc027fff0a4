import { createFairQueue } from '../../lib/concurrency/fair-queue.ts';
import type { DeliveryFields } from './documents.ts';
import { createPlaces, type PlaceLimits } from './places.ts';
import type { Claim, ClaimRequest } from './queue.ts';

/** Claims prefetched into memory, so that free places do not wait for the database. Organizations take turns. */
export type Buffer<D extends DeliveryFields> = {
  add: (claims: Claim<D>[]) => void;
  /** Removes and returns the next claim of an organization with a free place; null if none. */
  take: () => Claim<D> | null;
  /** Releases the place of a claim that was taken. */
  ended: (claim: Claim<D>) => void;
  /** The next claim request; null when nothing should be claimed. */
  wanted: () => ClaimRequest | null;
  /** Whether the buffer is at most half full. */
  isLow: () => boolean;
  size: () => number;
  /** Removes and returns all waiting claims. */
  clear: () => Claim<D>[];
};

/**
 * The node prefetches as many claims as it delivered recently in a window of this length: few if the far end is slow.
 */
const windowMilliseconds = 250;
const maxAhead = 256;
/** The maximum of waiting claims above which nothing is claimed. One claim request may exceed it. */
const maxSize = 1000;

export function createBuffer<D extends DeliveryFields>(
  limits: PlaceLimits,
  clock: () => number = () => performance.now(),
): Buffer<D> {
  const waiting = createFairQueue<Claim<D>>();
  const places = createPlaces(limits, clock);
  const taken = new Map<Claim<D>, () => void>();
  const rate = createRate(clock);

  const ahead = () => Math.min(rate.recent(), maxAhead);
  /** The places of an organization, and its part of what is prefetched. */
  function targetOf(orgId: string): number {
    const others = waiting.keys().filter((other) => other !== orgId).length;
    return places.room(orgId) + Math.ceil(ahead() / (1 + others));
  }

  function maxPerOrganizationOf(orgId: string): number {
    const [target, buffered] = [targetOf(orgId), waiting.size([orgId])];
    return buffered * 2 > target ? 0 : target - buffered;
  }

  return {
    add(claims) {
      for (const claim of claims) waiting.add([claim.orgId], claim);
    },
    take() {
      const isFree = places.free() > 0;
      const claim = isFree ? (waiting.next([], ({ orgId }) => places.room(orgId) > 0) ?? null) : null;
      if (claim) taken.set(claim, places.take(claim.orgId));
      return claim;
    },
    ended(claim) {
      rate.count();
      taken.get(claim)?.();
      taken.delete(claim);
    },
    wanted() {
      const limit = places.free() + ahead();
      return limit <= 0 || waiting.size() >= maxSize ? null : { most: limit, maxPerOrganization: maxPerOrganizationOf };
    },
    isLow: () => waiting.size() * 2 <= places.free() + ahead(),
    size: () => waiting.size(),
    clear: waiting.clear,
  };
}

/** Counts events; `recent` is the count in the busier of the last two windows. */
function createRate(clock: () => number) {
  let window = 0;
  let [before, present] = [0, 0];
  function turn(): void {
    const at = Math.floor(clock() / windowMilliseconds);
    if (at > window) [before, present] = [at === window + 1 ? present : 0, 0];
    window = at;
  }
  return {
    count(): void {
      turn();
      present += 1;
    },
    recent(): number {
      turn();
      return Math.max(before, present);
    },
  };
}
