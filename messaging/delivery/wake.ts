import { EventEmitter, once } from 'node:events';

/** Wakes the deliveries of one service in this process. Other processes find work by polling. */
export type Wake = {
  /** Call it for a new document, or for a place that is free again. */
  wake: () => void;
  /** How often it was called: read it before polling, so that no call meanwhile is missed. */
  calls: () => number;
  /** Resolves when it was called since `since`, after so many milliseconds, or when the signal aborts. */
  calledOrAfter: (since: number, milliseconds: number, signal: AbortSignal) => Promise<void>;
};

export function createWake(): Wake {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  let calls = 0;
  return {
    wake() {
      calls += 1;
      emitter.emit('wake');
    },
    calls: () => calls,
    async calledOrAfter(since, milliseconds, signal) {
      if (calls !== since) return;
      const enough = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
      // The end of the wait and a stop both arrive as an abort: either way it is time to poll.
      await once(emitter, 'wake', { signal: enough }).catch(() => undefined);
    },
  };
}
