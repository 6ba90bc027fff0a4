/** How often each of the first `namesMax` names came; `overflow` counts all that came under any later name. */
export type Tally = {
  entries: { name: string; count: number }[];
  overflow: number;
};

export function emptyTally(): Tally {
  return { entries: [], overflow: 0 };
}

export function tally(counts: Tally, name: string, namesMax: number): Tally {
  const isKnown = counts.entries.some((entry) => entry.name === name);
  if (!isKnown && counts.entries.length >= namesMax) return { ...counts, overflow: counts.overflow + 1 };
  if (!isKnown) return { ...counts, entries: [...counts.entries, { name, count: 1 }] };
  const entries = counts.entries.map((entry) => (entry.name === name ? { name, count: entry.count + 1 } : entry));
  return { ...counts, entries };
}

/** The most frequent first; of equals the one that came first. */
export function mostFrequent(counts: Tally): Tally['entries'] {
  return counts.entries.toSorted((left, right) => right.count - left.count);
}

export function tallyTotal(counts: Tally): number {
  return counts.entries.reduce((sum, entry) => sum + entry.count, counts.overflow);
}
