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
  const slow = createSlowSet(clock);
  const waiting = createTurns<Waiting>();
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
      slow.note(orgId, clock() - since);
      admit();
    };
  }

  function admit(): void {
    for (;;) {
      const next = free > 0 ? waiting.next((orgId) => room(orgId) > 0) : null;
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
      waiting.add([{ orgId, resolve }]);
      admit();
      return promise;
    },
  };
}

/** The organizations that were slow recently. */
function createSlowSet(clock: () => number) {
  const until = new Map<string, number>();
  return {
    has: (orgId: string) => (until.get(orgId) ?? 0) > clock(),
    note(orgId: string, milliseconds: number): void {
      until.delete(orgId);
      if (milliseconds > slowAfter) until.set(orgId, clock() + slowFor);
      for (const [oldest, end] of until) {
        if (end > clock()) break;
        until.delete(oldest);
      }
    },
  };
}

/** Queues of items by organization, served round-robin. */
export function createTurns<T extends { orgId: string }>() {
  const lists = new Map<string, T[]>();
  let size = 0;
  return {
    add(items: T[]): void {
      for (const item of items) {
        const own = lists.get(item.orgId) ?? [];
        own.push(item);
        lists.set(item.orgId, own);
      }
      size += items.length;
    },
    /** Removes and returns the next item of an organization that `mayHave` accepts; null if none. */
    next(mayHave: (orgId: string) => boolean): T | null {
      for (const [orgId, own] of lists) {
        if (!mayHave(orgId)) continue;
        // Reinserting moves the organization to the end of the iteration order.
        lists.delete(orgId);
        const item = own.shift() ?? null;
        if (own.length > 0) lists.set(orgId, own);
        size -= 1;
        return item;
      }
      return null;
    },
    clear(): T[] {
      const items = [...lists.values()].flat();
      lists.clear();
      size = 0;
      return items;
    },
    size: () => size,
    sizeOf: (orgId: string) => lists.get(orgId)?.length ?? 0,
    others: (orgId: string) => lists.size - (lists.has(orgId) ? 1 : 0),
  };
}
