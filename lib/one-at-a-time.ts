/** Runs work when no other work of the same name is running; work of several names waits for all of them. */
export type InTurn = {
  <T>(names: string | readonly string[], work: () => Promise<T>): Promise<T>;
  /** Whether work of the name is running, or waits for its turn. */
  isBusy: (name: string) => boolean;
};

/** Emptied at its end: tables that the map no longer uses may stay in memory for long, with what they refer to. */
type Last = { work: Promise<unknown> | null };

/**
 * A mutex by name, within this process. Work of one name runs one after the other; a failure does not affect the next.
 * Work waits only for work that was asked for before it, so that no two wait for each other.
 */
export function oneAtATime(): InTurn {
  const last = new Map<string, Last>();
  async function inTurn<T>(given: string | readonly string[], work: () => Promise<T>): Promise<T> {
    const names = new Set(typeof given === 'string' ? [given] : given);
    const former = [...names].flatMap((name) => last.get(name)?.work ?? []);
    const running = former.length === 0 ? work() : Promise.allSettled(former).then(work);
    const mine: Last = { work: running };
    for (const name of names) last.set(name, mine);
    try {
      return await running;
    } finally {
      for (const name of names) if (last.get(name) === mine) last.delete(name);
      mine.work = null;
    }
  }
  return Object.assign(inTurn, { isBusy: (name: string) => last.has(name) });
}
