/**
 * Runs `work` on every item, with at most `width` in flight. The first failure stops it: no further item is started.
 */
export async function concurrently<T>(items: T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const remaining = oneByOne(items);
  const workers = Array.from({ length: width }, async () => {
    // The workers share one generator: each takes the next item, and a worker that fails closes it for all.
    for (const item of remaining) await work(item);
  });
  await Promise.all(workers);
}

function* oneByOne<T>(items: T[]): Generator<T> {
  yield* items;
}
