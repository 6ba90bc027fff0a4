/** Counted from before the question, so that no answer is older. */
const trustedMilliseconds = 500;
const maxRemembered = 5000;

/** Answers that are trusted for half a second. */
export type ShortMemory<T> = {
  /** The remembered answer, else that of `ask`. Concurrent callers share one question, and failures are forgotten. */
  find: (id: string, ask: () => Promise<T>) => Promise<T>;
  /** Has the next caller ask again. An answer that is under way may be from before the change. */
  forget: (id: string) => void;
};

export function createShortMemory<T>(): ShortMemory<T> {
  const remembered = new Map<string, { answer: Promise<T>; until: number }>();
  return {
    find(id, ask) {
      const known = remembered.get(id);
      const instant = performance.now();
      if (known && instant < known.until) return known.answer;
      if (remembered.size >= maxRemembered) remembered.clear();
      const entry = { answer: ask(), until: instant + trustedMilliseconds };
      remembered.set(id, entry);
      entry.answer.catch(() => {
        if (remembered.get(id) === entry) remembered.delete(id);
      });
      return entry.answer;
    },
    forget: (id) => void remembered.delete(id),
  };
}
