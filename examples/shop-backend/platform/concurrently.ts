/** Runs `work` on every item, at most `width` at a time. The first failure ends it: nothing more is begun. */
export async function concurrently<T>(items: T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const remaining = oneByOne(items);
  const workers = Array.from({ length: width }, async () => {
    // The workers share one generator: each takes what is next, and one that fails closes it for all.
    for (const item of remaining) await work(item);
  });
  await Promise.all(workers);
}

function* oneByOne<T>(items: T[]): Generator<T> {
  yield* items;
}
