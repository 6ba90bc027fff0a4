/** An entity with a lifecycle (an order, a ticket), known by the sender's id for it. */
type Trackable = {
  id: string;
  open: boolean;
};

/**
 * The entities touched last, the latest at the end. Beyond the bound one is forgotten: the longest untouched closed
 * one, or if all are open the longest untouched. How many were forgotten in which state stays counted, so that
 * "12 orders are open" stays right for as long as it can be known.
 */
export type Tracked<Entry extends Trackable> = {
  entries: Entry[];
  forgottenOpen: number;
  forgottenClosed: number;
};

export function emptyTracked<Entry extends Trackable>(): Tracked<Entry> {
  return { entries: [], forgottenOpen: 0, forgottenClosed: 0 };
}

export function findTracked<Entry extends Trackable>(tracked: Tracked<Entry>, id: string): Entry | undefined {
  return tracked.entries.find((entry) => entry.id === id);
}

/** Stores the entry as the latest touched, in place of the one with its id. */
export function track<Entry extends Trackable>(
  tracked: Tracked<Entry>,
  entry: Entry,
  entriesMax: number,
): Tracked<Entry> {
  const entries = [...tracked.entries.filter(({ id }) => id !== entry.id), entry];
  if (entries.length <= entriesMax) return { ...tracked, entries };
  const closedIndex = entries.findIndex(({ open }) => !open);
  const [forgotten] = entries.splice(Math.max(closedIndex, 0), 1);
  return forgotten?.open
    ? { ...tracked, entries, forgottenOpen: tracked.forgottenOpen + 1 }
    : { ...tracked, entries, forgottenClosed: tracked.forgottenClosed + 1 };
}

/** Takes back one forgotten entity, an open one first; undefined when none was forgotten. */
export function recall<Entry extends Trackable>(
  tracked: Tracked<Entry>,
): { tracked: Tracked<Entry>; wasOpen: boolean } | undefined {
  if (tracked.forgottenOpen > 0) {
    return { tracked: { ...tracked, forgottenOpen: tracked.forgottenOpen - 1 }, wasOpen: true };
  }
  if (tracked.forgottenClosed === 0) return undefined;
  return { tracked: { ...tracked, forgottenClosed: tracked.forgottenClosed - 1 }, wasOpen: false };
}

export function openEntries<Entry extends Trackable>(tracked: Tracked<Entry>): Entry[] {
  return tracked.entries.filter(({ open }) => open);
}

export function countOpen<Entry extends Trackable>(tracked: Tracked<Entry>): number {
  return openEntries(tracked).length + tracked.forgottenOpen;
}
