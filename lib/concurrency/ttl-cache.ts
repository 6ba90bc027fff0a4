import { LRUCache } from 'lru-cache';

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
  /** Removes the entries whose answer matches, and those in flight. */
  forgetWhere: (matches: (value: T) => boolean) => void;
};

/** `value` is set once the answer has arrived. */
type Entry<T> = { answer: Promise<T>; value: T | undefined };

/**
 * The options of an `LRUCache` whose entries expire after this time in milliseconds, and not later. With a clock of
 * fractions of a millisecond they may expire one earlier.
 *
 * @param read - a monotonic clock in milliseconds.
 */
export function expireAfter(milliseconds: number, read: () => number = () => performance.now()) {
  // The package keeps an entry that is exactly as old as its TTL.
  return { ttl: milliseconds - 1, ttlResolution: 0, perf: { now: read } };
}

/**
 * The TTL counts from the start of the call, so that no answer is older. The package's `fetch` counts from its end, and
 * fails the callers of an evicted call.
 *
 * @param read - a monotonic clock in milliseconds.
 */
export function createTtlCache<T>(ttl = defaultMilliseconds, read = () => performance.now()): TtlCache<T> {
  const entries = new LRUCache<string, Entry<T>>({ max: maxEntries, ...expireAfter(ttl, read) });
  return {
    find(id, ask) {
      const known = entries.get(id);
      if (known) return known.answer;
      const start = read();
      const entry: Entry<T> = { answer: ask(), value: undefined };
      entries.set(id, entry, { start });
      entry.answer.then(
        (value) => {
          entry.value = value;
        },
        () => {
          if (entries.peek(id) === entry) entries.delete(id);
        },
      );
      return entry.answer;
    },
    peek: (id) => entries.get(id)?.value,
    forget: (id) => void entries.delete(id),
    forgetWhere(matches) {
      for (const [id, { value }] of entries) if (value === undefined || matches(value)) entries.delete(id);
    },
  };
}
