/** Creates a value on first use and caches it: for values whose creation would cost start time or memory. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
