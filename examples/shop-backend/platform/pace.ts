import { setTimeout as wait } from 'node:timers/promises';

/** Keeps requests within the rate limit that the platform reports in its responses: waiting is cheaper than a 429. */
export type Pace = {
  /** Resolves when the next request may be sent. */
  turn: () => Promise<void>;
  /** Records `RateLimit-Remaining` and `RateLimit-Reset` (seconds until the limit resets) of a response. */
  note: (headers: Headers) => void;
};

/** Create one for all requests with the same API key, because they share its limit. */
export function createPace(): Pace {
  let resumesAt = 0;
  return {
    async turn() {
      // Another response may have moved `resumesAt` during the wait.
      for (let pause = resumesAt - performance.now(); pause > 0; pause = resumesAt - performance.now())
        await wait(pause);
    },
    note(headers) {
      const remaining = readNumber(headers.get('ratelimit-remaining'));
      const resetSeconds = readNumber(headers.get('ratelimit-reset'));
      if (remaining === null || resetSeconds === null || remaining >= 1) return;
      resumesAt = Math.max(resumesAt, performance.now() + resetSeconds * 1000);
    },
  };
}

function readNumber(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}
