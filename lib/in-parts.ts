/** Splits items into chunks of `size`, in their order; the last may be smaller. */
export function chunk<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_none, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}
