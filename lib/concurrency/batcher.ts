type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };
type Queue<T, R> = { waiting: Waiting<T, R>[]; inFlight: number; loops: number };

/**
 * Batches items by lane. Items that arrive in one turn of the event loop form a batch; items that arrive while a batch
 * of the lane is in flight form the next one, in the order of arrival. `run` returns a result for each item, in their
 * order; when it throws, all items of the batch fail. Up to `concurrency` batches of a lane are in flight; above 1 the
 * items are divided evenly among them, so that one batch is prepared while another is processed. The next batch of a
 * lane begins when `gather` has resolved, so that items that follow from the previous one join it.
 */
export function createBatcher<T, R>(
  most: number,
  run: (items: T[], lane: string) => Promise<R[]>,
  concurrency = 1,
  gather?: () => Promise<unknown>,
): (lane: string, item: T) => Promise<R> {
  const lanes = new Map<string, Queue<T, R>>();

  const shareOf = ({ waiting, inFlight: underWay }: Queue<T, R>) => (waiting.length + underWay) / concurrency;
  const isEnough = (lane: Queue<T, R>) => lane.waiting.length >= Math.max(1, Math.floor(shareOf(lane)));

  async function work(name: string, lane: Queue<T, R>): Promise<void> {
    lane.loops += 1;
    // Deferred to the microtask queue, so that items added in the same turn join the batch.
    await null;
    while (isEnough(lane)) {
      const together = lane.waiting.splice(0, Math.min(most, Math.ceil(shareOf(lane))));
      lane.inFlight += together.length;
      try {
        const results = await run(
          together.map(({ item }) => item),
          name,
        );
        together.forEach(({ resolve }, place) => void resolve(results[place] as R));
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
      lane.inFlight -= together.length;
      if (gather) await gather();
    }
    lane.loops -= 1;
    if (lane.loops === 0) lanes.delete(name);
  }

  return (name, item) =>
    new Promise<R>((resolve, reject) => {
      const lane = lanes.get(name) ?? { waiting: [], inFlight: 0, loops: 0 };
      lanes.set(name, lane);
      lane.waiting.push({ item, resolve, reject });
      if (lane.loops < concurrency && isEnough(lane)) void work(name, lane);
    });
}

/**
 * Collects the items of one turn of the event loop and flushes them together, in their order, at the end of the turn.
 *
 * @param maxBatchSize - a batch of this size is flushed immediately.
 */
export function flushOncePerTick<T>(flush: (items: T[]) => void, maxBatchSize = Infinity): (item: T) => void {
  let collected: T[] = [];

  function flushCollected(): void {
    const items = collected;
    collected = [];
    flush(items);
  }

  return (item) => {
    collected.push(item);
    if (collected.length === 1) setImmediate(flushCollected);
    else if (collected.length === maxBatchSize) flushCollected();
  };
}
