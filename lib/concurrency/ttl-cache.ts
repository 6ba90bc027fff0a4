const defaultMilliseconds = 500;
const maxRemembered = 5000;

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
