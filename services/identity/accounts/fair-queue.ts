/** The errors for a refusal: the key has too much work queued, or the queue is full. */
type Refusals = { ofKey: () => Error; full: () => Error };

export type FairQueueOptions = {
  /** How much work runs at once. */
  runningMax: number;
  maxQueued: number;
  waitingOfKeyMax: number;
  refusals: Refusals;
};

/** Runs work when its turn comes; rejects when the queue refuses it. */
export type FairQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin: () => void; refuse: (error: Error) => void };

/**
 * A bounded queue that is fair between keys: keys with queued work take turns, and the work of one key runs in order.
 * When the queue is full, the key with the most work loses its last to one with less.
 */
export function createFairQueue({ runningMax, maxQueued, waitingOfKeyMax, refusals }: FairQueueOptions): FairQueue {
  /** The keys in the order of their turns. */
  const waiting = new Map<string, Waiter[]>();
  let running = 0;
  let total = 0;

  function wait(key: string): Promise<void> {
    const own = waiting.get(key)?.length ?? 0;
    if (own >= waitingOfKeyMax) throw refusals.ofKey();
    if (total >= maxQueued && !refuseLastOfLongest(own)) throw refusals.full();
    return new Promise((begin, refuse) => {
      const waiters = waiting.get(key);
      if (waiters) waiters.push({ begin, refuse });
      else waiting.set(key, [{ begin, refuse }]);
      total += 1;
    });
  }

  /** Refuses the last work of the longest queue; false when that queue would then be shorter than this key's. */
  function refuseLastOfLongest(own: number): boolean {
    const longest = [...waiting.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= own + 1) return false;
    total -= 1;
    longest.pop()?.refuse(refusals.full());
    return true;
  }

  function beginNext(): void {
    const [turn] = waiting;
    if (!turn) {
      running -= 1;
      return;
    }
    const [key, waiters] = turn;
    const next = waiters.shift();
    waiting.delete(key);
    if (waiters.length > 0) waiting.set(key, waiters);
    total -= 1;
    next?.begin();
  }

  return async (key, work) => {
    if (running < runningMax) running += 1;
    else await wait(key);
    try {
      return await work();
    } finally {
      beginNext();
    }
  };
}
