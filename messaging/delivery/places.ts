import { minute, second } from '../../lib/clock.ts';

/** How many deliveries may hold a place at the same time. An organization holds at most `share` times the free places. */
export type PlaceLimits = { places: number; share: number };

/** A quarter is reserved for organizations that hold no place and were not slow recently. */
const reservedShare = 1 / 4;
/** An organization that held a place for longer than this is slow: for at most a minute, until a faster delivery. */
const slowAfter = second;
const slowFor = minute;

/**
 * Places that organizations share so that slow deliveries of some delay no other organization: they leave places free, and
 * some of the places are not for them at all.
 */
export type Places = {
  free: () => number;
  /** The number of further places that an organization may take now. */
  room: (orgId: string) => number;
  /** Takes a place that the organization has room for. Returns what releases it. */
  take: (orgId: string) => () => void;
  /** Resolves with what releases the place, when the organization holds one; organizations take turns. */
  acquire: (orgId: string) => Promise<() => void>;
};

type Waiting = { orgId: string; resolve: (release: () => void) => void };

export function createPlaces({ places, share }: PlaceLimits, clock: () => number = () => performance.now()): Places {
  const reserved = Math.floor(places * reservedShare);
  const held = new Map<string, number>();
  const slow = createSlowSet(clock);
  const waiting = createTurns<Waiting>();
  let free = places;

  function room(orgId: string): number {
    const own = held.get(orgId) ?? 0;
    const open = free - reserved;
    // Solves `own + more = share * (open - more)`, rounded up.
    const more = Math.max(0, Math.min(open, Math.ceil((share * open - own) / (1 + share))));
    return more === 0 && own === 0 && free > 0 && !slow.has(orgId) ? 1 : more;
  }

  function take(orgId: string): () => void {
    const since = clock();
    free -= 1;
    held.set(orgId, (held.get(orgId) ?? 0) + 1);
    return () => {
      const rest = (held.get(orgId) ?? 0) - 1;
      if (rest > 0) held.set(orgId, rest);
      else held.delete(orgId);
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

/** Lists of items by organization, each of which gives one item in its turn. */
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
    /** The next item of an organization that may have one; null when there is none. */
    next(mayHave: (orgId: string) => boolean): T | null {
      for (const [orgId, own] of lists) {
        if (!mayHave(orgId)) continue;
        // Set again, it is behind the others.
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
