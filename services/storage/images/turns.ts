import { TransformError } from './transform-error.ts';

export type Turns = {
  /**
   * Resolves when it is the caller's turn, with what ends the turn. Those of different owners take turns.
   *
   * @throws TransformError `busy`
   */
  take: (owner: string) => Promise<() => void>;
  /** Refuses all that wait and all that come later. */
  close: () => void;
  isClosed: () => boolean;
};

export type TurnsOptions = {
  /** How many turns there are at once. */
  max: number;
  /** At most so many callers wait. */
  maxWaiting: number;
  /** At most so many callers of one owner wait. */
  maxWaitingOfOne: number;
  maxWaitMilliseconds: number;
};

type Waiting = { start: () => void; refuse: (error: TransformError) => void };

/** A semaphore with a queue for each owner. The owners come one after the other, each with its first caller. */
export function createTurns({ max, maxWaiting, maxWaitingOfOne, maxWaitMilliseconds }: TurnsOptions): Turns {
  const queues = new Map<string, Set<Waiting>>();
  let [running, waitingOfAll, isClosed] = [0, 0, false];

  /** Hands the turn to the next caller, so that none that comes meanwhile can take it. */
  const end = () => {
    const [owner] = queues.keys();
    const queue = owner === undefined ? undefined : queues.get(owner);
    const [next] = queue ?? [];
    if (owner === undefined || !queue || !next) {
      running -= 1;
      return;
    }
    next.start();
    // The owner's others come after those of the other owners.
    if (queues.delete(owner) && queue.size > 0) queues.set(owner, queue);
  };

  const wait = (owner: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(owner) ?? new Set<Waiting>();
      const leave = () => {
        clearTimeout(timer);
        waitingOfAll -= 1;
        queue.delete(waiting);
      };
      const waiting: Waiting = {
        start() {
          leave();
          resolve();
        },
        refuse(error) {
          leave();
          if (queue.size === 0) queues.delete(owner);
          reject(error);
        },
      };
      const timer = setTimeout(() => waiting.refuse(busy('The transform waited too long.')), maxWaitMilliseconds);
      waitingOfAll += 1;
      queues.set(owner, queue.add(waiting));
    });

  return {
    async take(owner) {
      if (isClosed) throw closed();
      if (running < max) running += 1;
      else if (waitingOfAll < maxWaiting && (queues.get(owner)?.size ?? 0) < maxWaitingOfOne) await wait(owner);
      else throw busy(`${waitingOfAll} transforms wait already, ${queues.get(owner)?.size ?? 0} of this owner.`);
      return end;
    },
    close() {
      isClosed = true;
      for (const queue of [...queues.values()]) for (const waiting of [...queue]) waiting.refuse(closed());
    },
    isClosed: () => isClosed,
  };
}

function busy(message: string): TransformError {
  return new TransformError('busy', message);
}

/** The refusal of transforms that run, wait or come when the transformer closes: another node can do them. */
export function closed(): TransformError {
  return busy('The transformer is closed.');
}
