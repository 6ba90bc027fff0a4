/** Runs work when no other work of the same name is running. */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * A mutex by name, within this process. Work of one name runs one after the other; a failure does not affect the next.
 */
export function oneAtATime(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const former = last.get(name);
    const mine = former === undefined ? work() : former.then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
