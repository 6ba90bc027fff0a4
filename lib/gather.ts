type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };
type Lane<T, R> = { waiting: Waiting<T, R>[]; isBusy: boolean };

/**
 * Lets what comes while one errand of a lane is under way go together in the next, in the order it came; what comes in
 * one turn of the event loop goes together from the start. `run` gives a result for each item, in their order; when it
 * throws, all of them fail.
 */
export function gather<T, R>(
  most: number,
  run: (items: T[], lane: string) => Promise<R[]>,
): (lane: string, item: T) => Promise<R> {
  const lanes = new Map<string, Lane<T, R>>();

  async function work(name: string, lane: Lane<T, R>): Promise<void> {
    // Not at once: who asks for many has asked for all of them by then.
    await null;
    while (lane.waiting.length > 0) {
      const together = lane.waiting.splice(0, most);
      try {
        const results = await run(
          together.map(({ item }) => item),
          name,
        );
        together.forEach(({ resolve }, place) => void resolve(results[place] as R));
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    lanes.delete(name);
  }

  return (name, item) =>
    new Promise<R>((resolve, reject) => {
      const lane = lanes.get(name) ?? { waiting: [], isBusy: false };
      lanes.set(name, lane);
      lane.waiting.push({ item, resolve, reject });
      if (lane.isBusy) return;
      lane.isBusy = true;
      void work(name, lane);
    });
}
