/**
 * A generator that does long work yields `pause` between its items when its time slice is over. The executor then
 * answers other requests, and continues it in a later turn. A generator that forwards items must also forward `pause`.
 */
export const pause = 'pause' as const;
export type Pause = typeof pause;
/** Resumable work that ends with a result. */
export type Work<Result> = Generator<Pause, Result>;

let endsAt = Infinity;
let writesLeft = Infinity;

/** Begins a slice that ends after `milliseconds`, or after `writes` written rows. */
export function beginSlice(milliseconds: number, writes = Infinity): void {
  endsAt = performance.now() + milliseconds;
  writesLeft = writes;
}

/** Counts written rows of collections and indexes. */
export function noteWrites(rows: number): void {
  writesLeft -= rows;
}

export function isSliceOver(): boolean {
  return writesLeft <= 0 || performance.now() >= endsAt;
}

/** Collects the items into an array and forwards the pauses. */
export function* collect<Item>(items: Iterable<Item | Pause>, onItem?: (item: Item) => void): Work<Item[]> {
  const collected: Item[] = [];
  for (const item of items) {
    if (item === pause) yield pause;
    else {
      onItem?.(item as Item);
      collected.push(item as Item);
    }
  }
  return collected;
}

const runLength = 512;

/** Stable merge sort in slices: sorts runs first, then merges neighbours. */
export function* sortInSlices<Item>(items: Item[], compare: (left: Item, right: Item) => number): Work<Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    if (isSliceOver()) yield pause;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Item>(left: Item[], right: Item[], compare: (left: Item, right: Item) => number): Work<Item[]> {
  const merged: Item[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length && atRight < right.length) {
    const [one, other] = [left[atLeft] as Item, right[atRight] as Item];
    const takesLeft = compare(one, other) <= 0;
    merged.push(takesLeft ? one : other);
    if (takesLeft) atLeft++;
    else atRight++;
    if (merged.length % runLength === 0 && isSliceOver()) yield pause;
  }
  for (; atLeft < left.length; atLeft++) merged.push(left[atLeft] as Item);
  for (; atRight < right.length; atRight++) merged.push(right[atRight] as Item);
  return merged;
}
