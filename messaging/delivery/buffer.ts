import type { DeliveryFields } from './documents.ts';
import type { Claim, Wanted } from './queue.ts';

type Places = { places: number; placesOfOrganization: number };

/** Claims that wait in memory for a place, so that places do not wait for the database. Organizations take turns. */
export type Buffer<D extends DeliveryFields> = {
  add: (claims: Claim<D>[]) => void;
  /** The next claim of an organization that has a place left; null when there is none. */
  take: () => Claim<D> | null;
  /** A claim that was taken has left its place. */
  ended: (claim: Claim<D>) => void;
  /** What to claim now; null when nothing. */
  wanted: () => Wanted | null;
  /** Whether enough places or claims are gone that more should be claimed. */
  isLow: () => boolean;
  size: () => number;
  inFlight: () => number;
  /** Removes all that waits. */
  clear: () => Claim<D>[];
};

/** The node claims what it has delivered in about so many milliseconds lately: little where the far end is slow. */
const windowMilliseconds = 250;
const maxAhead = 256;
/** With the claims of many organizations, of each at least one. */
const maxSize = 1000;

export function createBuffer<D extends DeliveryFields>(
  { places, placesOfOrganization }: Places,
  clock: () => number = () => performance.now(),
): Buffer<D> {
  const waiting = createTurns<D>();
  const taken = new Map<string, number>();
  const rate = createRate(clock);
  let inFlight = 0;

  const takenOf = (orgId: string) => taken.get(orgId) ?? 0;
  const free = () => places - inFlight;
  const ahead = () => Math.min(rate.recent(), maxAhead);

  /** The free places that an organization may have, and its part of what is claimed ahead. */
  function targetOf(orgId: string): number {
    const ownPlaces = Math.min(free(), placesOfOrganization - takenOf(orgId));
    return Math.max(0, ownPlaces) + Math.ceil(ahead() / (1 + waiting.others(orgId)));
  }

  function mostOf(orgId: string): number {
    const [target, buffered] = [targetOf(orgId), waiting.sizeOf(orgId)];
    return buffered * 2 > target ? 0 : target - buffered;
  }

  function take(): Claim<D> | null {
    const claim = free() > 0 ? waiting.next((orgId) => takenOf(orgId) < placesOfOrganization) : null;
    if (!claim) return null;
    inFlight += 1;
    taken.set(claim.orgId, takenOf(claim.orgId) + 1);
    return claim;
  }

  function ended({ orgId }: Claim<D>): void {
    rate.count();
    inFlight -= 1;
    if (takenOf(orgId) > 1) taken.set(orgId, takenOf(orgId) - 1);
    else taken.delete(orgId);
  }

  return {
    ...waiting,
    take,
    ended,
    wanted() {
      const most = free() + ahead();
      return most <= 0 || waiting.size() >= maxSize ? null : { most, mostOf };
    },
    isLow: () => waiting.size() * 2 <= free() + ahead(),
    inFlight: () => inFlight,
  };
}

/** Lists of claims by organization, of which each gives one in its turn. */
function createTurns<D extends DeliveryFields>() {
  const lists = new Map<string, Claim<D>[]>();
  let size = 0;
  return {
    add(claims: Claim<D>[]): void {
      for (const claim of claims) {
        const own = lists.get(claim.orgId) ?? [];
        own.push(claim);
        lists.set(claim.orgId, own);
      }
      size += claims.length;
    },
    next(mayHave: (orgId: string) => boolean): Claim<D> | null {
      for (const [orgId, own] of lists) {
        if (!mayHave(orgId)) continue;
        // Set again, it is behind the others.
        lists.delete(orgId);
        const claim = own.shift() ?? null;
        if (own.length > 0) lists.set(orgId, own);
        size -= 1;
        return claim;
      }
      return null;
    },
    clear(): Claim<D>[] {
      const claims = [...lists.values()].flat();
      lists.clear();
      size = 0;
      return claims;
    },
    size: () => size,
    sizeOf: (orgId: string) => lists.get(orgId)?.length ?? 0,
    others: (orgId: string) => lists.size - (lists.has(orgId) ? 1 : 0),
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
