import { LRUCache } from 'lru-cache';
import { createFairQueue } from '../../lib/concurrency/fair-queue.ts';
import { createTtlCache } from '../../lib/concurrency/ttl-cache.ts';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { minute, second } from '../../lib/data/clock.ts';

/** The owner of work: an organization and the user who owns it. All organizations of a user share the user's turns. */
export type Turn = { orgId: string; userId: string };

const maxWaiting = 200;
/** The half-life of recorded thread time. */
const halfLife = 10 * second;
/** A user with more recent thread time than this waits for the shared thread. */
const maxQuickUse = second / 4;

type Item = { turn: Turn };
type Use = { milliseconds: number; at: number };

/**
 * A fair queue of work for the threads. The user with the least recent thread time is next; the organizations of a user
 * take turns.
 */
export type TurnQueue<T extends Item> = {
  /** Throws UNAVAILABLE when the organization has too much work queued. */
  add: (item: T) => void;
  /** Removes and returns the next item; with `onlyQuick` only of a user with little recent thread time. */
  next: (onlyQuick: boolean) => T | null;
  /** Adds thread time in milliseconds to a user. */
  charge: (turn: Turn, milliseconds: number) => void;
};

export function createTurnQueue<T extends Item>(clock: () => number = () => performance.now()): TurnQueue<T> {
  const waiting = createFairQueue<T>();
  const uses = new LRUCache<string, Use>({ max: 10_000 });

  function useOf(userId: string): number {
    const use = uses.get(userId);
    return use ? use.milliseconds * 2 ** ((use.at - clock()) / halfLife) : 0;
  }

  return {
    add(item) {
      const { orgId, userId } = item.turn;
      if (waiting.size([userId, orgId]) >= maxWaiting) throw apiError('UNAVAILABLE');
      waiting.add([userId, orgId], item);
    },
    next(onlyQuick) {
      let [least, leastUse] = ['', Number.POSITIVE_INFINITY];
      for (const userId of waiting.keys()) {
        const use = useOf(userId);
        if (use < leastUse) [least, leastUse] = [userId, use];
      }
      // The user then comes behind those with as much thread time.
      return onlyQuick && leastUse > maxQuickUse ? null : (waiting.next([least]) ?? null);
    },
    charge({ userId }, milliseconds) {
      uses.set(userId, { milliseconds: useOf(userId) + milliseconds, at: clock() });
    },
  };
}

const owners = createTtlCache<string>(minute);

/**
 * Resolves the owner of an organization, who may own others. If identity cannot be queried, the organization has
 * separate turns.
 */
export async function turnOf(ctx: CallContext, orgId: string): Promise<Turn> {
  return { orgId, userId: await owners.find(orgId, () => findOwner(ctx, orgId)).catch(() => orgId) };
}

async function findOwner(ctx: CallContext, orgId: string): Promise<string> {
  const { owners: found } = await call(ctx, 'identity.organizations.owners', { body: { orgId } });
  return found[0]?.userId ?? orgId;
}
