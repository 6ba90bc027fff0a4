/** The errors for a refusal: the group has too much work queued, or the queue is full. */
type Refusals = { ofGroup: () => Error; full: () => Error };

export type FairQueueOptions = {
  /** How much work runs concurrently. */
  runningMax: number;
  maxQueued: number;
  /** The places that only work with `isReserved` may take, in addition to the others. */
  maxReserved: number;
  maxQueuedOfGroup: number;
  refusals: Refusals;
};

/** The requester of work: a key, such as an address, and the group that the key belongs to, such as its range. */
export type Requester = { group: string; key: string; isReserved?: boolean };

/** Runs work when its turn comes; rejects when the queue refuses it. */
export type FairQueue = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin: () => void; refuse: (error: Error) => void };
/** The waiters of a group by key, in the order of the turns of the keys. */
type Group = Map<string, Waiter[]>;
/** The groups with queued work, in the order of their turns. */
type Lane = { max: number; groups: Map<string, Group> };

/**
 * A bounded queue that is fair between groups, and between the keys of a group: those with queued work take turns, and
 * the work of one key runs in order. When the queue is full, the largest group loses its last work to a smaller one;
 * within a group at its maximum, the largest key loses its last work to a smaller one. Work with a reserved place has a
 * separate lane. The lanes take turns too.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { runningMax, maxQueued, maxReserved, maxQueuedOfGroup, refusals } = options;
  const common: Lane = { max: maxQueued, groups: new Map() };
  const reserved: Lane = { max: maxReserved, groups: new Map() };
  /** The lanes in the order of their turns. */
  let lanes = [reserved, common];
  let running = 0;

  /** Makes room for the requester in a lane; returns the refusal when there is none. */
  function makeRoom({ groups, max }: Lane, { group, key }: Requester): Error | null {
    const own: Group = groups.get(group) ?? new Map();
    const ofKey = own.get(key)?.length ?? 0;
    if (sizeOf(own) >= maxQueuedOfGroup) {
      if (longestOf(own) <= ofKey + 1) return refusals.ofGroup();
      refuseLast(own, refusals.ofGroup());
    } else if (totalOf(groups) >= max) {
      const largest = [...groups.values()].reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
      if (sizeOf(largest) <= sizeOf(own) + 1) return refusals.full();
      refuseLast(largest, refusals.full());
    }
    return null;
  }

  function laneFor(requester: Requester): Lane {
    if (requester.isReserved && makeRoom(reserved, requester) === null) return reserved;
    const refusal = makeRoom(common, requester);
    if (refusal) throw refusal;
    return common;
  }

  function wait(requester: Requester): Promise<void> {
    const { groups } = laneFor(requester);
    return new Promise((begin, refuse) => {
      const group: Group = groups.get(requester.group) ?? new Map();
      groups.set(requester.group, group);
      group.set(requester.key, [...(group.get(requester.key) ?? []), { begin, refuse }]);
    });
  }

  function beginNext(): void {
    const lane = lanes.find(({ groups }) => groups.size > 0);
    if (!lane) {
      running -= 1;
      return;
    }
    lanes = [...lanes.filter((other) => other !== lane), lane];
    takeNext(lane)?.begin();
  }

  return async (requester, work) => {
    if (running < runningMax) running += 1;
    else await wait(requester);
    try {
      return await work();
    } finally {
      beginNext();
    }
  };
}

/** Removes the next waiter of a lane, and moves its group and key to the end of their orders. */
function takeNext({ groups }: Lane): Waiter | undefined {
  const [turn] = groups;
  const [keyTurn] = turn?.[1] ?? [];
  if (!turn || !keyTurn) return undefined;
  const [[name, group], [key, waiters]] = [turn, keyTurn];
  const next = waiters.shift();
  group.delete(key);
  if (waiters.length > 0) group.set(key, waiters);
  groups.delete(name);
  if (group.size > 0) groups.set(name, group);
  return next;
}

/** Refuses the last work of a group's longest queue. */
function refuseLast(group: Group, error: Error): void {
  const [first] = [...group].sort(([, one], [, other]) => other.length - one.length);
  if (!first) return;
  const [key, waiters] = first;
  waiters.pop()?.refuse(error);
  if (waiters.length === 0) group.delete(key);
}

const longestOf = (group: Group): number => Math.max(0, ...[...group.values()].map(({ length }) => length));

const sizeOf = (group: Group): number => [...group.values()].reduce((sum, { length }) => sum + length, 0);

const totalOf = (groups: Lane['groups']): number => [...groups.values()].reduce((sum, group) => sum + sizeOf(group), 0);
