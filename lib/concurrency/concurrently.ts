/**
 * Runs `work` for every item, at most `width` at a time. After a failure no further item is started; the first failure
 * is thrown when all running work has ended.
 */
export async function concurrently<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  let failure: { reason: unknown } | undefined;
  const lane = async () => {
    for (let next = remaining.next(); !next.done && !failure; next = remaining.next()) {
      await work(next.value).catch((reason: unknown) => {
        failure ??= { reason };
      });
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (failure) throw failure.reason;
}

/** Splits items into chunks of `size`, in their order; the last may be smaller. */
export function chunk<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_none, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}
