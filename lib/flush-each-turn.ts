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
