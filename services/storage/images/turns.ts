import { TransformError } from './transform-error.ts';

export type Turns = {
  /** Resolves when it is the caller's turn, with what ends the turn. Throws TransformError `busy`. */
  take: () => Promise<() => void>;
  /** Refuses all that wait and all that come later. */
  close: () => void;
  isClosed: () => boolean;
};

type Waiting = { start: () => void; refuse: (error: TransformError) => void };

/** A semaphore of `max` turns with a queue of at most `maxWaiting` callers, who wait at most so many milliseconds. */
export function createTurns(max: number, maxWaiting: number, maxWaitMilliseconds: number): Turns {
  const queue = new Set<Waiting>();
  let [running, isClosed] = [0, false];

  /** Hands the turn to the next caller, so that none that comes meanwhile can take it. */
  const end = () => {
    const [next] = queue;
    if (next) next.start();
    else running -= 1;
  };

  return {
    async take() {
      if (isClosed) throw closed();
      if (running < max) running += 1;
      else if (queue.size < maxWaiting) await wait(queue, maxWaitMilliseconds);
      else throw busy(`${queue.size} transforms wait already.`);
      return end;
    },
    close() {
      isClosed = true;
      for (const waiting of [...queue]) waiting.refuse(closed());
    },
    isClosed: () => isClosed,
  };
}

function wait(queue: Set<Waiting>, maxMilliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      queue.delete(waiting);
    };
    const waiting: Waiting = {
      start() {
        leave();
        resolve();
      },
      refuse(error) {
        leave();
        reject(error);
      },
    };
    const timer = setTimeout(() => waiting.refuse(busy('The transform waited too long.')), maxMilliseconds);
    queue.add(waiting);
  });
}

function busy(message: string): TransformError {
  return new TransformError('busy', message);
}

/** The refusal of transforms that run, wait or come when the transformer closes: another node can do them. */
export function closed(): TransformError {
  return busy('The transformer is closed.');
}
