import { second } from '../../../lib/clock.ts';
import { fail } from '../../../lib/errors.ts';

/** Work that waited longer in the queue is refused, because its caller has timed out. */
const maxQueueTime = 8 * second;

/** Runs work of one key in order, one after the other. */
export type InOrder = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createQueues(): InOrder {
  const lasts = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const queuedAt = performance.now();
    const begin = () => {
      if (performance.now() - queuedAt > maxQueueTime) throw fail('UNAVAILABLE');
      return work();
    };
    const mine = (lasts.get(key) ?? Promise.resolve()).then(begin);
    const last = mine.then(ignore, ignore);
    lasts.set(key, last);
    void last.then(() => {
      if (lasts.get(key) === last) lasts.delete(key);
    });
    return mine;
  };
}

const ignore = (): void => undefined;
