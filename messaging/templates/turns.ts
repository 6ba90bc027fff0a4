import type { Context } from 'moleculer';
import { call } from '../../lib/calls.ts';
import { minute, second } from '../../lib/clock.ts';
import { apiError } from '../../lib/errors.ts';
import { createShortMemory } from '../../lib/short-memory.ts';

/** Whose work it is: an organization, and the user who owns it. All organizations of a user share the user's turns. */
export type Turn = { orgId: string; userId: string };

const maxWaiting = 200;
/** The time used in the threads counts half after this long. */
const halfLife = 10 * second;
/** A user who used more than this recently waits for the thread that is shared. */
const maxQuickUse = second / 4;
const keptUsers = 10_000;
const keptFor = 2 * minute;

type Item = { turn: Turn };
type Use = { milliseconds: number; at: number };

/** Work that waits for a thread. The user who used the threads least is next, and the organizations of a user in turn. */
export type TurnQueue<T extends Item> = {
  /** Throws UNAVAILABLE when the organization has too much work waiting. */
  add: (item: T) => void;
  /** The next item; with `onlyQuick` of a user who used little of the threads recently. */
  next: (onlyQuick: boolean) => T | null;
  /** Notes the milliseconds that a user's work took. */
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
      // The organization goes behind the user's others, and the user behind those who used as much.
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

const owners = createShortMemory<string>(minute);

/**
 * The turn of an organization's work: its owner's, who may own others. An organization whose owner cannot be asked for
 * has turns by itself.
 */
export async function turnOf(ctx: Pick<Context, 'call'>, orgId: string): Promise<Turn> {
  return { orgId, userId: await owners.find(orgId, () => findOwner(ctx, orgId)).catch(() => orgId) };
}

async function findOwner(ctx: Pick<Context, 'call'>, orgId: string): Promise<string> {
  const { owners: found } = await call(ctx, 'identity.organizations.owners', { body: { orgId } });
  return found[0]?.userId ?? orgId;
}
