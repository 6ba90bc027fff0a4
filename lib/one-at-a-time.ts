/** Does a work when no other of its name is under way. */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Lets work of one name be done one after the other in this process; what a former one failed with is no business of
 * the next.
 */
export function oneAtATime(): InTurn {
  const underWay = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    for (let former = underWay.get(name); former; former = underWay.get(name)) await former.catch(() => undefined);
    const mine = work().finally(() => underWay.delete(name));
    underWay.set(name, mine);
    return mine;
  };
}
