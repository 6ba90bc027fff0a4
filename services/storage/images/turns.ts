import { createFairQueue } from '../../../lib/concurrency/fair-queue.ts';
import { TransformError } from './transform-error.ts';

export type Turns = {
  /**
   * Waits for a turn; resolves with the function that ends it. Owners take turns. A heavy caller waits while the
   * maximum of heavy turns is reached, and others overtake it. Default: not heavy.
   *
   * @throws TransformError `busy`
   */
  take: (owner: string, isHeavy?: boolean) => Promise<() => void>;
  /** Rejects all waiting and future callers. */
  close: () => void;
  isClosed: () => boolean;
};

export type TurnsOptions = {
  /** The maximum of concurrent turns. */
  max: number;
  /** The maximum of concurrent heavy turns. */
  maxHeavy: number;
  /** The maximum of waiting callers. */
  maxWaiting: number;
  /** The maximum of waiting callers of one owner. */
  maxWaitingOfOne: number;
  maxWaitMilliseconds: number;
};

type Waiting = { isHeavy: boolean; start: () => void; refuse: (error: TransformError) => void };

/** A fair semaphore: owners take turns, and so do the heavy and the other callers of an owner. */
export function createTurns(options: TurnsOptions): Turns {
  const { maxWaiting, maxWaitingOfOne, maxWaitMilliseconds } = options;
  const queue = createFairQueue<Waiting>();
  const room = createRoom(options);
  let isClosed = false;

  /**
   * Returns the function that ends the turn. It passes the turn on synchronously, so that a new caller cannot take it
   * first.
   */
  const begin = (isHeavy: boolean) => {
    const leave = room.enter(isHeavy);
    return () => {
      leave();
      queue.next([], ({ isHeavy: waitsHeavy }) => room.isFor(waitsHeavy))?.start();
    };
  };

  const wait = (owner: string, isHeavy: boolean): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const path = [owner, isHeavy ? 'heavy' : 'light'];
      const waiting: Waiting = {
        isHeavy,
        start() {
          clearTimeout(timer);
          resolve(begin(isHeavy));
        },
        refuse(error) {
          clearTimeout(timer);
          queue.remove(path, waiting);
          reject(error);
        },
      };
      const timer = setTimeout(() => waiting.refuse(busy('The transform waited too long.')), maxWaitMilliseconds);
      queue.add(path, waiting);
    });

  return {
    async take(owner, isHeavy = false) {
      if (isClosed) throw closed();
      if (room.isFor(isHeavy)) return begin(isHeavy);
      const [waitingOfAll, waitingOfOwner] = [queue.size(), queue.size([owner])];
      if (waitingOfAll < maxWaiting && waitingOfOwner < maxWaitingOfOne) return await wait(owner, isHeavy);
      throw busy(`${waitingOfAll} transforms wait already, ${waitingOfOwner} of this owner.`);
    },
    close() {
      isClosed = true;
      for (const waiting of queue.clear()) waiting.refuse(closed());
    },
    isClosed: () => isClosed,
  };
}

type Room = { isFor: (isHeavy: boolean) => boolean; enter: (isHeavy: boolean) => () => void };

function createRoom({ max, maxHeavy }: TurnsOptions): Room {
  let [running, heavy] = [0, 0];
  return {
    isFor: (isHeavy) => running < max && (!isHeavy || heavy < maxHeavy),
    enter(isHeavy) {
      running += 1;
      if (isHeavy) heavy += 1;
      return () => {
        running -= 1;
        if (isHeavy) heavy -= 1;
      };
    },
  };
}

function busy(message: string): TransformError {
  return new TransformError('busy', message);
}

/** The error of running, waiting and new transforms when the transformer closes; another node can run them. */
export function closed(): TransformError {
  return busy('The transformer is closed.');
}
