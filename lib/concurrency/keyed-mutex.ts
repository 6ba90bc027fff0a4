import { BoxedMap } from './churn.ts';

/** Runs work exclusively under one name, or under several names at the same time. */
export type KeyedMutex = {
  <T>(names: string | readonly string[], work: () => Promise<T>): Promise<T>;
  /** Whether work of the name is running or queued. */
  isBusy: (name: string) => boolean;
};

/**
 * Creates a mutex by name, within this process. Work of one name runs in order; a failure does not affect the next.
 * Work waits only for work that was requested before it, so deadlocks are impossible.
 */
export function createKeyedMutex(): KeyedMutex {
  const last = new BoxedMap<string, Promise<unknown>>();
  async function runExclusive<T>(keys: string | readonly string[], work: () => Promise<T>): Promise<T> {
    const names = new Set(typeof keys === 'string' ? [keys] : keys);
    const previous = [...names].flatMap((name) => last.get(name) ?? []);
    const mine = previous.length === 0 ? work() : Promise.allSettled(previous).then(work);
    for (const name of names) last.set(name, mine);
    try {
      return await mine;
    } finally {
      for (const name of names) if (last.get(name) === mine) last.delete(name);
    }
  }
  return Object.assign(runExclusive, { isBusy: (name: string) => last.has(name) });
}
