import { BoxedMap } from './churn.ts';

/** Runs work when no other work of the same name is running; work of several names waits for all of them. */
export type KeyedMutex = {
  <T>(names: string | readonly string[], work: () => Promise<T>): Promise<T>;
  /** Whether work of the name is running, or waits for its turn. */
  isBusy: (name: string) => boolean;
};

/**
 * A mutex by name, within this process. Work of one name runs one after the other; a failure does not affect the next.
 * Work waits only for work that was asked for before it, so that no two wait for each other.
 */
export function createKeyedMutex(): KeyedMutex {
  const last = new BoxedMap<string, Promise<unknown>>();
  async function runExclusive<T>(given: string | readonly string[], work: () => Promise<T>): Promise<T> {
    const names = new Set(typeof given === 'string' ? [given] : given);
    const former = [...names].flatMap((name) => last.get(name) ?? []);
    const mine = former.length === 0 ? work() : Promise.allSettled(former).then(work);
    for (const name of names) last.set(name, mine);
    try {
      return await mine;
    } finally {
      for (const name of names) if (last.get(name) === mine) last.delete(name);
    }
  }
  return Object.assign(runExclusive, { isBusy: (name: string) => last.has(name) });
}
