const defaultMilliseconds = 500;
const maxEntries = 5000;

/** A cache whose entries expire after a short time. */
export type TtlCache<T> = {
  /**
   * The cached answer, otherwise the answer of `ask`. Concurrent callers share one call, and failures are not cached.
   */
  find: (id: string, ask: () => Promise<T>) => Promise<T>;
  /** The cached answer; undefined when there is none. */
  peek: (id: string) => T | undefined;
  /** Removes the entry, also one in flight: its answer may be older than the change. */
  forget: (id: string) => void;
};

/** `value` is set once the answer has arrived. */
type Entry<T> = { answer: Promise<T>; value: T | undefined; until: number };

/** The TTL counts from the start of the call, so that no answer is older. */
export function createTtlCache<T>(trustedMilliseconds = defaultMilliseconds): TtlCache<T> {
  const entries = new Map<string, Entry<T>>();
  return {
    find(id, ask) {
      const known = entries.get(id);
      const instant = performance.now();
      if (known && instant < known.until) return known.answer;
      if (entries.size >= maxEntries) entries.clear();
      const entry: Entry<T> = { answer: ask(), value: undefined, until: instant + trustedMilliseconds };
      entries.set(id, entry);
      entry.answer.then(
        (value) => {
          entry.value = value;
        },
        () => {
          if (entries.get(id) === entry) entries.delete(id);
        },
      );
      return entry.answer;
    },
    peek(id) {
      const known = entries.get(id);
      return known && performance.now() < known.until ? known.value : undefined;
    },
    forget: (id) => void entries.delete(id),
  };
}
