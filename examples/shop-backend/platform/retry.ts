import { setTimeout as wait } from 'node:timers/promises';

const maxAttempts = 8;
const firstDelayMilliseconds = 200;
const maxDelayMilliseconds = 20_000;

/** Transient failure of an attempt. `retryAfterMilliseconds` is the delay that the platform requested. */
export class PassingFailure extends Error {
  override name = 'PassingFailure';
  readonly retryAfterMilliseconds: number;

  constructor(message: string, retryAfterMilliseconds = 0, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}

/** Runs `attempt` until it succeeds or fails permanently, at most eight times. */
export async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PassingFailure)) throw error;
      if (failures + 1 === maxAttempts) throw new Error(`Given up: ${error.message}`, { cause: error });
      await wait(error.retryAfterMilliseconds + backOff(failures));
    }
  }
}

/**
 * Full jitter: a random delay between 0 and an exponentially growing bound, so that many clients that failed together
 * do not retry together.
 */
function backOff(failures: number): number {
  return Math.random() * Math.min(maxDelayMilliseconds, firstDelayMilliseconds * 2 ** failures);
}

/** Parses Retry-After to milliseconds: seconds or an HTTP date (RFC 9110 section 10.2.3); 0 when absent or invalid. */
export function readRetryAfter(header: string | null): number {
  if (header === null) return 0;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Math.max(0, milliseconds || 0);
}
