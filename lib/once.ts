/** Makes a value when it is first asked for, and keeps it: for what a start would spend time or memory on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
