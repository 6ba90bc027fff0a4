import type { Context } from 'moleculer';
import { createTtlCache } from '../../lib/concurrency/ttl-cache.ts';
import { call } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { minute, second } from '../../lib/data/clock.ts';

/** The owner of work: an organization and the user who owns it. All organizations of a user share the user's turns. */
export type Turn = { orgId: string; userId: string };

const maxWaiting = 200;
/** The half-life of recorded thread time. */
const halfLife = 10 * second;
/** A user with more recent thread time than this waits for the shared thread. */
const maxQuickUse = second / 4;
const keptUsers = 10_000;
const keptFor = 2 * minute;

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
  const users = new Map<string, Map<string, T[]>>();
  const uses = new Map<string, Use>();

  function useOf(userId: string): number {
    const use = uses.get(userId);
    return use ? use.milliseconds * 2 ** ((use.at - clock()) / halfLife) : 0;
  }

  function leastUsing(): string | null {
    let [least, use] = [null as string | null, Number.POSITIVE_INFINITY];
    for (const userId of users.keys()) if (useOf(userId) < use) [least, use] = [userId, useOf(userId)];
    return least;
  }

  return {
    add(item) {
      const { orgId, userId } = item.turn;
      const lanes = users.get(userId) ?? new Map<string, T[]>();
      const lane = lanes.get(orgId) ?? [];
      if (lane.length >= maxWaiting) throw apiError('UNAVAILABLE');
      lane.push(item);
      lanes.set(orgId, lane);
      users.set(userId, lanes);
    },
    next(onlyQuick) {
      const userId = leastUsing();
      if (userId === null || (onlyQuick && useOf(userId) > maxQuickUse)) return null;
      const lanes = users.get(userId);
      const [first] = lanes ?? [];
      if (!lanes || !first) return null;
      const [orgId, lane] = first;
      const item = lane.shift() ?? null;
      // Moves the organization behind the user's others, and the user behind those with as much thread time.
      lanes.delete(orgId);
      if (lane.length > 0) lanes.set(orgId, lane);
      users.delete(userId);
      if (lanes.size > 0) users.set(userId, lanes);
      return item;
    },
    charge({ userId }, milliseconds) {
      const use = { milliseconds: useOf(userId) + milliseconds, at: clock() };
      uses.delete(userId);
      uses.set(userId, use);
      for (const [oldest, { at }] of uses) {
        if (uses.size <= keptUsers && at > clock() - keptFor) break;
        uses.delete(oldest);
      }
    },
  };
}

const owners = createTtlCache<string>(minute);

/**
 * Resolves the owner of an organization, who may own others. If identity cannot be queried, the organization has
 * separate turns.
 */
export async function turnOf(ctx: Pick<Context, 'call'>, orgId: string): Promise<Turn> {
  return { orgId, userId: await owners.find(orgId, () => findOwner(ctx, orgId)).catch(() => orgId) };
}

async function findOwner(ctx: Pick<Context, 'call'>, orgId: string): Promise<string> {
  const { owners: found } = await call(ctx, 'identity.organizations.owners', { body: { orgId } });
  return found[0]?.userId ?? orgId;
}
