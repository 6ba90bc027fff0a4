import type { DeliveryFields } from './documents.ts';
import { createPlaces, createTurns, type PlaceLimits } from './places.ts';
import type { Claim, ClaimRequest } from './queue.ts';

/** Claims that wait in memory for a place, so that places do not wait for the database. Organizations take turns. */
export type Buffer<D extends DeliveryFields> = {
  add: (claims: Claim<D>[]) => void;
  /** The next claim of an organization that has a place left; null when there is none. */
  take: () => Claim<D> | null;
  /** A claim that was taken has left its place. */
  ended: (claim: Claim<D>) => void;
  /** What to claim now; null when nothing. */
  wanted: () => ClaimRequest | null;
  /** Whether enough places or claims are gone that more should be claimed. */
  isLow: () => boolean;
  size: () => number;
  /** Removes all that waits. */
  clear: () => Claim<D>[];
};

/** The node claims what it has delivered in about so many milliseconds lately: little where the far end is slow. */
const windowMilliseconds = 250;
const maxAhead = 256;
/** With the claims of many organizations, of each at least one. */
const maxSize = 1000;

export function createBuffer<D extends DeliveryFields>(
  limits: PlaceLimits,
  clock: () => number = () => performance.now(),
): Buffer<D> {
  const waiting = createTurns<Claim<D>>();
  const places = createPlaces(limits, clock);
  const taken = new Map<Claim<D>, () => void>();
  const rate = createRate(clock);

  const ahead = () => Math.min(rate.recent(), maxAhead);
  const targetOf = (orgId: string) => places.room(orgId) + Math.ceil(ahead() / (1 + waiting.others(orgId)));

  function mostOf(orgId: string): number {
    const [target, buffered] = [targetOf(orgId), waiting.sizeOf(orgId)];
    return buffered * 2 > target ? 0 : target - buffered;
  }

  return {
    ...waiting,
    take() {
      const claim = places.free() > 0 ? waiting.next((orgId) => places.room(orgId) > 0) : null;
      if (claim) taken.set(claim, places.take(claim.orgId));
      return claim;
    },
    ended(claim) {
      rate.count();
      taken.get(claim)?.();
      taken.delete(claim);
    },
    wanted() {
      const most = places.free() + ahead();
      return most <= 0 || waiting.size() >= maxSize ? null : { most, maxPerOrganization: mostOf };
    },
    isLow: () => waiting.size() * 2 <= places.free() + ahead(),
  };
}

/** Counts events; `recent` is the number of them in the busier of the last two windows of time. */
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
