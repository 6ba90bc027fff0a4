import { TransformError } from './transform-error.ts';

export type Turns = {
  /**
   * Resolves when it is the caller's turn, with what ends the turn. Those of different owners take turns. A heavy one
   * waits while there are as many heavy ones as may be, and others go past it. Default: not heavy.
   *
   * @throws TransformError `busy`
   */
  take: (owner: string, isHeavy?: boolean) => Promise<() => void>;
  /** Refuses all that wait and all that come later. */
  close: () => void;
  isClosed: () => boolean;
};

export type TurnsOptions = {
  /** How many turns there are at once. */
  max: number;
  /** How many of them may be heavy. */
  maxHeavy: number;
  /** At most so many callers wait. */
  maxWaiting: number;
  /** At most so many callers of one owner wait. */
  maxWaitingOfOne: number;
  maxWaitMilliseconds: number;
};

type Waiting = { isHeavy: boolean; start: () => void; refuse: (error: TransformError) => void };

/** A semaphore with a queue for each owner. The owners come one after the other, each with its first caller. */
export function createTurns(options: TurnsOptions): Turns {
  const { maxWaiting, maxWaitingOfOne, maxWaitMilliseconds } = options;
  const queues = new Map<string, Set<Waiting>>();
  const room = createRoom(options);
  let [waitingOfAll, isClosed] = [0, false];

  /** Returns what ends the turn and hands it on at once, so that none that comes meanwhile can take it. */
  const begin = (isHeavy: boolean) => {
    const leave = room.enter(isHeavy);
    return () => {
      leave();
      takeNext(queues, room)?.start();
    };
  };

  const wait = (owner: string, isHeavy: boolean): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(owner) ?? new Set<Waiting>();
      const leave = () => {
        clearTimeout(timer);
        waitingOfAll -= 1;
        queue.delete(waiting);
      };
      const waiting: Waiting = {
        isHeavy,
        start() {
          leave();
          resolve(begin(isHeavy));
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
    async take(owner, isHeavy = false) {
      if (isClosed) throw closed();
      if (room.isFor(isHeavy)) return begin(isHeavy);
      const waitingOfOwner = queues.get(owner)?.size ?? 0;
      if (waitingOfAll < maxWaiting && waitingOfOwner < maxWaitingOfOne) return await wait(owner, isHeavy);
      throw busy(`${waitingOfAll} transforms wait already, ${waitingOfOwner} of this owner.`);
    },
    close() {
      isClosed = true;
      for (const queue of [...queues.values()]) for (const waiting of [...queue]) waiting.refuse(closed());
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

/** Takes the first for which there is room; the owner's others come after those of the other owners. */
function takeNext(queues: Map<string, Set<Waiting>>, room: Room): Waiting | null {
  for (const [owner, queue] of queues) {
    const next = [...queue].find(({ isHeavy }) => room.isFor(isHeavy));
    if (!next) continue;
    queue.delete(next);
    if (queues.delete(owner) && queue.size > 0) queues.set(owner, queue);
    return next;
  }
  return null;
}

function busy(message: string): TransformError {
  return new TransformError('busy', message);
}

/** The refusal of transforms that run, wait or come when the transformer closes: another node can do them. */
export function closed(): TransformError {
  return busy('The transformer is closed.');
}
