/** Wakes the deliveries of one service in this process. Other processes find work by polling. */
export type Signal = {
  /** Call it for a new document, or when a place becomes free. */
  wake: () => void;
  /** The number of calls. Read it before polling, so that a call during the poll is not missed. */
  calls: () => number;
  /** Resolves when it was called since `since`, after the timeout in milliseconds, or when the signal aborts. */
  waitOrTimeout: (since: number, milliseconds: number, signal: AbortSignal) => Promise<void>;
};

export function createWake(): Signal {
  const waiting = new Set<() => void>();
  let calls = 0;
  return {
    wake() {
      calls += 1;
      for (const resume of waiting) resume();
    },
    calls: () => calls,
    async waitOrTimeout(since, milliseconds, signal) {
      if (calls !== since || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const resume = () => resolve();
      const timer = setTimeout(resume, milliseconds);
      signal.addEventListener('abort', resume);
      waiting.add(resume);
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', resume);
      waiting.delete(resume);
    },
  };
}
