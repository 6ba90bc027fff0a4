import { setTimeout as wait } from 'node:timers/promises';

/**
 * A `fetch` that keeps requests within the rate limit that the platform reports in its responses: waiting is cheaper
 * than a 429. Create one for all requests with the same API key, because they share its limit.
 */
export function pacedFetch(): typeof globalThis.fetch {
  let resumesAt = 0;
  return async (url, init) => {
    // Another response may have moved `resumesAt` during the wait.
    for (let pause = resumesAt - performance.now(); pause > 0; pause = resumesAt - performance.now()) await wait(pause);
    const response = await fetch(url, init);
    const remaining = readNumber(response.headers.get('ratelimit-remaining'));
    const resetSeconds = readNumber(response.headers.get('ratelimit-reset'));
    if (remaining === 0 && resetSeconds !== null) {
      resumesAt = Math.max(resumesAt, performance.now() + resetSeconds * 1000);
    }
    return response;
  };
}

function readNumber(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}
