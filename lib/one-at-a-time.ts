/** Does a work when no other of its name is under way. */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Lets work of one name be done one after the other in this process; what a former one failed with is no business of
 * the next.
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
