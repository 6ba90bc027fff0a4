type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };
type Lane<T, R> = { waiting: Waiting<T, R>[]; underWay: number; errands: number };

/**
 * Lets what comes while the errands of a lane are under way go together in the next, in the order it came; what comes in
 * one turn of the event loop goes together from the start. `run` gives a result for each item, in their order; when it
 * throws, all of them fail. Where several errands of a lane may be under way `atOnce` they have equal parts, so that one
 * is prepared while another is done.
 */
export function gather<T, R>(
  most: number,
  run: (items: T[], lane: string) => Promise<R[]>,
  atOnce = 1,
): (lane: string, item: T) => Promise<R> {
  const lanes = new Map<string, Lane<T, R>>();

  const shareOf = ({ waiting, underWay }: Lane<T, R>) => (waiting.length + underWay) / atOnce;
  const isEnough = (lane: Lane<T, R>) => lane.waiting.length >= Math.max(1, Math.floor(shareOf(lane)));

  async function work(name: string, lane: Lane<T, R>): Promise<void> {
    lane.errands += 1;
    // Not at once: who asks for many has asked for all of them by then.
    await null;
    while (isEnough(lane)) {
      const together = lane.waiting.splice(0, Math.min(most, Math.ceil(shareOf(lane))));
      lane.underWay += together.length;
      try {
        const results = await run(
          together.map(({ item }) => item),
          name,
        );
        together.forEach(({ resolve }, place) => void resolve(results[place] as R));
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
      lane.underWay -= together.length;
    }
    lane.errands -= 1;
    if (lane.errands === 0) lanes.delete(name);
  }

  return (name, item) =>
    new Promise<R>((resolve, reject) => {
      const lane = lanes.get(name) ?? { waiting: [], underWay: 0, errands: 0 };
      lanes.set(name, lane);
      lane.waiting.push({ item, resolve, reject });
      if (lane.errands < atOnce && isEnough(lane)) void work(name, lane);
    });
}
