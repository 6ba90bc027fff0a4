const defaultMilliseconds = 500;
const maxRemembered = 5000;

/** Answers that are trusted for a short time. */
export type TtlCache<T> = {
  /** The remembered answer, else that of `ask`. Concurrent callers share one question, and failures are forgotten. */
  find: (id: string, ask: () => Promise<T>) => Promise<T>;
  /** The remembered answer; undefined when there is none. */
  peek: (id: string) => T | undefined;
  /** Has the next caller ask again. An answer that is under way may be from before the change. */
  forget: (id: string) => void;
};

/** `value` is the answer once it has come. */
type Entry<T> = { answer: Promise<T>; value: T | undefined; until: number };

/** The time counts from before the question, so that no answer is older. */
export function createShortMemory<T>(trustedMilliseconds = defaultMilliseconds): TtlCache<T> {
  const remembered = new Map<string, Entry<T>>();
  return {
    find(id, ask) {
      const known = remembered.get(id);
      const instant = performance.now();
      if (known && instant < known.until) return known.answer;
      if (remembered.size >= maxRemembered) remembered.clear();
      const entry: Entry<T> = { answer: ask(), value: undefined, until: instant + trustedMilliseconds };
      remembered.set(id, entry);
      entry.answer.then(
        (value) => {
          entry.value = value;
        },
        () => {
          if (remembered.get(id) === entry) remembered.delete(id);
        },
      );
      return entry.answer;
    },
    peek(id) {
      const known = remembered.get(id);
      return known && performance.now() < known.until ? known.value : undefined;
    },
    forget: (id) => void remembered.delete(id),
  };
}
